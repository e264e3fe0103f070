"""Whole-body kinematics, and ways around obstacles within a budget of checks."""

from itertools import pairwise

import numpy as np
import pytest

from peephole.skills.arm.mobile import body, inverse
from peephole.skills.arm.mobile.paths import TRANSIT, Clearance, Paths
from peephole.skills.arm.mobile.world import Obstacle

_START = np.array([0.0, 0.0, 0.0, body.LIFT_DRIVING, *body.TUCK])


class Walled:
    """A floor with a wall at x = 1 that has gaps; the base is a point that needs some distance."""

    def __init__(self, *gaps):
        self.gaps = gaps

    def obstacle(self, joints, need, **_):
        x, y = joints[:2]
        if abs(x - 1.0) > 0.1 + need or any(
            low + need < y < high - need for low, high in self.gaps
        ):
            return None
        return Obstacle("base", "wall")


def connect(world, seed=0, budget=4000):
    paths = Paths(world, np.random.default_rng(seed))
    end = _START.copy()
    end[0] = 2.0
    low, high = np.array([-0.5, -2.0, -0.3]), np.array([2.5, 2.0, 0.3])
    way = paths.connect(_START, end, Clearance(), range(3), low, high, budget=budget, step=0.8)
    return way, paths


def test_hands_are_where_the_solutions_say():
    rng = np.random.default_rng(3)
    joints = np.repeat(_START[None], 40, axis=0)
    joints[:, 4:] = body.LEVEL[0] + rng.uniform(-0.3, 0.3, (40, 7))
    joints[:, 4:] = np.clip(joints[:, 4:], body.LOW[4:] + 0.05, body.HIGH[4:] - 0.05)
    position, rotation = inverse.forward(joints)
    starts = joints + rng.uniform(-0.1, 0.1, joints.shape)
    found = inverse.solve(starts, position, rotation)
    assert found.reached.mean() > 0.9
    there, turned = inverse.forward(found.joints[found.reached])
    assert np.abs(there - position[found.reached]).max() < 0.001
    apart = inverse.logarithms(rotation[found.reached] @ turned.transpose(0, 2, 1))
    assert np.linalg.norm(apart, axis=1).max() < 0.01
    assert (found.joints >= body.LOW).all()
    assert (found.joints <= body.HIGH).all()


def test_a_way_leads_through_a_gap_with_room_on_both_sides():
    world = Walled((0.6, 1.2))
    way, _ = connect(world)
    points = [_START, *way]
    for first, second in pairwise(points):
        for part in np.linspace(0, 1, 200):
            assert world.obstacle(first + (second - first) * part, TRANSIT / 2) is None


def test_equal_seeds_give_equal_ways():
    first, _ = connect(Walled((0.6, 1.2)), seed=5)
    second, _ = connect(Walled((0.6, 1.2)), seed=5)
    np.testing.assert_array_equal(first, second)


def test_without_a_gap_the_search_ends_within_its_budget():
    way, paths = connect(Walled(), budget=500)
    assert way is None
    assert paths.checks < 600
    assert paths.met == Obstacle("base", "wall")


@pytest.mark.parametrize("where", ["start", "end"])
def test_no_way_leads_out_of_a_wall_or_into_one(where):
    world = Walled((0.6, 1.2))
    paths = Paths(world, np.random.default_rng(0))
    inside = _START.copy()
    inside[0] = 1.0
    ends = (inside, _START) if where == "start" else (_START, inside)
    low, high = np.array([-0.5, -2.0, -0.3]), np.array([2.5, 2.0, 0.3])
    assert paths.connect(*ends, Clearance(), range(3), low, high) is None
