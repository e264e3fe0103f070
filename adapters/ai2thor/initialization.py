"""Bringing a loaded scene into the state that an episode begins in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...errors import BadInput
from .build_differences import pose_type
from .connection import Answer
from .initial_state import InitialState, initial_pose
from .object_types import type_among

Thing = Mapping[str, Any]


class EngineActions(Protocol):
    """The engine's actions that an initial state is made with."""

    def step(self, action: str, **arguments: Any) -> Answer: ...

    def teleport(self, pose: Mapping[str, float]) -> Answer: ...

    def reachable(self) -> list[dict[str, float]]: ...


def initialize(start: InitialState, engine: EngineActions, metadata: Mapping[str, Any]) -> Answer:
    """Have the engine do what a start says, in ALFRED's order; its last answer.

    metadata: of the scene as it comes. Raises BadInput where it does not do so.
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
                f"({answer.message.strip()[:200]})."
            )
    return _stand(start, engine)


def _stand(start: InitialState, engine: EngineActions) -> Answer:
    points = engine.reachable()
    if not points:
        raise BadInput(f"The engine tells of no place to stand in {start.floor_plan}.")
    wanted = initial_pose(start, points)
    answer = engine.teleport(wanted)
    if answer.success:
        return answer
    # The floor plans of builds differ a little: the nearest place to stand will do.
    near = sorted(points, key=lambda p: math.hypot(p["x"] - wanted["x"], p["z"] - wanted["z"]))
    for point in near[:3]:
        answer = engine.teleport({**wanted, **point})
        if answer.success:
            return answer
    raise BadInput(
        f"The engine cannot bring the agent to its start in {start.floor_plan} "
        f"({answer.message.strip()[:200]})."
    )


def _toggled(
    start: InitialState, engine: EngineActions, metadata: Mapping[str, Any]
) -> Mapping[str, Any]:
    answer = engine.step("SetObjectToggles", objectToggles=[*map(dict, start.object_toggles)])
    if answer.known:
        return answer.metadata
    for toggle in start.object_toggles:  # builds without it switch one after the other
        action = "ToggleObjectOn" if toggle["isOn"] else "ToggleObjectOff"
        for thing in metadata["objects"]:
            same = thing["objectType"] == toggle["objectType"]
            if same and thing["toggleable"] and thing["isToggled"] is not toggle["isOn"]:
                answer = engine.step(action, objectId=thing["objectId"], forceAction=True)
    return answer.metadata


def _soiling(things: Iterable[Thing]) -> list[tuple[str, str]]:
    """The actions that make dirty all that can be, and empty all that is filled."""
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
    """Poses of objects under the names that they have in this build.

    Names end in a hash that differs from build to build. Of a type, every name of the task stands
    for one thing here, the nearest that is left, or for one more copy of it. What can be picked up
    and the task does not name is not part of it; what can only be pushed stays where it is, as with
    the build that ALFRED used. Renamed types are found under their new name. Types that this
    build's scene lacks are left out, which `build_differences` tells before a run.
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
