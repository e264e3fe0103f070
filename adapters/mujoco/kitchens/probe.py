"""What the robot would come too close to: a second model of the kitchen, without time."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence, Set
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from ....skills.arm.mobile.paths import TRANSIT
from ....skills.arm.mobile.world import Front, Held, Obstacle, Space
from ....skills.arm.rotation import Array
from .footprints import Footprints
from .names import FINGER_NAMES, JOINT_NAMES, ROBOT, TCP, Parts

#: Contact bits of the second model: the robot against all else; a held thing against furniture.
_ROBOT_BITS, _OTHER_BITS, _HELD_BITS = (4, 6), (2, 0), (8, 2)
#: Where it is tight, and where it is let down, a held thing may come so much closer than the robot,
#: in m.
_HELD_LESS, _LOWERED_LESS = 0.001, 0.004
#: How far away contacts of the robot are found, in m; of a held thing.
_MARGIN, _HELD_MARGIN = 0.02, 0.01
#: The palm may come so close to what the fingers may touch, in m.
_PALM = 0.001
#: A drawer counts as closed while it is out by so much, in m.
_CLOSED_BY = 0.03


class Insides:
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


class Probe:
    """The second model. What is behind closed fronts is not in it: the robot cannot know it."""

    def __init__(
        self, model: Any, parts: Parts, names: Sequence[str], bodies: Mapping[str, int]
    ) -> None:
        """model: of the physics, which stays as it is. names: of its geoms. bodies: of things."""
        self._parts, self._names, self._bodies = parts, names, bodies
        self._joints = np.array([model.joint(name).qposadr[0] for name in JOINT_NAMES])
        self._fingers = np.array([model.joint(name).qposadr[0] for name in FINGER_NAMES])
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
        self._footprints = Footprints(probe, self._data, robot)
        self._taken = False  # whether the footprints are of these positions
        things = np.isin(model.geom_bodyid, list(bodies.values()))
        self._thing_geoms = np.flatnonzero(things & solid)

    def sync(self, positions: Array, unknown: NDArray[np.int_]) -> None:
        """Take over where everything is. unknown: the bodies of things that do not count."""
        counts = ~np.isin(self._model.geom_bodyid[self._thing_geoms], unknown)
        self._model.geom_contype[self._thing_geoms] = np.where(counts, _OTHER_BITS[0], 0)
        self._set_bits(self._carried_geoms, _HELD_BITS, _HELD_MARGIN)
        self._positions[:] = positions
        self._taken = False

    def distances(self, places: Array) -> Array:
        """From places, shape (n, 2), to the nearest of what stands low, shape (n,), in m."""
        if not self._taken:
            self._data.qpos[:] = self._positions
            mujoco.mj_kinematics(self._model, self._data)
            self._footprints.take()
            self._taken = True
        return self._footprints.distances(places)

    def obstacle(
        self,
        joints: Array,
        need: float,
        fingers: float,
        held: Held | None,
        fronts: Mapping[int, float],
        ignore: Set[str],
        base_stays: bool,
        lowering: bool,
    ) -> Obstacle | None:
        model, data = self._model, self._data
        data.qpos[:] = self._positions
        data.qpos[self._joints] = joints
        data.qpos[self._fingers] = fingers
        for at, value in fronts.items():
            data.qpos[at] = value
        mujoco.mj_kinematics(model, data)
        self._carry(held)
        mujoco.mj_collision(model, data)
        if not data.ncon:
            return None
        distance = data.contact.dist
        if distance.min() >= max(need, 0.0):
            return None
        geoms = data.contact.geom
        itself = self._parts.robot[geoms].all(axis=1)
        needed = np.where(itself, 0.0, need)
        if held is not None:
            carried = np.isin(geoms, self._carried_geoms).any(axis=1)
            less = _LOWERED_LESS if lowering else _HELD_LESS
            needed[carried] = need - less if 0 < need < TRANSIT else need
        close = distance < needed
        for (first, second), apart in zip(geoms[close], distance[close], strict=True):
            found = self._judge(int(first), int(second), float(apart), ignore)
            if found is None or (base_stays and found.part == ROBOT and found.other != "itself"):
                continue
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
            body = -1 if held is None else self._bodies[held.thing]
            self._carried_geoms = np.flatnonzero(
                (model.geom_bodyid == body)
                & ((model.geom_contype > 0) | (model.geom_conaffinity > 0))
            )
            self._set_bits(self._carried_geoms, _HELD_BITS, _HELD_MARGIN)
        if held is None:
            return
        body = self._bodies[held.thing]
        hand = data.site_xmat[self._tcp].reshape(3, 3)
        position = data.site_xpos[self._tcp] + hand @ held.pose.position
        rotation = hand @ held.pose.rotation
        data.xpos[body] = position
        data.xipos[body] = position + rotation @ model.body_ipos[body]
        data.xmat[body] = rotation.ravel()
        mujoco.mju_mat2Quat(data.xquat[body], data.xmat[body])
        local = np.empty(9)
        mujoco.mju_quat2Mat(local, model.body_iquat[body])
        # The search for pairs that may touch looks at boxes around bodies, in this frame.
        data.ximat[body] = (rotation @ local.reshape(3, 3)).ravel()
        for geom in self._carried_geoms:
            mujoco.mju_quat2Mat(local, model.geom_quat[geom])
            data.geom_xpos[geom] = position + rotation @ model.geom_pos[geom]
            data.geom_xmat[geom] = (rotation @ local.reshape(3, 3)).ravel()

    def _set_bits(self, geoms: NDArray[np.int_], bits: tuple[int, int], margin: float) -> None:
        self._model.geom_contype[geoms], self._model.geom_conaffinity[geoms] = bits
        self._model.geom_margin[geoms] = margin
