"""The actions by which a task's start is set up in AI2-THOR, as in ALFRED."""

from __future__ import annotations

from typing import Any

from ...adapters.ai2thor.connection import EngineAnswer
from ..assumption import CannotTell, Topic, expect
from .room import MATERIALS, Room, Thing, apart, assume, said, some

_SETUP = "adapters/ai2thor/initial_state.py"


@assume(
    Topic.ACTIONS,
    "With forceAction DirtyObject soils a thing out of sight.",
    source=f"{_SETUP}, dirty_and_empty",
)
def soil_from_afar(room: Room) -> str:
    thing = room.one(
        *("Plate", "Mug", "Cup", "Bowl", "Pan"),
        where=lambda raw: bool(raw["dirtyable"]) and not raw["isDirty"] and not raw["visible"],
    )
    answer = room.do("DirtyObject", thing, forceAction=True)
    return expect(bool(room.thing(thing)["isDirty"]), f"{thing}: {said(answer)}")


@assume(
    Topic.ACTIONS,
    "With forceAction EmptyLiquidFromObject empties a thing out of sight.",
    source=f"{_SETUP}, dirty_and_empty",
)
def empty_from_afar(room: Room) -> str:
    thing = room.one("Cup", "Bowl", "Mug", "Pot", where=lambda raw: not raw["visible"])
    if not room.thing(thing).get("isFilledWithLiquid"):
        filled = room.do("FillObjectWithLiquid", thing, fillLiquid="water", forceAction=True)
        room.must(filled, f"fill {thing}")
    answer = room.do("EmptyLiquidFromObject", thing, forceAction=True)
    return expect(not room.thing(thing)["isFilledWithLiquid"], f"{thing}: {said(answer)}")


@assume(
    Topic.STATES,
    "What FillObjectWithLiquid filled has isFilledWithLiquid.",
    source=f"{MATERIALS}; State.FILLED of the scene graph",
)
def filled_is_reported(room: Room) -> str:
    thing = room.one("Cup", "Bowl", "Mug", where=lambda raw: not raw["isFilledWithLiquid"])
    answer = room.do("FillObjectWithLiquid", thing, fillLiquid="water", forceAction=True)
    room.must(answer, f"fill {thing}")
    full = room.thing(thing)["isFilledWithLiquid"]
    return expect(full is True, f"{thing} has isFilledWithLiquid {full}")


@assume(
    Topic.ACTIONS,
    "Lamps can be switched from afar, all of a type at once or one by one.",
    source=f"{_SETUP}, _toggled: generated tasks start with lamps off",
    scene="ithor:FloorPlan301#1",
)
def lamps_off(room: Room) -> str:
    lamps = [raw for raw in room.things if raw["objectType"] in ("DeskLamp", "FloorLamp")]
    if not lamps:
        raise CannotTell("the room has no lamp")
    on = [raw["objectId"] for raw in lamps if raw["isToggled"]]
    expect(not on, f"{len(lamps)} lamps; still on after the start of a task: {some(on)}")
    kind = lamps[0]["objectType"]
    answer = room.do("SetObjectToggles", objectToggles=[{"objectType": kind, "isOn": True}])
    if not answer.known:
        return f"{len(lamps)} lamps are off; the engine has no SetObjectToggles"
    lit = all(raw["isToggled"] for raw in room.things if raw["objectType"] == kind)
    return expect(lit, f"SetObjectToggles on: {said(answer)}")


def _set_poses(room: Room, poses: list[dict[str, Any]]) -> EngineAnswer:
    return room.do("SetObjectPoses", objectPoses=poses, placeStationary=False)


def _poses(room: Room) -> list[dict[str, Any]]:
    """The poses of all things that move, as they are."""
    return [_pose(raw) for raw in room.things if raw["pickupable"] or raw["moveable"]]


def _pose(raw: Thing) -> dict[str, Any]:
    return {
        "objectName": raw["name"],
        "position": dict(raw["position"]),
        "rotation": dict(raw["rotation"]),
    }


def _named(room: Room, name: str) -> list[Thing]:
    return [raw for raw in room.things if raw["name"].startswith(name)]


@assume(
    Topic.ACTIONS,
    "SetObjectPoses brings a named thing to its pose, out of sight too.",
    source=f"{_SETUP}, initialize: the start of ALFRED's tasks",
)
def poses_are_set(room: Room) -> str:
    one, other = room.one("Apple"), room.one("Potato")
    wanted, name = room.thing(other), room.thing(one)["name"]
    places = room.parents(other)
    poses = [p for p in _poses(room) if p["objectName"] not in (name, wanted["name"])]
    answer = _set_poses(room, [*poses, {**_pose(wanted), "objectName": name}])
    room.must(answer, "set the poses")
    here = _named(room, name)
    if not here:
        return expect(False, f"{name} is gone")
    far = apart(here[0], wanted)
    now = list(here[0].get("parentReceptacles") or ())
    answered = f"{name} is {far:.2f} m from its pose, at {some(now)} for {some(places)}"
    return expect(far < 0.1 and len(set(now) & set(places)) == len(set(places)), answered)


@assume(
    Topic.ACTIONS,
    "SetObjectPoses removes the things that it does not name.",
    source=f"{_SETUP}, matched_poses: a task's start has only what its file names",
)
def unnamed_are_removed(room: Room) -> str:
    name = room.thing(room.one("Tomato", "Apple"))["name"]
    answer = _set_poses(room, [p for p in _poses(room) if p["objectName"] != name])
    room.must(answer, "set the poses")
    left = [raw["objectId"] for raw in _named(room, name)]
    return expect(not left, f"{name} was not named; left: {some(left)}")


@assume(
    Topic.ACTIONS,
    "SetObjectPoses makes copies of a thing that it names twice.",
    source=f"{_SETUP}, matched_poses: tasks with two things of a kind",
)
def named_twice_is_copied(room: Room) -> str:
    one, potato = room.thing(room.one("Apple")), room.thing(room.one("Potato"))
    poses = [p for p in _poses(room) if p["objectName"] != potato["name"]]
    answer = _set_poses(room, [*poses, {**_pose(potato), "objectName": one["name"]}])
    room.must(answer, "set the poses")
    count = sum(raw["objectType"] == "Apple" for raw in room.things)
    return expect(count == 2, f"one apple was named twice; there are {count} apples")


@assume(
    Topic.ACTIONS,
    "SetObjectPoses leaves fixtures, and what it names at its own pose, as they are.",
    source=f"{_SETUP}, matched_poses names chairs and the like at their own pose",
)
def fixtures_stay(room: Room) -> str:
    before = {raw["name"]: raw for raw in room.things if not raw["pickupable"]}
    room.must(_set_poses(room, _poses(room)), "set the poses")
    after = {raw["name"]: raw for raw in room.things}
    gone = sorted(before.keys() - after.keys())
    moved = [n for n, raw in before.items() if n in after and apart(raw, after[n]) > 0.02]
    answer = f"{len(before)} fixtures; gone: {some(gone)}; moved: {some(moved)}"
    return expect(not gone and not moved, answer)
