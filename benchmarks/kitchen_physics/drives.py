"""Drives to random areas and things of physics kitchens, some of whose fronts stand open.

    .venv/bin/python -m benchmarks.kitchen_physics.drives --first 10000 --kitchens 40 --goals 5

A drive counts if it ends before its goal, within 10 mm of where it was commanded to, and touched
nothing. Seeds from 20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse

import mujoco
import numpy as np

from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.results.statistics.estimates import wilson
from peephole.skills.arm.mobile.robot import Attempted, MobileArm
from peephole.skills.arm.mobile.world import BASE

from .rooms import furnished
from .tally import Tally

#: The share of fronts that stand open, and how far off a drive may end, in m.
_OPEN, _OFF = 0.15, 0.01


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=40)
    parser.add_argument("--goals", type=int, default=5)
    arguments = parser.parse_args()
    tally, good, total = Tally(), 0, 0
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        kitchen = draw_kitchen(seed)
        world = furnished(kitchen, seed)
        rng = np.random.default_rng([seed, 8])
        for name, front in sorted(world.fronts.items()):
            if front.turns and rng.random() < _OPEN:
                world.data.qpos[world.model.joint(name).qposadr[0]] = front.open_value
        mujoco.mj_step(world.model, world.data, 20)
        world.sync()
        arm = MobileArm(world, seed)
        if world.obstacle(world.reading().joints, 0.01, fingers=0.04) is not None:
            print(seed, "the robot starts in the way")
            continue
        for name in map(str, rng.permutation([*kitchen.areas, *world.shapes])[: arguments.goals]):

            def going(variation: int, arm: MobileArm = arm, name: str = name) -> Attempted:
                return arm.go_to(name, variation)

            result = tally.tried(("go to",), going)
            off = world.reading().joints[BASE] - arm.snapshot().target[BASE]
            fine = (
                result.failed is None
                and result.push[0] == 0.0
                and float(np.linalg.norm(off[:2])) < _OFF
            )
            total, good = total + 1, good + fine
            if not fine:
                told = result.failed and f"{result.failed} {result.failed.message}"
                print(seed, kitchen.layout, name, told, result.push, off, flush=True)
    print(f"arrived without a touch: {good}/{total} {wilson(good, total).text(100)} %")
    print(tally.table())


if __name__ == "__main__":
    main()
