"""The initial state of an episode in AI2-THOR: the floor plan, and what is changed in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..random_draws import RandomDraws

_FLOOR_PLAN = re.compile(r"FloorPlan([1-9][0-9]*)")
_HORIZON = 30.0  # ALFRED's at the start of every task


@dataclass(frozen=True)
class InitialState:
    """The state an episode begins in, in the words of the simulator's own actions.

    floor_plan: "FloorPlan10". object_poses: what SetObjectPoses takes, {"objectName", "position":
    {"x", "y", "z"} in m, "rotation": {"x", "y", "z"} in degrees}; a name that occurs several times
    means copies; none: the objects stay where the floor plan has them. The names are those of
    the build the task was made with, so match by the type before the "_" and by position.
    object_toggles: {"objectType", "isOn"}. dirty_and_empty: all that can be is to be made dirty,
    and all that is filled emptied. init_action: the arguments of TeleportFull, {"x", "y", "z" in m,
    "rotation", "horizon" in degrees, downwards}; None: `initial_pose` draws a pose by `seed`.
    """

    floor_plan: str
    object_poses: tuple[Mapping[str, Any], ...] = ()
    object_toggles: tuple[Mapping[str, Any], ...] = ()
    dirty_and_empty: bool = False
    init_action: Mapping[str, float] | None = None
    seed: int = 0


def floor_plan_number(name: str) -> int | None:
    """7 of "FloorPlan7"; None for a name that is none of the 120 floor plans of iTHOR."""
    found = _FLOOR_PLAN.fullmatch(name)
    number = int(found[1]) if found else 0
    known = number // 100 in (0, 2, 3, 4) and 1 <= number % 100 <= 30
    return number if known else None


def initial_pose(start: InitialState, reachable: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The arguments of TeleportFull: the start's own, or a pose drawn by its seed.

    reachable: where the agent can stand, as GetReachablePositions gives it, {"x", "y", "z"} in m,
    at least one. The draw goes by the positions alone, not by their order.
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
