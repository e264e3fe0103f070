"""What actions need and do: typed failures in the documented order, and effects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import (
    Verb,
    close,
    go_to,
    look,
    open_,
    pick_up,
    plug_in,
    plug_out,
    put,
    slice_,
    turn_off,
    turn_on,
    wait,
)
from peephole.skills.dynamics import achieved, legal_actions, step, unachieved
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Reason
from peephole.skills.reach import bases, reach, reaches

BODY = Embodiment()
CAREFUL = Embodiment(needs_free_hand=frozenset(Verb))
IN, ON, UNDER = Relation.INSIDE, Relation.ON, Relation.UNDER


def reason(kitchen, action, body=BODY):
    """(reason, the thing it is about) of the failure; the graph must stay as it is."""
    before = kitchen.graph.copy()
    failure = step(kitchen.graph, action, body)
    assert failure is not None
    assert kitchen.graph == before
    return failure.reason, failure.thing


def does(kitchen, action, body=BODY):
    assert step(kitchen.graph, action, body) is None
    assert achieved(kitchen.graph, action)


# --- approaching -------------------------------------------------------------------------------


def test_a_body_that_approaches_goes_to_what_it_acts_on(kitchen):
    k, body = kitchen, Embodiment(hands=1, approaches=True)
    does(k, go_to(k.fridge))
    assert reason(k, pick_up(k.apple)) == (Reason.NOT_CLOSE, k.apple)
    does(k, pick_up(k.apple), body)
    assert k.graph.targets(k.agent, Relation.CLOSE) == [k.table]
    does(k, open_(k.fridge), body)
    does(k, put(k.apple, IN, k.fridge), body)
    assert k.graph.targets(k.agent, Relation.CLOSE) == [k.fridge]
    assert reason(k, pick_up(k.statue), body) == (Reason.NOT_CLOSE, k.statue)  # in another room


def test_only_a_body_that_approaches_is_offered_what_is_far(kitchen):
    k = kitchen
    does(k, go_to(k.fridge))
    far = pick_up(k.apple)
    assert far in legal_actions(k.graph, Embodiment(approaches=True))
    assert far not in legal_actions(k.graph, Embodiment())


# --- going -------------------------------------------------------------------------------------


def test_going_to_a_thing_brings_the_agent_to_its_base(kitchen):
    k = kitchen
    assert not reaches(k.graph, k.agent, k.statue)
    does(k, go_to(k.statue))
    assert k.graph.room_of(k.agent) == k.hall
    assert k.graph.targets(k.agent, Relation.CLOSE) == [k.statue]
    does(k, go_to(k.knife))
    assert k.graph.room_of(k.agent) == k.kitchen
    assert reach(k.graph, k.agent) == {k.table, k.apple, k.plate, k.knife, k.cup, k.microwave}


def test_in_the_middle_of_a_room_only_held_things_are_reached(kitchen):
    k = kitchen
    k.hold(k.plate)
    does(k, go_to(k.kitchen))
    assert reach(k.graph, k.agent) == {k.plate, k.knife}


def test_a_thing_with_two_parents_is_reached_at_the_base_of_both(kitchen):
    k = kitchen
    k.graph.add_edge(k.cup, ON, k.bench)
    assert set(bases(k.graph, k.cup)) == {k.table, k.bench}
    does(k, go_to(k.cup))
    assert {k.table, k.bench} <= reach(k.graph, k.agent)


def test_a_second_edge_to_the_room_is_no_base(kitchen):
    k = kitchen
    k.graph.add_edge(k.cup, IN, k.kitchen)
    assert bases(k.graph, k.cup) == [k.table]


def test_failures_of_going(kitchen):
    k = kitchen
    assert reason(k, go_to(99)) == (Reason.UNKNOWN, 99)
    assert reason(k, go_to(k.juice)) == (Reason.ENCLOSED, k.box)
    assert reason(k, go_to(k.box)) == (Reason.ENCLOSED, k.fridge)
    assert reason(k, go_to(k.agent)) == (Reason.NOT_SUPPORTED, k.agent)
    k.graph.detach(k.cup)
    assert reason(k, go_to(k.cup)) == (Reason.UNREACHABLE, k.cup)
    k.hold(k.plate)
    assert reason(k, go_to(k.plate)) == (Reason.HELD, k.plate)
    assert reason(k, go_to(k.knife)) == (Reason.HELD, k.knife)


# --- picking up --------------------------------------------------------------------------------


def test_failures_of_picking_up_in_order(kitchen):
    k = kitchen
    assert reason(k, pick_up(99)) == (Reason.UNKNOWN, 99)
    k.hold(k.apple, k.cup)
    k.place(k.statue, IN, k.fridge)
    assert reason(k, pick_up(k.apple)) == (Reason.HELD, k.apple)
    assert reason(k, pick_up(k.statue)) == (Reason.HANDS_FULL, None)
    does(k, put(k.cup, ON, k.table))
    assert reason(k, pick_up(k.statue)) == (Reason.NOT_CLOSE, k.statue)
    does(k, go_to(k.fridge))
    assert reason(k, pick_up(k.statue)) == (Reason.ENCLOSED, k.fridge)
    does(k, open_(k.fridge))
    assert reason(k, pick_up(k.statue)) == (Reason.NOT_GRASPABLE, k.statue)


def test_what_is_picked_up_carries_what_stands_on_it(kitchen):
    k = kitchen
    does(k, pick_up(k.plate))
    assert k.graph.places(k.plate) == []
    assert k.graph.places(k.knife) == [(ON, k.plate)]


def test_what_is_carried_leaves_the_other_places_that_kept_it(kitchen):
    """A pizza on a plate in the fridge has an edge to both; it must not stay in the fridge."""
    k = kitchen
    does(k, go_to(k.fridge))
    does(k, open_(k.fridge))
    k.place(k.plate, IN, k.fridge)
    k.graph.add_edge(k.knife, IN, k.fridge)
    does(k, pick_up(k.plate))
    does(k, close(k.fridge))
    assert k.graph.places(k.knife) == [(ON, k.plate)]
    does(k, pick_up(k.knife))


def test_a_picked_up_thing_leaves_all_its_places(kitchen):
    k = kitchen
    k.graph.add_edge(k.cup, IN, k.kitchen)
    does(k, pick_up(k.cup))
    assert k.graph.places(k.cup) == []


def test_a_free_standing_thing_in_hand_is_no_place_to_stand_at(kitchen):
    k = kitchen
    k.place(k.cup, IN, k.kitchen)
    does(k, go_to(k.cup))
    does(k, pick_up(k.cup))
    assert k.graph.targets(k.agent, Relation.CLOSE) == []


@pytest.mark.parametrize("hands", [1, 2, 3])
def test_no_more_is_held_than_there_are_hands(kitchen, hands):
    k, body = kitchen, Embodiment(hands=hands)
    things = [k.apple, k.cup, k.knife, k.plate]
    for thing in things[:hands]:
        does(k, pick_up(thing), body)
    assert reason(k, pick_up(things[hands]), body) == (Reason.HANDS_FULL, None)


# --- putting -----------------------------------------------------------------------------------


def test_failures_of_putting_in_order(kitchen):
    k = kitchen
    assert reason(k, put(k.apple, IN, 99)) == (Reason.UNKNOWN, 99)
    assert reason(k, put(k.apple, IN, k.apple)) == (Reason.NOT_HELD, k.apple)
    k.hold(k.apple)
    assert reason(k, put(k.apple, IN, k.apple)) == (Reason.INTO_ITSELF, k.apple)
    assert reason(k, put(k.apple, IN, k.box)) == (Reason.NOT_CLOSE, k.box)
    does(k, go_to(k.fridge))
    assert reason(k, put(k.apple, IN, k.box)) == (Reason.ENCLOSED, k.fridge)
    assert reason(k, put(k.apple, ON, k.fridge)) == (Reason.NOT_A_SURFACE, k.fridge)
    assert reason(k, put(k.apple, IN, k.fridge)) == (Reason.CONTAINER_CLOSED, k.fridge)
    does(k, go_to(k.table))
    assert reason(k, put(k.apple, IN, k.table)) == (Reason.NOT_A_CONTAINER, k.table)
    full = Embodiment(capacity={"table": 3})
    assert reason(k, put(k.apple, ON, k.table), full) == (Reason.FULL, k.table)


def test_nothing_goes_into_what_it_carries(kitchen):
    k = kitchen
    k.hold(k.plate)
    k.place(k.box, ON, k.plate)
    k.graph.set_state(k.box, State.OPEN)
    assert reason(k, put(k.plate, IN, k.box)) == (Reason.INTO_ITSELF, k.plate)


def test_putting_into_and_onto_what_is_in_the_other_hand(kitchen):
    k = kitchen
    k.hold(k.apple, k.plate)
    does(k, put(k.apple, ON, k.plate))
    assert k.graph.places(k.apple) == [(ON, k.plate)]
    assert k.graph.held(k.agent) == [k.plate]


def test_a_place_takes_things_up_to_its_capacity(kitchen):
    k, body = kitchen, Embodiment(capacity={"plate": 2})
    k.hold(k.apple, k.cup)
    does(k, put(k.apple, ON, k.plate), body)
    assert reason(k, put(k.cup, ON, k.plate), body) == (Reason.FULL, k.plate)


def test_putting_under(kitchen):
    k = kitchen
    k.hold(k.apple)
    does(k, put(k.apple, UNDER, k.table))
    assert k.graph.places(k.apple) == [(UNDER, k.table)]


# --- opening, switching, plugging, slicing -------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "lacking", "done", "state"),
    [
        (open_, Reason.NOT_OPENABLE, Reason.ALREADY_OPEN, State.OPEN),
        (close, Reason.NOT_OPENABLE, Reason.ALREADY_CLOSED, State.CLOSED),
        (turn_on, Reason.NOT_SWITCHABLE, Reason.ALREADY_ON, State.ON),
        (turn_off, Reason.NOT_SWITCHABLE, Reason.ALREADY_OFF, State.OFF),
        (plug_in, Reason.NOT_PLUGGABLE, Reason.ALREADY_PLUGGED_IN, State.PLUGGED_IN),
        (plug_out, Reason.NOT_PLUGGABLE, Reason.ALREADY_PLUGGED_OUT, State.PLUGGED_OUT),
        (slice_, Reason.NOT_SLICEABLE, Reason.ALREADY_SLICED, State.SLICED),
    ],
)
def test_failures_of_handling_in_order(kitchen, make, lacking, done, state):
    k = kitchen
    able = k.apple if make is slice_ else k.microwave
    k.graph.set_state(able, state)
    k.hold(k.knife, k.plate)
    k.place(k.cup, IN, k.fridge)
    assert reason(k, make(99), CAREFUL) == (Reason.UNKNOWN, 99)
    assert reason(k, make(k.cup), CAREFUL) == (Reason.HANDS_FULL, None)
    assert reason(k, make(k.cup)) == (Reason.NOT_CLOSE, k.cup)
    does(k, go_to(k.fridge))
    assert reason(k, make(k.cup)) == (Reason.ENCLOSED, k.fridge)
    does(k, open_(k.fridge))
    assert reason(k, make(k.cup)) == (lacking, k.cup)
    does(k, go_to(able))
    assert reason(k, make(able)) == (done, able)
    assert reason(k, make(able), CAREFUL) == (done, able)


def test_a_body_that_needs_no_free_hand_opens_with_full_hands(kitchen):
    k = kitchen
    k.hold(k.apple, k.cup)
    does(k, go_to(k.fridge))
    assert reason(k, open_(k.fridge), CAREFUL)[0] is Reason.HANDS_FULL
    does(k, open_(k.fridge))


def test_a_running_thing_is_neither_opened_nor_unplugged(kitchen):
    k = kitchen
    does(k, turn_on(k.microwave))
    assert reason(k, open_(k.microwave)) == (Reason.STILL_ON, k.microwave)
    assert reason(k, plug_out(k.microwave)) == (Reason.STILL_ON, k.microwave)
    does(k, turn_off(k.microwave))
    does(k, plug_out(k.microwave))
    assert reason(k, turn_on(k.microwave)) == (Reason.UNPLUGGED, k.microwave)
    does(k, plug_in(k.microwave))
    does(k, turn_on(k.microwave))


def test_a_state_that_was_not_given_is_not_guessed(kitchen):
    """A switch that is neither on nor off can be brought into either state."""
    k = kitchen
    node = replace(k.graph[k.microwave], states=frozenset())
    k.graph.replace_node(node)
    for action in (turn_off(node.id), turn_on(node.id)):
        does(k, action)


def test_slicing_needs_a_knife_in_hand_unless_the_body_needs_none(kitchen):
    k = kitchen
    assert reason(k, slice_(k.apple)) == (Reason.NO_TOOL, None)
    does(k, slice_(k.apple), Embodiment(needs_tool=False))
    assert State.SLICED in k.graph[k.apple].states


def test_a_knife_within_reach_is_not_in_hand(kitchen):
    k = kitchen
    assert reaches(k.graph, k.agent, k.knife)
    assert reason(k, slice_(k.apple))[0] is Reason.NO_TOOL
    does(k, pick_up(k.knife))
    does(k, slice_(k.apple))


@pytest.mark.parametrize("action", [look(), wait()])
def test_looking_around_and_waiting_change_nothing(kitchen, action):
    before = kitchen.graph.copy()
    does(kitchen, action)
    assert kitchen.graph == before


def test_an_action_is_not_achieved_while_its_state_is_missing(kitchen):
    k = kitchen
    for action in (
        go_to(k.hall),
        go_to(k.statue),
        pick_up(k.cup),
        put(k.cup, IN, k.fridge),
        put(k.cup, IN, k.table),
        open_(k.fridge),
        turn_on(k.microwave),
        slice_(k.apple),
        pick_up(99),
    ):
        assert not achieved(k.graph, action)
        assert unachieved(k.graph, action)
    assert (
        unachieved(k.graph, put(k.cup, IN, k.fridge))
        == f"cup ({k.cup}) is not inside fridge ({k.fridge})"
    )
    assert unachieved(k.graph, open_(k.fridge)) == f"fridge ({k.fridge}) is not open"
    assert unachieved(k.graph, pick_up(99)) == "the thing 99 is gone"


def test_another_agent_acts_for_itself(kitchen):
    k = kitchen
    graph = k.graph
    other = 50
    graph.add_node(replace(graph[k.agent], id=other))
    graph.add_edge(other, IN, k.hall)
    assert step(graph, pick_up(k.cup), BODY, other) == Failure(Reason.NOT_CLOSE, k.cup)
    assert step(graph, go_to(k.cup), BODY, other) is None
    assert step(graph, pick_up(k.cup), BODY, other) is None
    assert graph.held(other) == [k.cup]
    assert graph.held(k.agent) == []
    assert achieved(graph, pick_up(k.cup), other)
    assert not achieved(graph, pick_up(k.cup))
