"""The whole chain in physics kitchens: open, pick from inside, put on a worktop, close.

    .venv/bin/python -m benchmarks.kitchen_physics.chains --first 10000 --kitchens 20

In each kitchen, one thing behind a front of each kind, if there is one; nothing is set by hand.
Each skill has up to three tries. Seeds from 20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from peephole.skills.arm.mobile.robot import Attempted
from peephole.skills.arm.mobile.world import Reach, Space
from peephole.skills.arm.rotation import Array

from .rooms import Room
from .tally import Tally


def kind_of(room: Room, space: Space, front: str) -> str:
    """What a case counts as: fridge, freezer, or the kind of the front."""
    category = room.kitchen.areas[space.area].category
    return category if category in ("fridge", "freezer") else str(room.world.fronts[front].kind)


def cases(room: Room) -> Iterator[tuple[str, Space, str, str]]:
    """A thing, its space, the front and the kind of it: one of each kind, at random."""
    seen = set()
    rng = np.random.default_rng([room.seed, 8])
    for thing in map(str, rng.permutation(sorted(room.world.shapes))):
        room.restart()
        name = room.space_of(thing)
        space = None if name is None else room.world.spaces[name]
        if space is None or space.front is None:
            continue
        kind = kind_of(room, space, space.front)
        if kind not in seen:
            seen.add(kind)
            yield thing, space, space.front, kind


def worktop(room: Room, thing: str) -> str | None:
    """The nearest area where a thing can be put from above and where there is most room."""
    position = room.world.thing(thing).position
    tops = [
        (len(room.world.things_in(space.name)) > 2, _away(space, position), space.area)
        for space in room.world.spaces.values()
        if space.reach is Reach.ABOVE
    ]
    return min(tops)[2] if tops else None


def _away(space: Space, position: Array) -> float:
    middle = space.origin + space.rotation @ ((space.low + space.high) / 2)
    return float(np.hypot(*(middle - position)[:2]))


def play(room: Room, thing: str, front: str, tally: Tally) -> tuple[str, Attempted] | None:
    """One chain; the skill that failed with its outcome, None if all is done."""
    arm, top = room.arm, worktop(room, thing)
    assert top is not None
    skills = (
        ("open", lambda variation: arm.open(front, variation)),
        ("pick", lambda variation: arm.pick(thing, variation)),
        ("put", lambda variation: arm.put(top, variation)),
        ("close", lambda variation: arm.close(front, variation)),
    )
    for name, skill in skills:
        result = tally.tried((name,), skill)
        if result.failed is not None:
            return name, result
    assert room.area_of(thing) == top, f"{thing} is in {room.area_of(thing)}"
    assert room.world.front_value(front) <= room.world.fronts[front].closed_at
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=20)
    parser.add_argument("--kind", help="only things behind such a front")
    arguments = parser.parse_args()
    tally, chains = Tally(), Tally()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        room = Room(seed)
        for thing, space, front, kind in cases(room):
            if arguments.kind not in (None, kind):
                continue
            began, skills = time.process_time(), len(tally.pushes)
            failed = play(room, thing, front, tally)
            chains.cpu_s.append(time.process_time() - began)
            chains.sim_s.append(sum(tally.sim_s[skills:]))
            chains.pushes.append(max(tally.pushes[skills:]))
            for part in ("chain", f"chain {kind}"):
                if failed is None:
                    chains.done[part] += 1
                else:
                    chains.count(part, failed[1])
            tally.lost += room.lost()
            what = "done" if failed is None else f"{failed[0]}: {failed[1].failed}"
            print(
                f"{seed} {room.kitchen.layout}  {thing} in {space.name}  {what}  CPU"
                f" {chains.cpu_s[-1]:.2f} s, simulated {chains.sim_s[-1]:.0f} s,"
                f" {chains.pushes[-1]:.0f} N",
                flush=True,
            )
    print(f"By skill:\n{tally.table()}\n\nBy chain:\n{chains.table()}")


if __name__ == "__main__":
    main()
