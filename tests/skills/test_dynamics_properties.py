"""Whatever is done in whatever house: it stays well formed, and only what was acted on changes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Relation
from peephole.skills.actions import PUT_RELATIONS, Action, Verb, go_to, put
from peephole.skills.dynamics import achieved, check, legal_actions, reach, reaches, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Reason

BODY = Embodiment()


def draw_action(data, graph: SceneGraph) -> Action:
    """A legal action half of the time, else any on the nodes there are."""
    legal = legal_actions(graph, BODY)
    if legal and data.draw(st.booleans()):
        return data.draw(st.sampled_from(legal))
    thing = st.sampled_from([node.id for node in graph.nodes()])
    verb = data.draw(st.sampled_from(list(Verb)))
    if verb is Verb.PUT:
        return put(data.draw(thing), data.draw(st.sampled_from(PUT_RELATIONS)), data.draw(thing))
    return Action(verb, None if verb is Verb.WAIT else data.draw(thing))


def draw_body(data) -> Embodiment:
    return Embodiment(
        hands=data.draw(st.integers(1, 3)),
        needs_free_hand=data.draw(st.sampled_from([frozenset(), frozenset(Verb)])),
        capacity=data.draw(st.sampled_from([{}, {"fridge": 1, "plate": 1}])),
        needs_tool=data.draw(st.booleans()),
    )


def assert_well_formed(graph: SceneGraph, held_at_most: int) -> None:
    me = graph.agent().id
    assert len(graph.held(me)) <= held_at_most
    assert [graph[p].kind for _, p in graph.places(me)] == [Kind.ROOM]
    for node in graph.nodes():
        above = set(graph.above(node.id))
        assert not any(node.id in graph.above(place) for place in above), "inside itself"
        holders = graph.sources(node.id, Relation.HOLDS)
        assert len(holders) <= 1, "in two hands"
        if node.kind is Kind.OBJECT:
            assert bool(graph.places(node.id)) != bool(holders), "in a place or in a hand"
            assert graph.room_of(node.id) is not None


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_effects_keep_a_house_well_formed(data, house_strategy):
    graph = data.draw(house_strategy)
    body = draw_body(data)
    held_at_most = max(body.hands, len(graph.held(graph.agent().id)))
    assert_well_formed(graph, held_at_most)
    for _ in range(data.draw(st.integers(1, 10))):
        action = draw_action(data, graph)
        before = graph.copy()
        expected = check(graph, action, body)
        assert graph == before, "checking changes nothing"
        assert step(graph, action, body) == expected
        if expected is not None:
            assert graph == before, "a failed step changes nothing"
        else:
            assert achieved(graph, action)
            assert_well_formed(graph, held_at_most)
            assert_nothing_else_changed(before, graph, action)


def assert_nothing_else_changed(before: SceneGraph, after: SceneGraph, action: Action) -> None:
    """A walk moves the agent; a hand moves one thing with what it carries; the rest sets states."""
    moved: set[int] = set()
    if action.verb is Verb.GO_TO:
        moved = {before.agent().id}
    elif action.verb in (Verb.PICK_UP, Verb.PUT):
        moved = {action.target, before.agent().id, *before.below(action.target)}
    assert {e for e in before.edges() if e.source not in moved} == {
        e for e in after.edges() if e.source not in moved
    }
    changed = [node.id for node in before.nodes() if after[node.id] != node]
    assert changed in ([], [action.target])
    if moved:
        assert not changed


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_legal_actions_are_all_that_check_admits(data, house_strategy):
    graph = data.draw(house_strategy)
    body = draw_body(data)
    nodes = [node.id for node in graph.nodes()]
    possible = {Action(verb, n) for verb in set(Verb) - {Verb.PUT, Verb.WAIT} for n in nodes}
    possible |= {
        put(thing, relation, place)
        for thing in graph.held(graph.agent().id)
        for place in nodes
        for relation in (Relation.INSIDE, Relation.ON)
    }
    expected = {
        action
        for action in possible
        if action.verb is not Verb.LOOK and check(graph, action, body) is None
    }
    legal = legal_actions(graph, body)
    assert set(legal) == expected
    assert len(legal) == len(expected)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_reach_is_told_the_same_of_one_thing_and_of_all(data, house_strategy):
    graph = data.draw(house_strategy)
    me = graph.agent().id
    assert reach(graph, me) == {n.id for n in graph.nodes() if reaches(graph, me, n.id)}


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_walking_to_anything_not_enclosed_brings_it_into_reach(data, house_strategy):
    graph = data.draw(house_strategy)
    me = graph.agent().id
    for node in graph.nodes():
        if node.kind in (Kind.FIXTURE, Kind.OBJECT) and graph.closed_around(node.id) is None:
            twin = graph.copy()
            failure = step(twin, go_to(node.id), BODY)
            if failure is not None:
                assert failure.reason is Reason.HELD
                continue
            assert reaches(twin, me, node.id)
            assert twin.room_of(me) == graph.room_of(node.id)
