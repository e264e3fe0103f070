"""The workspace of an arm: its table, its bounds, and the form of its poses."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...scene_graph.node import Vector

#: The edge of a block, in m.
BLOCK = 0.05


@dataclass(frozen=True)
class Workspace:
    """The properties of an arm's surroundings, in the frame of the base, in m and rad."""

    table_low: tuple[float, float] = (0.25, -0.35)
    """x y of a corner of the table, whose top is at z = 0."""
    table_high: tuple[float, float] = (0.65, 0.35)
    """x y of the opposite corner."""
    low: Vector = (0.20, -0.45, 0.01)
    """Lower bounds; poses of the end effector outside are refused."""
    high: Vector = (0.75, 0.45, 0.75)
    """Upper bounds."""
    euler: bool = False
    """Whether poses are x y z and Euler angles (roll, pitch, yaw about fixed x, y, z) instead of x
    y z and a quaternion (x, y, z, w).
    """
    gripper_yaw: float = 0.0
    """The rotation about the hand's z axis from the hand's frame to the frame of the gripper's
    orientation in poses.
    """
    protective_stop: bool = False
    """Whether the arm stops for good at a collision or a pose out of bounds, as real arms do."""
    grasp_offset: float = 0.0
    """How far above its centre a block is grasped: a fault to recover from. The block then hangs
    lower than the gripper's pose suggests.
    """


#: An arm in simulation: poses are quaternions, fingers down is (1, 0, 0, 0).
SIMULATED = Workspace()
#: The hardware setup of LLM-POP (section 5.3): Euler angles, a gripper frame different from that of
#: the blocks, and a safety box that fails the task when left.
REAL = Workspace(
    low=(0.25, -0.40, 0.015),
    high=(0.70, 0.40, 0.55),
    euler=True,
    gripper_yaw=math.pi / 4,
    protective_stop=True,
)
