"""Grasps: the fingers close on every shape, nothing is in the palm, and the hand fits the place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.skills.arm.mobile import grasps
from peephole.skills.arm.mobile.grasps import Approach, Grasps
from peephole.skills.arm.mobile.world import Pose, Reach, Shape, ShapeKind, about
from peephole.skills.arm.rotation import Array

UP = np.array([0.0, 0.0, 1.0])
TOWARDS_ROBOT = np.array([0.0, -1.0, 0.0])
CAN = Shape(ShapeKind.CYLINDER, 0.11, 0.033, 0.066, 0.033)
CARTON = Shape(ShapeKind.BOX, 0.18, 0.06, 0.06, 0.05)
BOTTLE = Shape(ShapeKind.BOTTLE, 0.15, 0.03, 0.06, 0.03, neck=0.06)
MUG = Shape(ShapeKind.MUG, 0.09, 0.065, 0.066, 0.033)
BOWL = Shape(ShapeKind.BOWL, 0.055, 0.07, 0.008, 0.07)
APPLE = Shape(ShapeKind.BALL, 0.07, 0.035, 0.07, 0.035)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Things of a household."""
    kind = draw(st.sampled_from(list(ShapeKind)))
    wide = draw(st.floats(0.03, 0.074))
    high = draw(st.floats(0.05, 0.2))
    if kind is ShapeKind.BALL:
        return Shape(kind, wide, wide / 2, wide, wide / 2)
    if kind is ShapeKind.BOWL:
        radius = draw(st.floats(0.055, 0.08))
        return Shape(kind, draw(st.floats(0.045, 0.07)), radius, 0.008, radius)
    if kind is ShapeKind.BOX:
        depth = draw(st.floats(0.5, 1.5)) * wide / 2
        return Shape(kind, high, math.hypot(wide / 2, depth), wide, depth)
    if kind is ShapeKind.MUG:
        return Shape(kind, draw(st.floats(0.07, 0.1)), 0.065, draw(st.floats(0.055, 0.072)), 0.033)
    neck = draw(st.floats(0.04, 0.07)) if kind is ShapeKind.BOTTLE else 0.0
    return Shape(kind, high, wide / 2, wide, wide / 2, neck)


def solid(shape: Shape, points: Array) -> Array:
    """Whether points in the frame of the thing are inside its material."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    across, half = np.hypot(x, y), shape.height / 2
    body = np.abs(z) < half
    if shape.kind is ShapeKind.BALL:
        return np.linalg.norm(points, axis=-1) < shape.grip / 2
    if shape.kind is ShapeKind.BOX:
        return body & (np.abs(x) < shape.grip / 2) & (np.abs(y) < shape.depth)
    if shape.kind is ShapeKind.BOWL:
        return body & (across < shape.radius) & (across > shape.radius - shape.grip)
    if shape.kind is ShapeKind.MUG:
        wall = (across < shape.grip / 2) & ((across > shape.grip / 2 - 0.008) | (z < 0.008 - half))
        beside = (x > 0) & (x < shape.radius) & (np.abs(y) < 0.006) & (np.abs(z) < 0.031)
        return body & wall | beside & (across > shape.grip / 2)
    neck = (z >= half) & (z < half + shape.neck) & (across < 0.013)
    return body & (across < shape.grip / 2) | neck


def found(shape: Shape, turn: Array, approach: Approach, count: int = 60) -> Grasps:
    pose = Pose(np.array([0.3, 0.2, 0.9]), turn)
    return grasps.sample(shape, pose, approach, count, np.random.default_rng(0))


def in_thing(turn: Array, hands: Grasps, local: Array) -> Array:
    """Points of the frame of each tcp, shape (m, 3), in that of the thing, shape (n, m, 3)."""
    room = hands.positions[:, None] + local @ hands.rotations.transpose(0, 2, 1)
    points: Array = (room - np.array([0.3, 0.2, 0.9])) @ turn
    return points


def check(shape: Shape, turn: Array, hands: Grasps) -> None:
    """Each grasp closes on the thing from outside it, and the palm is clear."""
    assert np.all(hands.opening <= 0.04)
    assert np.all(hands.width <= 0.08)
    # On lines between the pads, the middle one a part of the thing, both ends outside.
    lines = [np.array([0.0, y, z]) for z in (-0.008, 0.0, 0.008) for y in np.linspace(-1, 1, 81)]
    local = (
        np.array(lines)[None]
        * np.stack([np.ones(len(hands)), hands.opening, np.ones(len(hands))], axis=1)[:, None]
    )
    between = solid(shape, in_thing(turn, hands, local)).reshape(len(hands), 3, 81)
    assert np.all(between.any(axis=(1, 2)))
    assert not between[:, :, 0].any()
    assert not between[:, :, -1].any()
    xs, ys, zs = np.meshgrid((-0.03, 0.0, 0.03), np.linspace(-0.1, 0.1, 21), (-0.0374, -0.0574))
    palm = np.stack([xs.ravel(), ys.ravel(), zs.ravel()], axis=1)
    assert not solid(shape, in_thing(turn, hands, palm[None])).any()


@given(shapes(), st.sampled_from(list(Reach)), st.floats(-math.pi, math.pi))
def test_grasps_close_on_what_stands_and_keep_the_palm_clear(
    shape: Shape, reach: Reach, yaw: float
) -> None:
    turn = about(UP, yaw)
    hands = found(shape, turn, Approach.into(reach, TOWARDS_ROBOT))
    check(shape, turn, hands)
    if reach is not Reach.FRONT:
        assert len(hands) > 5


@given(st.sampled_from([CAN, CARTON, BOTTLE, APPLE]), st.floats(-math.pi, math.pi))
def test_what_has_fallen_over_is_taken_from_above(shape: Shape, yaw: float) -> None:
    turn = about(UP, yaw) @ about(np.array([1.0, 0.0, 0.0]), math.pi / 2)
    hands = found(shape, turn, Approach.into(Reach.ABOVE, TOWARDS_ROBOT))
    check(shape, turn, hands)
    assert len(hands) > 5


@pytest.mark.parametrize("shape", [CAN, CARTON, BOTTLE, MUG, BOWL, APPLE], ids=lambda s: s.kind)
@pytest.mark.parametrize("goal", list(Reach), ids=str)
def test_a_thing_on_a_worktop_can_be_taken_for_any_place(shape: Shape, goal: Reach) -> None:
    hands = found(
        shape,
        about(UP, 0.3 if shape is CARTON else 1.5),
        Approach.into(Reach.ABOVE, TOWARDS_ROBOT, goal),
    )
    # It may be turned about the upright before it is put down.
    ahead = np.arctan2(hands.rotations[:, 1, 2], hands.rotations[:, 0, 2])
    turned = np.array([about(UP, math.pi / 2 - angle) for angle in ahead]) @ hands.rotations
    assert len(hands) > 10
    assert np.all(grasps.goes_into(turned, goal, TOWARDS_ROBOT))


def test_a_bottle_is_taken_by_the_neck_only_from_above() -> None:
    hands = found(BOTTLE, np.eye(3), Approach.into(Reach.ABOVE, TOWARDS_ROBOT), 200)
    neck = hands.positions[:, 2] > 0.9 + BOTTLE.height / 2
    assert 20 < neck.sum() < 180
    assert np.all(hands.rotations[neck, 2, 2] < -0.89)
    assert np.all(hands.width[neck] < 0.03)


@pytest.mark.parametrize("shape", [CAN, BOTTLE, MUG, APPLE], ids=lambda s: s.kind)
@pytest.mark.parametrize("reach", list(Reach), ids=str)
def test_what_is_round_is_closed_on_near_its_axis(shape: Shape, reach: Reach) -> None:
    """Beside it, the pads would squeeze it out of the hand."""
    hands = found(shape, about(UP, 1.5), Approach.into(reach, TOWARDS_ROBOT), 200)
    around = hands.take(hands.width > 0.03)
    assert len(around) > 10
    beside = around.positions - np.array([0.3, 0.2, 0.9])
    off = np.linalg.norm(beside[:, :2], axis=1)
    assert off.max() < 0.2 * shape.grip / 2


@pytest.mark.parametrize("shape", [CAN, CARTON, BOTTLE, MUG, APPLE], ids=lambda s: s.kind)
@pytest.mark.parametrize("reach", list(Reach), ids=str)
def test_many_grasps_suit_shelves_drawers_and_worktops(shape: Shape, reach: Reach) -> None:
    hands = found(shape, about(UP, 1.5), Approach.into(reach, TOWARDS_ROBOT), 200)
    suiting = hands.take(grasps.suits(hands.rotations, None))
    assert len(suiting) > 10
    inward = np.arctan2(suiting.rotations[:, 1, 2], suiting.rotations[:, 0, 2])
    turned = np.array([about(UP, math.pi / 2 - a) for a in inward]) @ suiting.rotations
    for goal in Reach:
        assert np.all(grasps.goes_into(turned, goal, TOWARDS_ROBOT))


def test_no_finger_meets_the_handle_of_a_mug() -> None:
    for yaw in np.linspace(-3, 3, 13):
        hands = found(MUG, about(UP, yaw), Approach.into(Reach.ABOVE, TOWARDS_ROBOT), 100)
        across = hands.rotations[:, :, 1] @ about(UP, yaw)[:, 0]
        rim = hands.width < 0.02
        assert 5 < rim.sum() < 90
        assert np.all(hands.rotations[rim, 2, 2] < -0.85)
        assert np.all(np.abs(across[~rim]) < math.cos(0.75))


def test_a_thing_too_wide_for_the_hand_has_no_grasp() -> None:
    crate = Shape(ShapeKind.BOX, 0.1, 0.15, 0.1, 0.1)
    for reach in Reach:
        assert not len(found(crate, np.eye(3), Approach.into(reach, TOWARDS_ROBOT)))
