"""The sensors of a block world: the truth with the Gaussian noise of the scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ...skills.arm import rotation
from ...skills.arm.blocks.world import ArmReading, ArmState, ArmWorld, BlockPose
from .scenes import BlockScene, start_poses

#: The least motion of a block that is perceived: in m, and in entries of its rotation matrix. Free
#: blocks sink into the table by 17 um, welded ones do not (isaacgym), which would reveal them.
_MOVED_M, _TURNED = 1e-4, 1e-3
#: Digits of poses for planners, in m, and of the entries of a rotation matrix.
_DIGITS = 4
#: Digits of an arm's readings, in m and N. The last bits would reveal contacts of other blocks.
_READING_DIGITS = 4
#: Digits of joint positions, in rad.
_JOINT_DIGITS = 5


def rounded(poses: Mapping[int, BlockPose]) -> dict[int, BlockPose]:
    """Poses for planners: in steps of 0.1 mm, without a negative zero."""
    return {
        block: BlockPose(np.round(position, _DIGITS) + 0.0, np.round(turned, _DIGITS) + 0.0)
        for block, (position, turned) in poses.items()
    }


def rounded_reading(reading: ArmReading) -> ArmReading:
    """Readings for planners, without a negative zero."""
    pose, fingers, force, peak_force = (
        tuple(round(number, _READING_DIGITS) + 0.0 for number in numbers) for numbers in reading
    )
    left, right = fingers
    x, y, z = force
    return ArmReading(pose, (left, right), (x, y, z), (peak_force[0], peak_force[1], peak_force[2]))


def rounded_state(state: ArmState) -> ArmState:
    """A state with rounded joints, for the pose of the hand that planners get."""
    joints = np.round(state.joints, _JOINT_DIGITS) + 0.0
    return ArmState(state.time_s, joints, state.fingers, state.force)


class BlockWorld(ArmWorld, Protocol):
    """A world of the arm's skills whose truth can be read.

    `state` and `blocks` are readings of `Sensors`.
    """

    def true_state(self) -> ArmState:
        """The arm's state without noise."""

    def true_blocks(self) -> Mapping[int, BlockPose]:
        """Every block without noise, by id."""


class Sensors:
    """The sensors of one scene. Every reading has its own noise.

    The skills and the planner perceive the same poses. Otherwise the success of a skill would
    reveal poses that the planner does not perceive.
    """

    def __init__(self, scene: BlockScene, seed: int) -> None:
        self._scene = scene
        self._random = np.random.default_rng(seed)
        self._last = start_poses(scene)  # the last perceived poses, without noise

    def state(self, true: ArmState) -> ArmState:
        """The arm's state with noise on each axis of the force (N)."""
        if not self._scene.force_noise:
            return true
        noise = self._random.normal(0.0, self._scene.force_noise, 3)
        return ArmState(true.time_s, true.joints, true.fingers, true.force + noise)

    def blocks(self, true: Mapping[int, BlockPose]) -> dict[int, BlockPose]:
        """The blocks' poses with noise on each axis of their position (m) and their yaw (rad)."""
        scene = self._scene
        for block, pose in true.items():
            if _moved(self._last[block], pose):
                self._last[block] = pose
        if not (scene.pose_noise or scene.angle_noise):
            return dict(self._last)
        perceived = {}
        for block, (position, turned) in self._last.items():
            off = self._random.normal(0.0, 1.0, 4)
            tilt = rotation.about_z(off[3] * scene.angle_noise)
            perceived[block] = BlockPose(position + off[:3] * scene.pose_noise, tilt @ turned)
        return perceived

    def snapshot(self) -> Mapping[str, Any]:
        """The state of the noise generator, and the last perceived poses."""
        return {"noise": self._random.bit_generator.state, "last": dict(self._last)}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Restore a snapshot, so that the same noise follows."""
        self._random.bit_generator.state = snapshot["noise"]
        self._last = dict(snapshot["last"])


def _moved(before: BlockPose, now: BlockPose) -> bool:
    return bool(
        np.abs(now.position - before.position).max() > _MOVED_M
        or np.abs(now.rotation - before.rotation).max() > _TURNED
    )
