"""Rates of opening and closing in physics kitchens, with the causes of failures.

    .venv/bin/python -m benchmarks.kitchen_physics.fronts --first 10000 --kitchens 20 --fronts 5

Each case: in a kitchen with 20 things a front is opened, and closed again, with up to three tries
each. Seeds from 20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse

import numpy as np

from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.skills.arm.mobile.robot import Attempted, MobileArm

from .rooms import furnished
from .tally import Tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=20)
    parser.add_argument("--fronts", type=int, default=5)
    parser.add_argument("--kind", choices=("door", "drop", "drawer"), help="only such fronts")
    parser.add_argument("--name", help="only this front")
    arguments = parser.parse_args()
    tally = Tally()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        kitchen = draw_kitchen(seed)
        world = furnished(kitchen, seed)
        rng = np.random.default_rng([seed, 6])
        start = world.snapshot()
        fronts = sorted(world.fronts)
        if arguments.kind:
            fronts = [name for name in fronts if world.fronts[name].kind == arguments.kind]
        for name in rng.permutation(fronts)[: arguments.fronts]:
            if arguments.name not in (None, str(name)):
                continue
            world.restore(start)
            world.sync()
            arm, kind = MobileArm(world, seed), world.fronts[name].kind

            def opening(variation: int, arm: MobileArm = arm, name: str = str(name)) -> Attempted:
                return arm.open(name, variation)

            def closing(variation: int, arm: MobileArm = arm, name: str = str(name)) -> Attempted:
                return arm.close(name, variation)

            result = tally.tried(("open", f"open {kind}"), opening)
            _print(seed, kitchen.layout, f"open {name}", result, tally)
            if result.failed is None:
                result = tally.tried(("close", f"close {kind}"), closing)
                _print(seed, kitchen.layout, f"close {name}", result, tally)
    print(tally.table())


def _print(seed: int, layout: str, what: str, result: Attempted, tally: Tally) -> None:
    push, touch = result.push
    parts = [str(seed), layout, what, str(result.failed or "done")]
    parts.append(f"CPU {tally.cpu_s[-1]:.2f} s, {result.checks} checks")
    if touch is not None:
        parts.append(f"{push:.0f} N {touch.part} on {touch.other}")
    print(*parts, sep="  ", flush=True)


if __name__ == "__main__":
    main()
