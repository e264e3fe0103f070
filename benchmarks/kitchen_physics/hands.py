"""Rates of picking up and putting down in physics kitchens, with the causes of failures.

    .venv/bin/python -m benchmarks.kitchen_physics.hands [--first 10000] [--kitchens 20] [--cases 6]

Each case: a thing is picked from where it lies (its front is set open), and put into another area
of a random kind (set open), of which the pick knows nothing. Seeds from 20000 on are kept for the
final check.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np
from numpy.random import Generator

from peephole.adapters.kitchens.furnished.arranging import fits
from peephole.skills.arm.mobile.failures import Failed
from peephole.skills.arm.mobile.motion import Motion
from peephole.skills.arm.mobile.picking import pick
from peephole.skills.arm.mobile.placing import put
from peephole.skills.arm.mobile.world import Space

from .rooms import Room, Score, furnished


def goal_for(room: Room, thing: str, here: Space, rng: Generator) -> Space | None:
    """A space of another unit that the thing fits into, of a random kind."""
    units = {name: unit.name for unit in room.kitchen.units for name in _spaces_of(unit)}
    by_reach: dict[str, list[Space]] = defaultdict(list)
    for space in room.world.spaces.values():
        if units[space.name] != units[here.name] and not fits(room.world.shapes[thing], space):
            by_reach[space.reach].append(space)
    if not by_reach:
        return None
    kind = sorted(by_reach)[int(rng.integers(len(by_reach)))]
    return by_reach[kind][int(rng.integers(len(by_reach[kind])))]


def _spaces_of(unit: object) -> list[str]:
    return [space.name for space in unit.spaces]


def play(room: Room, thing: str, rng: Generator, score: Score) -> str:
    """One case; what is printed of it."""
    name = room.space_of(thing)
    assert name is not None
    here = room.world.spaces[name]
    goal = goal_for(room, thing, here, rng)
    if goal is None:
        return "no goal"
    room.set_open(here.name)
    room.set_open(goal.name)
    if room.world.obstacle(room.motion.target, 0.0, fingers=0.04) is not None:
        return "the robot starts in the way"
    started = time.process_time()
    failed, tries = room.attempt(lambda mover: pick(mover, thing))
    parts = ["pick", f"pick from {here.reach}"]
    if failed is None:
        for part in parts:
            score.count(part, None)
        picked = time.process_time() - started
        failed, more = room.attempt(lambda mover: put(mover, goal.area))
        failed = failed or _wrong(room, thing, goal)
        parts, tries = ["put", f"put to {goal.reach}"], 10 * tries + more
    else:
        picked = time.process_time() - started
    for part in parts:
        score.count(part, failed)
    upright = float(room.world.thing(thing).rotation[2, 2])
    if failed is None:
        score.count("still upright", None if upright > 0.9 else "fell over")
    score.ended(room, started)
    force, touch = room.motion.worst
    return (
        f"{parts[0] + ' ' + str(failed) if failed else 'done'} -> {goal.name}, tries {tries},"
        f" CPU {picked:.2f} + {score.cpu_s[-1] - picked:.2f} s, {force:.0f} N {touch or ''}"
    )


def _wrong(room: Room, thing: str, goal: Space) -> Failed | None:
    name = room.space_of(thing)
    if name is not None and room.world.spaces[name].area == goal.area:
        return None
    raise AssertionError(f"{thing} is reported in {goal.area}, but is in {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=20)
    parser.add_argument("--cases", type=int, default=6)
    arguments = parser.parse_args()
    score = Score()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        room = furnished(seed)
        rng = np.random.default_rng([seed, 6])
        start = room.world.snapshot()
        for thing in rng.permutation(sorted(room.world.shapes))[: arguments.cases]:
            room.world.restore(start)
            room.world.sync()
            case = Room(room.kitchen, room.world, Motion(room.world), seed)
            told = play(case, str(thing), rng, score)
            print(seed, room.kitchen.layout, thing, case.space_of(str(thing)), told, flush=True)
    print(score.table())


if __name__ == "__main__":
    main()
