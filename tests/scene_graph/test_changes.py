"""What changed of a graph makes the same graph of the one before, down to the order of listings."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.errors import BadInput
from peephole.scene_graph.changes import (
    applied,
    change_from_data,
    change_to_data,
    difference,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Edge, Kind, Node, Relation, State


def sent(data: object) -> Any:
    """Data as it comes out of a frame."""
    return json.loads(json.dumps(data))


def changes(before: SceneGraph | None, after: SceneGraph) -> Any:
    """The change as JSON data."""
    change = difference(before, after)
    return None if change is None else change_to_data(change)


def made_of(before: SceneGraph, data: object) -> SceneGraph:
    """What the change of some data makes of a graph."""
    return applied(before, change_from_data(data, "the test"), "the test")


def edit(draw: Any, graph: SceneGraph) -> None:
    """Some changes, as a simulator or a stranger's adapter may make them."""
    ids = [node.id for node in graph.nodes()]
    for _ in range(draw(st.integers(0, 6))):
        node, other = draw(st.sampled_from(ids)), draw(st.sampled_from(ids))
        relation = draw(st.sampled_from(list(Relation)))
        what = draw(st.integers(0, 4))
        if node not in graph or other not in graph:
            continue
        if what == 0:
            graph.add_edge(node, relation, other)
        elif what == 1 and graph.outgoing(node):
            relation, other = draw(st.sampled_from(graph.outgoing(node)))
            graph.remove_edge(node, relation, other)
            if draw(st.booleans()):
                graph.add_edge(node, relation, other)
        elif what == 2:
            graph.set_state(node, draw(st.sampled_from(list(State))))
        elif what == 3:
            graph.remove_node(node)
            if draw(st.booleans()):
                graph.add_node(Node(node, "thing", Kind.OBJECT, node))
        else:
            new = draw(st.integers(1000, 1005))
            if new not in graph:
                graph.add_node(Node(new, "slice", Kind.OBJECT, f"{node}|{new}"))
                graph.add_edge(new, relation, node)


@given(data=st.data())
def test_changes_make_of_a_graph_the_next_one_in_the_same_order(house_strategy, listings, data):
    before = data.draw(house_strategy)
    for _ in range(3):
        kept = listings(before)
        after = before.copy()
        edit(data.draw, after)
        changed = changes(before, after)
        result = before if changed is None else made_of(before, sent(changed))
        assert listings(result) == listings(after)
        assert result == after
        assert listings(before) == kept, "the graph before stays as it was"
        before = result


@given(data=st.data())
def test_a_whole_graph_is_changes_from_nothing(house_strategy, listings, data):
    graph = data.draw(house_strategy)
    whole = sent(changes(None, graph))
    assert listings(made_of(SceneGraph(), whole)) == listings(graph)
    other = data.draw(house_strategy)
    assert listings(made_of(other, whole)) == listings(graph)


@given(data=st.data())
def test_without_the_order_of_what_ends_at_a_node_the_relations_are_the_same(house_strategy, data):
    before = data.draw(house_strategy)
    after = before.copy()
    edit(data.draw, after)
    change = difference(before, after, ordered=False)
    result = before if change is None else applied(before, change, "the test")
    assert result == after


@pytest.fixture
def shelf() -> SceneGraph:
    nodes = [Node(i, "thing", Kind.OBJECT, i) for i in range(1, 200)]
    return SceneGraph(nodes, [Edge(i, Relation.ON, 1) for i in range(2, 200)])


def test_what_did_not_change_is_not_reported(shelf):
    assert changes(shelf, shelf.copy()) is None
    after = shelf.copy()
    after.set_state(7, State.DIRTY)
    changed = changes(shelf, after)
    assert changed is not None
    assert [node["id"] for node in changed["nodes"]] == [7]
    assert not changed["whole"]
    assert not changed["out"]
    assert not changed["in"]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda data: data.pop("in"), "the field 'in' is missing"),
        (lambda data: data["out"].append([999, [["on", 1]]]), "999 has relations"),
        (lambda data: data["out"][0][1].append(["beneath", 1]), "expected one of inside, on"),
        (lambda data: data["out"][0][1].append(["on", "shelf"]), "expected a whole number"),
        (lambda data: data["out"][0][1].append(["inside", 3]), "do not fit together"),
        (lambda data: data["in"].clear(), "do not fit together"),
        (lambda data: data["removed"].append(3), "do not fit together"),
        (lambda data: data.update(nodes=[{"id": 1}]), "the field 'category'"),
    ],
)
def test_changes_that_fit_no_graph_are_refused(shelf, spoil, told):
    after = shelf.copy()
    after.remove_edge(2, Relation.ON, 1)
    after.add_edge(2, Relation.UNDER, 1)
    data = sent(changes(shelf, after))
    spoil(data)
    with pytest.raises(BadInput, match=told):
        made_of(shelf, data)


def test_an_order_that_no_graph_can_have_is_refused(listings):
    nodes = [Node(i, "thing", Kind.OBJECT, i) for i in range(1, 5)]
    crossed = [Edge(1, Relation.ON, 3), Edge(2, Relation.ON, 4), Edge(1, Relation.ON, 4)]
    data = sent(changes(None, SceneGraph(nodes, [*crossed, Edge(2, Relation.ON, 3)])))
    assert listings(made_of(SceneGraph(), data))
    for _, listing in data["in"]:
        listing.reverse()
    with pytest.raises(BadInput, match="do not fit together"):
        made_of(SceneGraph(), data)
