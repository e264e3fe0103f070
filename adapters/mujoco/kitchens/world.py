"""MuJoCo as a room of the mobile arm's skills.

Two models of one kitchen: in the first the physics runs, with bodies at rest asleep; the second
never moves in time, and answers what the robot would come too close to.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, NamedTuple

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
    handle_of,
)
from ....skills.arm.rotation import Array
from ...kitchens.furnished.arranging import arrange
from ...kitchens.furnished.parts import Kitchen, Thing
from ...kitchens.furnished.things import kind_of_thing
from .footprints import Footprints
from .model import model_of, start_of

#: The joints of the robot, in the order of the skills, and what its bodies and sites are called.
JOINT_NAMES = ("base_x", "base_y", "base_yaw", "lift", *(f"joint{i}" for i in range(1, 8)))
FINGER_NAMES = ("left_finger", "right_finger")
ROBOT, HAND, TCP, FLOOR, WALL = "base", "hand", "tcp", "floor", "wall"
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

#: Contact bits of the second model: the robot against all else; a held thing against furniture.
_ROBOT_BITS, _OTHER_BITS, _HELD_BITS = (4, 6), (2, 0), (8, 2)
#: A held thing may come so much closer than the robot, in m: it is let down where it will stand.
_HELD_LESS = 0.004
#: How far away contacts of the robot are found, in m; of a held thing.
_MARGIN, _HELD_MARGIN = 0.02, 0.01
#: The palm may come so close to what the fingers may touch, in m.
_PALM = 0.001
#: A drawer counts as closed while it is out by so much, in m.
_CLOSED_BY = 0.03
#: Fronts' geoms that are handles are sticky.
_HANDLE_CONDIM = 4


class WorldSnapshot(NamedTuple):
    """The complete state of a world."""

    data: Any
    """MuJoCo's, with what sleeps."""
    wanted: Array
    """The last commands of the servos."""
    speeds: Array
    """The last speeds commanded to the base, in m/s."""


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
        self._names = _geom_names(model, fronts)
        self._parts = _Parts.of(model)
        self._insides = _Insides(fronts, spaces)
        self._probe = _Probe(model, self)
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

    def obstacle(
        self,
        joints: Array,
        need: float,
        *,
        fingers: float,
        held: Held | None = None,
        fronts: Mapping[str, float] | None = None,
        ignore: Set[str] = frozenset(),
    ) -> Obstacle | None:
        values = {} if fronts is None else {self._moving_at[name]: fronts[name] for name in fronts}
        return self._probe.obstacle(joints, need, fingers, held, values, ignore)

    def base_free(self, places: Array, need: float) -> NDArray[np.bool_]:
        return self._probe.footprints.distances(places) > BASE_RADIUS + need

    # --- snapshots -----------------------------------------------------------------------------

    def snapshot(self) -> WorldSnapshot:
        data = mujoco.MjData(self.model)
        mujoco.mj_copyData(data, self.model, self.data)
        return WorldSnapshot(data, self._wanted.copy(), self._speeds.copy())

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Restore a snapshot, to the last bit."""
        mujoco.mj_copyData(self.data, self.model, snapshot.data)
        self._wanted, self._speeds = snapshot.wanted.copy(), snapshot.speeds.copy()


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


class _Parts(NamedTuple):
    """Which geoms are the robot's, shape (geoms,), and the names of their bodies."""

    robot: NDArray[np.bool_]
    finger: NDArray[np.bool_]
    hand: NDArray[np.bool_]
    """With the fingers."""
    names: Sequence[str]
    """Of the robot's geoms; empty for others."""

    @classmethod
    def of(cls, model: Any) -> _Parts:
        bodies = model.geom_bodyid
        robot = model.body_rootid[bodies] == model.body_rootid[model.body(ROBOT).id]
        finger = np.isin(bodies, [model.body(name).id for name in FINGER_NAMES])
        names = [
            model.body(bodies[geom]).name if robot[geom] else "" for geom in range(len(bodies))
        ]
        return cls(robot, finger, finger | (bodies == model.body(HAND).id), names)


class _Insides:
    """The spaces behind fronts: what is there while they are closed is hidden from the robot."""

    def __init__(self, fronts: Mapping[str, Front], spaces: Mapping[str, Space]) -> None:
        inside = [space for space in spaces.values() if space.front is not None]
        self._fronts = [fronts[space.front or ""] for space in inside]
        self._origins = np.array([space.origin for space in inside]).reshape(-1, 3)
        self._turns = np.array([space.rotation for space in inside]).reshape(-1, 3, 3)
        self._low = np.array([space.low for space in inside]).reshape(-1, 3)
        self._high = np.array([space.high for space in inside]).reshape(-1, 3)

    def enclosed(self, positions: Array, values: Mapping[str, float]) -> NDArray[np.bool_]:
        """Which positions, shape (n, 3), are behind a closed front. values: of all fronts."""
        closed = [values[front.name] <= front.closed_at for front in self._fronts]
        shut = np.flatnonzero(np.array(closed, bool))
        away = positions[:, None] - self._origins[shut]
        local = np.einsum("nsi,sij->nsj", away, self._turns[shut])
        inside = (local >= self._low[shut] - _CLOSED_BY) & (local <= self._high[shut] + _CLOSED_BY)
        found: NDArray[np.bool_] = inside.all(axis=2).any(axis=1)
        return found


class _Probe:
    """The second model. What is behind closed fronts is not in it: the robot cannot know it."""

    def __init__(self, model: Any, world: MujocoRoom) -> None:
        self._world = world
        self._parts = world._parts
        self._names = world._names
        self._model = probe = copy.copy(model)
        probe.opt.enableflags = 0
        robot = self._parts.robot
        solid = (model.geom_contype > 0) | (model.geom_conaffinity > 0)
        for column, bits in enumerate((probe.geom_contype, probe.geom_conaffinity)):
            bits[:] = np.where(solid, np.where(robot, _ROBOT_BITS[column], _OTHER_BITS[column]), 0)
        probe.geom_margin[:] = np.where(robot, _MARGIN, 0.0)
        self._data = mujoco.MjData(probe)
        self._tcp = probe.site(TCP).id
        self._carried: str | None = None
        self._carried_geoms: NDArray[np.int_] = np.zeros(0, int)
        self._positions: Array = self._data.qpos.copy()
        self.footprints = Footprints(probe, self._data, robot)
        things = np.isin(model.geom_bodyid, list(world._bodies.values()))
        self._thing_geoms = np.flatnonzero(things & solid)

    def sync(self, positions: Array, unknown: NDArray[np.int_]) -> None:
        """Take over where everything is. unknown: the bodies of things that do not count."""
        counts = ~np.isin(self._model.geom_bodyid[self._thing_geoms], unknown)
        self._model.geom_contype[self._thing_geoms] = np.where(counts, _OTHER_BITS[0], 0)
        self._set_bits(self._carried_geoms, _HELD_BITS, _HELD_MARGIN)
        self._positions[:] = positions
        self._data.qpos[:] = positions
        mujoco.mj_kinematics(self._model, self._data)
        self.footprints.take()

    def obstacle(
        self,
        joints: Array,
        need: float,
        fingers: float,
        held: Held | None,
        fronts: Mapping[int, float],
        ignore: Set[str],
    ) -> Obstacle | None:
        model, data = self._model, self._data
        data.qpos[:] = self._positions
        data.qpos[self._world._joints] = joints
        data.qpos[self._world._fingers] = fingers
        for at, value in fronts.items():
            data.qpos[at] = value
        mujoco.mj_kinematics(model, data)
        self._carry(held)
        mujoco.mj_collision(model, data)
        if not data.ncon:
            return None
        geoms, distance = data.contact.geom, data.contact.dist
        itself = self._parts.robot[geoms].all(axis=1)
        needed = np.where(itself, 0.0, need)
        if held is not None:
            carried = np.isin(geoms, self._carried_geoms).any(axis=1)
            needed[carried] = need - _HELD_LESS if need > 0 else need
        close = distance < needed
        for (first, second), apart in zip(geoms[close], distance[close], strict=True):
            found = self._judge(int(first), int(second), float(apart), ignore)
            if found is not None:
                return found
        return None

    def _judge(self, first: int, second: int, apart: float, ignore: Set[str]) -> Obstacle | None:
        """What a contact means, None if it may be."""
        parts = self._parts
        if parts.robot[second] and not parts.robot[first]:
            first, second = second, first
        if parts.finger[first] and (parts.finger[second] or self._names[second] in ignore):
            return None
        if parts.hand[first] and apart >= _PALM and self._names[second] in ignore:
            return None
        if parts.robot[first]:
            other = "itself" if parts.robot[second] else self._names[second]
            return Obstacle(parts.names[first], other)
        if first not in self._carried_geoms:
            first, second = second, first
        return Obstacle(self._names[first], self._names[second])

    def _carry(self, held: Held | None) -> None:
        """Move the held thing with the hand."""
        model, data = self._model, self._data
        if (None if held is None else held.thing) != self._carried:
            self._set_bits(self._carried_geoms, _OTHER_BITS, 0.0)
            self._carried = None if held is None else held.thing
            body = -1 if held is None else self._world._bodies[held.thing]
            self._carried_geoms = np.flatnonzero(
                (model.geom_bodyid == body)
                & ((model.geom_contype > 0) | (model.geom_conaffinity > 0))
            )
            self._set_bits(self._carried_geoms, _HELD_BITS, _HELD_MARGIN)
        if held is None:
            return
        body = self._world._bodies[held.thing]
        hand = data.site_xmat[self._tcp].reshape(3, 3)
        position = data.site_xpos[self._tcp] + hand @ held.pose.position
        rotation = hand @ held.pose.rotation
        data.xpos[body] = data.xipos[body] = position
        data.xmat[body] = rotation.ravel()
        mujoco.mju_mat2Quat(data.xquat[body], data.xmat[body])
        local = np.empty(9)
        for geom in self._carried_geoms:
            mujoco.mju_quat2Mat(local, model.geom_quat[geom])
            data.geom_xpos[geom] = position + rotation @ model.geom_pos[geom]
            data.geom_xmat[geom] = (rotation @ local.reshape(3, 3)).ravel()

    def _set_bits(self, geoms: NDArray[np.int_], bits: tuple[int, int], margin: float) -> None:
        self._model.geom_contype[geoms], self._model.geom_conaffinity[geoms] = bits
        self._model.geom_margin[geoms] = margin


def _geom_names(model: Any, fronts: Mapping[str, Front]) -> list[str]:
    """What planners call each geom: what it belongs to."""
    names = []
    for geom, body in enumerate(model.geom_bodyid):
        own, mark, _ = model.geom(geom).name.partition("#")
        name = own if mark else model.body(body).name
        if name == "world":
            name = FLOOR if own.startswith(FLOOR) else WALL
        elif name in fronts and not mark and model.geom_condim[geom] == _HANDLE_CONDIM:
            name = handle_of(name)
        names.append(name)
    return names


assert _STEPS * 0.004 == TICK_S
