"""Bringing a loaded scene into the initial state of an episode."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...errors import BadInput
from .build_differences import pose_type
from .connection import EngineAnswer
from .initial_state import InitialState, initial_pose
from .object_types import type_among

Thing = Mapping[str, Any]


class EngineActions(Protocol):
    """The engine's actions for setting up an initial state."""

    def step(self, action: str, **arguments: Any) -> EngineAnswer: ...

    def teleport(self, pose: Mapping[str, float]) -> EngineAnswer: ...

    def reachable(self) -> list[dict[str, float]]: ...


def initialize(
    start: InitialState, engine: EngineActions, metadata: Mapping[str, Any]
) -> EngineAnswer:
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


def _stand(start: InitialState, engine: EngineActions) -> EngineAnswer:
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
    start: InitialState, engine: EngineActions, metadata: Mapping[str, Any]
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
