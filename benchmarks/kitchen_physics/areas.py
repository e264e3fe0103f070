"""All fronts of large kitchens, opened one after the other in one episode.

    .venv/bin/python -m benchmarks.kitchen_physics.areas --first 10000 --kitchens 20

A front stays open, until the arm names it as what is in its way: then it is closed. Seeds from
20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Set

import numpy as np

from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.results.statistics.estimates import wilson
from peephole.skills.arm.mobile.robot import Attempted, MobileArm

from .rooms import furnished
from .tally import Tally

#: The areas of a kitchen at least, and how many fronts may be closed for one that is opened.
_AREAS, _CLOSINGS = 30, 10


def open_all(world: MujocoRoom, seed: int, tally: Tally) -> list[str]:
    """Open all fronts in a random order; why those did not open that did not."""
    arm = MobileArm(world, seed)
    failures = []
    for name in map(str, np.random.default_rng([seed, 6]).permutation(sorted(world.fronts))):
        for _ in range(_CLOSINGS):

            def opening(variation: int, name: str = name) -> Attempted:
                return arm.open(name, variation)

            result = tally.tried(("open",), opening)
            failed = result.failed
            if failed is None or not close(world, arm, failed.other, {name}, tally):
                break
        if failed is not None:
            failures.append(f"open {name}: {failed} {failed.message}")
    return failures


def close(
    world: MujocoRoom, arm: MobileArm, name: str | None, asked: Set[str], tally: Tally
) -> bool:
    """Close what is in the way, and first what is in the way of that; whether anything closed.

    asked: what these closings are for.
    """
    if name is None or name in asked or not _open(world, name):
        return False
    closed = False
    for _ in range(_CLOSINGS):
        result = tally.tried(("close",), lambda variation: arm.close(name, variation))
        if result.failed is None:
            return True
        if not close(world, arm, result.failed.other, {*asked, name}, tally):
            break
        closed = True
    return closed


def _open(world: MujocoRoom, name: str | None) -> bool:
    front = world.fronts.get(name or "")
    return front is not None and world.front_value(front.name) > front.closed_at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=20)
    arguments = parser.parse_args()
    tally, all_open = Tally(), 0
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        kitchen = draw_kitchen(seed, areas=_AREAS)
        world = furnished(kitchen, seed)
        began = time.process_time()
        failures = open_all(world, seed, tally)
        all_open += not failures
        told = "; ".join(failures) or "all open"
        spent = time.process_time() - began
        print(
            f"{seed}  {kitchen.layout}  {len(kitchen.areas)} areas  {len(world.fronts)} fronts"
            f"  CPU {spent:.0f} s  {told}",
            flush=True,
        )
    rate = wilson(all_open, arguments.kitchens).text(100)
    print(f"all open: {all_open}/{arguments.kitchens} {rate} %")
    print(tally.table())


if __name__ == "__main__":
    main()
