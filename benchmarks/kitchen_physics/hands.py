"""Rates of picking up and putting down in physics kitchens, with the causes of failures.

    .venv/bin/python -m benchmarks.kitchen_physics.hands --first 10000 --kitchens 20 --cases 6

Each case: a thing is picked from where it lies (its front is set open), and put into another area
of a random kind (set open), of which the pick knows nothing. A put counts where the thing then is.
Seeds from 20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np
from numpy.random import Generator

from peephole.adapters.kitchens.furnished.arranging import fits
from peephole.skills.arm.mobile.body import OPEN
from peephole.skills.arm.mobile.robot import Attempted
from peephole.skills.arm.mobile.world import Space

from .rooms import Room
from .tally import Tally


def goal_for(room: Room, thing: str, here: str, rng: Generator) -> Space | None:
    """A space of another unit that a thing fits into, of a random kind."""
    by_reach: dict[str, list[Space]] = defaultdict(list)
    for space in room.world.spaces.values():
        other = room.unit_of(space.name) != room.unit_of(here)
        if other and not fits(room.world.shapes[thing], space):
            by_reach[space.reach].append(space)
    if not by_reach:
        return None
    kind = sorted(by_reach)[int(rng.integers(len(by_reach)))]
    return by_reach[kind][int(rng.integers(len(by_reach[kind])))]


def play(room: Room, thing: str, rng: Generator, tally: Tally) -> None:
    """One case."""
    name = room.space_of(thing)
    if name is None:
        return
    goal = goal_for(room, thing, name, rng)
    if goal is None:
        return
    here = room.world.spaces[name]
    room.set_open(name)
    room.set_open(goal.name)
    start = room.world.reading().joints
    if room.world.obstacle(start, 0.0, fingers=OPEN) is not None:
        return  # the robot stands where the front was set open
    arm = room.arm
    result = tally.tried(
        ("pick", f"pick from {here.reach}"), lambda variation: arm.pick(thing, variation)
    )
    _print(room, f"pick {thing} from {name}", result, tally)
    if result.failed is not None:
        return
    result = tally.tried(
        ("put", f"put to {goal.reach}"), lambda variation: arm.put(goal.area, variation)
    )
    _print(room, f"put {thing} to {goal.name}", result, tally)
    if result.failed is None:
        assert room.area_of(thing) == goal.area, f"{thing} is in {room.area_of(thing)}"
        tally.done["standing" if _stands(room, thing) else "not standing"] += 1
    tally.lost += room.lost()


def _stands(room: Room, thing: str) -> bool:
    return float(np.abs(room.world.thing(thing).rotation[2]).max()) > 0.9


def _print(room: Room, what: str, result: Attempted, tally: Tally) -> None:
    push, touch = tally.hardest
    print(
        f"{room.seed} {room.kitchen.layout}  {what}  {result.failed or 'done'}  CPU"
        f" {tally.cpu_s[-1]:.2f} s, {result.checks} checks"
        + (f"  {push:.0f} N {touch.part} on {touch.other}" if touch else ""),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=20)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--thing", help="only this thing")
    arguments = parser.parse_args()
    tally = Tally()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        room = Room(seed)
        rng = np.random.default_rng([seed, 6])
        for thing in rng.permutation(sorted(room.world.shapes))[: arguments.cases]:
            case = np.random.default_rng([seed, 7, len(str(thing)), ord(str(thing)[0])])
            if arguments.thing in (None, str(thing)):
                room.restart()
                play(room, str(thing), case, tally)
    print(tally.table())


if __name__ == "__main__":
    main()
