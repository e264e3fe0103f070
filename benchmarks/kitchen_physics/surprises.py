"""Drives in physics kitchens where something comes in the way after the way was planned.

    .venv/bin/python -m benchmarks.kitchen_physics.surprises --first 10000 --kitchens 40 --goals 4

When the robot starts to drive, a front that would be in its way is opened and jammed, as if it had
been believed closed; where no front reaches the way, a thing of 20 kg stands on the floor there. Of
each drive: how strongly it touched anything, and the outcome. Seeds from 20000 on are kept for the
final check.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import mujoco
import numpy as np

from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.results.statistics.estimates import wilson
from peephole.skills.arm.mobile.body import OPEN
from peephole.skills.arm.mobile.motion import FORCE_LIMIT, Motion
from peephole.skills.arm.mobile.robot import MobileArm
from peephole.skills.arm.mobile.world import BASE, Front
from peephole.skills.arm.rotation import Array

from .rooms import furnished
from .tally import NEVER

#: How far ahead the surprise is at least, in m, and the points of the way that are looked at.
_AHEAD, _POINTS = 0.35, 60
#: The friction of a jammed front, in N or Nm, and the mass of a heavy thing, in kg.
_JAM, _HEAVY = 400.0, 20.0
#: What a surprise changes in a model.
_CHANGED = (
    "dof_frictionloss",
    "dof_invweight0",
    "body_mass",
    "body_subtreemass",
    "body_inertia",
    "body_invweight0",
    "actuator_gainprm",
    "actuator_biasprm",
)


class Surprise:
    """Something that comes in the way of the first drive. what: "", or what it was."""

    def __init__(self, world: MujocoRoom) -> None:
        self.world = world
        self.what = ""

    @contextmanager
    def waiting(self) -> Iterator[None]:
        follow = Motion.follow

        def surprised(motion: Motion, path: Sequence[Array], *rest: Any, **more: Any) -> None:
            points = np.array([motion.target, *path])
            if not self.what and np.abs(points[-1] - points[0])[:2].max() > 2 * _AHEAD:
                self._place(_along(points))
            follow(motion, path, *rest, **more)

        with kept(self.world), mock.patch.object(Motion, "follow", surprised):
            yield

    def _place(self, way: Array) -> None:
        world, here = self.world, way[0]
        ahead = way[np.linalg.norm(way[:, :2] - here[:2], axis=1) > _AHEAD]
        near = way[np.linalg.norm(way[:, :2] - here[:2], axis=1) <= _AHEAD]
        for name, front in sorted(world.fronts.items()):
            if world.front_value(name) > front.closed_at:
                continue
            if not self._meets(front, near, 0.02) and self._meets(front, ahead, -0.02):
                joint = world.model.joint(name)
                world.data.qpos[joint.qposadr[0]] = front.open_value
                world.model.dof_frictionloss[joint.dofadr[0]] = _JAM
                self.what = f"{front.kind} {name}"
                break
        else:
            x, y = ahead[len(ahead) // 2][:2]
            self.what = f"thing {put_heavy(world, float(x), float(y))}"
        mujoco.mj_forward(world.model, world.data)

    def _meets(self, front: Front, way: Array, need: float) -> bool:
        """Whether the robot would come too close to a front if that stood open."""
        opened = {front.name: front.open_value}
        return any(self.world.obstacle(at, need, fingers=OPEN, fronts=opened) for at in way)


@contextmanager
def kept(world: MujocoRoom) -> Iterator[None]:
    """Undo what changes in the model."""
    before = {name: getattr(world.model, name).copy() for name in _CHANGED}
    try:
        yield
    finally:
        for name, values in before.items():
            getattr(world.model, name)[:] = values


def tallest(world: MujocoRoom) -> str:
    """The tallest thing."""
    return max(world.shapes, key=lambda name: world.shapes[name].height)


def put_heavy(world: MujocoRoom, x: float, y: float) -> str:
    """Stand the tallest thing on the floor, heavy; returns its name."""
    model = world.model
    thing = tallest(world)
    joint, body = model.joint(thing), model.body(thing).id
    ratio = _HEAVY / float(model.body_mass[body])
    model.body_mass[body] *= ratio
    model.body_subtreemass[body] *= ratio
    model.body_inertia[body] *= ratio
    model.body_invweight0[body] /= ratio
    first, velocity = int(joint.qposadr[0]), int(joint.dofadr[0])
    model.dof_invweight0[velocity : velocity + 6] /= ratio
    world.data.qpos[first : first + 3] = (x, y, world.shapes[thing].tall / 2 + 0.002)
    world.data.qpos[first + 3 : first + 7] = (1, 0, 0, 0)
    mujoco.mj_forward(model, world.data)
    return thing


def _along(points: Array) -> Array:
    """Points on the straight lines through some joints, shape (n, 11)."""
    parts = np.linspace(0, len(points) - 1, _POINTS)
    return np.stack([np.interp(parts, np.arange(len(points)), c) for c in points.T], axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--kitchens", type=int, default=40)
    parser.add_argument("--goals", type=int, default=4)
    arguments = parser.parse_args()
    pushes: list[float] = []
    outcomes: Counter[str] = Counter()
    for seed in range(arguments.first, arguments.first + arguments.kitchens):
        kitchen = draw_kitchen(seed)
        world = furnished(kitchen, seed)
        start = world.snapshot()
        rng = np.random.default_rng([seed, 9])
        for name in map(str, rng.permutation(list(kitchen.areas))[: arguments.goals]):
            world.restore(start)
            world.sync()
            arm, surprise = MobileArm(world, seed), Surprise(world)
            with surprise.waiting():
                result = arm.go_to(name)
            if not surprise.what:
                continue
            pushes.append(result.push[0])
            kind = surprise.what.split()[0]
            told = "arrived" if result.failed is None else str(result.failed.reason)
            outcomes[f"{kind}: {told}"] += 1
            off = world.reading().joints[BASE] - arm.snapshot().target[BASE]
            print(
                f"{seed} to {name}, {surprise.what}: {result.push[0]:.0f} N, {told}"
                f" {(result.failed and result.failed.other) or ''}, off {np.abs(off).max():.3f}",
                flush=True,
            )
    for row, number in sorted(outcomes.items()):
        print(f"{row:32} {number}")
    for limit in (0.0, FORCE_LIMIT, NEVER):
        over = sum(push > limit for push in pushes)
        print(f"over {limit:.0f} N: {over}/{len(pushes)} {wilson(over, len(pushes)).text(100)} %")
    print(f"strongest {max(pushes, default=0.0):.0f} N")


if __name__ == "__main__":
    main()
