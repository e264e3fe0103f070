"""An arm's workspace and readings, and the interface to its world.

The world is MuJoCo, IsaacGym, or a real arm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ....scene_graph.node import Vector

if TYPE_CHECKING:
    from ..rotation import Array

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


class ArmReading(NamedTuple):
    """Readings of an arm at rest, after an action.

    pose: of the end effector (between the fingertips) in the frame of the scene, in the form of the
    arm's actions. That is x y z in m, then a quaternion (x, y, z, w) or Euler angles in rad.
    fingers: opening of the left and the right finger, in m: 0.04 is fully open, 0 closed, 0.025 on
    a block of 5 cm. force: external force on the hand, in N, along the axes of the SCENE, mean of
    0.4 s at rest. It is zero for an empty hand and (0, 0, -9.81 m) for a mass m. peak_force: the
    largest such force since the last action began, also during motions.
    """

    pose: tuple[float, ...]
    fingers: tuple[float, float]
    force: Vector
    peak_force: Vector


@dataclass(frozen=True, slots=True)
class ArmState:
    """The sensor values of an arm at one moment.

    time_s: simulated or real seconds. joints: positions in rad, shape (7,). fingers: opening of
    each, in m, shape (2,). force: external force on the hand, in N, in the frame of the base, shape
    (3,): a weight in the hand gives a negative z. A constant offset is allowed.
    """

    time_s: float
    joints: Array
    fingers: Array
    force: Array


class BlockPose(NamedTuple):
    """A block's centre, in m in the frame of the base, shape (3,), and its rotation, (3, 3)."""

    position: Array
    rotation: Array


class ArmWorld(Protocol):
    """A Panda before a table whose top is at z = 0 in the frame of the base."""

    def state(self) -> ArmState:
        """The present sensor values."""

    def blocks(self) -> Mapping[int, BlockPose]:
        """Every block as perceived now, by id."""

    def command(self, joints: Array, speeds: Array, opening: float) -> None:
        """Set the targets of the joints and fingers until the next command.

        joints, speeds: shape (7,), rad and rad/s. opening: of each finger, in m; 0 grips.
        """

    def step(self, seconds: float) -> None:
        """Let time pass."""
