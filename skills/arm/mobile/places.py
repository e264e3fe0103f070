"""Places: where a thing lies or goes, and how a hand gets there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from .driving import Mover
from .failures import Failed
from .world import FrontKind, Reach, RoomWorld, Space

#: A little beyond the bounds of a space still counts as in it, in m.
_BEYOND = 0.03
#: What lies in no space and lower than this, in m, is on the floor.
_LOW = 0.25


@dataclass(frozen=True, eq=False)
class Place:
    """A space, or the floor and whatever else is reached from above (space None)."""

    space: Space | None
    reach: Reach
    outward: Array
    """Level unit vector towards who stands before it, shape (3,)."""

    def over_front(self, world: RoomWorld) -> bool:
        """Whether its open front lies where one would stand: a drop door."""
        return self.front is not None and world.fronts[self.front].kind is FrontKind.DROP

    @property
    def front(self) -> str | None:
        return None if self.space is None else self.space.front


def of_space(space: Space) -> Place:
    return Place(space, space.reach, space.outward)


def of_thing(mover: Mover, thing: str) -> Place:
    """Where a thing lies. What lies on no space is reached from where the robot is."""
    world = mover.world
    position = world.thing(thing).position
    for space in world.spaces.values():
        if contains(world, space, position):
            return of_space(space)
    away = mover.motion.target[:2] - position[:2]
    return Place(None, Reach.ABOVE, np.array([*away / max(1e-9, np.hypot(*away)), 0.0]))


def contains(world: RoomWorld, space: Space, position: Array) -> bool:
    """Whether a point is in a space, or hardly beyond it."""
    value = 0.0 if space.front is None else world.front_value(space.front)
    local = space.rotation.T @ (position - space.at(value))
    beyond = np.array([_BEYOND, _BEYOND, 0.0])
    return bool(np.all(local >= space.low - beyond) and np.all(local <= space.high + beyond))


def lies(world: RoomWorld, thing: str) -> str:
    """Where a thing lies now, in words for the record."""
    position = world.thing(thing).position
    for space in world.spaces.values():
        if contains(world, space, position):
            return f"it lies in {space.area}"
    return "it lies on the floor" if position[2] < _LOW else "it lies elsewhere"


def is_open(world: RoomWorld, space: Space) -> bool:
    """Whether no closed front is before a space."""
    front = space.front
    return front is None or world.front_value(front) > world.fronts[front].closed_at


def require_open(world: RoomWorld, place: Place) -> None:
    """Raise Failed (ENCLOSED) with the front of a place if it is closed."""
    if place.space is not None and not is_open(world, place.space):
        raise Failed(Reason.ENCLOSED, place.front, "its front is closed")
