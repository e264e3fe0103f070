"""What keeps a front from moving on: a thing before it, behind it, or too tall in its drawer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np

from .world import Front, RoomWorld

#: How far a thing may be from the panel to count, beyond its radius, in m.
_NEAR = 0.03
_UP = np.array([0.0, 0.0, 1.0])
#: A thing or a front that stops this part of all that was tried is what is in the way.
_SHARE = 0.15


def in_the_way(world: RoomWorld, met: Counter[str], besides: Collection[str | None]) -> str | None:
    """The thing or open front that was met most often, if any was met often: it can be moved.

    met: how often, by name. besides: what cannot be in its own way.
    """
    least = _SHARE * sum(met.values())
    for name, times in met.most_common():
        if times >= least and name not in besides and _movable(world, name):
            return name
    return None


def _movable(world: RoomWorld, name: str) -> bool:
    front = world.fronts.get(name)
    return name in world.shapes or (front is not None and world.front_value(name) > front.closed_at)


def before(world: RoomWorld, front: Front) -> str | None:
    """A thing that stands at the outer face of a front."""
    return _at_face(world, front, world.shapes, 1.0)


def behind(world: RoomWorld, front: Front) -> str | None:
    """A thing between a front and its furniture, or too tall for its drawer to close."""
    inside: set[str] = set()
    for space in world.spaces.values():
        if space.front != front.name:
            continue
        things = world.things_in(space.name)
        if space.slides:
            inside.update(things)
        for thing in things:
            if world.shapes[thing].tall > space.clear:
                return thing
    return _at_face(world, front, (name for name in world.shapes if name not in inside), -1.0)


def _at_face(world: RoomWorld, front: Front, things: Iterable[str], side: float) -> str | None:
    """The thing nearest to one side of a front, if one is near."""
    value = world.front_value(front.name)
    turn = front.rotation(value)
    face, outward = front.point(front.face, value), turn @ front.outward
    up = turn @ (_UP - front.outward * (_UP @ front.outward))
    across = np.cross(outward, up)
    found: list[tuple[float, str]] = []
    for name in things:
        shape, apart = world.shapes[name], world.thing(name).position - face
        size = max(shape.radius, shape.height / 2)
        away = float(apart @ outward) * side
        if (
            -0.02 < away < size + _NEAR
            and abs(apart @ across) < front.half_width + size
            and abs(apart @ up) < front.half_height + size
        ):
            found.append((away, name))
    return min(found)[1] if found else None
