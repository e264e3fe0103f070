"""How an episode in AI2-THOR begins: the floor plan, and what is changed in it.

Scenes are "alfred:FILE#TASK_ID", the start that a task file of ALFRED records, and
"ithor:FloorPlan7#SEED", the floor plan as it comes, its lamps off and the agent somewhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import BadInput
from ..houses.chance import Chance
from ..scenes import split_scene

#: Scene loaders of this adapter.
ALFRED, ITHOR = "alfred", "ithor"
LOADERS = (ALFRED, ITHOR)

_FLOOR_PLAN = re.compile(r"FloorPlan([1-9][0-9]*)")
#: What is off at the start of a generated task, as at that of ALFRED's: most lamps are on.
_LAMPS = ({"objectType": "DeskLamp", "isOn": False}, {"objectType": "FloorLamp", "isOn": False})
_HORIZON = 30.0  # ALFRED's at the start of every task


@dataclass(frozen=True)
class Start:
    """The state an episode begins in, in the words of the simulator's own actions.

    floor_plan: "FloorPlan10". object_poses: what SetObjectPoses takes, {"objectName", "position":
    {"x", "y", "z"} in m, "rotation": {"x", "y", "z"} in degrees}; a name that occurs several times
    means copies; none: the objects stay where the floor plan has them. The names are those of
    the build the task was made with, so match by the type before the "_" and by position.
    object_toggles: {"objectType", "isOn"}. dirty_and_empty: all that can be is to be made dirty,
    and all that is filled emptied. init_action: the arguments of TeleportFull, {"x", "y", "z" in m,
    "rotation", "horizon" in degrees, downwards}; None: `standing` draws a pose by `seed`.
    """

    floor_plan: str
    object_poses: tuple[Mapping[str, Any], ...] = ()
    object_toggles: tuple[Mapping[str, Any], ...] = ()
    dirty_and_empty: bool = False
    init_action: Mapping[str, float] | None = None
    seed: int = 0


def start_of(scene: str) -> Start:
    """The start of a scene. Raises BadInput naming the scene, or the file, task and field."""
    loader, reference = split_scene(scene)
    if loader == ALFRED:
        from .alfred_files import start_in

        return start_in(reference)
    if loader == ITHOR:
        return _as_it_comes(reference)
    raise BadInput(
        f"AI2-THOR has no scene '{scene}'; give alfred:FILE#TASK_ID or ithor:FloorPlan7#SEED."
    )


def floor_plan_number(name: str) -> int | None:
    """7 of "FloorPlan7"; None for a name that is none of the 120 floor plans of iTHOR."""
    found = _FLOOR_PLAN.fullmatch(name)
    number = int(found[1]) if found else 0
    known = number // 100 in (0, 2, 3, 4) and 1 <= number % 100 <= 30
    return number if known else None


def standing(start: Start, reachable: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The arguments of TeleportFull: the start's own, or a pose drawn by its seed.

    reachable: where the agent can stand, as GetReachablePositions gives it, {"x", "y", "z"} in m,
    at least one. The draw goes by the positions alone, not by their order.
    """
    if start.init_action is not None:
        return dict(start.init_action)
    chance = Chance(start.seed)
    position = chance.pick(sorted(reachable, key=lambda at: (at["x"], at["z"])))
    return {
        **{axis: float(position[axis]) for axis in "xyz"},
        "rotation": 90.0 * chance.below(4),
        "horizon": _HORIZON,
    }


def _as_it_comes(reference: str) -> Start:
    name, hash_sign, seed = reference.partition("#")
    number = floor_plan_number(name)
    if number is None:
        raise BadInput(
            f"The scene 'ithor:{reference}' is none of iTHOR's; give a floor plan from FloorPlan1 "
            f"to 30, 201 to 230, 301 to 330 or 401 to 430: ithor:FloorPlan7#1."
        )
    if hash_sign and not (seed.isascii() and seed.isdigit()):
        raise BadInput(
            f"The seed of the scene 'ithor:{reference}' is no whole number; give ithor:{name}#1."
        )
    return Start(name, object_toggles=_LAMPS if number > 100 else (), seed=int(seed or 0))
