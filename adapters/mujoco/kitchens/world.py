"""MuJoCo as a room of the mobile arm's skills.

Two models of one kitchen: in the first the physics runs, with bodies at rest asleep; the second
never moves in time, and answers what the robot would come too close to.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from ....skills.arm import panda
from ....skills.arm.mobile.body import BASE_RADIUS, OPEN
from ....skills.arm.mobile.world import (
    TICK_S,
    Button,
    Front,
    Held,
    Obstacle,
    Pose,
    Reading,
    Shape,
    Space,
    Touch,
)
from ....skills.arm.rotation import Array
from ...kitchens.furnished.arranging import arrange
from ...kitchens.furnished.parts import Kitchen, Thing
from ...kitchens.furnished.things import kind_of_thing
from .model import model_of, start_of
from .names import FINGER_NAMES, JOINT_NAMES, Parts, geom_names
from .probe import Insides, Probe

#: The actuators: one for each joint, in order, then that of the fingers.
GRIP_RANGE = 255.0

#: Damping makes a servo lag, in s; a command slightly ahead compensates.
_LAG: Array = np.array([1 / 8 + 0.0025] * 4 + [joint.kd / joint.kp for joint in panda.JOINTS])
#: The robot's mass moves late, too: its base is commanded ahead by a part of the acceleration, in
#: s² (90 kg by the gain of its servos), of at most so many m/s².
_INERTIA, _STRONGEST = 90 / 2e4, 3.0
_STEPS = 3  # of physics in a tick
#: Steps until what was put down rests.
_SETTLING = 100


#: Copies of the state that are made ready with a world.
_READY = 2


class WorldSnapshot:
    """The complete state of a world.

    data: MuJoCo's, with what sleeps. wanted: the last commands of the servos. speeds: the last
    speeds commanded to the base, in m/s.
    """

    def __init__(self, data: Any, wanted: Array, speeds: Array) -> None:
        self.data, self.wanted, self.speeds = data, wanted, speeds


class _Copies:
    """Room for copies of the state, used again once a snapshot is gone: to make one takes 1 ms."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._free = [mujoco.MjData(model) for _ in range(_READY)]

    def take(self, data: Any, wanted: Array, speeds: Array) -> WorldSnapshot:
        copied = self._free.pop() if self._free else mujoco.MjData(self._model)
        mujoco.mj_copyData(copied, self._model, data)
        snapshot = WorldSnapshot(copied, wanted.copy(), speeds.copy())
        weakref.finalize(snapshot, self._free.append, copied).atexit = False
        return snapshot


class MujocoRoom:
    """A kitchen with its things and a robot, as `RoomWorld`.

    model: bodies of things and fronts have their names; a front's body has one joint. Its bodies,
    sites and joints of the robot are named as above. So is the body of a button, with one joint. A
    geom belongs to what its name says before "#" (`handle_of` for handles); without "#" to its
    body, or in the world's body to the floor or a wall. on_step: called after every tick.
    errors: of the perceived positions of things, in m, shape (3,); none at first.
    """

    def __init__(
        self,
        model: Any,
        fronts: Mapping[str, Front],
        spaces: Mapping[str, Space],
        shapes: Mapping[str, Shape],
        buttons: Mapping[str, Button] = MappingProxyType({}),
    ) -> None:
        self.fronts, self.spaces, self.shapes, self.buttons = fronts, spaces, shapes, buttons
        self.model = model
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        self.data = mujoco.MjData(model)
        self.on_step: Callable[[], None] | None = None
        self.errors: Mapping[str, Array] = {}
        self._joints = np.array([model.joint(name).qposadr[0] for name in JOINT_NAMES])
        self._fingers = np.array([model.joint(name).qposadr[0] for name in FINGER_NAMES])
        self._moving_at = {
            name: int(model.jnt_qposadr[model.body_jntadr[model.body(name).id]])
            for name in (*fronts, *buttons)
        }
        self._bodies = {name: int(model.body(name).id) for name in shapes}
        self._names = geom_names(model, fronts)
        self._parts = Parts.of(model)
        self._insides = Insides(fronts, spaces)
        self._probe = Probe(model, self._parts, self._names, self._bodies)
        self._copies = _Copies(model)
        self._stale = True
        self._wanted: Array = self.data.ctrl.copy()
        self._speeds: Array = np.zeros(2)

    def start(self, joints: Array) -> None:
        """Put the robot somewhere at rest, with open fingers, and let everything else settle."""
        self.data.qpos[self._joints] = joints
        self.data.qpos[self._fingers] = OPEN
        self.command(joints, np.zeros(len(joints)), OPEN)
        self.data.ctrl[:] = self._wanted
        mujoco.mj_step(self.model, self.data, _SETTLING)
        self.sync()

    # --- as the skills see it --------------------------------------------------------------

    def reading(self) -> Reading:
        positions = self.data.qpos
        return Reading(
            float(self.data.time), positions[self._joints].copy(), positions[self._fingers].copy()
        )

    def front_value(self, front: str) -> float:
        return float(self.data.qpos[self._moving_at[front]])

    def button_value(self, button: str) -> float:
        return float(self.data.qpos[self._moving_at[button]])

    def thing(self, thing: str) -> Pose:
        body = self._bodies[thing]
        position = self.data.xpos[body] + self.errors.get(thing, 0.0)
        return Pose(position, self.data.xmat[body].reshape(3, 3).copy())

    def things_in(self, space: str) -> Sequence[str]:
        place = self.spaces[space]
        value = self.front_value(place.front) if place.front is not None else 0.0
        origin, rotation = place.at(value), place.rotation
        found = []
        for thing, body in self._bodies.items():
            x, y, z = rotation.T @ (self.data.xpos[body] - origin)
            if (
                place.low[0] <= x <= place.high[0]
                and place.low[1] <= y <= place.high[1]
                and place.low[2] <= z <= place.high[2]
            ):
                found.append(thing)
        return found

    def command(self, joints: Array, speeds: Array, opening: float) -> None:
        self._wanted[:-1] = joints + _LAG * speeds
        acceleration = (speeds[:2] - self._speeds) / TICK_S
        self._wanted[:2] += _INERTIA * np.clip(acceleration, -_STRONGEST, _STRONGEST)
        self._speeds = speeds[:2].copy()
        self._wanted[-1] = opening / panda.FINGER_OPEN * GRIP_RANGE

    def step(self, carried: str | None = None) -> Sequence[Touch]:
        # Commands are faded in: sudden ones would shake a held thing.
        ctrl, before = self.data.ctrl, self.data.ctrl.copy()
        forces: dict[tuple[int, int], float] = {}
        for index in range(1, _STEPS + 1):
            ctrl[:-1] = before[:-1] + (self._wanted[:-1] - before[:-1]) * (index / _STEPS)
            ctrl[-1] = self._wanted[-1]
            mujoco.mj_step(self.model, self.data)
            self._feel(forces, None if carried is None else self._bodies[carried])
        if self.on_step is not None:
            self.on_step()
        return self._touches(forces)

    def _feel(self, forces: dict[tuple[int, int], float], carried: int | None) -> None:
        """Add the forces between the robot (with what it carries) and all else, by geoms."""
        contact = self.data.contact
        geoms = contact.geom
        if not len(geoms):
            return
        ours = self._parts.robot[geoms]
        if carried is not None:
            mine = self.model.geom_bodyid[geoms] == carried
            selected = np.flatnonzero((ours | mine).any(axis=1) & ~(ours | mine).all(axis=1))
            ours = ours | mine
        else:
            selected = np.flatnonzero(ours[:, 0] != ours[:, 1])
        if not len(selected):
            return
        rows = contact.efc_address[selected]
        strengths = np.where(rows >= 0, self.data.efc_force[rows], 0.0)
        step: dict[tuple[int, int], float] = {}
        for index, strength in zip(selected, strengths, strict=True):
            first, second = geoms[index] if ours[index, 0] else geoms[index][::-1]
            pair = (int(first), int(second))
            step[pair] = step.get(pair, 0.0) + float(strength)
        for pair, strength in step.items():
            forces[pair] = max(forces.get(pair, 0.0), strength)

    def _touches(self, forces: Mapping[tuple[int, int], float]) -> list[Touch]:
        summed: dict[tuple[str, str, bool], float] = {}
        for (part, other), force in forces.items():
            name = self._parts.names[part] or self._names[part]
            key = (name, self._names[other], bool(self._parts.hand[part]))
            summed[key] = summed.get(key, 0.0) + force
        return [Touch(part, other, force, hand) for (part, other, hand), force in summed.items()]

    # --- planning ----------------------------------------------------------------------------

    def sync(self) -> None:
        values = {name: self.front_value(name) for name in self.fronts}
        bodies = np.fromiter(self._bodies.values(), int, len(self._bodies))
        enclosed = self._insides.enclosed(self.data.xpos[bodies], values)
        self._probe.sync(self.data.qpos, bodies[enclosed])
        self._stale = False

    def obstacle(
        self,
        joints: Array,
        need: float,
        *,
        fingers: float,
        held: Held | None = None,
        fronts: Mapping[str, float] | None = None,
        ignore: Set[str] = frozenset(),
        base_stays: bool = False,
        lowering: bool = False,
    ) -> Obstacle | None:
        if self._stale:
            self.sync()
        values = {} if fronts is None else {self._moving_at[name]: fronts[name] for name in fronts}
        return self._probe.obstacle(
            joints, need, fingers, held, values, ignore, base_stays, lowering
        )

    def base_free(self, places: Array, need: float) -> NDArray[np.bool_]:
        if self._stale:
            self.sync()
        return self._probe.distances(places) > BASE_RADIUS + need

    # --- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> WorldSnapshot:
        return self._copies.take(self.data, self._wanted, self._speeds)

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Restore a snapshot, to the last bit."""
        mujoco.mj_copyData(self.data, self.model, snapshot.data)
        self._wanted, self._speeds = snapshot.wanted.copy(), snapshot.speeds.copy()
        self._stale = True


def furnished_world(kitchen: Kitchen, things: Iterable[Thing] = ()) -> MujocoRoom:
    """A kitchen with its things and the robot at its start, at rest. Raises BadInput."""
    arranged = arrange(kitchen, things)
    world = MujocoRoom(
        model_of(kitchen, arranged).compile(),
        kitchen.fronts,
        kitchen.spaces,
        {thing.name: kind_of_thing(thing.name, thing.kind).shape for thing in arranged},
        kitchen.buttons,
    )
    world.start(start_of(kitchen))
    return world


assert _STEPS * 0.004 == TICK_S
