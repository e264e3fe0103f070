"""Whether the robot's base gets to every area: a search over the floor in squares of 5 cm."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....skills.arm.mobile.body import BASE_RADIUS, BASE_TOP
from ....skills.arm.rotation import Array
from .parts import Kitchen, Role, Unit

#: The size of a square, and how far the base keeps from what stands on the floor, in m.
SQUARE, KEEPS = 0.05, 0.012
#: Where one stands to reach an area: so far before its front, and so far beside its middle, in m.
_NEAR, _FAR, _BESIDE = 0.40, 1.05, 0.5

_Mask = NDArray[np.bool_]


def out_of_reach(kitchen: Kitchen) -> list[str]:
    """The areas that the base cannot come to, by name."""
    points = _squares(kitchen)
    free = _free(kitchen, points)
    x, y, _ = kitchen.start
    near = np.hypot(points[..., 0] - x, points[..., 1] - y)
    reached = np.zeros(free.shape, bool)
    reached[np.unravel_index(int(near.argmin()), near.shape)] = True
    reached = _spread(reached & free, free)
    return [name for name in kitchen.areas if not _stands(kitchen, name, points[reached])]


def _squares(kitchen: Kitchen) -> Array:
    """The middles of the squares of the floor, shape (rows, columns, 2)."""
    (x0, y0), (x1, y1) = kitchen.room.low, kitchen.room.high
    x = np.arange(x0 + SQUARE / 2, x1, SQUARE)
    y = np.arange(y0 + SQUARE / 2, y1, SQUARE)
    return np.stack(np.meshgrid(x, y), axis=2)


def _free(kitchen: Kitchen, points: Array) -> _Mask:
    """Where the base's middle can be: away from walls and from what stands low."""
    need = BASE_RADIUS + KEEPS
    (x0, y0), (x1, y1) = kitchen.room.low, kitchen.room.high
    x, y = points[..., 0], points[..., 1]
    free: _Mask = (x > x0 + need) & (x < x1 - need) & (y > y0 + need) & (y < y1 - need)
    for unit in kitchen.units:
        low, high = footprint(unit)
        if low is None or high is None:
            continue
        local = (points - np.array([unit.x, unit.y])) @ unit.rotation[:2, :2]
        away = np.maximum(np.maximum(low - local, local - high), 0.0)
        free &= np.hypot(away[..., 0], away[..., 1]) > need
    return free


def footprint(unit: Unit) -> tuple[Array | None, Array | None]:
    """The rectangle of what stands low, in the frame of the unit; None if nothing does."""
    solids = [*unit.solids, *(solid for panel in unit.panels for solid in panel.solids)]
    corners = []
    for solid in solids:
        if solid.role is Role.LOOK:
            continue
        reach = np.array(solid.half) if not any(solid.turn) else np.full(3, max(solid.half))
        low, high = np.array(solid.center) - reach, np.array(solid.center) + reach
        if low[2] < BASE_TOP:
            corners += [low[:2], high[:2]]
    if not corners:
        return None, None
    return np.min(corners, axis=0), np.max(corners, axis=0)


def _spread(reached: _Mask, free: _Mask) -> _Mask:
    """All free squares that are connected to the reached ones."""
    count = -1
    while count != (count := int(reached.sum())):
        grown = reached.copy()
        grown[1:] |= reached[:-1]
        grown[:-1] |= reached[1:]
        grown[:, 1:] |= reached[:, :-1]
        grown[:, :-1] |= reached[:, 1:]
        reached = grown & free
    return reached


def _stands(kitchen: Kitchen, area: str, places: Array) -> bool:
    """Whether one of the places, shape (n, 2), is before an area."""
    spots = [
        (space.origin, space.outward) for space in kitchen.spaces.values() if space.area == area
    ] or [
        (button.face, button.outward) for button in kitchen.buttons.values() if button.area == area
    ]
    for middle, outward in spots:
        apart = places - middle[:2]
        before = apart @ outward[:2]
        beside = np.abs(apart @ np.array([-outward[1], outward[0]]))
        if not ((before > _NEAR) & (before < _FAR) & (beside < _BESIDE)).any():
            return False
    return True
