"""Graphs, goals and events survive every format, and malformed documents are refused by name."""

from __future__ import annotations

import copy
import json
import subprocess
import sys

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.errors import BadInput, Missing
from peephole.scene_graph.events import Event
from peephole.scene_graph.goal_codec import (
    event_from_data,
    event_to_data,
    goal_from_data,
    goal_to_data,
)
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    Happened,
    HasState,
    InOrder,
    Not,
    Or,
    Related,
    satisfied,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import (
    SCHEMA,
    digest,
    graph_from_data,
    graph_to_data,
    read_graph,
    write_graph,
)
from peephole.scene_graph.networkx_codec import from_networkx, to_networkx
from peephole.scene_graph.node import Affordance, Box, Edge, Kind, Node, Pose, Relation, State
from peephole.scene_graph.hierarchical_codec import from_hierarchy, to_hierarchy
from peephole.scene_graph.pddl_codec import from_pddl, to_pddl


def through_json(data: object) -> object:
    return json.loads(json.dumps(data))


def shuffled(graph: SceneGraph, data: st.DataObject) -> SceneGraph:
    """An equal graph whose nodes and edges were added in another order."""
    nodes = data.draw(st.permutations(list(graph.nodes())))
    return SceneGraph(nodes, data.draw(st.permutations(list(graph.edges()))))


def small_house() -> SceneGraph:
    return SceneGraph(
        [
            Node(1, "living room", Kind.ROOM, 1),
            Node(2, "table", Kind.FIXTURE, "Table|2", frozenset(), frozenset({Affordance.SURFACE})),
            Node(
                3,
                "candle",
                Kind.OBJECT,
                3,
                frozenset({State.OFF}),
                frozenset({Affordance.GRASPABLE, Affordance.SWITCHABLE}),
                Pose((1.0, 0.5, 0.0)),
                Box((1.0, 0.5, 0.0), (0.1, 0.2, 0.1)),
            ),
            Node(4, "agent", Kind.AGENT, 4),
            Node(5, "knife", Kind.OBJECT, 5, affordances=frozenset({Affordance.CUTS})),
        ],
        [
            Edge(2, Relation.INSIDE, 1),
            Edge(3, Relation.ON, 2),
            Edge(4, Relation.INSIDE, 1),
            Edge(4, Relation.CLOSE, 2),
            Edge(4, Relation.HOLDS, 5),
        ],
    )


# --- round trips -------------------------------------------------------------------------------


@given(data=st.data())
def test_json_keeps_everything(rich_house_strategy, data):
    house = data.draw(rich_house_strategy)
    assert graph_from_data(through_json(graph_to_data(house))) == house


@given(data=st.data())
def test_equal_graphs_have_equal_documents_and_digests(rich_house_strategy, data):
    house = data.draw(rich_house_strategy)
    other = shuffled(house, data)
    assert json.dumps(graph_to_data(other)) == json.dumps(graph_to_data(house))
    assert digest(other) == digest(house)


@given(data=st.data())
def test_any_change_changes_the_digest(house_strategy, data):
    house = data.draw(house_strategy)
    changed = house.copy()
    node = data.draw(st.sampled_from(list(house.nodes())))
    edge = data.draw(st.sampled_from(list(house.edges())))
    match data.draw(st.sampled_from(["state", "edge", "node", "pose"])):
        case "state":
            changed.set_state(node.id, data.draw(st.sampled_from(State)))
        case "edge":
            changed.remove_edge(*edge)
        case "node":
            changed.remove_node(node.id)
        case "pose":
            moved = Pose((0.0, 0.0, 0.001))
            changed.replace_node(Node(node.id, node.category, node.kind, node.native_id, pose=moved))
    assert (digest(changed) == digest(house)) == (changed == house)


def test_a_digest_does_not_depend_on_the_process_or_on_how_numbers_are_written():
    graph = small_house()
    code = (
        "import sys; from peephole.scene_graph.json_codec import digest, read_graph;"
        "print(digest(read_graph(sys.argv[1])))"
    )
    whole = graph[3]
    graph.replace_node(
        Node(3, whole.category, whole.kind, 3, whole.states, whole.affordances, Pose((1, 0.5, -0.0)), whole.box)
    )
    assert digest(graph) == digest(small_house())


@given(data=st.data())
def test_networkx_keeps_everything(rich_house_strategy, data):
    house = data.draw(rich_house_strategy)
    assert from_networkx(to_networkx(house)) == house


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


@given(data=st.data())
def test_pddl_keeps_all_but_geometry_and_native_ids(rich_house_strategy, goal_strategy, data):
    house = data.draw(rich_house_strategy)
    goal = data.draw(goal_strategy(house, events=False))
    back = from_pddl(to_pddl("Set the table", house, goal))
    assert back.name == "set_the_table"
    assert back.graph == SceneGraph(
        (Node(n.id, n.category, n.kind, n.id, n.states, n.affordances) for n in house.nodes()),
        house.edges(),
    )
    assert without_empty_domains(back.goal) == without_empty_domains(goal)
    assert satisfied(back.goal, back.graph) == satisfied(goal, house)


@given(data=st.data())
def test_goals_and_events_survive_json(house_strategy, goal_strategy, event_strategy, data):
    house = data.draw(house_strategy)
    goal = data.draw(goal_strategy(house))
    assert goal_from_data(through_json(goal_to_data(goal))) == goal
    for event in data.draw(event_strategy(house)):
        assert event_from_data(through_json(event_to_data(event))) == event


def test_a_graph_survives_a_file(tmp_path):
    path = tmp_path / "house.json"
    write_graph(small_house(), path)
    assert read_graph(path) == small_house()
    assert path.read_text().count("\n") == 5 + 5 + 6  # a line for each node and edge, and a frame
