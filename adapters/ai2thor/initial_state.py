"""The initial state of an episode in AI2-THOR, and bringing a loaded scene into it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from ..random_draws import RandomDraws
from .object_types import pose_type, type_among

if TYPE_CHECKING:
    from .connection import EngineAnswer
    from .world import ThorWorld

Thing = Mapping[str, Any]

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


def initialize(start: InitialState, engine: ThorWorld, metadata: Mapping[str, Any]) -> EngineAnswer:
    """Set up a start in ALFRED's order; returns the engine's last answer.

    metadata: of the scene as loaded. Raises BadInput if the engine fails.
    """
    if start.object_toggles:
        metadata = _toggled(start, engine, metadata)
    if start.dirty_and_empty:
        for action, thing in _soiling(metadata["objects"]):
            metadata = engine.step(action, objectId=thing, forceAction=True).metadata
    if start.object_poses:
        poses = matched_poses(start.object_poses, metadata["objects"])
        answer = engine.step("SetObjectPoses", objectPoses=poses, placeStationary=False)
        if not answer.success:
            raise BadInput(
                f"The engine cannot place the things of this task in {start.floor_plan} "
                f"({answer.message.strip()[:200]}); leave this task out."
            )
    return _stand(start, engine)


def _stand(start: InitialState, engine: ThorWorld) -> EngineAnswer:
    points = engine.reachable()
    if not points:
        raise BadInput(
            f"The engine reports no reachable position in {start.floor_plan}; leave this task out."
        )
    wanted = initial_pose(start, points)
    answer = engine.teleport(wanted)
    if answer.success:
        return answer
    # The floor plans of builds differ slightly: the nearest reachable position is used.
    near = sorted(points, key=lambda p: math.hypot(p["x"] - wanted["x"], p["z"] - wanted["z"]))
    for point in near[:3]:
        answer = engine.teleport({**wanted, **point})
        if answer.success:
            return answer
    raise BadInput(
        f"The engine cannot move the agent to its start in {start.floor_plan} "
        f"({answer.message.strip()[:200]}); leave this task out."
    )


def _toggled(
    start: InitialState, engine: ThorWorld, metadata: Mapping[str, Any]
) -> Mapping[str, Any]:
    answer = engine.step("SetObjectToggles", objectToggles=[*map(dict, start.object_toggles)])
    if answer.known:
        return answer.metadata
    for toggle in start.object_toggles:  # builds without SetObjectToggles switch one by one
        action = "ToggleObjectOn" if toggle["isOn"] else "ToggleObjectOff"
        for thing in metadata["objects"]:
            same = thing["objectType"] == toggle["objectType"]
            if same and thing["toggleable"] and thing["isToggled"] is not toggle["isOn"]:
                answer = engine.step(action, objectId=thing["objectId"], forceAction=True)
    return answer.metadata


def _soiling(things: Iterable[Thing]) -> list[tuple[str, str]]:
    """The actions that make everything dirty and empty that can be."""
    steps = []
    for thing in things:
        if thing["dirtyable"] and not thing["isDirty"]:
            steps.append(("DirtyObject", thing["objectId"]))
        if thing.get("isFilledWithLiquid"):
            steps.append(("EmptyLiquidFromObject", thing["objectId"]))
    return steps


def matched_poses(
    poses: Sequence[Mapping[str, Any]], things: Sequence[Thing]
) -> list[dict[str, Any]]:
    """Poses of objects under the names of this build.

    Names end in a hash that differs between builds. Each name of the task is matched to the nearest
    unmatched thing of its type here, or to a copy of it. Things that can be picked up but are not
    named are removed; things that can only be pushed stay, as in ALFRED's build. Renamed types are
    matched under their new name. Types missing here are left out; `build_differences` reports them
    before a run.
    """
    by_type: dict[str, list[Thing]] = {}
    for thing in things:
        if thing["pickupable"] or thing["moveable"]:
            by_type.setdefault(thing["objectType"], []).append(thing)
    left = {thing["name"] for some in by_type.values() for thing in some}
    names: dict[str, str] = {}
    placed = []
    for pose in poses:
        wanted = str(pose["objectName"])
        if wanted not in names:
            here = type_among(pose_type(wanted), by_type)
            some = [] if here is None else by_type[here]
            free = [thing for thing in some if thing["name"] in left] or some
            if not free:
                continue
            names[wanted] = min(free, key=lambda thing: (_apart(thing, pose), thing["name"]))[
                "name"
            ]
            left.discard(names[wanted])
        placed.append({**pose, "objectName": names[wanted]})
    placed += [
        {"objectName": t["name"], "position": dict(t["position"]), "rotation": dict(t["rotation"])}
        for t in things
        if t["moveable"] and not t["pickupable"] and t["name"] not in names.values()
    ]
    return placed


def _apart(thing: Thing, pose: Mapping[str, Any]) -> float:
    a, b = thing["position"], pose["position"]
    return math.dist((a["x"], a["y"], a["z"]), (b["x"], b["y"], b["z"]))
