"""The initial state of an episode in AI2-THOR: the floor plan and its changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..random_draws import RandomDraws

_FLOOR_PLAN = re.compile(r"FloorPlan([1-9][0-9]*)")
_HORIZON = 30.0  # as at the start of every task of ALFRED


@dataclass(frozen=True)
class InitialState:
    """The initial state of an episode, in the terms of the simulator's actions."""

    floor_plan: str
    """Such as "FloorPlan10"."""
    object_poses: tuple[Mapping[str, Any], ...] = ()
    """The argument of SetObjectPoses: {"objectName", "position": {"x", "y", "z"} in m, "rotation":
    {"x", "y", "z"} in degrees}. A repeated name means copies. Empty: objects stay where the floor
    plan has them. Names are those of the build at recording, so they are matched by the type before
    the "_" and by position.
    """
    object_toggles: tuple[Mapping[str, Any], ...] = ()
    """{"objectType", "isOn"}."""
    dirty_and_empty: bool = False
    """Whether everything is made dirty and emptied that can be."""
    init_action: Mapping[str, float] | None = None
    """The arguments of TeleportFull: {"x", "y", "z" in m, "rotation", "horizon" in degrees,
    downwards}. None: `initial_pose` draws a pose by `seed`.
    """
    seed: int = 0
    """Of the drawn pose."""


def floor_plan_number(name: str) -> int | None:
    """7 from "FloorPlan7"; None if it is none of iTHOR's 120 floor plans."""
    match = _FLOOR_PLAN.fullmatch(name)
    number = int(match[1]) if match else 0
    known = number // 100 in (0, 2, 3, 4) and 1 <= number % 100 <= 30
    return number if known else None


def initial_pose(start: InitialState, reachable: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The arguments of TeleportFull: the start's own, or a pose drawn by its seed.

    reachable: from GetReachablePositions, {"x", "y", "z"} in m, at least one. Their order does not
    affect the draw.
    """
    if start.init_action is not None:
        return dict(start.init_action)
    chance = RandomDraws(start.seed)
    position = chance.pick(sorted(reachable, key=lambda at: (at["x"], at["z"])))
    return {
        **{axis: float(position[axis]) for axis in "xyz"},
        "rotation": 90.0 * chance.below(4),
        "horizon": _HORIZON,
    }
