"""Kitchens full of things for the measures of skills, without an adapter between."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import mujoco
import numpy as np

from peephole.adapters.kitchens.furnished.arranging import scatter
from peephole.adapters.kitchens.furnished.parts import Kitchen
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.things import kind, kinds
from peephole.adapters.mujoco.kitchens.model import model_of, start_of
from peephole.adapters.mujoco.kitchens.world import KitchenWorld
from peephole.results.statistics.estimates import wilson
from peephole.skills.arm.mobile import places
from peephole.skills.arm.mobile.driving import Mover
from peephole.skills.arm.mobile.failures import Failed
from peephole.skills.arm.mobile.motion import FORCE_LIMIT, Motion
from peephole.skills.arm.mobile.world import Held
from peephole.skills.outcomes import Failure, FailureClass

#: Tries of a skill, as the executor's policy has them.
TRIES = 3
#: A thing is lost if it is so far under the floor, in m.
_UNDER = 0.1


@dataclass
class Room:
    """A kitchen in physics with its robot."""

    kitchen: Kitchen
    world: KitchenWorld
    motion: Motion
    seed: int
    held: Held | None = None
    attempts: int = 0

    def space_of(self, thing: str) -> str | None:
        """The space that a thing is in."""
        position = self.world.thing(thing).position
        for space in self.world.spaces.values():
            if places.contains(self.world, space, position):
                return space.name
        return None

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
            at = self.world.model.joint(thing).qposadr[0]
            data.qpos[at : at + 3] += moved
        mujoco.mj_forward(self.world.model, data)
        mujoco.mj_step(self.world.model, data, 50)
        self.world.sync()

    def lost(self) -> list[str]:
        """Things that have fallen through the floor or left the room."""
        low, high = np.array(self.kitchen.room.low) - 0.3, np.array(self.kitchen.room.high) + 0.3
        gone = []
        for thing in self.world.shapes:
            x, y, z = self.world.thing(thing).position
            if z < -_UNDER or not (low[0] < x < high[0] and low[1] < y < high[1]):
                gone.append(thing)
        return gone

    def attempt(self, skill: Callable[[Mover], object]) -> tuple[Failed | None, int]:
        """Do a skill by the ordinary policy of retries; the last failure, and the tries it took."""
        failed: Failed | None = None
        for number in range(TRIES):
            self.attempts += 1
            generator = np.random.default_rng([self.seed, self.attempts, number])
            mover = Mover(self.motion, generator, self.held)
            try:
                skill(mover)
                return None, number + 1
            except Failed as error:
                failed = error
                if Failure(error.reason).kind is FailureClass.PRECONDITION:
                    return failed, number + 1
            finally:
                self.held = mover.held
        return failed, TRIES


def furnished(seed: int, count: int = 20) -> Room:
    """A kitchen from a seed with things of all kinds in it, at rest."""
    kitchen = draw_kitchen(seed)
    rng = np.random.default_rng([seed, 5])
    takable = [name for name in kinds() if kind(name).graspable]
    chosen = [takable[index] for index in rng.permutation(len(takable))[:count]]
    things = scatter(kitchen, chosen, seed)
    model = model_of(kitchen, things).compile()
    shapes = {thing.name: kind(thing.kind).shape for thing in things}
    world = KitchenWorld(model, kitchen.fronts, kitchen.spaces, shapes, kitchen.buttons)
    world.start(start_of(kitchen))
    mujoco.mj_step(model, world.data, 100)
    world.sync()
    return Room(kitchen, world, Motion(world), seed)


@dataclass
class Score:
    """What a measure counts."""

    rates: dict[str, list[bool]] = field(default_factory=dict)
    causes: dict[str, Counter[str]] = field(default_factory=dict)
    cpu_s: list[float] = field(default_factory=list)
    simulated_s: list[float] = field(default_factory=list)
    forces: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def count(self, name: str, failed: Failed | str | None) -> None:
        self.rates.setdefault(name, []).append(failed is None)
        if failed is not None:
            cause = str(failed.reason) if isinstance(failed, Failed) else failed
            self.causes.setdefault(name, Counter())[cause] += 1

    def ended(self, room: Room, started: float) -> None:
        """Count what one case took. started: the CPU time at its start."""
        self.cpu_s.append(time.process_time() - started)
        self.simulated_s.append(room.motion.time_s)
        self.forces.append(room.motion.worst[0])
        self.lost += room.lost()

    def table(self) -> str:
        """All rates with their 95 % intervals, then costs."""
        lines = []
        for name, results in sorted(self.rates.items()):
            rate = wilson(sum(results), len(results))
            low, high = rate.bounds or (0.0, 1.0)
            causes = ", ".join(
                f"{k} {v}" for k, v in self.causes.get(name, Counter()).most_common()
            )
            lines.append(
                f"{name:28} {sum(results):4}/{len(results):<4} {rate.mean:6.1%}"
                f" [{low:.1%}, {high:.1%}]  {causes}"
            )
        cpu, simulated, forces = map(np.array, (self.cpu_s, self.simulated_s, self.forces))
        hard = forces >= FORCE_LIMIT
        lines += [
            f"CPU a case: mean {cpu.mean():.2f} s, largest {cpu.max():.2f} s; simulated mean"
            f" {simulated.mean():.1f} s; {simulated.sum() / cpu.sum():.1f} times real time",
            f"unwanted forces of {FORCE_LIMIT:.0f} N and more: {hard.sum()}/{len(forces)} cases,"
            f" largest {forces.max():.0f} N",
            f"things lost: {len(self.lost)} {self.lost}",
            f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB",
        ]
        return "\n".join(lines)
