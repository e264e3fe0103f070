"""Rates of opening, closing and pressing in physics kitchens, with the causes of failures.

    .venv/bin/python -m benchmarks.kitchen_physics.fronts --first 10000 --kitchens 20 --fronts 5
    .venv/bin/python -m benchmarks.kitchen_physics.fronts --first 10000 --kitchens 30 --buttons

Each case: in a kitchen with 20 things a front is opened, and closed again, with up to three tries
each; or a button is pressed until what it switches is on, and then off. Seeds from 20000 on are
kept for the final check.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial

import numpy as np

from peephole.adapters.kitchens.furnished.body import closed_to_run
from peephole.adapters.kitchens.furnished.parts import Kitchen
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.mujoco.kitchens.switches import Switches
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.skills.arm.mobile.failures import Failed
from peephole.skills.arm.mobile.robot import Attempted, MobileArm
from peephole.skills.outcomes import Reason

from .rooms import furnished
from .tally import Tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=20)
    parser.add_argument("--fronts", type=int, default=5)
    parser.add_argument("--kind", choices=("door", "drop", "drawer"), help="only such fronts")
    parser.add_argument("--name", help="only this front or button")
    parser.add_argument("--buttons", action="store_true", help="press every button instead")
    arguments = parser.parse_args()
    tally = Tally()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        kitchen = draw_kitchen(seed)
        world = furnished(kitchen, seed)
        start = world.snapshot()
        if arguments.buttons:
            cases = sorted(world.buttons)
        else:
            fronts = sorted(world.fronts)
            if arguments.kind:
                fronts = [name for name in fronts if world.fronts[name].kind == arguments.kind]
            rng = np.random.default_rng([seed, 6])
            cases = [str(name) for name in rng.permutation(fronts)[: arguments.fronts]]
        for name in cases:
            if arguments.name not in (None, name):
                continue
            world.restore(start)
            world.sync()
            arm = MobileArm(world, seed)
            play = _pressed if arguments.buttons else _opened
            for what, result in play(kitchen, world, arm, name, tally):
                _print(seed, kitchen.layout, f"{what} {name}", result, tally)
    print(tally.table())


def _opened(
    kitchen: Kitchen, world: MujocoRoom, arm: MobileArm, name: str, tally: Tally
) -> Iterator[tuple[str, Attempted]]:
    """Open a front, and close it again."""
    kind = world.fronts[name].kind
    for what, skill in (("open", arm.open), ("close", arm.close)):
        result = tally.tried((what, f"{what} {kind}"), partial(skill, name))
        yield what, result
        if result.failed is not None:
            return


def _pressed(
    kitchen: Kitchen, world: MujocoRoom, arm: MobileArm, name: str, tally: Tally
) -> Iterator[tuple[str, Attempted]]:
    """Press a button until what it switches is on, then until it is off."""
    area = world.buttons[name].area
    switches = Switches(world, doors=closed_to_run(kitchen))
    world.on_step = switches.tick
    for what, wanted in (("on", True), ("off", False)):

        def pressing(variation: int, wanted: bool = wanted) -> Attempted:
            result = arm.press(name, variation)
            if result.failed is None and switches.running[area] is not wanted:
                return result._replace(failed=Failed(Reason.NOT_CONFIRMED, name))
            return result

        result = tally.tried(("press", f"press {kitchen.areas[area].category}"), pressing)
        yield what, result
        if result.failed is not None:
            break
    world.on_step = None


def _print(seed: int, layout: str, what: str, result: Attempted, tally: Tally) -> None:
    push, touch = result.push
    parts = [str(seed), layout, what, str(result.failed or "done")]
    parts.append(f"CPU {tally.cpu_s[-1]:.2f} s, {result.checks} checks")
    if touch is not None:
        parts.append(f"{push:.0f} N {touch.part} on {touch.other}")
    print(*parts, sep="  ", flush=True)


if __name__ == "__main__":
    main()
