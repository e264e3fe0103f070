"""Motions that look ahead, brake for what comes in their way, and slow down where they touch."""

import numpy as np
import pytest

from peephole.skills.arm.mobile import body
from peephole.skills.arm.mobile.driving import Mover
from peephole.skills.arm.mobile.failures import Failed
from peephole.skills.arm.mobile.motion import Motion
from peephole.skills.arm.mobile.paths import Clearance
from peephole.skills.arm.mobile.world import TICK_S, Obstacle, Reading, Touch
from peephole.skills.outcomes import Reason

_START = np.array([0.0, 0.0, 0.0, body.LIFT_DRIVING, *body.TUCK])


class Corridor:
    """The base drives along x exactly as commanded. blocked: from this x on, as the robot sees it
    after `sync`. rubs: the force from x = 0.5 to 1, in N.
    """

    def __init__(self, rubs=0.0):
        self.at = [_START]
        self.rubs = rubs
        self.blocked = self._seen = np.inf
        self.when = {}

    def reading(self):
        return Reading(len(self.at) * TICK_S, self.at[-1].copy(), np.full(2, body.OPEN))

    def command(self, joints, speeds, opening):
        self.at.append(joints.copy())

    def step(self, carried=None):
        self.blocked = self.when.get(len(self.at), self.blocked)
        if self.rubs and 0.5 < self.at[-1][0] < 1:
            return [Touch("base", "door", self.rubs, by_finger=False)]
        return []

    def sync(self):
        self._seen = self.blocked

    def obstacle(self, joints, need, **_):
        return Obstacle("base", "chair") if joints[0] > self._seen - need else None

    @property
    def xs(self):
        return np.array([joints[0] for joints in self.at])


def drive(world, ahead=True):
    end = _START.copy()
    end[0] = 2.0
    Motion(world).follow([end], ahead=Clearance() if ahead else None)


def test_what_comes_in_the_way_is_never_reached_and_is_named():
    for tick in (2, 100, 260):
        world = Corridor()
        world.when = {tick: 1.2}
        with pytest.raises(Failed) as caught:
            drive(world)
        assert (caught.value.reason, caught.value.other) == (Reason.BLOCKED, "chair")
        assert 1.1 < world.xs.max() < 1.19
        speeds = np.diff(world.xs) / TICK_S
        assert np.abs(np.diff(speeds)).max() / TICK_S < 3.0, "it brakes as its drive can"


def test_it_goes_on_when_the_way_is_free_again():
    world = Corridor()
    world.when = {50: 0.9, 300: np.inf}
    drive(world)
    assert world.xs[-1] == 2.0
    free = Corridor()
    drive(free)
    assert len(world.at) > len(free.at) + 20


def test_a_free_way_is_followed_as_planned_to_the_bit():
    looking, blind = Corridor(), Corridor()
    drive(looking)
    drive(blind, ahead=False)
    assert (np.array(looking.at) == np.array(blind.at)).all()


def test_a_motion_is_slow_while_something_is_touched():
    free, rubbing = Corridor(), Corridor(rubs=10.0)
    drive(free)
    drive(rubbing)
    fastest = [
        np.diff(each.xs)[(each.xs[1:] > 0.7) & (each.xs[1:] < 0.98)].max() / TICK_S
        for each in (free, rubbing)
    ]
    assert fastest[1] < 0.3 * fastest[0]
    assert np.diff(rubbing.xs).max() > 0.9 * np.diff(free.xs).max(), "then it is fast again"


def test_around_a_corner_no_joint_changes_its_speed_at_once():
    """The joints follow late: at full speed the hand would swing past the corner."""
    world = Corridor()
    corner, end = _START.copy(), _START.copy()
    corner[0] = 1.0
    end[:2] = 1.0
    Motion(world).follow([corner, end])
    speeds = np.diff(np.array(world.at), axis=0) / TICK_S / body.SPEEDS
    assert np.abs(speeds[2:] - speeds[:-2]).max() < 0.36
    assert speeds.max() > 0.9 * body.FREE
    np.testing.assert_array_equal(world.at[-1], end)


class Narrow(Corridor):
    """The base stands 7 mm from a door, and cannot drive away."""

    def obstacle(self, joints, need, *, base_stays=False, **_):
        if np.hypot(*joints[:2]) > 0.01:
            return Obstacle("base", "wall")
        return Obstacle("base", "door") if need > 0.007 and not base_stays else None


def test_the_arm_folds_where_the_base_stands_close_to_something():
    world = Narrow()
    unfolded = _START.copy()
    unfolded[4:] = body.LEVEL[0]
    world.at = [unfolded]
    mover = Mover(Motion(world), np.random.default_rng(0))
    mover.tuck()
    assert mover.tucked
    np.testing.assert_array_equal(world.at[-1][:3], _START[:3])


class Hand(Corridor):
    """A hand at a cup. wall: the opening of the fingers from which on they push it, in m."""

    def __init__(self, wall=np.inf, force=100.0):
        super().__init__()
        self.wall, self.force = wall, force
        self.openings = [0.0]

    def reading(self):
        return super().reading()._replace(fingers=np.full(2, self.openings[-1]))

    def command(self, joints, speeds, opening):
        super().command(joints, speeds, opening)
        self.openings.append(opening)

    def step(self, carried=None):
        pushed = self.openings[-1] > self.wall
        return [Touch("left_finger", "cup", self.force, by_finger=True)] if pushed else []


def test_fingers_move_at_their_speed():
    world = Hand()
    motion = Motion(world)
    motion.release()
    assert world.openings[-1] == body.OPEN
    assert np.diff(world.openings).max() / TICK_S < 0.16
    motion.grip(body.CLOSED)
    assert world.openings[-1] == body.CLOSED
    assert np.abs(np.diff(world.openings)).max() / TICK_S < 0.16


def test_fingers_that_open_against_something_stop():
    world = Hand(wall=0.01)
    motion = Motion(world)
    motion.release()
    assert 0.01 < world.openings[-1] < 0.013
    assert motion.opening == world.openings[-1]


def test_what_is_left_may_be_touched_but_not_dragged_along():
    end = _START.copy()
    end[0] = 0.1
    for force, most, stops in ((100.0, np.inf, False), (100.0, 30.0, True), (20.0, 30.0, False)):
        world = Hand(wall=-1.0, force=force)
        motion = Motion(world)
        motion.allowed, motion.allowed_force = frozenset({"cup"}), most
        if stops:
            with pytest.raises(Failed):
                motion.follow([end])
        else:
            motion.follow([end])
        assert (motion.worst[0] > 0) == stops
