"""Grasps and paths of an arm, planned before it moves.

Joint positions have shape (7,), in rad. An impossible plan raises SkillFailed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...outcomes import Reason
from .. import kinematics, panda, rotation
from ..kinematics import TcpPose
from ..rotation import Array
from .collision import ITSELF, TABLE, Obstacle, first_collision, path_collision
from .poses import SkillFailed
from .world import BlockPose

#: Heights in m: of the approach above a block or place, of the first tug, and of the whole lift.
APPROACH_HEIGHT, TUG_HEIGHT, LIFT_HEIGHT = 0.12, 0.015, 0.15
#: The largest turn of a joint between a place and the pose above it, in rad. A larger turn would
#: swing the arm around on its way down.
_SWING = 1.5


class Grasp(NamedTuple):
    """The joint positions of a grasp from above, each of shape (7,) in rad.

    path: from the start to above the block. at_block: where the fingers close. tugged, lifted: with
    the block raised by TUG_HEIGHT and LIFT_HEIGHT.
    """

    path: list[Array]
    at_block: Array
    tugged: Array
    lifted: Array


def joints_for_pose(target: TcpPose, near: Array, seed: int) -> Array:
    """Find joint positions for a pose, starting the search at `near`.

    Raises SkillFailed with UNREACHABLE.
    """
    joints = kinematics.inverse(target, near, seed)
    if joints is None:
        x, y, z = target.position
        raise SkillFailed(
            Reason.UNREACHABLE,
            f"The arm cannot reach ({x:.3f}, {y:.3f}, {z:.3f}) with that orientation.",
        )
    return joints


def joints_above(target: TcpPose, near: Array) -> Array:
    """Find joint positions above a pose, as high as the arm reaches, at most APPROACH_HEIGHT.

    near: joint positions at the pose; the result if nothing higher is reached.
    """
    for height in (APPROACH_HEIGHT, APPROACH_HEIGHT / 2, APPROACH_HEIGHT / 4):
        joints = kinematics.inverse(_higher(target, height), near)
        if joints is not None and np.abs(joints - near).max() < _SWING:
            return joints
    return near


def plan_path(
    start: Array,
    to: Array,
    opening: float,
    blocks: Mapping[int, BlockPose],
    held: BlockPose | None = None,
) -> list[Array]:
    """Plan a collision-free path: the joint positions to visit from `start` on, `to` the last.

    opening: of each finger, in m. held: a block in the gripper, in the frame of the tcp. Raises
    SkillFailed with BLOCKED.
    """
    obstacle = path_collision([start, to], opening, blocks, held)
    if obstacle is None:
        return [to]
    raised = joints_above(kinematics.forward(start), start)
    for detour in ([raised], [kinematics.HOME], [raised, kinematics.HOME]):
        if path_collision([start, *detour, to], opening, blocks, held) is None:
            return [*detour, to]
    raise blocked(obstacle)


def plan_grasp(
    block: int, blocks: Mapping[int, BlockPose], start: Array, offset: float, variation: int
) -> Grasp:
    """Plan to grasp a block from above with open fingers. Raises SkillFailed.

    The fingers open along one of the two horizontal directions of the block's sides. start: joint
    positions of the arm. offset: height of the grasp above the block's centre, in m. variation: odd
    ones swap the two directions; from 2 on, the search starts elsewhere.
    """
    refused: SkillFailed | None = None
    others = {i: pose for i, pose in blocks.items() if i != block}
    position, orientation = blocks[block]
    yaw = _yaw(orientation)
    turns = [yaw, yaw - math.copysign(math.pi / 2, yaw)]
    if variation % 2:
        turns.reverse()
    for turn in turns:
        pose = _higher(TcpPose(position, rotation.about_z(turn) @ rotation.DOWN), offset)
        try:
            down = joints_for_pose(pose, kinematics.HOME, variation)
            over, tugged, lifted = (
                joints_for_pose(_higher(pose, height), down, variation)
                for height in (APPROACH_HEIGHT, TUG_HEIGHT, LIFT_HEIGHT)
            )
            obstacle = first_collision(over, down, panda.FINGER_OPEN, others)
            if obstacle is not None:
                raise blocked(obstacle)
            return Grasp(plan_path(start, over, panda.FINGER_OPEN, blocks), down, tugged, lifted)
        except SkillFailed as error:
            refused = refused or error
    assert refused is not None
    raise refused


def blocked(obstacle: Obstacle | None, block: int | None = None) -> SkillFailed:
    """The error for an obstacle before the arm.

    obstacle: from the collision check; None if the arm ran into something. block: the block carried
    then.
    """
    if isinstance(obstacle, int):
        return SkillFailed(Reason.BLOCKED, f"The block {obstacle} is in the way.", obstacle)
    if obstacle == TABLE:
        return SkillFailed(Reason.BLOCKED, "The table is in the way.")
    if obstacle == ITSELF:
        return SkillFailed(Reason.BLOCKED, "The arm itself is in the way.")
    return SkillFailed(Reason.BLOCKED, "The arm hit something on its way.", block, collided=True)


def _yaw(orientation: Array) -> float:
    """The yaw of a block in rad, in [-45, 45) degrees, because its four sides are alike.

    For a tilted block, the yaw of its most horizontal axis.
    """
    level = orientation[:, int(np.argmin(np.abs(orientation[2])))]
    quarter = math.pi / 2
    return (math.atan2(level[1], level[0]) + quarter / 2) % quarter - quarter / 2


def _higher(target: TcpPose, height: float) -> TcpPose:
    """The pose raised by `height`, in m."""
    return TcpPose(target.position + np.array([0.0, 0.0, height]), target.rotation)
