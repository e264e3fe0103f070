"""Free spots: where in a space a thing can stand, beside what stands there already."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ..rotation import Array
from . import hand
from .world import Held, Reach, RoomWorld, Shape, ShapeKind, Space

#: A thing keeps from the bounds of its space, and from other things, in m.
_EDGE, _APART = 0.01, 0.012
#: A level hand keeps from the side walls of a shelf, in m.
_HAND_ROOM = 0.105
#: Fingers that point down keep a thing so far from the sides and the front of a drawer, in m.
_WALL_ROOM, _FRONT_ROOM = 0.045, 0.11
#: How deep from the front of a space things are put, in m, by how it is reached.
_DEEP = {Reach.FRONT: 0.2, Reach.ABOVE: 0.34, Reach.DRAWER: 0.30}
#: A thing must be so much lower than the space over it, to be lifted in, in m.
LIFT_ROOM = 0.04
#: More room than this to other things, in m, is no better.
_ENOUGH = 0.15
#: How many places are drawn for each that is asked for.
_DRAWS = 6


@dataclass(frozen=True, eq=False)
class Foot:
    """How a thing stands when put down: as it stood when it was taken."""

    under: float
    """How far its frame is over what it stands on, in m."""
    radius: float
    """Of the circle around it, seen from above, in m."""
    inner: float
    """Of the largest circle in it, in m: how close other things may come in some direction."""
    tall: float
    """Its whole height, in m."""

    @classmethod
    def of(cls, shape: Shape, held: Held) -> Foot:
        high = hand.surface(shape) @ held.up
        standing = abs(held.up[2]) > 0.9
        radius = shape.radius if standing else max(shape.radius, shape.tall / 2)
        under, tall = float(-high.min()), float(high.max() - high.min())
        return cls(under, radius, _inner(shape) if standing else shape.grip / 2, tall)


def fits(space: Space, foot: Foot) -> bool:
    """Whether a thing is low and narrow enough for an empty space."""
    room = space.high - space.low
    high = room[2] - LIFT_ROOM if space.reach is Reach.FRONT else np.inf
    low, wide = _bounds(space, foot)
    return foot.tall <= min(high, space.clear) and bool(np.all(low <= wide))


def sample(
    world: RoomWorld, space: Space, held: Held, foot: Foot, count: int, random: Generator
) -> Array:
    """Free positions for the frame of a thing, in the room, shape (n, 3), n at most `count`.

    One half of them are those farthest from other things, the others at random.
    """
    low, high = _bounds(space, foot)
    places = random.uniform(low, high, (count * _DRAWS, 2))
    value = 0.0 if space.front is None else world.front_value(space.front)
    origin, turn = space.at(value), space.rotation
    room, close = np.full(len(places), np.inf), np.zeros(len(places), bool)
    for other in world.shapes:
        if other == held.thing:
            continue
        there = turn.T @ (world.thing(other).position - origin)
        if not space.low[2] - 0.05 < there[2] < space.high[2] + 0.05:
            continue
        shape = world.shapes[other]
        apart = np.linalg.norm(places - there[:2], axis=1)
        room = np.minimum(room, apart - foot.radius - shape.radius)
        close |= apart < foot.inner + _inner(shape) + _APART
    free = np.flatnonzero(~close)
    best = free[np.argsort(-np.minimum(room[free], _ENOUGH), kind="stable")][: count // 2]
    chosen = np.concatenate([best, random.permutation(np.setdiff1d(free, best))])[:count]
    flat = places[chosen]
    local = np.column_stack([flat, np.full(len(flat), space.low[2] + foot.under)])
    result: Array = origin + local @ turn.T
    return result


def _inner(shape: Shape) -> float:
    """The radius of the largest circle in a standing thing, seen from above, in m."""
    return min(shape.grip / 2, shape.depth) if shape.kind is ShapeKind.BOX else shape.radius


def _bounds(space: Space, foot: Foot) -> tuple[Array, Array]:
    """The least and largest x and y of a thing's frame in a space."""
    beside = foot.radius + _EDGE
    first = space.low[1] + beside
    if space.reach is Reach.FRONT:
        beside = max(beside, _HAND_ROOM)
    elif space.reach is Reach.DRAWER:
        beside, first = max(beside, _WALL_ROOM), max(first, space.low[1] + _FRONT_ROOM)
    last = space.high[1] - foot.radius - _EDGE
    if first <= last:
        last = min(last, max(first, space.low[1] + _DEEP[space.reach] - foot.radius))
    return np.array([space.low[0] + beside, first]), np.array([space.high[0] - beside, last])
