"""The starts of our own tasks: where things stand, and which shut place hides what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from .points import UP, Array, Surfaces, rotation_about

if TYPE_CHECKING:
    from .household import HouseholdTask
    from .scene import Scene, Thing

#: How far a thing stands from its spot at most, in m, and how far it is turned, in rad.
_SHIFT, _TURN = 0.02, 0.4
#: How far sideways what is in a drawer stands at most, and how far behind the front, in m. The hand
#: cannot reach farther in, where the cabinet is above it.
_SIDEWAYS, _BEHIND = 0.01, (0.005, 0.015)
#: What is laid down turns about this axis, so that its top points along the fronts of drawers.
_ACROSS = np.array([0.0, 1.0, 0.0])
#: How far above its support a thing begins, in m.
_DROP = 0.003
#: A shut drawer stands pushed in by this, in m: at 0.0 LIBERO does not call it closed, and at 0.004
#: it jams.
_PUSHED_IN = 0.0015
#: How far the knob of a stove is turned that is on, in rad.
_RUNNING = 1.2
#: How wide around a thing's middle its support is looked for, in m.
_AROUND = 0.02


def arrange(scene: Scene, task: HouseholdTask, draw: np.random.RandomState) -> None:
    """Put all things where a start has them."""
    model, data = scene.model, scene.data
    for thing in scene.things.values():
        if thing.kind == "part":
            data.qpos[model.jnt_qposadr[thing.joint]] = _PUSHED_IN
        elif thing.name in task.running:
            data.qpos[model.jnt_qposadr[thing.joint]] = _RUNNING
    mujoco.mj_forward(model, data)
    arrangement = _Arrangement(scene, draw)
    ways = task.hidings()
    for name, place in ways[draw.randint(len(ways))].items():
        arrangement.hide(scene.things[name], scene.things[place])
    for name, spot in task.standing.items():
        arrangement.stand(scene.things[name], spot)
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)


class _Arrangement:
    """Puts things down in a scene."""

    def __init__(self, scene: Scene, draw: np.random.RandomState) -> None:
        self._scene, self._draw = scene, draw
        self._surfaces = Surfaces(scene.model)
        fixed = [thing for thing in scene.things.values() if thing.kind in ("fixture", "table")]
        points = [self._points(thing) for thing in fixed]
        self._fixed = np.concatenate(points)

    def hide(self, thing: Thing, drawer: Thing) -> None:
        """Put a thing behind the front of a shut drawer; what is too tall lies there."""
        scene = self._scene
        low, high = scene.region_box(drawer)
        shape, turn = self._turned(thing, high[2] - low[2])
        shut, wide = scene.opening(drawer)
        outward = scene.data.xaxis[drawer.joint] * np.sign(wide - shut)
        sideways = np.cross(UP, outward)
        room = np.abs(outward) @ (high - low - np.ptp(shape, axis=0)) / 2
        at = (low + high) / 2
        at += outward * (room - self._draw.uniform(*_BEHIND))
        at += sideways * self._draw.uniform(-_SIDEWAYS, _SIDEWAYS)
        self._put(thing, shape, turn, at)

    def stand(self, thing: Thing, spot: tuple[float, float]) -> None:
        """Stand a thing on the table near a spot."""
        shape, turn = self._turned(thing, np.inf)
        at = np.array([*spot, np.inf])
        at[:2] += self._draw.uniform(-_SHIFT, _SHIFT, 2)
        self._put(thing, shape, turn, at)

    def _points(self, thing: Thing) -> Array:
        return self._surfaces.world(self._scene.data, self._scene.geoms_of(thing))

    def _turned(self, thing: Thing, height: float) -> tuple[Array, Array]:
        """A thing's points around its origin and its rotation; lying if it is taller than that."""
        body = thing.body
        turn = rotation_about(UP, self._draw.uniform(-_TURN, _TURN))
        points = self._points(thing) - self._scene.data.xpos[body]
        if np.ptp(points[:, 2]) > height:
            turn = turn @ rotation_about(_ACROSS, np.pi / 2)
        return points @ turn.T, turn @ self._scene.data.xmat[body].reshape(3, 3)

    def _put(self, thing: Thing, shape: Array, rotation: Array, at: Array) -> None:
        """Put a thing's middle over a point, on the highest support below it."""
        fixed = self._fixed
        under = fixed[np.linalg.norm(fixed[:, :2] - at[:2], axis=1) < _AROUND]
        floor = under[under[:, 2] < at[2]][:, 2].max()
        low, high = shape.min(0), shape.max(0)
        place = [*(at[:2] - (low + high)[:2] / 2), floor - low[2] + _DROP]
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, rotation.ravel())
        address, _ = self._scene.free_joint(thing)
        self._scene.data.qpos[address : address + 7] = [*place, *quaternion]
