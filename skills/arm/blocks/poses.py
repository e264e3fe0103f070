"""Poses of the end effector as numbers: reading and writing them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...outcomes import Failure, Reason
from .. import rotation
from ..kinematics import TcpPose
from .world import Workspace


class SkillFailed(Exception):
    """An action is impossible or failed; the text is one sentence.

    collided: whether the arm hit something.
    """

    def __init__(
        self, reason: Reason, sentence: str, thing: int | None = None, *, collided: bool = False
    ) -> None:
        super().__init__(sentence)
        self.failure = Failure(reason, thing)
        self.collided = collided


def pose_from_numbers(numbers: Sequence[float], workspace: Workspace) -> TcpPose:
    """The pose of some numbers. Raises SkillFailed with BAD_POSE or OUT_OF_BOUNDS."""
    form = "x y z and Euler angles" if workspace.euler else "x y z and a quaternion x y z w"
    expected = 6 if workspace.euler else 7
    if len(numbers) != expected:
        raise SkillFailed(
            Reason.BAD_POSE,
            f"A pose has {expected} numbers here ({form}), but this one has {len(numbers)}.",
        )
    if not all(math.isfinite(number) for number in numbers):
        raise SkillFailed(
            Reason.BAD_POSE, f"A pose needs finite numbers, but this one is {numbers}."
        )
    position = np.array(numbers[:3], dtype=float)
    for axis, value, low, high in zip("xyz", position, workspace.low, workspace.high, strict=True):
        if not low <= value <= high:
            raise SkillFailed(
                Reason.OUT_OF_BOUNDS,
                f"The pose is outside the workspace: {axis} is {value:g} m, but has to be from "
                f"{low:g} to {high:g} m.",
            )
    if workspace.euler:
        turned = rotation.from_euler(*numbers[3:])
    else:
        size = math.hypot(*numbers[3:])
        if not 0.9 <= size <= 1.1:
            raise SkillFailed(
                Reason.BAD_POSE,
                f"The last four numbers of a pose are a quaternion of length 1, but these have "
                f"length {size:.3g}.",
            )
        turned = rotation.matrix(numbers[3:])
    return TcpPose(position, turned @ rotation.about_z(-workspace.gripper_yaw))


def numbers_of_pose(target: TcpPose, workspace: Workspace) -> tuple[float, ...]:
    """The numbers of a pose, as `pose_from_numbers` reads them."""
    turned = target.rotation @ rotation.about_z(workspace.gripper_yaw)
    if workspace.euler:
        roll, pitch, yaw = rotation.to_euler(turned)
        # Roll is from -90 to 270 degrees, so that fingers down is 180 and never -180.
        angles = [roll + 2 * math.pi if roll < -math.pi / 2 else roll, pitch, yaw]
    else:
        quaternion = rotation.quaternion(turned)
        # Of the two quaternions, the one with x > 0: fingers down is 1 0 0 0.
        angles = [-q for q in quaternion] if quaternion[0] < 0 else list(quaternion)
    return (*(float(p) for p in target.position), *(float(a) for a in angles))
