"""Bounding boxes of a kitchen's room and areas, in m, in the frame of the room."""

from __future__ import annotations

from itertools import product

import numpy as np

from ....scene_graph.node import Box
from ....skills.arm.mobile.world import Front, Space
from ....skills.arm.rotation import Array
from .parts import Area, Kitchen

#: What a surface takes up over itself, in m: spaces over worktops are higher, but hold nothing.
_OVER_SURFACE = 0.02


def room_box(kitchen: Kitchen) -> Box:
    """The box of the room."""
    (x0, y0), (x1, y1) = kitchen.room.low, kitchen.room.high
    return _box(np.array([[x0, y0, 0.0], [x1, y1, kitchen.room.height]]))


def area_box(kitchen: Kitchen, area: Area) -> Box | None:
    """The box around an area's spaces and its closed front; None for a mere switch.

    Of a worktop around a corner it is the part along one wall, the largest; `more` has the others.
    """
    walls: dict[float, list[Array]] = {}
    for space in (kitchen.spaces[name] for name in area.spaces):
        corners = _corners(space, over=area.front is not None)
        walls.setdefault(round(space.yaw, 1), []).append(corners)
    parts = [np.concatenate(corners) for corners in walls.values()]
    if area.front is not None:
        parts = [np.concatenate([*parts, _face(kitchen.fronts[area.front])])]
    if not parts:
        return None
    main, *others = sorted((_box(points) for points in parts), key=_size, reverse=True)
    return main._replace(more=tuple((other.center, other.size) for other in others))


def _size(box: Box) -> float:
    """The size of a box on the floor, in m²."""
    return box.size[0] * box.size[1]


def _corners(space: Space, *, over: bool) -> Array:
    """The corners of a space, shape (8, 3). over: with all of its height."""
    high = space.high if over else np.array([*space.high[:2], space.low[2] + _OVER_SURFACE])
    corners = np.array(list(product(*zip(space.low, high, strict=True))))
    moved: Array = space.origin + corners @ space.rotation.T
    return moved


def _face(front: Front) -> Array:
    """The corners of a closed front's face, shape (4, 3)."""
    across = np.cross(front.outward, [0.0, 0.0, 1.0])
    corners = [
        front.face + a * front.half_width * across + np.array([0.0, 0.0, b * front.half_height])
        for a, b in product((-1, 1), repeat=2)
    ]
    return np.array(corners)


def _box(points: Array) -> Box:
    low, high = points.min(axis=0), points.max(axis=0)
    middle, size = (low + high) / 2, high - low
    x, y, z = (round(float(number), 3) + 0.0 for number in middle)
    width, depth, height = (round(float(number), 3) + 0.0 for number in size)
    return Box((x, y, z), (width, depth, height))
