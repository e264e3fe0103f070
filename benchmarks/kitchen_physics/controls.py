"""Negative controls of opening: what must not open does not, and says why.

    .venv/bin/python -m benchmarks.kitchen_physics.controls --first 10000 --kitchens 12

One front of each kind in each kitchen: as it is, with a gripper that never closes, with a weak one,
and jammed. Seeds from 20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.skills.arm.mobile.motion import Motion
from peephole.skills.arm.mobile.robot import MobileArm

from .rooms import furnished
from .tally import TRIES

#: The weak gripper's servo, as a share of ours (100 of 3,000 N/m), and the friction of a jam, in N.
_WEAK, _JAM = 1 / 30, 400.0


@contextmanager
def control(world: MujocoRoom, name: str, kind: str) -> Iterator[None]:
    """Change the world or the robot for one control."""
    model = world.model
    joint, servo = model.joint(name), model.actuator("fingers")
    friction, gain, bias = joint.frictionloss.copy(), servo.gainprm.copy(), servo.biasprm.copy()
    held = mock.patch.object(Motion, "grip", lambda motion, _, seconds=0.5: motion.hold(seconds))
    try:
        if kind == "jammed":
            joint.frictionloss[:] = _JAM
        if kind == "weak grip":
            servo.gainprm[:], servo.biasprm[:] = gain * _WEAK, bias * _WEAK
        if kind == "open gripper":
            with held:
                yield
        else:
            yield
    finally:
        joint.frictionloss[:], servo.gainprm[:], servo.biasprm[:] = friction, gain, bias


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=12)
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        world = furnished(draw_kitchen(seed), seed)
        start = world.snapshot()
        fronts = {front.kind: name for name, front in sorted(world.fronts.items(), reverse=True)}
        for name in sorted(fronts.values()):
            for kind in ("as it is", "open gripper", "weak grip", "jammed"):
                world.restore(start)
                world.sync()
                arm = MobileArm(world, seed)
                with control(world, name, kind):
                    for variation in range(TRIES):
                        result = arm.open(name, variation)
                        if result.failed is None:
                            break
                opened = world.front_value(name) >= world.fronts[name].opened_at
                told = "done" if result.failed is None else str(result.failed.reason)
                counts[f"{kind}: {'open' if opened else 'not open'}, says {told}"] += 1
    for row, number in sorted(counts.items()):
        print(f"{row:48} {number}")


if __name__ == "__main__":
    main()
