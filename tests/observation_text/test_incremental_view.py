"""Incremental views equal recomputed views, for any events in any house."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.incremental_view import IncrementalView
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.graph import Outgoing, SceneGraph
from peephole.scene_graph.node import PLACEMENTS, Edge, Kind, Node, Relation, State
from peephole.skills.actions import PUT_RELATIONS, go_to
from peephole.skills.dynamics import legal_actions, step
from peephole.skills.embodiment import Embodiment

BODY = Embodiment()
PROFILES = st.sampled_from([Visibility.ROOM, Visibility.NEAR])


def assert_up_to_date(sight: IncrementalView, graph: SceneGraph, profile: Visibility) -> None:
    kept, fresh = sight.view(), visible(graph, profile)
    rooms = [room.id for room in graph.nodes(Kind.ROOM)]
    told = [sorted(kept.visible_from_afar(room)) for room in rooms]  # before there is a graph
    assert told == [sorted(fresh.visible_from_afar(room)) for room in rooms]
    assert sorted(kept.within_reach()) == sorted(fresh.within_reach())
    assert kept.agent() == fresh.agent()
    assert kept.held() == fresh.held()
    assert sorted(kept.worn()) == sorted(fresh.worn())
    for node in graph.nodes():
        assert kept.get(node.id) == fresh.get(node.id)
    for nodes, outgoing in ((part.nodes, part.outgoing) for part in kept.parts):
        for node_id, node in nodes.items():
            assert fresh.get(node_id) == node
            assert kept_places(outgoing.get(node_id, ())) == fresh.graph.places(node_id)
    assert {i for part in kept.parts for i in part.nodes} == set(fresh.graph.by_id)
    assert kept.graph == fresh.graph
    assert kept.graph.room_ids == fresh.graph.room_ids
    assert kept.graph.agent() == fresh.graph.agent()
    assert list(kept.covered.items()) == list(fresh.covered.items())
    # listings come in the order in which they would come if one began to look only now
    now = IncrementalView(graph.copy(), profile).view()
    assert [n.id for n in kept.graph.nodes()] == [n.id for n in now.graph.nodes()]
    for node in now.graph.nodes():
        assert kept.graph.outgoing(node.id) == now.graph.outgoing(node.id)
        assert list(kept.graph.incoming(node.id)) == list(now.graph.incoming(node.id))
        assert kept.graph.below(node.id) == now.graph.below(node.id)


def kept_places(pairs: Outgoing) -> list[tuple[Relation, int]]:
    return [pair for pair in pairs if pair[0] in PLACEMENTS]


@given(data=st.data(), profile=PROFILES)
def test_views_follow_what_is_done(data, profile, house_strategy):
    graph = data.draw(house_strategy)
    sight = IncrementalView(graph, profile)
    assert_up_to_date(sight, graph, profile)
    for _ in range(data.draw(st.integers(1, 12))):
        legal = legal_actions(graph, BODY)
        if not legal:
            return
        step(graph, data.draw(st.sampled_from(legal)), BODY)
        assert_up_to_date(sight, graph, profile)


@given(data=st.data(), profile=PROFILES)
def test_views_follow_any_change_of_the_graph(data, profile, house_strategy):
    """Also one that no action makes: several parents, doors that close by themselves, news."""
    graph = data.draw(house_strategy)
    sight = IncrementalView(graph, profile)
    me = graph.agent().id
    for _ in range(data.draw(st.integers(1, 12))):
        change(data, graph, me)
        if data.draw(st.booleans()):
            assert_up_to_date(sight, graph, profile)
    assert_up_to_date(sight, graph, profile)


def change(data, graph: SceneGraph, me: int) -> None:
    nodes = [node.id for node in graph.nodes()]
    thing = data.draw(st.sampled_from(nodes))
    how = data.draw(st.sampled_from(["state", "relate", "part", "detach", "remove", "add", "go"]))
    if how == "state":
        graph.set_state(thing, data.draw(st.sampled_from([State.OPEN, State.CLOSED, State.ON])))
    elif how == "relate":
        place = data.draw(st.sampled_from(nodes))
        relation = data.draw(st.sampled_from([*PUT_RELATIONS, Relation.CLOSE, Relation.FACING]))
        acyclic = place != thing and thing not in graph.above(place)
        if acyclic and graph[thing].kind in (Kind.FIXTURE, Kind.OBJECT):
            graph.add_edge(thing, relation, place)
    elif how == "part" and graph.outgoing(thing) and thing != me:
        graph.remove_edge(thing, *data.draw(st.sampled_from(graph.outgoing(thing))))
    elif how == "detach" and thing != me:
        graph.detach(thing)
    elif how == "remove" and graph[thing].kind is Kind.OBJECT:
        graph.remove_node(thing)
    elif how == "add":
        kind = data.draw(st.sampled_from([Kind.FIXTURE, Kind.OBJECT, Kind.ROOM]))
        graph.add_node(Node(max(nodes) + 1, "thing", kind, "new"))
        if kind is not Kind.ROOM:
            graph.add_edge(max(nodes) + 1, Relation.ON, thing)
    elif how == "go":
        step(graph, go_to(thing), BODY)


@given(data=st.data(), profile=PROFILES)
def test_a_view_stays_what_it_was(data, profile, house_strategy):
    graph = data.draw(house_strategy)
    sight = IncrementalView(graph, profile)
    view = sight.view()
    before = view.graph.copy()
    covered = dict(view.covered)
    for action in legal_actions(graph, BODY)[:5]:
        step(graph, action, BODY)
        later = sight.view().graph
        for node in list(later.nodes()):
            later.detach(node.id)
    assert view.graph == before
    assert view.covered == covered
    assert_up_to_date(sight, graph, profile)


def test_a_thing_of_two_places_stands_free_when_only_the_room_is_in_sight():
    rooms = [Node(i, "room", Kind.ROOM, i) for i in (1, 2)]
    me, desk = Node(3, "character", Kind.AGENT, 3), Node(4, "desk", Kind.FIXTURE, 4)
    cable = Node(5, "cable", Kind.OBJECT, 5)
    edges = [
        Edge(3, Relation.INSIDE, 1),
        Edge(4, Relation.INSIDE, 2),
        Edge(5, Relation.INSIDE, 1),
        Edge(5, Relation.ON, 4),
        Edge(3, Relation.CLOSE, 5),
    ]
    graph = SceneGraph([*rooms, me, desk, cable], edges)
    sight = IncrementalView(graph, Visibility.NEAR)
    assert sight.view().visible_from_afar(1) == [5]
    assert_up_to_date(sight, graph, Visibility.NEAR)


def test_the_camera_profile_is_the_simulators_to_tell(house):
    with pytest.raises(ValueError, match="camera"):
        IncrementalView(house, Visibility.CAMERA)
