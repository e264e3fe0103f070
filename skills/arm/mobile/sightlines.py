"""Which spots of furniture could be seen from where, by the furniture and the robot's own arm.

The prediction knows the openings of spaces and the fronts that stand open, not what is inside.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from ..rotation import Array
from .body import ARM_HEIGHT, HEAD, head
from .world import LIFT, Front, Reach, RoomWorld, Space

#: Between spots of a space, in m; the most of them along and into it; their height above its
#: floor, which is the middle of the smallest things.
_SPACING, _MOST_ALONG, _MOST_INTO, _HEIGHT = 0.09, 10, 5, 0.04
#: How far the opening of a space reaches beyond its box, in m.
_FRAME = 0.02
#: How far what is over a drawer stands out over its front, in m.
_OVERHANG = 0.04
#: Boxes around the folded arm, in the frame of its base: the lowest and the highest corner, in m.
_FOLDED: Array = np.array(
    [[[-0.38, -0.11, 0.48], [0.30, 0.14, 0.74]], [[-0.20, -0.13, 0.0], [0.10, 0.13, 0.48]]]
)


def spots(space: Space, value: float) -> Array:
    """Where things may stand in a space with its front at a value, shape (n, 3), in m."""
    low, size = space.low, space.high - space.low
    along = _middles(low[0], size[0], _MOST_ALONG)
    into = _middles(low[1], size[1], _MOST_INTO)
    height = low[2] + min(_HEIGHT, size[2] / 2)
    local = np.array([(x, y, height) for x, y in itertools.product(along, into)])
    placed: Array = space.at(value) + local @ space.rotation.T
    return placed


def seen_from(world: RoomWorld, space: Space, points: Array, joints: Array) -> NDArray[np.bool_]:
    """Which points in a space the head camera could see, shape (n, points).

    points: shape (points, 3). joints: of the robot with its arm folded, shape (n, 11).
    """
    eyes = np.array([head(each) for each in joints])
    value = 0.0 if space.front is None else world.front_value(space.front)
    seen = _through_opening(space, value, eyes, points)
    for name, front in world.fronts.items():
        opened = world.front_value(name)
        if opened > front.closed_at:
            seen &= ~_behind_panel(front, opened, eyes, points)
    for low, high in _FOLDED:
        seen &= ~_behind_arm(low, high, joints, points)
    return seen


def _middles(low: float, length: float, most: int) -> Array:
    """The middles of equal parts of a length, each about _SPACING long."""
    count = min(max(2, round(length / _SPACING)), most)
    parts: Array = low + (np.arange(count) + 0.5) / count * length
    return parts


def _through_opening(space: Space, value: float, eyes: Array, points: Array) -> NDArray[np.bool_]:
    """Whether straight lines pass through the open side of a space, shape (eyes, points)."""
    if space.reach is Reach.ABOVE:
        return np.ones((len(eyes), len(points)), bool)
    origin, turn = space.at(value), space.rotation
    start, end = (eyes - origin) @ turn, (points - origin) @ turn
    from_above = space.reach is Reach.DRAWER
    axis, level = (2, space.high[2]) if from_above else (1, space.low[1] - _FRAME)
    ways = end[None] - start[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = (level - start[:, None, axis]) / ways[..., axis]
        crossed = start[:, None] + part[..., None] * ways
    low, high = space.low - _FRAME, space.high + _FRAME
    if from_above:
        low, high = space.low, space.high
    if space.slides:  # its back stays under what is over it
        high = np.minimum(high, [math.inf, value - _OVERHANG, math.inf])
    inside = np.delete((crossed > low) & (crossed < high), axis, axis=2).all(axis=2)
    seen: NDArray[np.bool_] = inside & (part > 0) & (part < 1)
    return seen


def _behind_panel(front: Front, value: float, eyes: Array, points: Array) -> NDArray[np.bool_]:
    """Whether the panel of an open front is between, shape (eyes, points)."""
    turn = front.rotation(value)
    middle, normal = front.point(front.face, value), turn @ front.outward
    up = turn @ np.array([0.0, 0.0, 1.0])
    across = np.cross(up, normal)
    start, end = (eyes - middle) @ normal, (points - middle) @ normal
    with np.errstate(divide="ignore", invalid="ignore"):
        part = start[:, None] / (start[:, None] - end[None])
        crossed = eyes[:, None] + part[..., None] * (points[None] - eyes[:, None]) - middle
    within = np.abs(crossed @ across) < front.half_width
    within &= np.abs(crossed @ up) < front.half_height
    blocked: NDArray[np.bool_] = within & (part > 0) & (part < 1)
    return blocked


def _behind_arm(low: Array, high: Array, joints: Array, points: Array) -> NDArray[np.bool_]:
    """Whether a box of the folded arm is between, shape (n, points)."""
    cos, sin = np.cos(joints[:, 2]), np.sin(joints[:, 2])
    x, y = (points[None, :, axis] - joints[:, None, axis] for axis in (0, 1))
    end = np.stack(
        [
            x * cos[:, None] + y * sin[:, None],
            y * cos[:, None] - x * sin[:, None],
            points[None, :, 2] - ARM_HEIGHT - joints[:, None, LIFT],
        ],
        axis=-1,
    )
    ways = np.where(end == HEAD, 1e-9, end - HEAD)
    first, second = (low - HEAD) / ways, (high - HEAD) / ways
    enters = np.minimum(first, second).max(axis=-1)
    leaves = np.maximum(first, second).min(axis=-1)
    blocked: NDArray[np.bool_] = (enters < leaves) & (leaves > 0) & (enters < 1)
    return blocked
