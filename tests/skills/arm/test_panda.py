"""The arm in numbers: what its maker publishes, and what a body of that size and mass can be."""

from __future__ import annotations

import numpy as np
import pytest

from peephole.skills.arm import panda
from peephole.skills.arm.panda import Block, Inertial, Rod, Shape

BODIES = (*panda.LINKS, panda.HAND, panda.FINGER)
SHAPES = (*panda.SHAPES, panda.HAND_SHAPES, panda.FINGER_SHAPES, panda.PADS)


def test_joints_move_as_far_as_fast_and_as_strongly_as_the_maker_says() -> None:
    """Robot limits of the Franka Control Interface: q_min, q_max, dq_max, tau_max."""
    ours = [(joint.low, joint.high, joint.speed, joint.torque) for joint in panda.JOINTS]
    assert ours == [
        (-2.8973, 2.8973, 2.175, 87),
        (-1.7628, 1.7628, 2.175, 87),
        (-2.8973, 2.8973, 2.175, 87),
        (-3.0718, -0.0698, 2.175, 87),
        (-2.8973, 2.8973, 2.61, 12),
        (-0.0175, 3.7525, 2.61, 12),
        (-2.8973, 2.8973, 2.61, 12),
    ]


@pytest.mark.parametrize("body", BODIES)
def test_a_body_turns_as_one_of_its_mass_can(body: Inertial) -> None:
    """Its principal moments fulfil the triangle inequality, and none is larger than it is."""
    xx, yy, zz, xy, xz, yz = body.inertia
    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    assert moments[0] > 0
    assert moments[2] <= moments[0] + moments[1] + 1e-12
    assert moments[2] < body.mass * 0.4**2


def test_the_arm_weighs_what_it_does() -> None:
    assert sum(body.mass for body in BODIES) == pytest.approx(17.5, abs=0.3)


def extent(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """The corners of the box around a shape."""
    if isinstance(shape, Rod):
        ends = np.array([shape.start, shape.end])
        return ends.min(axis=0) - shape.radius, ends.max(axis=0) + shape.radius
    return np.array(shape.center) - shape.half, np.array(shape.center) + shape.half


@pytest.mark.parametrize("shapes", SHAPES)
def test_a_link_is_as_large_as_a_link_of_this_arm(shapes: tuple[Shape, ...]) -> None:
    low, high = (np.array(corners) for corners in zip(*map(extent, shapes), strict=True))
    assert (high > low).all()
    assert (np.abs([low, high]) < 0.29).all()


@pytest.mark.parametrize(("body", "shapes"), [*zip(panda.LINKS, panda.SHAPES, strict=True)])
def test_a_links_mass_is_within_it(body: Inertial, shapes: tuple[Shape, ...]) -> None:
    low, high = (np.array(corners) for corners in zip(*map(extent, shapes), strict=True))
    assert (low.min(axis=0) - 0.005 <= body.center).all()
    assert (high.max(axis=0) + 0.005 >= body.center).all()


def test_the_pads_meet_at_the_point_between_the_fingertips() -> None:
    for pad in panda.PADS:
        assert isinstance(pad, Block)
        middle = np.array(panda.FINGER_OFFSET) + pad.center
        assert middle[2] == pytest.approx(panda.TCP_OFFSET[2], abs=0.01)
        assert abs(middle[0]) < 0.01
        assert 0 <= middle[1] - pad.half[1] <= 0.002
