"""The arm: joint servos, inverse kinematics, straight lines, and what would be hit on the way.

LIBERO's own controller takes steps of 1/20 s and is six times slower than bare physics. Here the
seven torque actuators become position servos at run time; the force limits of the arm stay.
Lengths in m, angles in rad, times in s, rotations as matrices (3, 3) from the hand to the world.
The hand's frame is that of the grip site: x along the closing of the fingers, z the approach.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from .points import UP, Array, rotation_about

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STIFFNESS = np.array([2000.0, 2000, 2000, 2000, 800, 500, 500])
_DAMPING = np.array([80.0, 80, 80, 80, 20, 9, 9])
_FORCE = np.array([80.0, 80, 80, 80, 80, 12, 12])
#: Gravity is compensated every so many steps; a new target comes every _PERIOD steps.
_COMPENSATION, _PERIOD = 5, 10
#: How near the tip must come before the next motion, in m, and each joint, in rad. The wrist is
#: weak and turns more slowly than it is told.
_NEAR, _NEAR_JOINT, _MOST_TURNING = 0.0025, 0.03, 2.4
_LINE_STEP, _LINE_TURN = 0.03, 0.25
_JOINT_MARGIN = 0.02
#: Deeper than this is a collision, in m.
_HIT_DEPTH = 0.002
OPEN, SHUT = 0.04, 0.0


@dataclass(frozen=True)
class Pose:
    """Where the hand is: position (3,) and rotation (3, 3)."""

    position: Array
    rotation: Array

    @property
    def approach(self) -> Array:
        return self.rotation[:, 2]

    def moved(self, offset: Array) -> Pose:
        return Pose(self.position + offset, self.rotation)

    def backed(self, distance: float) -> Pose:
        return self.moved(-distance * self.approach)


@dataclass(frozen=True)
class Carried:
    """A movable thing in the hand: its joint in qpos, and its pose in the hand's frame."""

    address: int
    position: Array
    rotation: Array


class Arm:
    """A Franka Panda in one model."""

    def __init__(self, model: Any, data: Any, robot_bodies: Array) -> None:
        self.model, self.data = model, data
        self._scratch = mujoco.MjData(model)
        joints = [model.joint(f"robot0_joint{number}") for number in range(1, 8)]
        self.qpos = np.array([int(joint.qposadr[0]) for joint in joints])
        self.dofs = np.array([int(joint.dofadr[0]) for joint in joints])
        self._limits = np.array([joint.range for joint in joints])
        self._fingers = [int(model.joint(f"gripper0_finger_joint{i}").qposadr[0]) for i in (1, 2)]
        self._site = int(model.site("gripper0_grip_site").id)
        self._robot_geoms = robot_bodies[model.geom_bodyid]
        self._finger_geoms = np.array(
            ["finger" in model.body(int(body)).name for body in model.geom_bodyid]
        )
        self._become_servos()
        self.home: Array = data.qpos[self.qpos].copy()
        self.target: Array = self.home.copy()
        self.opening = OPEN
        self._jacobian = np.zeros((6, model.nv))

    def _become_servos(self) -> None:
        model = self.model
        for joint in range(7):
            model.actuator_gainprm[joint, 0] = _STIFFNESS[joint]
            model.actuator_biastype[joint] = int(mujoco.mjtBias.mjBIAS_AFFINE)
            model.actuator_biasprm[joint, :3] = [0.0, -_STIFFNESS[joint], 0.0]
            model.actuator_ctrllimited[joint] = 0
            model.actuator_forcelimited[joint] = 1
            model.actuator_forcerange[joint] = [-_FORCE[joint], _FORCE[joint]]
            model.dof_damping[self.dofs[joint]] = _DAMPING[joint]

    # Stepping

    def step(self, count: int) -> None:
        """Step the physics, with the arm's gravity compensated."""
        data = self.data
        data.ctrl[7], data.ctrl[8] = self.opening, -self.opening
        while count > 0:
            part = min(count, _COMPENSATION)
            data.qfrc_applied[self.dofs] = data.qfrc_bias[self.dofs]
            mujoco.mj_step(self.model, data, part)
            count -= part

    def wait(self, seconds: float) -> None:
        """Hold the present target."""
        self.data.ctrl[:7] = self.target
        self.step(int(seconds / self.model.opt.timestep))

    def grip(self, opening: float, seconds: float) -> None:
        """Move each finger to a distance from the middle, and wait."""
        self.opening = opening
        self.wait(seconds)

    def follow(
        self, path: Sequence[Array], speed: float, stop: Callable[[], bool] | None = None
    ) -> bool:
        """Move through joint positions, none faster than speed; whether stop() ended it."""
        period = _PERIOD * self.model.opt.timestep
        for point in path:
            begin, way = self.target.copy(), point - self.target
            count = max(1, int(max(period, np.abs(way).max() / speed) / period))
            lead = way / (count * period) * _DAMPING / _STIFFNESS
            for number in range(1, count + 1):
                self.data.ctrl[:7] = begin + way * number / count + lead
                self.step(_PERIOD)
                if stop is not None and stop():
                    self.target = begin + way * number / count
                    return True
            self.target = np.array(point)
        self.data.ctrl[:7] = self.target
        return False

    def arrive(self, position: Array, seconds: float = 0.8) -> bool:
        """Wait until the tip is near a position and no joint is on its way."""
        self.wait(0.06)
        for number in range(int(_MOST_TURNING / 0.04)):
            turned = bool(np.abs(self.data.qpos[self.qpos] - self.target).max() < _NEAR_JOINT)
            if turned and np.linalg.norm(self.tip().position - position) < _NEAR:
                return True
            if turned and number * 0.04 >= seconds:
                return False
            self.wait(0.04)
        return False

    def move(self, pose: Pose, speed: float = 1.0, arrive: bool = True) -> bool:
        """Move in a straight line; False, without any motion, if there is no such line."""
        path = self.line(pose)
        if path is None:
            return False
        self.follow(path, speed)
        if arrive:
            self.arrive(pose.position)
        return True

    def go_home(self) -> None:
        """Rise a little and return to the start."""
        rise = self.line(self.tip().moved(0.12 * UP))
        if rise:
            self.follow(rise, 1.2)
        self.follow(self.between(self.target, self.home), 1.3)
        self.wait(0.2)

    # Kinematics

    def tip(self) -> Pose:
        data = self.data
        return Pose(
            data.site_xpos[self._site].copy(), data.site_xmat[self._site].reshape(3, 3).copy()
        )

    def width(self) -> float:
        """The distance between the fingers."""
        first, second = self._fingers
        return float(self.data.qpos[first] - self.data.qpos[second])

    def touched_by_fingers(self, geoms: set[int]) -> bool:
        """Whether a finger touches one of the geoms."""
        for contact in self.data.contact:
            for one, other in ((contact.geom1, contact.geom2), (contact.geom2, contact.geom1)):
                if one in geoms and self._finger_geoms[other]:
                    return True
        return False

    def tip_at(self, joints: Array) -> Pose:
        scratch = self._scratch
        scratch.qpos[:] = self.data.qpos
        scratch.qpos[self.qpos] = joints
        mujoco.mj_kinematics(self.model, scratch)
        rotation = scratch.site_xmat[self._site].reshape(3, 3).copy()
        return Pose(scratch.site_xpos[self._site].copy(), rotation)

    def joints_at(self, pose: Pose, seed: Array, rounds: int = 60) -> Array | None:
        """Joint positions for a pose, by damped least squares from a seed; None if not found."""
        scratch, model = self._scratch, self.model
        scratch.qpos[:] = self.data.qpos
        joints = seed.copy()
        error = np.zeros(6)
        for _ in range(rounds):
            scratch.qpos[self.qpos] = joints
            mujoco.mj_kinematics(model, scratch)
            mujoco.mj_comPos(model, scratch)
            error[:3] = pose.position - scratch.site_xpos[self._site]
            error[3:] = _turn_between(scratch.site_xmat[self._site].reshape(3, 3), pose.rotation)
            if np.linalg.norm(error[:3]) < 1e-3 and np.linalg.norm(error[3:]) < 0.01:
                return joints
            jacobian = self._jacobian
            mujoco.mj_jacSite(model, scratch, jacobian[:3], jacobian[3:], self._site)
            arm = jacobian[:, self.dofs]
            inverse = arm.T @ np.linalg.inv(arm @ arm.T + 1e-4 * np.eye(6))
            rest = 0.1 * (self.home - joints)
            change = inverse @ (error - arm @ rest) + rest
            largest = np.abs(change).max()
            if largest > 0.3:
                change *= 0.3 / largest
            low, high = self._limits.T
            joints = np.clip(joints + change, low + _JOINT_MARGIN, high - _JOINT_MARGIN)
        close = np.linalg.norm(error[:3]) < 4e-3 and np.linalg.norm(error[3:]) < 0.04
        return joints if close else None

    def line(self, pose: Pose, begin: Array | None = None) -> list[Array] | None:
        """Joint positions along a straight line with an even turn; None if a part has none."""
        joints = self.target if begin is None else begin
        start = self.tip_at(joints)
        turn = pose.rotation @ start.rotation.T
        quaternion, axis = np.zeros(4), np.zeros(3)
        mujoco.mju_mat2Quat(quaternion, turn.ravel())
        mujoco.mju_quat2Vel(axis, quaternion, 1.0)
        angle = float(np.linalg.norm(axis))
        way = pose.position - start.position
        count = max(
            1, math.ceil(float(np.linalg.norm(way)) / _LINE_STEP), math.ceil(angle / _LINE_TURN)
        )
        path = []
        for number in range(1, count + 1):
            part = number / count
            turned = rotation_about(axis, angle * part) if angle > 1e-6 else np.eye(3)
            step = Pose(start.position + way * part, turned @ start.rotation)
            found = self.joints_at(step, joints)
            if found is None:
                return None
            path.append(found)
            joints = found
        return path

    def between(self, begin: Array, end: Array) -> list[Array]:
        """A straight path in joint space."""
        count = max(2, int(np.ceil(np.abs(end - begin).max() / 0.15)))
        return [begin + (end - begin) * number / count for number in range(1, count + 1)]

    def margin(self, path: Sequence[Array]) -> float:
        """The least distance of the joints from their limits on a path."""
        low, high = self._limits.T
        joints = np.asarray(path)
        return float(np.minimum(joints - low, high - joints).min())

    # Collisions

    def carrying(self, address: int, body: int) -> Carried:
        """How a movable body sits in the hand now."""
        tip = self.tip()
        rotation = self.data.xmat[body].reshape(3, 3)
        offset = tip.rotation.T @ (self.data.xpos[body] - tip.position)
        return Carried(address, offset, tip.rotation.T @ rotation)

    def hit(
        self,
        path: Sequence[Array],
        carried: Carried | None = None,
        carried_geoms: Sequence[int] = (),
        opening: float | None = None,
        ignored: Sequence[int] = (),
    ) -> int | None:
        """The first geom that the arm, or what it carries, would hit on a path; None if free.

        opening: of each finger; now by default. ignored: geoms that may be touched.
        """
        own = self._robot_geoms.copy()
        own[list(carried_geoms)] = True
        free = np.zeros(len(own), dtype=bool)
        free[list(ignored)] = True
        scratch = self._scratch
        scratch.qpos[:] = self.data.qpos
        if opening is not None:
            scratch.qpos[self._fingers] = opening, -opening
        for joints in path:
            scratch.qpos[self.qpos] = joints
            mujoco.mj_kinematics(self.model, scratch)
            if carried is not None:
                self._carry(carried)
            mujoco.mj_collision(self.model, scratch)
            contacts = scratch.contact
            if scratch.ncon == 0:
                continue
            pairs = contacts.geom
            first, second = pairs[:, 0], pairs[:, 1]
            bad = (own[first] != own[second]) & (contacts.dist < -_HIT_DEPTH)
            bad &= ~(free[first] | free[second])
            if bad.any():
                one, other = pairs[np.argmax(bad)]
                return int(other if own[one] else one)
        return None

    def _carry(self, carried: Carried) -> None:
        scratch, address = self._scratch, carried.address
        position = scratch.site_xpos[self._site]
        rotation = scratch.site_xmat[self._site].reshape(3, 3)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, (rotation @ carried.rotation).ravel())
        scratch.qpos[address : address + 3] = position + rotation @ carried.position
        scratch.qpos[address + 3 : address + 7] = quaternion
        mujoco.mj_kinematics(self.model, scratch)


def _turn_between(begin: Array, end: Array) -> Array:
    """The turn from one rotation to another as half its axial vector; 1.5 long past 120 degrees."""
    turn = end @ begin.T
    axial: Array = (
        np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    )
    if np.trace(turn) < 0:
        axial = axial / (np.linalg.norm(axial) + 1e-9) * 1.5
    return axial
