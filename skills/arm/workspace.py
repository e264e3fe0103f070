"""The workspace of an arm: its table, its bounds, and the form of its poses."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...scene_graph.node import Vector

#: Edge of a block, in m.
BLOCK = 0.05


@dataclass(frozen=True)
class Workspace:
    """What differs from arm to arm. All in the frame of the base, m and rad.

    table_low, table_high: x y of the corners of the table, whose top is at z = 0.
    low, high: the workspace; poses of the end effector outside are refused.
    euler: whether poses are x y z and Euler angles (roll, pitch, yaw about fixed x, y, z) instead
    of x y z and a quaternion (x, y, z, w).
    gripper_yaw: the rotation about the hand's z axis from the hand's frame to that in which the
    gripper's orientation is given.
    protective_stop: whether the arm stops for good at a pose out of bounds or a collision, as a
    real one does.
    grasp_offset: how far above its middle a block is grasped: a fault to recover from, since the
    block then hangs lower than the pose of the gripper says.
    """

    table_low: tuple[float, float] = (0.25, -0.35)
    table_high: tuple[float, float] = (0.65, 0.35)
    low: Vector = (0.20, -0.45, 0.01)
    high: Vector = (0.75, 0.45, 0.75)
    euler: bool = False
    gripper_yaw: float = 0.0
    protective_stop: bool = False
    grasp_offset: float = 0.0


#: An arm in simulation: poses are quaternions, fingers down is (1, 0, 0, 0).
SIMULATED = Workspace()
#: As in the hardware experiments of LLM-POP (section 5.3): Euler angles, a gripper frame that is
#: not that of the blocks, and a safety box whose breach fails the task.
REAL = Workspace(
    low=(0.25, -0.40, 0.015),
    high=(0.70, 0.40, 0.55),
    euler=True,
    gripper_yaw=math.pi / 4,
    protective_stop=True,
)
