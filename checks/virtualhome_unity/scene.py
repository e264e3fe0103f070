"""What is assumed of loading: rooms, characters, and graphs that are built into an apartment."""

from __future__ import annotations

import copy
import json
from typing import Any

from ...adapters.virtualhome.unity.client import CALL_S, LOAD_S
from ..assumption import CannotTell, Checks, Differs, Topic, expect
from ..bench import Bench
from .engine import CHARACTER, RawGraph, connection, graph_now, line_of, load, send

CHECKS = Checks("virtualhome_unity")

_ADAPTER = "adapters/virtualhome/unity/adapter.py"
_THEIRS = "comm_unity.py"


@CHECKS.assume(
    Topic.SCENE,
    "An apartment has rooms, nodes of the category 'Rooms', and no character at first.",
    source=f"{_ADAPTER}: _enter; {_THEIRS}: add_character",
)
def apartment_begins_empty(bench: Bench) -> str:
    load(bench)
    graph = graph_now(bench)
    words = f"{len(graph.rooms)} rooms, {len(graph.characters)} characters"
    return expect(bool(graph.rooms) and not graph.characters, words)


@CHECKS.assume(
    Topic.SCENE,
    "Everything that can be grabbed is inside a room, or on or in something that is.",
    source="scene_graph: room_of; adapters/virtualhome/graph_import.py: assemble",
)
def things_are_in_rooms(bench: Bench) -> str:
    graph = graph_now(bench)
    things = [*graph.things("GRABBABLE")]
    lost = [i for i in things if not graph.rooms_of(i) and not graph.places(i)]
    words = f"{len(things) - len(lost)} of {len(things)} are"
    return expect(not lost, "; not: ".join([words, *map(graph.named, lost[:3])]))


def _added(bench: Bench, room: str) -> bool:
    unity = connection(bench)
    return bench.call(
        f"add_character to {room or 'any room'}",
        lambda: unity.add_character(CHARACTER, room),
        CALL_S,
        changes=True,
    )


@CHECKS.assume(
    Topic.SCENE,
    "A character comes into the room of the class that was asked for.",
    source=f"{_ADAPTER}: _enter; {_THEIRS}: add_character, mode fix_room",
)
def character_enters_its_room(bench: Bench) -> str:
    load(bench)
    graph = graph_now(bench)
    room = graph.rooms[-1]
    name = graph.nodes[room]["class_name"]
    if not _added(bench, name):
        raise Differs(f"no character could be added to {name}")
    after = graph_now(bench)
    entered = {after.nodes[i]["class_name"] for i in after.rooms_of(after.me)}
    return expect(entered == {name}, f"asked for {name}, it is in {', '.join(entered)}")


@CHECKS.assume(
    Topic.SCENE,
    "A room that the apartment does not have is refused, and any room is taken for no name.",
    source=f"{_ADAPTER}: _enter tries a name, then none",
)
def unknown_room_is_refused(bench: Bench) -> str:
    load(bench)
    unknown, anywhere = _added(bench, "observatory"), _added(bench, "")
    return expect(not unknown and anywhere, f"observatory: {unknown}, no name: {anywhere}")


@CHECKS.assume(
    Topic.NAMES,
    "<char0> is the character that was added first, and has the lowest id.",
    source="adapters/virtualhome/unity/state.py: _renamed",
)
def first_character_is_char0(bench: Bench) -> str:
    load(bench)
    first, second = _added(bench, ""), _added(bench, "")
    if not (first and second):
        raise CannotTell("two characters could not be added")
    graph = graph_now(bench)
    me = graph.me
    there = next((r for r in graph.rooms if r not in graph.rooms_of(me)), graph.rooms[0])
    said = send(bench, line_of(graph, "WALK", there))
    after = graph_now(bench)
    words = f"{said.text}; rooms of {me}: {after.rooms_of(me)}, asked for {there}"
    return expect(said.success and after.rooms_of(me) == {there}, words)


@CHECKS.assume(
    Topic.HANDS,
    "A character begins with empty hands, standing.",
    source=f"{_ADAPTER}: characters start with empty hands",
)
def hands_begin_empty(bench: Bench) -> str:
    graph = graph_now(bench)
    held, states = graph.held(), graph.states(graph.me)
    words = f"it holds {len(held)} things, its states are {sorted(states)}"
    return expect(not held and not states & {"SITTING", "LYING"}, words)


# --- graphs that are built -----------------------------------------------------------------------


def _expanded(bench: Bench, graph: dict[str, Any]) -> tuple[bool, object, RawGraph]:
    """Build a graph into a fresh apartment: success, message, and the graph afterwards."""
    load(bench)
    unity = connection(bench)
    success, message = bench.call(
        "expand_scene", lambda: unity.expand_scene(graph), LOAD_S, changes=True
    )
    return success, message, graph_now(bench)


def _apartment(bench: Bench) -> RawGraph:
    def read() -> RawGraph:
        load(bench)
        return graph_now(bench)

    return bench.once("apartment", read)


def _without_places(data: dict[str, Any], thing: int) -> None:
    data["edges"] = [
        edge for edge in data["edges"] if thing not in (edge["from_id"], edge["to_id"])
    ]


@CHECKS.assume(
    Topic.SCENE,
    "An apartment can be built again from its own graph, with the same ids, places and states.",
    source=f"{_ADAPTER}: _load builds every scene but the apartments so; {_THEIRS}: expand_scene",
)
def own_graph_can_be_built(bench: Bench) -> str:
    graph = _apartment(bench)
    success, message, after = _expanded(bench, copy.deepcopy(dict(graph.data)))
    if not success:
        raise Differs(f"success false, {message!r:.160}")
    gone = [i for i in graph.nodes if i not in after.nodes]
    moved = [i for i in graph.things() if i in after.nodes and graph.places(i) != after.places(i)]
    other = [i for i in graph.nodes if i in after.nodes and graph.states(i) != after.states(i)]
    words = f"{len(gone)} nodes are gone, {len(moved)} moved, {len(other)} in another state"
    return expect(not gone and not moved and not other, words)


def _changed(bench: Bench) -> tuple[dict[str, int], bool, object, RawGraph]:
    """A graph with a thing moved, one removed, and furniture opened, built once a study."""

    def build() -> tuple[dict[str, int], bool, object, RawGraph]:
        graph = _apartment(bench)
        box = graph.first(
            "closed furniture",
            *("CAN_OPEN", "CONTAINERS"),
            where=lambda i: "CLOSED" in graph.states(i) and not graph.has(i, "GRABBABLE"),
        )
        free = [i for i in graph.things("GRABBABLE") if graph.free(i) and graph.places(i)]
        if len(free) < 2:
            raise CannotTell("fewer than two things lie about")
        moved, removed = free[0], free[-1]
        data = copy.deepcopy(dict(graph.data))
        _without_places(data, moved)
        _without_places(data, removed)
        data["nodes"] = [node for node in data["nodes"] if node["id"] != removed]
        for place in (box, *graph.rooms_of(box)):
            data["edges"].append({"from_id": moved, "relation_type": "INSIDE", "to_id": place})
        for node in data["nodes"]:
            if node["id"] == box:
                kept = [state for state in node["states"] if state != "CLOSED"]
                node["states"] = [*kept, "OPEN"]
        things = {"box": box, "moved": moved, "removed": removed}
        return things, *_expanded(bench, data)

    return bench.once("changed graph", build)


@CHECKS.assume(
    Topic.SCENE,
    "A thing that the built graph has elsewhere is there afterwards, under its id.",
    source=f"{_ADAPTER}: the initial places of tasks",
)
def built_places_count(bench: Bench) -> str:
    things, success, message, after = _changed(bench)
    places = after.places(things["moved"]) if things["moved"] in after.nodes else set()
    words = f"success {success}, {message!r:.80}; {after.named(things['moved'])} is {places}"
    return expect(success and places == {("INSIDE", things["box"])}, words)


@CHECKS.assume(
    Topic.SCENE,
    "A thing that the built graph lacks is gone.",
    source=f"{_ADAPTER}: tasks without some things",
)
def unnamed_things_go(bench: Bench) -> str:
    things, success, message, after = _changed(bench)
    left = things["removed"] in after.nodes
    return expect(success and not left, f"success {success}, {message!r:.80}; still there: {left}")


@CHECKS.assume(
    Topic.SCENE,
    "A state that the built graph has is that of the thing afterwards.",
    source=f"{_ADAPTER}: the initial states of tasks",
)
def built_states_count(bench: Bench) -> str:
    things, success, message, after = _changed(bench)
    states = after.states(things["box"])
    words = f"success {success}, {message!r:.80}; {after.named(things['box'])} is {sorted(states)}"
    return expect(success and "OPEN" in states and "CLOSED" not in states, words)


@CHECKS.assume(
    Topic.SCENE,
    "A thing without any place makes expand_scene answer success false, with its name.",
    source=f"{_ADAPTER}: _check_built; {_THEIRS}: expand_scene",
)
def placeless_things_are_told(bench: Bench) -> str:
    graph = _apartment(bench)
    thing = graph.first("thing", "GRABBABLE", where=lambda i: bool(graph.places(i)))
    data = copy.deepcopy(dict(graph.data))
    _without_places(data, thing)
    success, message, _ = _expanded(bench, data)
    said = message if isinstance(message, str) else json.dumps(message)
    named = graph.nodes[thing]["class_name"] in said and str(thing) in said
    return expect(not success and named, f"success {success}, {said:.160}")
