"""Whatever is done in whatever house: it stays well formed, and only what was acted on changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import POSTURES, Edge, Kind, Relation
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    PUT_RELATIONS,
    WITH_PLACE,
    WITHOUT_TARGET,
    Action,
    Verb,
    go_to,
    pour,
    put,
)
from peephole.skills.dynamics import achieved, check, legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Reason
from peephole.skills.reach import all_in_sight, in_sight, reach, reaches

BODY = Embodiment()
POSTURE = (Verb.SIT, Verb.LIE_DOWN, Verb.STAND_UP)
CARRYING = (Verb.PICK_UP, Verb.PUT, Verb.DROP, Verb.POUR, Verb.PUT_ON, Verb.TAKE_OFF)


def draw_action(data, graph: SceneGraph) -> Action:
    """A legal action half of the time, else any on the nodes there are."""
    legal = legal_actions(graph, BODY)
    if legal and data.draw(st.booleans()):
        return data.draw(st.sampled_from(legal))
    thing = st.sampled_from([node.id for node in graph.nodes()])
    verb = data.draw(st.sampled_from(sorted(HOUSEHOLD_VERBS)))
    if verb is Verb.PUT:
        return put(data.draw(thing), data.draw(st.sampled_from(PUT_RELATIONS)), data.draw(thing))
    if verb is Verb.POUR:
        return pour(data.draw(thing), data.draw(thing))
    return Action(verb, None if verb in WITHOUT_TARGET else data.draw(thing))


def draw_body(data) -> Embodiment:
    return Embodiment(
        hands=data.draw(st.integers(1, 3)),
        needs_free_hand=data.draw(st.sampled_from([frozenset(), frozenset(Verb)])),
        capacity=data.draw(st.sampled_from([{}, {"fridge": 1, "plate": 1}])),
        needs_tool=data.draw(st.booleans()),
        seats=data.draw(st.sampled_from([{}, {Verb.SIT: {"sofa": 2}, Verb.LIE_DOWN: {}}])),
    )


def assert_well_formed(graph: SceneGraph, held_at_most: int) -> None:
    me = graph.agent().id
    assert len(graph.held(me)) <= held_at_most
    room, *seats = sorted(graph.places(me))
    assert room[0] is Relation.INSIDE
    assert graph[room[1]].kind is Kind.ROOM
    assert [relation for relation, _ in seats] in ([], [Relation.ON])
    assert len(graph[me].states & POSTURES) <= 1
    assert not seats or graph[me].states & POSTURES
    for node in graph.nodes():
        above = set(graph.above(node.id))
        assert not any(node.id in graph.above(place) for place in above), "inside itself"
        holders = graph.sources(node.id, Relation.HOLDS)
        assert len(holders) <= 1, "in two hands"
        if node.kind is Kind.OBJECT:
            assert bool(graph.places(node.id)) != bool(holders), "in a place or in a hand"
            assert graph.room_of(node.id) is not None


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
    """The agent moves and turns; a hand moves one thing with what it carries; the rest sets states.

    What is picked up stands side by side with nothing any more, and no seat faces it.
    """
    me = before.agent().id
    moved: set[int] = set()
    if action.verb in (*CARRYING, Verb.GO_TO, *POSTURE, Verb.TURN_TO, Verb.LOOK):
        moved = {me}
    if action.verb in CARRYING:
        moved |= {action.target, *before.below(action.target)}

    def others(graph: SceneGraph) -> set[Edge]:
        return {
            edge
            for edge in graph.edges()
            if edge.source not in moved
            and not (edge.relation in (Relation.CLOSE, Relation.FACING) and edge.target in moved)
        }

    assert others(before) == others(after)
    changed = [node.id for node in before.nodes() if after[node.id] != node]
    assert changed in ([], [me] if action.verb in POSTURE else [action.target])
    if moved and action.verb not in POSTURE:
        assert not changed


@given(data=st.data())
def test_legal_actions_are_all_that_check_admits(data, house_strategy):
    graph = data.draw(house_strategy)
    body = draw_body(data)
    nodes = [node.id for node in graph.nodes()]
    possible = {
        Action(verb, n) for verb in HOUSEHOLD_VERBS - WITHOUT_TARGET - WITH_PLACE for n in nodes
    }
    possible |= {Action(verb) for verb in WITHOUT_TARGET - {Verb.WAIT}}
    for thing in graph.held(graph.agent().id):
        for place in nodes:
            possible.add(pour(thing, place))
            possible |= {put(thing, how, place) for how in (Relation.INSIDE, Relation.ON)}
    expected = {action for action in possible if check(graph, action, body) is None}
    legal = legal_actions(graph, body)
    assert set(legal) == expected
    assert len(legal) == len(expected)


@given(data=st.data())
def test_reach_is_the_same_of_one_thing_and_of_all(data, house_strategy):
    graph = data.draw(house_strategy)
    me = graph.agent().id
    assert reach(graph, me) == {n.id for n in graph.nodes() if reaches(graph, me, n.id)}


@given(data=st.data())
def test_sight_is_the_same_of_one_thing_and_of_all(data, house_strategy):
    graph = data.draw(house_strategy)
    me = graph.agent().id
    expected = {n.id for n in graph.nodes() if in_sight(graph, me, n.id)}
    assert all_in_sight(graph, me) == expected


@given(data=st.data())
def test_walking_to_anything_not_enclosed_brings_it_into_reach(data, house_strategy):
    graph = data.draw(house_strategy)
    me = graph.agent().id
    for node in graph.nodes():
        if node.kind in (Kind.FIXTURE, Kind.OBJECT) and graph.closed_around(node.id) is None:
            twin = graph.copy()
            failure = step(twin, go_to(node.id), BODY)
            if failure is not None:
                assert failure.reason in (Reason.HELD, Reason.ON_BODY, Reason.SEATED)
                continue
            assert reaches(twin, me, node.id)
            assert twin.room_of(me) == graph.room_of(node.id)
