"""Scene graphs survive JSON and networkx; malformed documents are refused by name."""

from __future__ import annotations

import dataclasses
import json
import sys

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.errors import Missing
from peephole.scene_graph.goals import And
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.hierarchical_codec import from_hierarchy, to_hierarchy
from peephole.scene_graph.json_codec import (
    SCHEMA,
    digest,
    from_networkx,
    graph_from_data,
    graph_to_data,
    read_graph,
    to_networkx,
    write_graph,
)
from peephole.scene_graph.node import Kind, Node, Pose, Relation, State
from peephole.scene_graph.pddl.codec import from_pddl, to_pddl


def through_json(data: object) -> object:
    return json.loads(json.dumps(data))


def shuffled(graph: SceneGraph, data: st.DataObject) -> SceneGraph:
    """An equal graph whose nodes and edges were added in another order."""
    nodes = data.draw(st.permutations(list(graph.nodes())))
    return SceneGraph(nodes, data.draw(st.permutations(list(graph.edges()))))


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
            changed.replace_node(dataclasses.replace(node, pose=Pose((0.0, 0.0, 0.001))))
    assert (digest(changed) == digest(house)) == (changed == house)


def test_a_digest_is_the_same_tomorrow(small_house):
    """Recordings are compared by it: a change of the canonical form is a change of the schema."""
    known = "e8faa51594eb0739d71a2474713afe02ff684b02a2530c6b8c23d0521ae62490"
    assert digest(small_house) == known
    candle = dataclasses.replace(small_house[3], pose=Pose((1, 0.5, -0.0)))
    assert candle == small_house[3]
    small_house.replace_node(candle)
    assert digest(small_house) == known


def test_a_graph_survives_a_file(tmp_path, small_house):
    path = tmp_path / "house.json"
    write_graph(small_house, path)
    assert read_graph(path) == small_house
    assert path.read_text().count("\n") == 5 + 5 + 7  # a line for each node and edge, and a frame


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (["schema"], "peephole.scene_graph/2", ["schema", "scene_graph/2", SCHEMA]),
        (["schema"], None, ["schema", "None"]),
        (["nodes"], {}, ["nodes is {}", "a list"]),
        (["more"], 1, ["'more'", "unknown"]),
        (["nodes", 3], 7, ["nodes[3] is 7", "an object"]),
        (["nodes", 3, "kind"], "animal", ["nodes[3].kind", "'animal'", "room, fixture, object"]),
        (["nodes", 3, "kind"], ["room"], ["nodes[3].kind"]),
        (["nodes", 3, "category"], "", ["nodes[3].category", "text"]),
        (["nodes", 0, "id"], True, ["nodes[0].id is True", "whole number"]),
        (["nodes", 0, "id"], 1.5, ["nodes[0].id is 1.5", "whole number"]),
        (["nodes", 4, "id"], 2, ["nodes[4].id is 2", "nodes[1]"]),
        (["nodes", 0, "native_id"], None, ["nodes[0].native_id is None", "text"]),
        (["nodes", 0, "state"], [], ["'state' of nodes[0]", "unknown", "states"]),
        (["nodes", 2, "states"], ["off", "ajar"], ["nodes[2].states[1]", "'ajar'", "open"]),
        (["nodes", 2, "states"], ["off", "on"], ["candle 3 is off and on"]),
        (["nodes", 2, "affordances"], "all", ["nodes[2].affordances", "a list"]),
        (["nodes", 2, "pose", "position"], [1, 2], ["nodes[2].pose.position", "a list of 3"]),
        (["nodes", 2, "pose", "orientation", 3], None, ["nodes[2].pose.orientation[3]", "number"]),
        (["nodes", 2, "box", "size", 0], float("nan"), ["nodes[2].box.size[0]", "finite"]),
        (["nodes", 2, "box", "size", 0], 10**400, ["nodes[2].box.size[0]", "finite"]),
        (["edges", 1], [3, "on"], ["edges[1]", "a list of 3"]),
        (["edges", 1], [3, "atop", 2], ["edges[1][1]", "'atop'", "inside, on, under"]),
        (["edges", 1], [3, "on", 99], ["edges[1][2] is 99", "id of a node"]),
        (["edges", 1], ["3", "on", 2], ["edges[1][0]", "whole number"]),
        (["edges", 1], [3, "on", 3], ["candle 3 is on candle 3"]),
        (["edges", 0], [2, "inside", 3], ["table 2 is inside candle 3", "is on table 2", "circle"]),
        (["edges", 2], [4, "on", 5], ["is held by agent 4", "agent 4 is on knife 5", "circle"]),
        (["edges", 2], [2, "holds", 3], ["table 2 holds candle 3", "an agent"]),
    ],
)
def test_a_malformed_graph_is_refused_with_file_and_field(
    tmp_path, path, value, told, small_house, refused, set_in
):
    document = set_in(graph_to_data(small_house), path, value)
    file = tmp_path / "house.json"
    file.write_text(json.dumps(document))
    text = refused(read_graph, file)
    for words in [str(file), *told]:
        assert words in text


@pytest.mark.parametrize("key", ["schema", "nodes", "edges"])
def test_a_missing_part_is_named(key, small_house, refused):
    document = graph_to_data(small_house)
    del document[key]
    assert f"'{key}' is missing" in refused(graph_from_data, document, "house.json")


def test_a_thing_in_two_hands_is_refused(small_house, refused):
    small_house.add_node(Node(6, "helper", Kind.AGENT, 6))
    small_house.add_edge(6, Relation.HOLDS, 5)
    for read, document in [
        (graph_from_data, graph_to_data(small_house)),
        (from_networkx, to_networkx(small_house)),
        (from_hierarchy, to_hierarchy(small_house)),
        (from_pddl, to_pddl("x", small_house, And(()))),
    ]:
        assert "knife 5 is held by agent 4 and helper 6" in refused(read, document)


def test_files_that_are_no_json_are_refused(tmp_path, small_house, refused):
    absent, torn, binary = (tmp_path / name for name in ("absent", "torn", "binary"))
    torn.write_text('{"schema": ')
    binary.write_bytes(b"\xff\xfe\x00")
    for path, told in [(absent, "no file"), (torn, "line 1"), (binary, "not JSON"), (tmp_path, "")]:
        text = refused(read_graph, path)
        assert str(path) in text
        assert told in text
    assert str(tmp_path) in refused(write_graph, small_house, tmp_path)


@given(data=st.data())
def test_networkx_keeps_everything(rich_house_strategy, data):
    house = data.draw(rich_house_strategy)
    assert from_networkx(to_networkx(house)) == house


def test_malformed_networkx_graphs_are_refused(small_house, refused):
    graph = to_networkx(small_house)
    graph.nodes[2]["kind"] = "animal"
    assert "node 2.kind is 'animal'" in refused(from_networkx, graph)
    graph = to_networkx(small_house)
    graph.add_edge(3, 1, key="near")
    assert "edge 3 to 1 is 'near'" in refused(from_networkx, graph)
    graph = to_networkx(small_house)
    graph.add_edge(3, 99, key="on")  # which makes a bare node 99
    assert "'category' of node 99 is missing" in refused(from_networkx, graph)
    assert "MultiDiGraph" in refused(from_networkx, networkx.Graph())


def test_without_networkx_the_command_that_installs_it_is_reported(monkeypatch, small_house):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(Missing, match=r"pip install 'networkx<"):
        to_networkx(small_house)
