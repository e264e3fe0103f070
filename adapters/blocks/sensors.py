"""The sensors of a block world: the truth with Gaussian noise, as the scene asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...skills.arm import rotation
from ...skills.arm.world import ArmState, BlockPose
from .scenes import BlockScene

#: Digits of poses as planners get them, in m, and of the entries of a rotation matrix.
_DIGITS = 4


def rounded(poses: Mapping[int, BlockPose]) -> dict[int, BlockPose]:
    """Poses as planners get them. In full they would tell what is not to be seen: a block that is
    not welded sinks into the table by 17 um, and turns a little.
    """
    return {
        block: BlockPose(np.round(position, _DIGITS), np.round(turned, _DIGITS))
        for block, (position, turned) in poses.items()
    }


class Sensors:
    """The sensors of one scene. Every reading has noise of its own."""

    def __init__(self, scene: BlockScene, seed: int) -> None:
        self._scene = scene
        self._random = np.random.default_rng(seed)

    def state(self, true: ArmState) -> ArmState:
        """The arm's state with noise on each axis of the force (N)."""
        if not self._scene.force_noise:
            return true
        noise = self._random.normal(0.0, self._scene.force_noise, 3)
        return ArmState(true.time_s, true.joints, true.fingers, true.force + noise)

    def blocks(self, true: Mapping[int, BlockPose]) -> dict[int, BlockPose]:
        """The blocks' poses with noise on each axis of their position (m) and their yaw (rad)."""
        scene = self._scene
        if not (scene.pose_noise or scene.angle_noise):
            return dict(true)
        perceived = {}
        for block, (position, turned) in true.items():
            off = self._random.normal(0.0, 1.0, 4)
            tilt = rotation.about_z(off[3] * scene.angle_noise)
            perceived[block] = BlockPose(position + off[:3] * scene.pose_noise, tilt @ turned)
        return perceived

    def snapshot(self) -> Mapping[str, Any]:
        """The state of the noise's generator."""
        return self._random.bit_generator.state

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Go back to a snapshot: the same noise comes again."""
        self._random.bit_generator.state = snapshot
