"""The interface from an arm's skills to a world: MuJoCo, IsaacGym, or a real arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from .rotation import Array


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
