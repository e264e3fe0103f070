"""A world of the arm's skills whose truth can be read, as every engine of the block world is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ...skills.arm.world import ArmState, ArmWorld, BlockPose


class BlockWorld(ArmWorld, Protocol):
    """The sensors and the truth. `state` and `blocks` are what `sensors` makes of the truth."""

    def true_state(self) -> ArmState:
        """The arm's state without noise."""

    def true_blocks(self) -> Mapping[int, BlockPose]:
        """Every block where it is, without noise, by its id."""
