"""The hierarchical JSON of the literature: written, read back, and read as others write it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.hierarchical_codec import from_hierarchy, to_hierarchy
from peephole.scene_graph.node import Affordance, Kind, Relation, State


def through_json(data: object) -> object:
    return json.loads(json.dumps(data))


@given(data=st.data())
def test_hierarchical_json_keeps_everything_in_our_own_export(rich_house_strategy, data):
    house = data.draw(rich_house_strategy)
    assert from_hierarchy(through_json(to_hierarchy(house))) == house


@given(data=st.data())
def test_hierarchical_json_without_our_keys_keeps_what_things_are_and_one_place(
    house_strategy, data
):
    house = data.draw(house_strategy)
    document = to_hierarchy(house)
    document.pop("relations", None)
    names = {}
    for layer in document["nodes"].values():
        for entry in [layer] if isinstance(layer, dict) else layer:
            names[entry["name"]] = entry.pop("node_id")
            del entry["category"], entry["native_id"]
    back = from_hierarchy(through_json(document))
    assert len(back) == len(house)
    ids = {node.id: names[node.native_id] for node in back.nodes()}
    for node in back.nodes():
        original = house[ids[node.id]]
        assert (node.category, node.kind) == (original.category, original.kind)
        assert (node.states, node.affordances) == (original.states, original.affordances)
        place = house.room_of(original.id)
        assert ids[back.room_of(node.id)] == place
    kept = {(ids[s], r, ids[t]) for s, r, t in back.edges()}
    assert kept <= set(house.edges())
    assert {e for e in house.edges() if e.relation is Relation.HOLDS} <= kept


def test_hierarchical_json_is_what_lookplangraph_and_sayplan_users_know(small_house):
    document = to_hierarchy(small_house)
    ours = {"node_id", "category", "native_id", "pose", "box"}

    def plain(entry: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in entry.items() if key not in ours}

    nodes = document["nodes"]
    assert list(map(plain, nodes["rooms"])) == [{"name": "living_room-1"}]
    assert list(map(plain, nodes["asset"])) == [
        {
            "name": "table-2",
            "room": "living_room-1",
            "states": [],
            "affordances": ["put_on"],
            "properties": [],
        }
    ]
    assert list(map(plain, nodes["objects"])) == [
        {
            "name": "candle-3",
            "relation": "ontop_of",
            "related_to": "table-2",
            "states": ["off"],
            "affordances": ["pick_up", "turn_on", "turn_off"],
            "properties": [],
        },
        {
            "name": "knife-5",
            "relation": "inside_hand",
            "related_to": "agent-4",
            "states": [],
            "affordances": [],
            "properties": ["cuts"],
        },
    ]
    assert plain(nodes["agent"]) == {
        "name": "agent-4",
        "location": "living_room-1",
        "holding": "knife-5",
    }
    assert document["links"] == [
        "living_room-1↔table-2",
        "table-2↔candle-3",
        "agent-4↔knife-5",
        "living_room-1↔agent-4",
    ]
    assert document["relations"] == [["agent-4", "close", "table-2"]]


def test_a_lookplangraph_file_is_read():
    graph = from_hierarchy(
        {
            "nodes": {
                "rooms": [{"name": "hall-1"}],
                "asset": [
                    {"name": "wash_stand-1", "room": "hall-1", "states": ["clear"]},
                ],
                "objects": [
                    {
                        "name": "jar1",
                        "relation": "inside_of",
                        "related_to": "wash_stand-1",
                        "states": ["closed"],
                        "affordances": ["pick_up", "put_under", "attach", "open", "close"],
                        "properties": ["blue"],
                    }
                ],
                "agent": {"name": "agent-1", "location": "hall-1", "holding": "nothing"},
            }
        }
    )
    assert [(node.category, node.kind, node.native_id) for node in graph.nodes()] == [
        ("hall", Kind.ROOM, "hall-1"),
        ("wash stand", Kind.FIXTURE, "wash_stand-1"),
        ("jar", Kind.OBJECT, "jar1"),
        ("agent", Kind.AGENT, "agent-1"),
    ]
    hall, stand, jar, agent = (node.id for node in graph.nodes())
    assert graph[stand].states == {State.CLEAN}
    assert graph[jar].states == {State.CLOSED}
    assert graph[jar].affordances == {Affordance.GRASPABLE, Affordance.OPENABLE}
    assert set(graph.edges()) == {
        (stand, Relation.INSIDE, hall),
        (jar, Relation.INSIDE, stand),
        (agent, Relation.INSIDE, hall),
    }


def test_entries_without_an_id_get_a_free_one():
    document = {"nodes": {"rooms": [{"name": "hall"}, {"name": "study", "node_id": 1}]}}
    graph = from_hierarchy(document)
    assert {node.id: node.category for node in graph.nodes()} == {1: "study", 2: "hall"}


def test_a_sayplan_graph_is_read():
    graph = from_hierarchy(
        {
            "nodes": {
                "room": [{"id": "study"}],
                "pose": [{"id": "pose1"}],
                "agent": [{"location": "study", "id": "robot"}],
                "asset": [
                    {"room": "study", "state": "free", "affordances": ["release"], "id": "desk3"},
                    {
                        "room": "study",
                        "state": "open",
                        "affordances": ["open", "close", "release"],
                        "id": "chest1",
                    },
                ],
                "object": [
                    {"affordances": ["pickup"], "state": "inside_of(chest1)", "id": "red_pen"},
                    {"affordances": ["pickup"], "state": "inside_hand", "id": "cup"},
                ],
            },
            "links": [
                "study↔pose1",
                "study↔robot",
                "study↔desk3",
                "study↔chest1",
                "chest1↔red_pen",
            ],
        }
    )
    study, desk, chest, pen, cup, robot = (node.id for node in graph.nodes())
    assert graph[desk].affordances == {Affordance.SURFACE}
    assert graph[chest].affordances == {Affordance.OPENABLE, Affordance.CONTAINER}
    assert graph[desk].states == frozenset()
    assert graph[pen].category == "red pen"
    assert graph.places(pen) == [(Relation.INSIDE, chest)]
    assert graph.held(robot) == [cup]
    assert graph.room_of(pen) == graph.room_of(cup) == study


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (["nodes"], [], ["nodes is []", "an object"]),
        (["nodes", "rooms"], "hall", ["nodes.rooms", "a list"]),
        (["nodes", "asset", 0, "name"], 3, ["nodes.asset[0].name is 3", "text"]),
        (["nodes", "asset", 0, "name"], "candle-3", ["nodes.objects[0].name", "no other"]),
        (["nodes", "asset", 0, "node_id"], 3, ["nodes.objects[0].node_id is 3", "no other"]),
        (["nodes", "asset", 0, "room"], "attic-1", ["nodes.asset[0].room", "name of a node"]),
        (["nodes", "asset", 0, "states", 0], "ajar", ["nodes.asset[0].states[0]", "open"]),
        (["nodes", "objects", 0, "relation"], "atop", ["nodes.objects[0].relation", "ontop_of"]),
        (["nodes", "objects", 0, "related_to"], "x-9", ["nodes.objects[0].related_to", "'x-9'"]),
        (["nodes", "objects", 0, "related_to"], "candle-3", ["candle 3 is on candle 3"]),
        (["nodes", "objects", 0, "affordances", 0], ["open"], ["affordances[0]", "text"]),
        (["nodes", "objects", 0, "affordances", 0], "fly", ["affordances[0]", "'fly'", "pick_up"]),
        (["nodes", "agent", "holding"], ["y-1"], ["nodes.agent.holding[0]", "name of a node"]),
        (["relations", 0, 1], "near", ["relations[0][1]", "'near'", "close"]),
    ],
)
def test_a_malformed_hierarchy_is_refused_with_its_field(
    path, value, told, small_house, refused, set_in
):
    document = to_hierarchy(small_house)
    document["nodes"]["asset"][0]["states"] = ["clean"]
    text = refused(from_hierarchy, set_in(document, path, value), "office.json")
    for words in ["office.json", *told]:
        assert words in text


def test_hierarchy_entries_need_a_name_and_a_relation_its_place(small_house, refused):
    document = to_hierarchy(small_house)
    nameless, placeless = copy.deepcopy(document), copy.deepcopy(document)
    del nameless["nodes"]["rooms"][0]["name"]
    assert "'name' of nodes.rooms[0] is missing" in refused(from_hierarchy, nameless)
    del placeless["nodes"]["objects"][0]["related_to"]
    assert "'related_to'" in refused(from_hierarchy, placeless)


def test_a_thing_in_some_hand_needs_one_agent(refused):
    nodes = {"object": [{"id": "cup", "state": "inside_hand"}], "agent": []}
    assert "one agent" in refused(from_hierarchy, {"nodes": nodes}, "office.json")
    nodes = {"object": [{"id": "cup", "state": "inside_hand(a)"}], "agent": [{"id": "a"}]}
    graph = from_hierarchy({"nodes": nodes})
    assert [graph[thing].category for thing in graph.held(graph.agent().id)] == ["cup"]
