"""The scene graph does what plain sets would do, and tells where things are."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.errors import BadInput
from peephole.scene_graph.graph import SceneGraph, UnknownNode
from peephole.scene_graph.node import (
    OPPOSITE,
    PLACEMENTS,
    Edge,
    Kind,
    Node,
    Relation,
    State,
)

IDS = range(1, 5)  # few, so that steps meet


@dataclass
class Sets:
    """The same graph as plain sets, with every answer computed from scratch."""

    nodes: dict[int, Node] = field(default_factory=dict)
    edges: set[Edge] = field(default_factory=set)

    def copy(self) -> Sets:
        return Sets(dict(self.nodes), set(self.edges))

    def placed(self) -> set[tuple[int, int]]:
        return {(s, t) for s, relation, t in self.edges if relation in PLACEMENTS}

    def above(self, node_id: int) -> set[int]:
        """All places of a node by growing a set until nothing is added."""
        found = {node_id}
        while True:
            more = {place for thing, place in self.placed() if thing in found} - found
            if not more:
                return found - {node_id}
            found |= more

    def below(self, place: int) -> set[int]:
        return {node_id for node_id in self.nodes if place in self.above(node_id)} - {place}

    def is_inside(self, node_id: int, place: int) -> bool:
        chain = {node_id} | self.above(node_id)
        return any(Edge(thing, Relation.INSIDE, place) in self.edges for thing in chain)

    def closed_containers(self, node_id: int) -> set[int]:
        return {
            place
            for place, node in self.nodes.items()
            if State.CLOSED in node.states and self.is_inside(node_id, place)
        }


def assert_same(graph: SceneGraph, sets: Sets) -> None:
    assert {node.id: node for node in graph.nodes()} == sets.nodes
    assert len(graph) == len(sets.nodes)
    assert set(graph.edges()) == sets.edges
    assert len(list(graph.edges())) == len(sets.edges)
    assert graph == SceneGraph(sets.nodes.values(), sets.edges)
    for one in IDS:
        assert (one in graph) == (one in sets.nodes)
        assert graph.get(one) == sets.nodes.get(one)
        assert set(graph.outgoing(one)) == {(r, t) for s, r, t in sets.edges if s == one}
        assert set(graph.incoming(one)) == {(r, s) for s, r, t in sets.edges if t == one}
        assert set(graph.above(one)) == sets.above(one)
        assert set(graph.below(one)) == sets.below(one)
        assert sorted(graph.contents(one)) == sorted({s for s, t in sets.placed() if t == one})
        hiding = sets.closed_containers(one)
        assert graph.closed_around(one) in (hiding or {None})
        for relation in Relation:
            targets = {t for s, r, t in sets.edges if (s, r) == (one, relation)}
            sources = {s for s, r, t in sets.edges if (r, t) == (relation, one)}
            assert set(graph.targets(one, relation)) == targets
            assert set(graph.sources(one, relation)) == sources
        for other in IDS:
            assert graph.is_inside(one, other) == sets.is_inside(one, other)
            for relation in Relation:
                edge = Edge(one, relation, other)
                assert graph.has_edge(*edge) == (edge in sets.edges)


NODES = st.builds(
    Node,
    st.sampled_from(IDS),
    st.just("thing"),
    st.sampled_from([Kind.OBJECT, Kind.AGENT]),
    st.just("x"),
    st.sampled_from([frozenset(), frozenset({State.CLOSED})]),
)
EDGES = st.builds(Edge, st.sampled_from(IDS), st.sampled_from(Relation), st.sampled_from(IDS))
STEPS = st.one_of(
    st.tuples(st.just("add node"), NODES),
    st.tuples(st.just("replace node"), NODES),
    st.tuples(st.just("remove node"), st.sampled_from(IDS)),
    st.tuples(st.just("add edge"), EDGES),
    st.tuples(st.just("add edge"), EDGES),
    st.tuples(st.just("remove edge"), EDGES),
    st.tuples(st.just("set state"), st.tuples(st.sampled_from(IDS), st.sampled_from(State))),
    st.tuples(st.just("detach"), st.sampled_from(IDS)),
)


COPY = ("copy", None)


def do(graph: SceneGraph, sets: Sets, step: str, argument: object) -> None:
    """Do one step on both; what the sets cannot do, the graph must refuse."""
    match step, argument:
        case "add node", Node() as node:
            if node.id in sets.nodes:
                with pytest.raises(BadInput, match=f"already has a node {node.id}"):
                    graph.add_node(node)
            else:
                graph.add_node(node)
                sets.nodes[node.id] = node
        case "replace node", Node() as node if node.id in sets.nodes:
            graph.replace_node(node)
            sets.nodes[node.id] = node
        case "remove node", int(node_id) if node_id in sets.nodes:
            graph.remove_node(node_id)
            del sets.nodes[node_id]
            sets.edges = {e for e in sets.edges if node_id not in (e.source, e.target)}
        case "add edge", Edge() as edge:
            if edge.source in sets.nodes and edge.target in sets.nodes:
                graph.add_edge(*edge)
                sets.edges.add(edge)
            else:
                with pytest.raises(UnknownNode):
                    graph.add_edge(*edge)
        case "remove edge", Edge() as edge:
            graph.remove_edge(*edge)
            sets.edges.discard(edge)
        case "set state", (node_id, state) if node_id in sets.nodes:
            graph.set_state(node_id, state)
            node = sets.nodes[node_id]
            states = node.states - {OPPOSITE.get(state)} | {state}
            sets.nodes[node_id] = Node(node.id, node.category, node.kind, node.native_id, states)
        case "detach", int(node_id):
            graph.detach(node_id)
            sets.edges = {
                e
                for e in sets.edges
                if not (e.source == node_id and e.relation in PLACEMENTS)
                and not (e.target == node_id and e.relation is Relation.HOLDS)
            }
        case "replace node", node:
            with pytest.raises(UnknownNode):
                graph.replace_node(node)
        case "remove node", node_id:
            with pytest.raises(UnknownNode):
                graph.remove_node(node_id)
        case "set state", (node_id, state):
            with pytest.raises(UnknownNode):
                graph.set_state(node_id, state)


@given(data=st.data())
def test_graph_and_all_its_copies_behave_like_sets(data):
    worlds = [(SceneGraph(), Sets())]
    for node_id in IDS[1:]:
        do(*worlds[0], "add node", Node(node_id, "thing", Kind.OBJECT, "x"))
    for step in data.draw(st.lists(STEPS | st.just(COPY), min_size=5, max_size=30)):
        graph, sets = data.draw(st.sampled_from(worlds))
        if step == COPY:
            worlds.append((graph.copy(), sets.copy()))
        else:
            do(graph, sets, *step)
    for graph, sets in worlds:
        assert_same(graph, sets)


@given(data=st.data())
def test_inside_closes_over_supports(house_strategy, data):
    """What is on, under, attached to or inside something inside a place is inside the place."""
    house = data.draw(house_strategy)
    for thing, relation, place in house.edges():
        if relation not in PLACEMENTS:
            continue
        for around in house.nodes():
            if house.is_inside(place, around.id):
                assert house.is_inside(thing, around.id)
        assert relation is not Relation.INSIDE or house.is_inside(thing, place)
        if house.places(thing) == [(Relation.ON, place)]:
            assert not house.is_inside(thing, place)


@given(data=st.data())
def test_every_thing_of_a_house_is_in_one_room_and_held_things_go_with_the_agent(
    house_strategy, data
):
    house = data.draw(house_strategy)
    agent = house.agent().id
    (at,) = house.targets(agent, Relation.INSIDE)
    assert house.room_of(agent) == at
    for held in house.held(agent):
        assert house.holder(held) == agent
        for thing in (held, *house.below(held)):
            assert house.room_of(thing) == at
    for room in house.nodes(Kind.ROOM):
        assert house.room_of(room.id) == room.id
        for thing in house.below(room.id):
            assert house.room_of(thing) == room.id
            assert house.is_inside(thing, room.id)


def kitchen() -> SceneGraph:
    """A kitchen with a closed fridge, in it a closed box with a coin, and a tray on the fridge."""
    return SceneGraph(
        [
            Node(1, "kitchen", Kind.ROOM, 1),
            Node(2, "fridge", Kind.FIXTURE, 2, frozenset({State.CLOSED})),
            Node(3, "box", Kind.OBJECT, 3, frozenset({State.CLOSED})),
            Node(4, "coin", Kind.OBJECT, 4),
            Node(5, "tray", Kind.OBJECT, 5),
            Node(6, "plate", Kind.OBJECT, 6),
            Node(7, "character", Kind.AGENT, 7),
        ],
        [
            Edge(2, Relation.INSIDE, 1),
            Edge(3, Relation.INSIDE, 2),
            Edge(4, Relation.INSIDE, 3),
            Edge(5, Relation.ON, 2),
            Edge(6, Relation.ON, 5),
            Edge(7, Relation.INSIDE, 1),
        ],
    )


def test_nested_closed_containers_hide_one_after_the_other():
    graph = kitchen()
    assert graph.closed_around(4) == 3
    graph.set_state(3, State.OPEN)
    assert graph.closed_around(4) == 2
    graph.set_state(2, State.OPEN)
    assert graph.closed_around(4) is None


def test_on_top_of_a_closed_container_is_in_plain_sight():
    graph = kitchen()
    assert graph.closed_around(6) is None
    graph.add_edge(6, Relation.INSIDE, 1)
    assert graph.closed_around(6) is None


def test_one_closed_parent_of_several_hides():
    graph = kitchen()
    graph.add_edge(6, Relation.INSIDE, 3)
    assert graph.places(6) == [(Relation.ON, 5), (Relation.INSIDE, 3)]
    assert graph.closed_around(6) == 3
    graph.set_state(3, State.OPEN)
    assert graph.closed_around(6) == 2  # the box stands in the closed fridge
    graph.detach(6)
    assert graph.closed_around(6) is None


def test_on_a_box_on_a_table_is_not_inside_either_but_in_the_room():
    graph = kitchen()
    assert not graph.is_inside(6, 2)
    assert not graph.is_inside(6, 5)
    assert graph.is_inside(6, 1)
    assert not graph.is_inside(5, 5)


def test_carried_things_are_where_the_agent_is():
    graph = kitchen()
    graph.detach(5)
    graph.add_edge(7, Relation.HOLDS, 5)
    assert graph.places(5) == []
    assert graph.room_of(6) == 1  # on the tray in the agent's hand
    assert not graph.is_inside(6, 1)  # but kept by no room while it is carried
    graph.detach(7)
    assert graph.room_of(6) is None


def test_detached_things_are_in_no_place_and_no_hand():
    graph = kitchen()
    graph.add_edge(7, Relation.HOLDS, 6)
    graph.detach(6)
    assert graph.places(6) == []
    assert graph.holder(6) is None
    assert graph.held(7) == []


def test_a_removed_node_may_come_back_without_its_old_relations():
    graph = kitchen()
    coin = graph[4]
    graph.remove_node(3)
    assert graph.places(4) == []
    graph.add_node(Node(3, "box", Kind.OBJECT, 3))
    assert graph.contents(3) == []
    graph.add_edge(4, Relation.INSIDE, 3)
    assert graph.is_inside(4, 3)
    assert graph[4] is coin


def test_an_agent_on_what_it_carries_has_no_room():
    """A broken simulator state must not make room_of hang."""
    graph = kitchen()
    graph.detach(5)
    graph.detach(7)
    graph.add_edge(7, Relation.HOLDS, 5)
    graph.add_edge(7, Relation.ON, 5)
    assert graph.room_of(5) is None


def test_opposite_states_end():
    graph = kitchen()
    graph.set_state(2, State.ON)
    graph.set_state(2, State.OPEN)
    assert graph[2].states == {State.ON, State.OPEN}
    graph.set_state(2, State.OFF)
    assert graph[2].states == {State.OFF, State.OPEN}


def test_unknown_nodes_are_named():
    graph = kitchen()
    with pytest.raises(BadInput, match="no node 99"):
        graph[99]
    with pytest.raises(BadInput, match="no node 99"):
        graph.add_edge(1, Relation.ON, 99)
    with pytest.raises(BadInput, match="no agent"):
        SceneGraph().agent()
    with pytest.raises(BadInput, match="no node 99"):
        graph.room_of(99)
    assert graph.get(99) is None
