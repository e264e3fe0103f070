"""Kitchens full of things for the measures of skills, without an adapter between."""

from __future__ import annotations

import mujoco
import numpy as np

from peephole.adapters.kitchens.furnished.arranging import scatter
from peephole.adapters.kitchens.furnished.parts import Kitchen
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.things import kind, kinds
from peephole.adapters.mujoco.kitchens.world import MujocoRoom, furnished_world
from peephole.skills.arm.mobile import places
from peephole.skills.arm.mobile.robot import MobileArm

#: A thing is lost if it is so far under the floor or outside the room, in m.
_OUTSIDE = 0.1
_SETTLE_STEPS = 100


def furnished(kitchen: Kitchen, seed: int, count: int = 20) -> MujocoRoom:
    """A kitchen with things of different kinds in random places."""
    takable = [name for name in kinds() if kind(name).graspable]
    order = np.random.default_rng([seed, 5]).permutation(len(takable))
    return furnished_world(
        kitchen, scatter(kitchen, [takable[index] for index in order[:count]], seed)
    )


class Room:
    """A kitchen in physics with its robot; it can go back to its start."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.kitchen: Kitchen = draw_kitchen(seed)
        self.world: MujocoRoom = furnished(self.kitchen, seed)
        mujoco.mj_step(self.world.model, self.world.data, _SETTLE_STEPS)
        self.world.sync()
        self._start = self.world.snapshot()
        self.arm = MobileArm(self.world, seed)

    def restart(self) -> None:
        """Begin a new case."""
        self.world.restore(self._start)
        self.world.sync()
        self.arm = MobileArm(self.world, self.seed)

    def space_of(self, thing: str) -> str | None:
        """The space that a thing is in."""
        position = self.world.thing(thing).position
        for space in self.world.spaces.values():
            if places.contains(self.world, space, position):
                return space.name
        return None

    def area_of(self, thing: str) -> str | None:
        """The area that a thing is in."""
        space = self.space_of(thing)
        return None if space is None else self.world.spaces[space].area

    def unit_of(self, space: str) -> str:
        """The unit of furniture that a space belongs to."""
        return self.kitchen.areas[self.world.spaces[space].area].unit

    def set_open(self, space: str) -> None:
        """Open the front of a space by hand, with what a drawer has in it."""
        place, data = self.world.spaces[space], self.world.data
        if place.front is None:
            return
        value = self.world.fronts[place.front].open_value
        moved = place.outward * (value - self.world.front_value(place.front))
        inside = self.world.things_in(space) if place.slides else ()
        data.qpos[self.world.model.joint(place.front).qposadr[0]] = value
        for thing in inside:
            at = int(self.world.model.joint(thing).qposadr[0])
            data.qpos[at : at + 3] += moved
        mujoco.mj_forward(self.world.model, data)
        mujoco.mj_step(self.world.model, data, _SETTLE_STEPS // 2)
        self.world.sync()

    def lost(self) -> list[str]:
        """Things that have fallen through the floor or left the room."""
        low = np.array([*self.kitchen.room.low, 0.0]) - _OUTSIDE
        high = np.array([*self.kitchen.room.high, self.kitchen.room.height]) + _OUTSIDE
        return [
            thing
            for thing in self.world.shapes
            if not np.all(
                (self.world.thing(thing).position > low) & (self.world.thing(thing).position < high)
            )
        ]
