"""What keeps a front from moving on: a thing before it, behind it, or too tall in its drawer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .world import Front, RoomWorld

#: How far a thing may be from the panel to count, beyond its radius, in m.
_NEAR = 0.03
_UP = np.array([0.0, 0.0, 1.0])


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
