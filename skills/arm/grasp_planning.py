"""Ways of an arm, worked out before it moves: grasps, detours, and what is in the way.

Joint positions have shape (7,), in rad. What cannot be done raises Refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..outcomes import Reason
from . import clearance, kinematics, panda, rotation
from .clearance import Obstacle
from .kinematics import TcpPose
from .poses import MotionRefused
from .rotation import Array
from .world import BlockPose

#: How far above a block or a place the hand comes in, how far it first tugs at a block, and how
#: far it lifts it, in m.
ABOVE, TUG, LIFT = 0.12, 0.015, 0.15
#: A joint that had to turn further than this, in rad, to get above a place would swing the arm
#: round on its way down.
_SWING = 1.5


class Grasp(NamedTuple):
    """Joint positions: to visit on the way above a block, the last ones above it; at the block;
    tugged at it; with it lifted.
    """

    plan_path: list[Array]
    at: Array
    tugged: Array
    lifted: Array


def joints_for_pose(target: TcpPose, near: Array, seed: int) -> Array:
    """Joint positions at a pose. Raises Refused with UNREACHABLE."""
    found = kinematics.inverse(target, near, seed)
    if found is None:
        x, y, z = target.position
        raise MotionRefused(
            Reason.UNREACHABLE,
            f"The arm cannot reach ({x:.3f}, {y:.3f}, {z:.3f}) with that orientation.",
        )
    return found


def joints_above(target: TcpPose, near: Array) -> Array:
    """Joint positions as far above a pose as the arm reaches, up to ABOVE; else `near`, at it."""
    for height in (ABOVE, ABOVE / 2, ABOVE / 4):
        found = kinematics.inverse(_higher(target, height), near)
        if found is not None and np.abs(found - near).max() < _SWING:
            return found
    return near


def plan_path(
    start: Array,
    to: Array,
    opening: float,
    blocks: Mapping[int, BlockPose],
    held: BlockPose | None = None,
) -> list[Array]:
    """Joint positions to visit from `start` up to `to`. Raises Refused with BLOCKED.

    opening: of each finger, in m. held: a block in the gripper, in the frame of the tcp.
    """
    hit = clearance.path_collision([start, to], opening, blocks, held)
    if hit is None:
        return [to]
    raised = joints_above(kinematics.forward(start), start)
    for detour in ([raised], [kinematics.HOME], [raised, kinematics.HOME]):
        if clearance.path_collision([start, *detour, to], opening, blocks, held) is None:
            return [*detour, to]
    raise blocked(hit)


def plan_grasp(
    block: int, blocks: Mapping[int, BlockPose], start: Array, offset: float, variation: int
) -> Grasp:
    """How to grasp a block from above with open fingers. Raises Refused.

    The fingers are along one of the two horizontal directions of the block's sides. start: where
    the arm is. offset: how far above its middle the block is grasped, in m. variation: of the two
    directions odd ones take the other first; others start the search elsewhere.
    """
    refused: MotionRefused | None = None
    others = {i: pose for i, pose in blocks.items() if i != block}
    position, turned = blocks[block]
    yaw = _yaw(turned)
    turns = [yaw, yaw - math.copysign(math.pi / 2, yaw)]
    if variation % 2:
        turns.reverse()
    for turn in turns:
        at = _higher(TcpPose(position, rotation.about_z(turn) @ rotation.DOWN), offset)
        try:
            down = joints_for_pose(at, kinematics.HOME, variation)
            over, tugged, lifted = (
                joints_for_pose(_higher(at, height), down, variation) for height in (ABOVE, TUG, LIFT)
            )
            hit = clearance.first_collision(over, down, panda.FINGER_OPEN, others)
            if hit is not None:
                raise blocked(hit)
            return Grasp(plan_path(start, over, panda.FINGER_OPEN, blocks), down, tugged, lifted)
        except MotionRefused as error:
            refused = refused or error
    assert refused is not None
    raise refused


def blocked(hit: Obstacle | None, block: int | None = None) -> MotionRefused:
    """That something is in the way: what, as the clearance found it; or None, if it was run into.

    block: the one that was moved when it was run into.
    """
    if isinstance(hit, int):
        return MotionRefused(Reason.BLOCKED, f"The block {hit} is in the way.", hit)
    if hit == clearance.TABLE:
        return MotionRefused(Reason.BLOCKED, "The table is in the way.")
    if hit == clearance.ITSELF:
        return MotionRefused(Reason.BLOCKED, "The arm itself is in the way.")
    return MotionRefused(Reason.BLOCKED, "The arm hit something on its way.", block, collided=True)


def _yaw(turned: Array) -> float:
    """How a block is turned about z, folded into [-45, 45) degrees: of its four sides the nearest.

    Of a tilted block the axis that is most level counts.
    """
    level = turned[:, int(np.argmin(np.abs(turned[2])))]
    quarter = math.pi / 2
    return (math.atan2(level[1], level[0]) + quarter / 2) % quarter - quarter / 2


def _higher(target: TcpPose, height: float) -> TcpPose:
    """The pose so much higher, in m."""
    return TcpPose(target.position + np.array([0.0, 0.0, height]), target.rotation)
