"""Corrected actions can be carried out on the graph that they were corrected on."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Node, Relation, State
from peephole.skills.actions import Action, Verb, close, go_to, open_, pick_up, put, turn_on
from peephole.skills.correction import correct, rearrange
from peephole.skills.dynamics import achieved, check, legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Reason

ONE_HAND = Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))
KITCHEN, HALL, TABLE, FRIDGE, BOX, APPLE, PEAR, AGENT, LAMP = range(1, 10)


def house(*, holding: int | None = None) -> SceneGraph:
    """An apple in a closed box in the closed fridge, a pear on the table in the other room."""

    def node(node_id, category, kind, can="", states=""):
        return Node(
            node_id,
            category,
            kind,
            node_id,
            frozenset(map(State, states.split())),
            frozenset(map(Affordance, can.split())),
        )

    graph = SceneGraph(
        [
            node(KITCHEN, "kitchen", Kind.ROOM),
            node(HALL, "hall", Kind.ROOM),
            node(TABLE, "table", Kind.FIXTURE, "surface"),
            node(FRIDGE, "fridge", Kind.FIXTURE, "container openable", "closed"),
            node(BOX, "box", Kind.OBJECT, "container openable graspable", "closed"),
            node(APPLE, "apple", Kind.OBJECT, "graspable"),
            node(PEAR, "pear", Kind.OBJECT, "graspable"),
            node(AGENT, "character", Kind.AGENT),
            node(LAMP, "lamp", Kind.FIXTURE, "switchable", "off"),
        ],
        [
            (TABLE, Relation.INSIDE, HALL),
            (LAMP, Relation.INSIDE, HALL),
            (FRIDGE, Relation.INSIDE, KITCHEN),
            (BOX, Relation.INSIDE, FRIDGE),
            (APPLE, Relation.INSIDE, BOX),
            (AGENT, Relation.INSIDE, HALL),
        ],
    )
    if holding is None:
        graph.add_edge(PEAR, Relation.ON, TABLE)
    else:
        graph.detach(holding)
        graph.add_edge(AGENT, Relation.HOLDS, holding)
    return graph


def carried_out(graph, correction, body=ONE_HAND):
    """The graph after the actions, all of which are possible."""
    after = graph.copy()
    assert correction.failure is None
    for action in correction.actions:
        assert step(after, action, body) is None, action
    return after


def test_a_possible_action_stays_as_it_is():
    graph = house()
    assert correct(go_to(TABLE), graph, ONE_HAND).actions == (go_to(TABLE),)
    assert correct(go_to(TABLE), graph, ONE_HAND).added == ()


def test_going_there_is_inserted():
    found = correct(turn_on(LAMP), house(), ONE_HAND)
    assert found.actions == (go_to(LAMP), turn_on(LAMP))
    assert found.added == ("go_to (not_close)",)


def test_containers_are_opened_from_the_outside_in():
    found = correct(pick_up(APPLE), house(), ONE_HAND)
    assert found.actions == (go_to(FRIDGE), open_(FRIDGE), open_(BOX), pick_up(APPLE))
    assert APPLE in carried_out(house(), found).held(AGENT)


def test_hands_are_freed_at_the_nearest_surface():
    graph = house(holding=PEAR)
    found = correct(pick_up(APPLE), graph, ONE_HAND)
    assert put(PEAR, Relation.ON, TABLE) in found.actions
    after = carried_out(graph, found)
    assert after.held(AGENT) == [APPLE]
    assert after.places(PEAR) == [(Relation.ON, TABLE)]


def test_rearranging_opens_first_where_that_saves_laying_aside():
    graph = house()
    found = rearrange(PEAR, Relation.INSIDE, FRIDGE, graph, ONE_HAND)
    assert found.actions == (
        go_to(FRIDGE),
        open_(FRIDGE),
        go_to(TABLE),
        pick_up(PEAR),
        go_to(FRIDGE),
        put(PEAR, Relation.INSIDE, FRIDGE),
    )
    assert carried_out(graph, found).places(PEAR) == [(Relation.INSIDE, FRIDGE)]


def test_what_is_in_hand_already_is_laid_aside_to_open():
    graph = house(holding=PEAR)
    found = rearrange(PEAR, Relation.INSIDE, FRIDGE, graph, ONE_HAND)
    assert carried_out(graph, found).places(PEAR) == [(Relation.INSIDE, FRIDGE)]


def test_two_hands_carry_through_an_open_door():
    found = rearrange(PEAR, Relation.INSIDE, FRIDGE, house(), Embodiment())
    assert found.actions == (
        go_to(TABLE),
        pick_up(PEAR),
        go_to(FRIDGE),
        open_(FRIDGE),
        put(PEAR, Relation.INSIDE, FRIDGE),
    )


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (open_(TABLE), Reason.NOT_OPENABLE),
        (pick_up(TABLE), Reason.NOT_GRASPABLE),
        (close(FRIDGE), Reason.ALREADY_CLOSED),
        (put(PEAR, Relation.INSIDE, TABLE), Reason.NOT_A_CONTAINER),
        (put(PEAR, Relation.ON, PEAR), Reason.INTO_ITSELF),
        (pick_up(99), Reason.UNKNOWN),
    ],
)
def test_where_no_rule_helps_the_failure_is_reported_and_nothing_is_done(action, reason):
    found = correct(action, house(), ONE_HAND)
    assert found.failure is not None
    assert found.failure.reason is reason
    assert found.actions == ()


def test_what_nobody_knows_the_place_of_cannot_be_fetched():
    graph = house()
    graph.detach(PEAR)
    assert correct(pick_up(PEAR), graph, ONE_HAND).failure is not None


def test_the_graph_that_is_known_stays_as_it_is():
    graph = house()
    rearrange(APPLE, Relation.ON, TABLE, graph, ONE_HAND)
    assert graph == house()


@given(data=st.data())
def test_corrected_actions_can_all_be_done_and_achieve_the_last(house_strategy, data):
    graph = data.draw(house_strategy)
    body = Embodiment(
        hands=data.draw(st.integers(1, 2)), needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE})
    )
    things = st.sampled_from([node.id for node in graph.nodes()])
    verbs = [Verb.GO_TO, Verb.PICK_UP, Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF]
    if data.draw(st.booleans()):
        relation = data.draw(st.sampled_from([Relation.ON, Relation.INSIDE]))
        action = put(data.draw(things), relation, data.draw(things))
        found = rearrange(action.target, relation, action.place, graph, body)
    else:
        action = Action(data.draw(st.sampled_from(verbs)), data.draw(things))
        found = correct(action, graph, body)
    before = graph.copy()
    if found.failure is not None:
        assert found.actions == ()
        assert check(graph, action, body) is not None
        return
    after = carried_out(before, found, body)
    assert found.actions[-1] == action
    assert achieved(after, action)
    assert len(found.added) == len(found.actions) - 1
    assert all(one != other for one, other in pairwise(found.actions))
    if action in legal_actions(graph, body):
        assert found.actions == (action,)
