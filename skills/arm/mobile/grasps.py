"""Grasps of things: where the hand closes, by a thing's shape and by how its place is reached.

Cans and mugs are taken around the body, bowls (and mugs) by the rim, boxes across a side that the
hand spans, bottles around the body and by the neck only from above.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ..rotation import Array
from . import hand
from .world import Pose, Reach, Shape, ShapeKind

#: The widest side that a hand spans, in m.
WIDEST = 0.076
#: The pitch of a hand under the level, in rad: the steepest that gets into some shelves, into most,
#: and into all; the flattest that gets into most drawers, and into all.
STEEPEST_LEVEL, LEVEL_ENOUGH, LEVEL_ALWAYS = 1.04, 0.5, 0.3
FLATTEST_DOWN, DOWN_ALWAYS = 0.26, 0.95

_UP = np.array([0.0, 0.0, 1.0])
#: How far each finger opens around a rim, and beyond half of a thing's width, in m.
_RIM_OPENING, _ROOM = 0.016, 0.014
#: From above, the tcp is so far under the top of a body, a neck and a rim, in m.
_UNDER_TOP, _UNDER_NECK, _UNDER_RIM = 0.022, 0.018, 0.016
#: And under the top of a body that a tilted hand takes: lower its palm would hold it off.
_UNDER_TOP_TILTED = 0.015
#: The lowest tcp over what a thing stands on: fingers down, and level (flange and bump), in m.
_LOWEST, _LOWEST_LEVEL = 0.012, 0.062
#: Up to the first pitch a hand takes a round body by its middle, from there on under its top: else
#: the palm would hold it off. It is level up to the second; from the others on it takes necks, and
#: has no azimuth.
_MIDDLE, _LEVEL, _NECK_FROM, _UPRIGHT = 0.2, 0.9, 1.1, 1.5
#: The largest pitch of a hand around a bottle's body.
_BESIDE_NECK = 0.7
#: The least pitch of a hand at a rim and at a thing that lies.
_RIM_PITCH, _LYING_PITCH = 0.8, 1.0
#: Only a steeper hand gets its finger out of a narrow mug without taking the mug along.
_INTO_MUG = 1.1
#: The least angle between a mug's handle and a finger, and the least cosine of a standing axis.
_HANDLE_FREE, _STANDING = 0.8, 0.9
#: The hand may draw back so far from where it was aimed, and grasps vary so far in height, in m.
_MOST_BACK, _SPREAD = 0.06, 0.006
#: The share of grasps of a mug by its rim.
_BY_RIM = 0.4
#: What a grasp costs that lets a thing swing, in the measure of `reaching.by_cost`.
_RIM_COST, _NECK_COST = 3.0, 2.0


@dataclass(frozen=True)
class Grasps:
    """n grasps."""

    positions: Array
    """Of the tcp when the fingers close, in the room, shape (n, 3)."""
    rotations: Array
    """Of the tcp, shape (n, 3, 3)."""
    opening: Array
    """How far each finger opens around the thing, before and to let go, in m, shape (n,)."""
    width: Array
    """The gap of the fingers that hold the thing, in m, shape (n,)."""
    cost: Array
    """How much worse a grasp holds than the best of its kind, shape (n,)."""

    def __len__(self) -> int:
        return len(self.positions)

    def take(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Grasps:
        """The grasps at some indices."""
        return Grasps(*(getattr(self, field.name)[chosen] for field in fields(self)))


@dataclass(frozen=True)
class Approach:
    """How a hand may come to a thing."""

    forward: Array
    """Level unit vector, shape (3,): away from who stands before the place."""
    pitches: tuple[float, ...]
    """Angles of the hand under the level, in rad."""
    spread: float
    """Standard deviation of its azimuth from `forward`, in rad; of a hand that points down: any."""

    @classmethod
    def into(
        cls, reach: Reach, outward: Array, goal: Reach | None = None, beside: bool = False
    ) -> Approach:
        """The approach to a place reached in one way, for a thing that goes to another.

        outward: level, towards who stands before the place. beside: one can stand only beside it. A
        goal that the hand cannot serve from here is left out: the thing must be taken again.
        """
        down, any_place = math.pi / 2, (0.3, 0.38, 0.46)
        pitches = {
            Reach.FRONT: (0.0, 0.15, *any_place, 0.55),
            Reach.ABOVE: (0.15, *any_place, 0.65, 1.2, 1.2, down, down),
            Reach.DRAWER: (*any_place, 1.2, down, down, down),
        }[reach]
        if reach is Reach.ABOVE and goal is Reach.FRONT:
            pitches = (0.0, 0.1, 0.2, *any_place, 0.65)
        elif reach is Reach.ABOVE and goal is Reach.DRAWER:
            pitches = (1.2, down, down)
        level = -np.array([outward[0], outward[1], 0.0])
        spread = {Reach.FRONT: 0.3, Reach.ABOVE: 0.6, Reach.DRAWER: 2.0}[reach]
        if beside:
            pitches, spread = (0.0, 0.15, *any_place, 0.65), 0.6
        return cls(level / np.linalg.norm(level), pitches, spread)


def goes_into(rotations: Array, reach: Reach, outward: Array) -> NDArray[np.bool_]:
    """Whether hands of these rotations, shape (n, 3, 3), get into a place, shape (n,)."""
    fingers = rotations[:, :, 2]
    if reach is Reach.FRONT:
        inward = fingers @ -outward > 0.45
        below: NDArray[np.bool_] = inward & (fingers[:, 2] > -math.sin(STEEPEST_LEVEL))
        return below
    if reach is Reach.DRAWER:
        down: NDArray[np.bool_] = fingers[:, 2] < -math.sin(FLATTEST_DOWN)
        return down
    above: NDArray[np.bool_] = fingers[:, 2] < 0.15
    return above


def band(goal: Reach | None) -> tuple[float, float]:
    """The least and the largest pitch of hands, in rad, that get into nearly all places of a kind;
    into most of all kinds if it is not known.
    """
    if goal is None:
        return FLATTEST_DOWN, LEVEL_ENOUGH
    whole = (-math.pi / 2, math.pi / 2)
    return {
        Reach.FRONT: (whole[0], LEVEL_ALWAYS),
        Reach.ABOVE: whole,
        Reach.DRAWER: (DOWN_ALWAYS, whole[1]),
    }[goal]


def suits(rotations: Array, goal: Reach | None) -> NDArray[np.bool_]:
    """Whether hands of these rotations, shape (n, 3, 3), are in the band of a goal, shape (n,)."""
    pitch = np.arcsin(np.clip(-rotations[:, 2, 2], -1.0, 1.0))
    low, high = band(goal)
    good: NDArray[np.bool_] = (pitch >= low) & (pitch <= high)
    return good


def sample(shape: Shape, pose: Pose, approach: Approach, count: int, random: Generator) -> Grasps:
    """At most `count` grasps of a thing that close on it and keep the palm clear; none if it is
    too wide for the hand.
    """
    pitch = random.choice(np.array(approach.pitches), count)
    azimuth = random.normal(0.0, approach.spread, count)
    upright = pitch > _UPRIGHT
    azimuth[upright] = random.uniform(-math.pi, math.pi, int(upright.sum()))
    start = math.atan2(approach.forward[1], approach.forward[0])
    if shape.kind is ShapeKind.BOX:
        grasps = _across_box(shape, pose, start + azimuth, pitch, random)
    else:
        standing = pose.rotation[2, 2] > _STANDING
        by_rim = np.full(count, shape.kind is ShapeKind.BOWL)
        if shape.kind is ShapeKind.MUG and standing and not shape.full:
            by_rim = (pitch > _INTO_MUG) & (random.random(count) < _BY_RIM)
        around = _around(shape, pose, (start + azimuth)[~by_rim], pitch[~by_rim], random)
        rims = _by_rim(shape, pose, (start + azimuth)[by_rim], pitch[by_rim], random)
        grasps = _joined(around, rims)
    return _clear(shape, pose, grasps)


def _around(shape: Shape, pose: Pose, azimuth: Array, pitch: Array, random: Generator) -> Grasps:
    """Grasps around the body of a round thing, and around the neck of a bottle."""
    count, axis = len(pitch), pose.rotation[:, 2]
    ball = shape.kind is ShapeKind.BALL
    standing = ball or axis[2] > _STANDING
    if not standing:
        pitch = np.maximum(pitch, _LYING_PITCH)
    elif shape.neck > 0:
        # Between level and down the neck is before the palm.
        pitch = np.where(pitch > _NECK_FROM, pitch, np.minimum(pitch, _BESIDE_NECK))
    if shape.kind is ShapeKind.MUG and standing:
        azimuth = _beside_handle(pose, azimuth, pitch, random)
    fingers, across = _directions(azimuth, pitch)
    if not standing:
        # Across the axis, wherever it points; a hand that comes along it is left as it is.
        level = np.cross(axis, fingers)
        size = np.linalg.norm(level, axis=1, keepdims=True)
        across = np.where(size > 0.3, level / np.maximum(size, 1e-9), across)
    positions = np.repeat(pose.position[None], count, axis=0)
    width, cost = np.full(count, shape.grip), np.zeros(count)
    if standing and not ball:
        high = _heights(shape.height / 2, pitch, _MIDDLE, random)
        neck = (pitch > _NECK_FROM) & (shape.neck > 0)
        high[neck] = shape.height / 2 + shape.neck - _UNDER_NECK
        width[neck] = 2 * hand.NECK
        cost[neck] = _NECK_COST
        positions += high[:, None] * axis
    elif not ball:
        along = max(0.0, shape.height / 2 - _UNDER_TOP)
        positions += random.uniform(-along, along, (count, 1)) * axis
    return replace(_framed(positions, fingers, across, width, random), cost=cost)


def _by_rim(shape: Shape, pose: Pose, azimuth: Array, pitch: Array, random: Generator) -> Grasps:
    """Grasps of a rim's wall, with one finger inside."""
    pitch = np.maximum(pitch, _RIM_PITCH)
    fingers, across = _directions(azimuth, pitch)
    radial = across * random.choice((-1.0, 1.0), (len(pitch), 1))
    mug = shape.kind is ShapeKind.MUG
    wall = hand.WALL if mug else shape.grip
    radius = (shape.grip / 2 if mug else shape.radius) - wall / 2
    up = pose.rotation[:, 2]
    positions = pose.position + radius * radial + (shape.height / 2 - _UNDER_RIM) * up
    same = np.ones(len(pitch))
    grasps = _framed(positions, fingers, radial, wall * same, random)
    grasps = replace(grasps, opening=_RIM_OPENING * same, cost=(_RIM_COST if mug else 0.0) * same)
    if not mug:
        return grasps
    return grasps.take(radial @ pose.rotation[:, 0] < math.cos(_HANDLE_FREE))


def _across_box(
    shape: Shape, pose: Pose, azimuth: Array, pitch: Array, random: Generator
) -> Grasps:
    """Grasps across one of a box's level sides, as it stands or lies."""
    sizes = np.array([shape.grip, 2 * shape.depth, shape.height])
    upright = int(np.argmax(np.abs(pose.rotation[2])))
    sides = [k for k in range(3) if k != upright and sizes[k] <= WIDEST]
    if not sides:
        return _none()
    # The narrower side more often.
    share = np.array([1.0 / sizes[k] for k in sides])
    side = random.choice(np.array(sides), len(pitch), p=share / share.sum())
    across = pose.rotation.T[side]
    level = across * np.array([1.0, 1.0, 0.0])
    level /= np.linalg.norm(level, axis=1, keepdims=True)
    forward = np.cross(level, _UP)
    wanted = np.stack([np.cos(azimuth), np.sin(azimuth), np.zeros_like(azimuth)], axis=1)
    forward *= np.where((forward * wanted).sum(axis=1) < 0, -1.0, 1.0)[:, None]
    fingers = forward * np.cos(pitch)[:, None] - _UP * np.sin(pitch)[:, None]
    fingers -= across * (fingers * across).sum(axis=1, keepdims=True)
    fingers /= np.linalg.norm(fingers, axis=1, keepdims=True)
    high = _heights(sizes[upright] / 2, pitch, _LEVEL, random)
    positions = pose.position + high[:, None] * _UP
    beside = max(0.0, sizes[[k for k in range(3) if k != upright]].min() / 2 - hand.PAD)
    positions += random.uniform(-0.5, 0.5, (len(pitch), 1)) * beside * np.cross(level, _UP)
    return _framed(positions, fingers, across, sizes[side], random)


def _directions(azimuth: Array, pitch: Array) -> tuple[Array, Array]:
    """Where the fingers point, and the level direction across them, each of shape (n, 3)."""
    forward = np.stack([np.cos(azimuth), np.sin(azimuth), np.zeros_like(azimuth)], axis=1)
    fingers = forward * np.cos(pitch)[:, None] - _UP * np.sin(pitch)[:, None]
    return fingers, np.cross(_UP, forward)


def _heights(half: float, pitch: Array, middle: float, random: Generator) -> Array:
    """How far over the middle of a standing body of half a height the tcp goes, in m.

    middle: up to this pitch a level hand takes the middle.
    """
    above = half - _UNDER_TOP
    level = np.clip(0.0, min(_LOWEST_LEVEL - half, half - 0.015), max(0.0, half - 0.015))
    high = np.where(pitch > middle, max(half - _UNDER_TOP_TILTED, level), level)
    high = np.where(pitch > _LEVEL, above, high)
    high += random.uniform(-_SPREAD, _SPREAD, len(pitch))
    lowest = np.where(pitch > _LEVEL, _LOWEST, min(_LOWEST_LEVEL, 2 * half - 0.015)) - half
    result: Array = np.maximum(high, lowest)
    return result


def _beside_handle(pose: Pose, azimuth: Array, pitch: Array, random: Generator) -> Array:
    """Azimuths for which no finger meets a mug's handle: the handle is beyond the mug or, for a
    hand from above, before it.
    """
    free = math.pi / 2 - _HANDLE_FREE
    handle = math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])
    turned: Array = handle + random.uniform(-free, free, len(azimuth))
    before = (pitch > _LEVEL) & (np.cos(turned - azimuth) < 0)
    return np.where(before, turned + math.pi, turned)


def _framed(
    positions: Array, fingers: Array, across: Array, width: Array, random: Generator
) -> Grasps:
    """Grasps with their frames; the two ways round of the hand at random."""
    across = across * random.choice((-1.0, 1.0), (len(fingers), 1))
    rotations = np.stack([np.cross(across, fingers), across, fingers], axis=2)
    opening = np.minimum(hand.OPEN, width / 2 + _ROOM)
    return Grasps(positions, rotations, opening, width, np.zeros(len(width)))


def _clear(shape: Shape, pose: Pose, grasps: Grasps) -> Grasps:
    """The grasps with the palm drawn back, without those whose fingers would meet the thing."""
    points = hand.surface(shape) @ pose.rotation.T + pose.position
    local = (points[None] - grasps.positions[:, None]) @ grasps.rotations
    back = hand.draw_back(local)
    local[..., 2] += back[:, None]
    positions = grasps.positions - back[:, None] * grasps.rotations[:, :, 2]
    good = (back < _MOST_BACK) & hand.fits_between(local, grasps.opening)
    good &= hand.between_pads(local, grasps.opening) & (grasps.width <= WIDEST)
    good &= hand.outline(shape, (positions - pose.position) @ pose.rotation, grasps.width)
    return replace(grasps, positions=positions).take(good)


def _joined(first: Grasps, second: Grasps) -> Grasps:
    return Grasps(
        *(
            np.concatenate([getattr(first, field.name), getattr(second, field.name)])
            for field in fields(Grasps)
        )
    )


def _none() -> Grasps:
    return Grasps(np.empty((0, 3)), np.empty((0, 3, 3)), np.empty(0), np.empty(0), np.empty(0))
