"""What AI2-THOR reports of a room: keys, ids, names, places; that nothing changes by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...adapters.ai2thor.graph import room_of
from ..assumption import CannotTell, Topic, expect
from .room import METADATA, STILL_M, Room, Thing, apart, assume, some

#: The keys that the scene graph reads of every object, and of those with an ability.
_KEYS = (
    *("objectId", "objectType", "name", "position", "rotation", "visible", "receptacle"),
    *("pickupable", "moveable", "openable", "toggleable", "sliceable", "isSliced"),
)
_KEYS_IF = {"openable": "isOpen", "toggleable": "isToggled", "dirtyable": "isDirty"}
#: What must not change by itself.
_STATES = (*_KEYS_IF.values(), "isSliced", "isBroken", "isFilledWithLiquid", "isCooked")


@assume(
    Topic.CALLS,
    "Every object is reported with the keys that the scene graph reads.",
    source=f"{METADATA}; adapters/ai2thor/graph.py reads them",
)
def object_keys(room: Room) -> str:
    lacking = Counter(
        key
        for raw in room.things
        for key in (*_KEYS, *(key for ability, key in _KEYS_IF.items() if raw.get(ability)))
        if key not in raw
    )
    answer = f"{len(room.things)} objects; keys that some lack: {some(lacking)}"
    return expect(not lacking and bool(room.things), answer)


@assume(
    Topic.SCENE,
    "sceneName names the floor plan that was loaded.",
    source="adapters/ai2thor/graph.py takes the kind of the room from its number",
    scene="ithor:FloorPlan308#1",
)
def scene_name(room: Room) -> str:
    name = str(room.world.metadata["sceneName"])
    right = "FloorPlan308" in name and room_of(name) == "bedroom"
    return expect(right, f"FloorPlan308 was loaded, and sceneName is '{name}'")


@assume(
    Topic.NAMES,
    "No two objects have the same objectId.",
    source=f"{METADATA}; adapters/ai2thor/graph.py numbers objects by it",
)
def ids_unique(room: Room) -> str:
    return _all_once(raw["objectId"] for raw in room.things)


@assume(
    Topic.NAMES,
    "No two movable objects have the same name.",
    source="adapters/ai2thor/initial_state.py matches poses by name",
)
def names_unique(room: Room) -> str:
    return _all_once(raw["name"] for raw in room.things if raw["pickupable"] or raw["moveable"])


def _all_once(names: Iterable[str]) -> str:
    counts = Counter(names)
    repeated = [name for name, count in counts.items() if count > 1]
    return expect(not repeated, f"{len(counts)} different ones; repeated: {some(repeated)}")


@assume(
    Topic.NAMES,
    "An object keeps its objectId when it is moved, although the id has its first position.",
    source="adapters/ai2thor/graph.py takes an object with a new objectId for a new one",
)
def ids_last(room: Room) -> str:
    thing, place = room.one("Apple", "Potato"), room.one("Fridge")
    name = room.thing(thing)["name"]
    room.open(place)
    room.hold(thing)
    room.come_to(place)
    room.must(room.put(place, forceAction=True), f"put {thing} at {place}")
    now = next((raw["objectId"] for raw in room.things if raw["name"] == name), None)
    return expect(now == thing, f"{thing} was moved and is reported as {now}")


@assume(
    Topic.SCENE,
    "All objects of the room are always reported, also those out of sight.",
    source=f"{METADATA}; Capability.GRAPH of the adapter: goals are judged by the whole room",
)
def everything_reported(room: Room) -> str:
    before = {raw["objectId"] for raw in room.things}
    hidden = [raw["objectId"] for raw in room.things if not raw["visible"]]
    changed: set[str] = set()
    for _ in range(4):
        room.do("RotateRight")
        changed |= before ^ {raw["objectId"] for raw in room.things}
    answer = f"{len(before)} objects, {len(hidden)} not visible; lost or new by turning: "
    return expect(bool(hidden) and not changed, answer + some(sorted(changed)))


@assume(
    Topic.STATES,
    "parentReceptacles has ids of the room's objects only.",
    source=f"{METADATA}; recorded: none dangles in 120 rooms",
)
def parents_known(room: Room) -> str:
    known = {raw["objectId"] for raw in room.things}
    dangling = [
        f"{place} of {raw['objectId']}"
        for raw in room.things
        for place in raw.get("parentReceptacles") or ()
        if place not in known
    ]
    return expect(not dangling, f"ids that are of no object: {some(dangling)}")


@assume(
    Topic.STATES,
    "Nearly every thing that can be picked up has a place in parentReceptacles at the start.",
    source="adapters/ai2thor/graph.py puts a thing without a place on the floor of the room",
)
def things_have_places(room: Room) -> str:
    movable = [raw for raw in room.things if raw["pickupable"]]
    loose = [raw["objectId"] for raw in movable if not raw.get("parentReceptacles")]
    answer = f"{len(movable)} things; without a place: {some(loose)}"
    return expect(len(loose) * 10 <= len(movable), answer)


@assume(
    Topic.RESTART,
    "Nothing in the room moves or changes while the agent waits.",
    source="Capability.REPLAYABLE of the adapter: a replay compares states",
)
def nothing_moves(room: Room) -> str:
    before = {raw["objectId"]: _still(raw) for raw in room.things}
    for _ in range(10):
        room.do("Pass")
    return _same(before, room)


@assume(
    Topic.CALLS,
    "Queries change neither the room nor the agent's pose.",
    source="adapters/ai2thor/world.py asks for points and poses in the middle of actions",
)
def queries_change_nothing(room: Room) -> str:
    before = {raw["objectId"]: _still(raw) for raw in room.things}
    pose = room.world.pose()
    points = room.points()  # asked for at the start of the scene
    room.must(room.do("GetReachablePositions"), "ask for points")
    room.poses(room.one("Fridge"), points[:20])
    room.do("Pass")
    now = room.world.pose()
    expect(now == pose, f"the agent was at {pose} and is at {now}")
    return _same(before, room)


def _still(raw: Thing) -> Thing:
    """What is compared of an object."""
    kept = {key: raw.get(key) for key in _STATES}
    places = tuple(raw.get("parentReceptacles") or ()) if raw["pickupable"] else ()
    return {**kept, "position": dict(raw["position"]), "parentReceptacles": places}


def _same(before: dict[str, Thing], room: Room) -> str:
    """Raises Differs where the room is not as it was."""
    now = {raw["objectId"]: _still(raw) for raw in room.things}
    other = [
        name
        for name, old in before.items()
        if name not in now
        or apart(old, now[name]) > STILL_M
        or any(old[key] != now[name][key] for key in old if key != "position")
    ]
    other += sorted(now.keys() - before.keys())
    return expect(not other, f"of {len(before)} objects changed: {some(other)}")


@assume(
    Topic.SCENE,
    "A floor plan has the objects that the package procthor recorded of it.",
    source="recorded: adapters/ai2thor/objects.py, by which suites choose the things of tasks",
)
def recorded_objects(room: Room) -> str:
    from ...adapters.ai2thor import objects

    problem = objects.missing()
    if problem is not None:
        raise CannotTell(problem)
    name = str(room.world.metadata["sceneName"]).removesuffix("_physics")
    recorded = Counter(raw["objectType"] for raw in objects.objects(name))
    here = Counter(raw["objectType"] for raw in room.things)
    other = [
        f"{kind} {here[kind]} for {recorded[kind]}"
        for kind in sorted(recorded | here)
        if here[kind] != recorded[kind]
    ]
    return expect(not other, f"types in another number than recorded: {some(other)}")


@assume(
    Topic.SCENE,
    "A floor plan that is loaded again has the same objects, ids and names, at the same places.",
    source="Capability.SEED of the adapter; a restored episode starts from a new load",
)
def loaded_again(room: Room) -> str:
    before = {raw["objectId"]: (raw["name"], _still(raw)) for raw in room.things}
    room.hold(room.one("Apple", "Potato"))
    room.bench.begin(again=True)
    names = {raw["objectId"]: raw["name"] for raw in room.things}
    renamed = [name for name, (old, _) in before.items() if names.get(name, old) != old]
    expect(not renamed, f"names that changed: {some(renamed)}")
    return _same({name: old for name, (_, old) in before.items()}, room)


@assume(
    Topic.IMAGES,
    "With renderImage an answer has a frame of 300 x 300 pixels in RGB.",
    source=f"{METADATA}; adapters/ai2thor/adapter.py, image",
)
def frames(room: Room) -> str:
    frame = room.bench.image()
    answer = f"a frame of shape {frame.shape}, type {frame.dtype}"
    return expect(frame.shape == (300, 300, 3) and str(frame.dtype) == "uint8", answer)
