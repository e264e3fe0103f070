"""The whole chain in physics kitchens: open, pick from inside, put on a worktop, close.

    .venv/bin/python -m benchmarks.kitchen_physics.chains --first 10000 --kitchens 20

In each kitchen, one thing behind a front of each kind, if there is one; nothing is set by hand. Each
skill has up to three tries. Seeds from 20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from peephole.skills.arm.mobile.motion import FORCE_LIMIT
from peephole.skills.arm.mobile.robot import Attempted
from peephole.skills.arm.mobile.world import Reach, Space

from .rooms import Room
from .tally import NEVER, Tally


def kind_of(room: Room, space: Space) -> str:
    """What a case counts as: the kind of its front, or that it is in the fridge."""
    assert space.front is not None
    area = room.kitchen.areas[space.area]
    return area.category if area.category in ("fridge", "freezer") else space_kind(room, space)


def space_kind(room: Room, space: Space) -> str:
    assert space.front is not None
    return str(room.world.fronts[space.front].kind)


def worktop(room: Room, thing: str) -> str | None:
    """The nearest area where a thing can be put from above and where there is most room."""
    position = room.world.thing(thing).position
    tops = [
        (len(room.world.things_in(space.name)) > 2, _away(space, position), space.area)
        for space in room.world.spaces.values()
        if space.reach is Reach.ABOVE
    ]
    return min(tops)[2] if tops else None


def _away(space: Space, position: np.ndarray) -> float:
    middle = space.origin + space.rotation @ ((space.low + space.high) / 2)
    return float(np.hypot(*(middle - position)[:2]))


def play(room: Room, thing: str, space: Space, tally: Tally) -> tuple[str, Attempted | None]:
    """One chain; the skill that failed with its outcome, or "" if none did."""
    arm, front = room.arm, space.front
    top = worktop(room, thing)
    assert front is not None and top is not None
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
    return "", None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=20)
    parser.add_argument("--kind", help="only things behind such a front")
    arguments = parser.parse_args()
    tally, chains = Tally(), Tally()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        room, seen = Room(seed), set()
        rng = np.random.default_rng([seed, 8])
        for thing in map(str, rng.permutation(sorted(room.world.shapes))):
            room.restart()
            name = room.space_of(thing)
            space = None if name is None else room.world.spaces[name]
            if space is None or space.front is None or kind_of(room, space) in seen:
                continue
            kind = kind_of(room, space)
            seen.add(kind)
            if arguments.kind not in (None, kind):
                continue
            began, skills = time.process_time(), len(tally.pushes)
            failed, result = play(room, thing, space, tally)
            cpu, push = time.process_time() - began, max(tally.pushes[skills:])
            chains.cpu_s.append(cpu)
            chains.sim_s.append(sum(tally.sim_s[skills:]))
            chains.pushes.append(push)
            for part in ("chain", f"chain {kind}"):
                if result is None:
                    chains.done[part] += 1
                else:
                    chains.count(part, result)
            tally.lost += room.lost()
            what = "done" if result is None else f"{failed}: {result.failed}"
            print(
                f"{seed} {room.kitchen.layout}  {thing} in {space.name}  {what}  CPU {cpu:.2f} s,"
                f" simulated {chains.sim_s[-1]:.0f} s, {push:.0f} N",
                flush=True,
            )
    print(f"{tally.table()}\n\n{chains.table()}")
    print(f"chains over {FORCE_LIMIT:.0f} N and {NEVER:.0f} N above count a chain once")


if __name__ == "__main__":
    main()
