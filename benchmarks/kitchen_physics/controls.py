"""Negative controls of opening: what must not open does not, and says why.

    .venv/bin/python -m benchmarks.kitchen_physics.controls --first 10000 --kitchens 12

One front of each kind in each kitchen: as it is, with the robot before it, with a gripper that
never closes, with a weak one, jammed, and with a thing of 20 kg before it on the floor, where the
front is low enough to meet it. Seeds from 20000 on are kept for the final check.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from unittest import mock

from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.skills.arm.mobile.motion import Motion
from peephole.skills.arm.mobile.robot import MobileArm
from peephole.skills.arm.mobile.world import Front

from .rooms import furnished
from .surprises import kept, put_heavy, tallest
from .tally import TRIES

#: The weak gripper's servo, as a share of ours (100 of 3,000 N/m), and the friction of a jam, in N.
_WEAK, _JAM = 1 / 30, 400.0
#: How far before a front the heavy thing begins, in m.
_BEFORE = 0.05
#: A front whose lower edge is at most so high meets a thing on the floor, in m.
_LOW = 0.2
KINDS = ("as it is", "robot before it", "open gripper", "weak grip", "jammed", "thing before it")


@contextmanager
def control(world: MujocoRoom, front: Front, kind: str) -> Iterator[None]:
    """Change the world or the robot for one control."""
    servo = world.model.actuator("fingers")
    still = mock.patch.object(Motion, "grip", lambda motion, _, seconds=0.5: motion.hold(seconds))
    with kept(world), still if kind == "open gripper" else nullcontext():
        if kind == "jammed":
            world.model.joint(front.name).frictionloss[:] = _JAM
        if kind == "weak grip":
            servo.gainprm[:] *= _WEAK
            servo.biasprm[:] *= _WEAK
        if kind == "thing before it":
            away = _BEFORE + world.shapes[tallest(world)].radius
            x, y = (front.face + away * front.outward)[:2]
            put_heavy(world, float(x), float(y))
        yield


def outcome(world: MujocoRoom, arm: MobileArm, front: Front) -> str:
    """Open a front with the executor's retries: whether it is open, and what the arm says."""
    for variation in range(TRIES):
        result = arm.open(front.name, variation)
        if result.failed is None:
            break
    is_open = world.front_value(front.name) >= front.opened_at
    told = "done" if result.failed is None else str(result.failed.reason)
    if result.failed is not None and result.failed.other in world.shapes:
        told += " by " + ("the thing" if result.failed.other == tallest(world) else "another")
    return f"{'open' if is_open else 'not open'}, says {told}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=12)
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        world = furnished(draw_kitchen(seed), seed)
        start = world.snapshot()
        fronts = {front.kind: front for _, front in sorted(world.fronts.items(), reverse=True)}
        low = {
            front.kind: front
            for _, front in sorted(world.fronts.items(), reverse=True)
            if front.face[2] - front.half_height < _LOW
        }
        for kind in KINDS:
            for front in (low if kind == "thing before it" else fronts).values():
                world.restore(start)
                world.sync()
                arm = MobileArm(world, seed)
                if kind == "robot before it":
                    arm.go_to(front.name)
                with control(world, front, kind):
                    counts[f"{kind}: {outcome(world, arm, front)}"] += 1
    for row, number in sorted(counts.items()):
        print(f"{row:48} {number}")


if __name__ == "__main__":
    main()
