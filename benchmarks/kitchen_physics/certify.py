"""Certificates that every front of drawn kitchens can be opened, and what they cost.

    .venv/bin/python -m benchmarks.kitchen_physics.certify --first 11000 --kitchens 100

For each empty kitchen the robot looks for a way to open each front from where it starts, without
moving (`peephole.skills.arm.mobile.certificate`). --learn adds the ways that were found by search
to `known_ways.json`, and tries them first in the next kitchens. Seeds from 20000 on are kept for
the final check.
"""

from __future__ import annotations

import argparse
import time

from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.mujoco.kitchens.world import furnished_world
from peephole.results.statistics.estimates import wilson
from peephole.skills.arm.mobile.certificate import PATH, known_ways, opening, written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=11000)
    parser.add_argument("--kitchens", type=int, default=100)
    parser.add_argument("--learn", action="store_true")
    arguments = parser.parse_args()
    ways = list(known_ways())
    made_s, certified_s, fronts, kitchens, total = [], [], 0, 0, 0
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        times = [time.process_time()]
        kitchen = draw_kitchen(seed)
        world = furnished_world(kitchen)
        times.append(time.process_time())
        failed, searched = [], 0
        for name, front in world.fronts.items():
            known = opening(world, front, known=ways, searches=0)
            found = known or opening(world, front)
            searched += known is None
            if found is None:
                failed.append(name)
            elif known is None and arguments.learn:
                ways.append(found)
        times.append(time.process_time())
        made_s.append(times[1] - times[0])
        certified_s.append(times[2] - times[1])
        total += len(world.fronts)
        fronts += len(world.fronts) - len(failed)
        kitchens += not failed
        print(
            f"{seed} {kitchen.layout:11} {len(world.fronts)} fronts  {searched} searched"
            f"  made in {made_s[-1] * 1e3:.0f} ms, certified in {certified_s[-1] * 1e3:.0f} ms"
            f"  {' '.join(failed)}",
            flush=True,
        )
    print(f"fronts   {fronts}/{total}  {wilson(fronts, total).text(100)} %")
    print(f"kitchens {kitchens}/{len(made_s)}  {wilson(kitchens, len(made_s)).text(100)} %")
    for what, seconds in (("made", made_s), ("certified", certified_s)):
        ordered = sorted(seconds)
        middle = ordered[len(ordered) // 2]
        print(f"{what}: median {middle * 1e3:.0f} ms, most {ordered[-1] * 1e3:.0f} ms of CPU")
    if arguments.learn:
        PATH.write_text(written(ways))
        print(f"{len(ways)} ways in {PATH.name}")


if __name__ == "__main__":
    main()
