"""What VirtualHome's further verbs need and do: posture, the body, sight, washing, pouring."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.scene_graph.node import Affordance, Relation, State
from peephole.skills.actions import (
    Action,
    Verb,
    drink,
    drop,
    eat,
    go_to,
    greet,
    lie_down,
    look,
    move,
    pick_up,
    point_at,
    pour,
    pull,
    push,
    put,
    put_on,
    read,
    rinse,
    scrub,
    sit,
    sleep,
    squeeze,
    stand_up,
    take_off,
    touch,
    turn_to,
    type_,
    wake_up,
    wash,
    watch,
    wipe,
)
from peephole.skills.dynamics import achieved, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Reason
from peephole.skills.reach import bases, reach, reaches

BODY = Embodiment()
CAREFUL = Embodiment(needs_free_hand=frozenset(Verb))
IN, ON, CLOSE, FACING = Relation.INSIDE, Relation.ON, Relation.CLOSE, Relation.FACING


def reason(parlour, action, body=BODY):
    """(reason, the thing it is about) of the failure; the graph must stay as it is."""
    before = parlour.graph.copy()
    failure = step(parlour.graph, action, body)
    assert failure is not None
    assert parlour.graph == before
    return failure.reason, failure.thing


def does(parlour, *actions, body=BODY):
    for action in actions:
        assert step(parlour.graph, action, body) is None, action
        assert achieved(parlour.graph, action)


def changes_nothing(parlour, action, body=BODY):
    before = parlour.graph.copy()
    does(parlour, action, body=body)
    assert parlour.graph == before


# --- side by side --------------------------------------------------------------------------------


def test_what_stands_side_by_side_is_reached_together(parlour):
    p = parlour
    does(p, go_to(p.sofa))
    assert set(p.graph.targets(p.agent, CLOSE)) == {p.sofa, p.table, p.chair}
    assert reaches(p.graph, p.agent, p.cake)
    does(p, go_to(p.cake))
    assert set(p.graph.targets(p.agent, CLOSE)) == {p.table, p.sofa}, "one step further, no more"
    assert not reaches(p.graph, p.agent, p.chair)


def test_what_was_carried_off_stands_beside_nothing(parlour):
    p = parlour
    does(p, go_to(p.chair), pick_up(p.chair), go_to(p.hall), drop(p.chair))
    assert p.graph.targets(p.chair, CLOSE) == p.graph.targets(p.chair, FACING) == []
    does(p, go_to(p.sofa))
    assert not reaches(p.graph, p.agent, p.chair)


# --- posture -------------------------------------------------------------------------------------


def test_sitting_down_and_standing_up(parlour):
    p = parlour
    does(p, go_to(p.sofa), turn_to(p.cat), sit(p.sofa))
    assert p.graph[p.agent].states == {State.SITTING}
    assert set(p.graph.places(p.agent)) == {(IN, p.parlour), (ON, p.sofa)}
    assert set(p.graph.targets(p.agent, FACING)) == {p.cat, p.tv}, "and what the sofa faces"
    does(p, lie_down(p.sofa))
    assert p.graph[p.agent].states == {State.LYING}
    does(p, sit(p.chair))
    assert set(p.graph.places(p.agent)) == {(IN, p.parlour), (ON, p.chair)}
    does(p, stand_up())
    assert p.graph[p.agent].states == frozenset()
    assert p.graph.places(p.agent) == [(IN, p.parlour)]
    assert not achieved(p.graph, sit(p.chair))


def test_failures_of_sitting_and_lying(parlour):
    p = parlour
    assert reason(p, sit(p.chair)) == (Reason.NOT_CLOSE, p.chair)
    assert reason(p, sit(p.table)) == (Reason.UNSUITABLE, p.table)
    assert reason(p, lie_down(p.table)) == (Reason.UNSUITABLE, p.table)
    does(p, go_to(p.chair))
    assert reason(p, lie_down(p.chair)) == (Reason.UNSUITABLE, p.chair)
    does(p, pick_up(p.chair))
    assert reason(p, sit(p.chair)) == (Reason.HELD, p.chair)
    does(p, sit(p.sofa))
    assert reason(p, sit(p.sofa)) == (Reason.ALREADY_SITTING, None)
    does(p, lie_down(p.sofa))
    assert reason(p, lie_down(p.sofa)) == (Reason.ALREADY_LYING, None)


def test_a_seat_takes_so_many_and_no_more(parlour):
    p = parlour
    p.place(p.cat, ON, p.sofa)
    narrow = Embodiment(seats={Verb.SIT: {"sofa": 2}, Verb.LIE_DOWN: {}})
    assert reason(p, lie_down(p.sofa), narrow) == (Reason.OCCUPIED, p.sofa)
    does(p, sit(p.sofa), body=narrow)
    wide = Embodiment(seats={Verb.LIE_DOWN: {"sofa": 2}})
    does(p, lie_down(p.sofa), body=wide)
    does(p, stand_up())
    p.place(p.book, ON, p.sofa)
    assert reason(p, sit(p.sofa), narrow) == (Reason.OCCUPIED, p.sofa)
    does(p, sit(p.sofa))


def test_who_sits_does_not_walk_but_handles_what_is_near(parlour):
    p = parlour
    does(p, sit(p.sofa))
    assert reason(p, go_to(p.lamp)) == (Reason.SEATED, None)
    does(p, pick_up(p.book), put(p.book, ON, p.sofa), stand_up(), go_to(p.lamp))


def test_nobody_lifts_what_he_sits_on(parlour):
    p = parlour
    does(p, go_to(p.chair), sit(p.chair))
    assert reason(p, pick_up(p.chair)) == (Reason.IN_USE, p.chair)
    does(p, stand_up(), pick_up(p.chair))


def test_sleeping_is_done_sitting_or_lying(parlour):
    p = parlour
    for action in (sleep(), wake_up(), stand_up()):
        assert reason(p, action) == (Reason.NOT_SEATED, None)
    does(p, lie_down(p.sofa))
    changes_nothing(p, sleep())
    changes_nothing(p, wake_up())


# --- the body ------------------------------------------------------------------------------------


def test_the_body_is_always_in_reach_and_never_left(parlour):
    p = parlour
    does(p, go_to(p.hall))
    assert reach(p.graph, p.agent) == {p.hands}
    assert bases(p.graph, p.hands) == []
    assert reason(p, go_to(p.hands)) == (Reason.ON_BODY, p.hands)
    assert reason(p, pick_up(p.hands)) == (Reason.NOT_GRASPABLE, p.hands)
    does(p, wash(p.hands))
    assert State.CLEAN in p.graph[p.hands].states
    for action in (touch(p.agent), wash(p.agent), pick_up(p.agent)):
        assert reason(p, action) == (Reason.NOT_CLOSE, p.agent)


def test_clothes_are_put_on_out_of_the_hand_and_fall_when_taken_off(parlour):
    p = parlour
    assert reason(p, put_on(p.shirt)) == (Reason.NOT_HELD, p.shirt)
    assert reason(p, take_off(p.shirt)) == (Reason.NOT_WORN, p.shirt)
    does(p, pick_up(p.book))
    assert reason(p, put_on(p.book)) == (Reason.UNSUITABLE, p.book)
    does(p, pick_up(p.shirt), put_on(p.shirt), go_to(p.lamp))
    assert p.graph.places(p.shirt) == [(ON, p.agent)]
    assert p.graph.room_of(p.shirt) == p.hall
    assert reason(p, pick_up(p.shirt)) == (Reason.ON_BODY, p.shirt)
    assert reason(p, go_to(p.shirt)) == (Reason.ON_BODY, p.shirt)
    does(p, take_off(p.shirt))
    assert p.graph.places(p.shirt) == [(IN, p.hall)]
    does(p, pick_up(p.shirt))


def test_what_is_dropped_lies_at_the_agents_feet(parlour):
    p = parlour
    assert reason(p, drop(p.plate)) == (Reason.NOT_HELD, p.plate)
    does(p, pick_up(p.plate), go_to(p.lamp), drop(p.plate))
    assert p.graph.places(p.plate) == [(IN, p.hall)]
    assert p.graph.places(p.cake) == [(ON, p.plate)]
    assert reaches(p.graph, p.agent, p.cake)
    does(p, go_to(p.lamp))
    assert not reaches(p.graph, p.agent, p.plate)


# --- sight ---------------------------------------------------------------------------------------


def test_one_turns_to_what_is_in_the_room(parlour):
    p = parlour
    does(p, turn_to(p.cat))
    assert p.graph.targets(p.agent, FACING) == [p.cat]
    does(p, look(p.tv))
    assert p.graph.targets(p.agent, FACING) == [p.tv], "looking turns the agent"
    does(p, go_to(p.chair))
    assert p.graph.targets(p.agent, FACING) == [], "as walking does"
    assert not achieved(p.graph, turn_to(p.tv))


@pytest.mark.parametrize("make", [turn_to, look, point_at, watch, greet])
def test_what_is_elsewhere_or_closed_in_is_not_seen(parlour, make):
    p = parlour
    assert reason(p, make(p.lamp)) == (Reason.NOT_IN_SIGHT, p.lamp)
    assert reason(p, make(p.coin)) == (Reason.ENCLOSED, p.box)
    assert reason(p, make(p.agent)) == (Reason.NOT_SUPPORTED, p.agent)


def test_watching_and_pointing_are_done_facing_a_thing(parlour):
    p = parlour
    assert reason(p, watch(p.cat)) == (Reason.UNSUITABLE, p.cat)
    for make in (watch, point_at):
        assert reason(p, make(p.tv)) == (Reason.NOT_FACING, p.tv)
    does(p, turn_to(p.tv))
    for make in (watch, point_at):
        changes_nothing(p, make(p.tv))
    does(p, turn_to(p.cat), sit(p.sofa))
    changes_nothing(p, watch(p.tv))


def test_persons_are_greeted(parlour):
    p = parlour
    changes_nothing(p, greet(p.guest))
    assert reason(p, greet(p.cat)) == (Reason.UNSUITABLE, p.cat)


# --- food, drink, reading ------------------------------------------------------------------------


def test_food_is_eaten_where_it_is_reached_also_from_the_plate(parlour):
    p = parlour
    changes_nothing(p, eat(p.cake))
    changes_nothing(p, eat(p.plate))
    assert reason(p, eat(p.book)) == (Reason.UNSUITABLE, p.book)
    does(p, go_to(p.lamp))
    assert reason(p, eat(p.cake)) == (Reason.NOT_CLOSE, p.cake)


@pytest.mark.parametrize(("make", "name"), [(drink, "glass"), (read, "book")])
def test_one_drinks_and_reads_what_is_in_the_hand(parlour, make, name):
    p = parlour
    thing = getattr(p, name)
    assert reason(p, make(thing)) == (Reason.NOT_HELD, thing)
    does(p, pick_up(thing))
    changes_nothing(p, make(thing))
    does(p, pick_up(p.rag))
    assert reason(p, make(p.rag)) == (Reason.UNSUITABLE, p.rag)


# --- pouring -------------------------------------------------------------------------------------


def test_a_liquid_goes_where_it_is_poured(parlour):
    p = parlour
    does(p, pick_up(p.water), pour(p.water, p.glass))
    assert p.graph.places(p.water) == [(IN, p.glass)]
    assert p.graph.held(p.agent) == []
    does(p, pick_up(p.water), pour(p.water, p.hands))
    assert p.graph.places(p.water) == [(IN, p.hands)]


def test_what_only_contains_something_to_pour_stays_in_the_hand(parlour):
    p = parlour
    does(p, pick_up(p.glass))
    changes_nothing(p, pour(p.glass, p.hands))


def test_failures_of_pouring_in_order(parlour):
    p = parlour
    assert reason(p, pour(p.water, p.glass)) == (Reason.NOT_HELD, p.water)
    p.hold(p.water, p.rag)
    assert reason(p, pour(p.water, p.water)) == (Reason.INTO_ITSELF, p.water)
    assert reason(p, pour(p.water, p.chair)) == (Reason.NOT_CLOSE, p.chair)
    assert reason(p, pour(p.water, p.coin)) == (Reason.ENCLOSED, p.box)
    assert reason(p, pour(p.rag, p.glass)) == (Reason.UNSUITABLE, p.rag)
    assert reason(p, pour(p.water, p.plate)) == (Reason.NOT_A_RECIPIENT, p.plate)
    does(p, pour(p.water, p.box))


# --- washing, touching, pushing ------------------------------------------------------------------


@pytest.mark.parametrize("make", [wash, rinse, scrub])
def test_washing_cleans_whatever_is_reached(parlour, make):
    p = parlour
    p.graph.set_state(p.plate, State.DIRTY)
    does(p, make(p.plate))
    assert p.graph[p.plate].states == {State.CLEAN}
    does(p, make(p.plate))
    assert reason(p, make(p.chair)) == (Reason.NOT_CLOSE, p.chair)


def test_wiping_takes_something_to_wipe_with(parlour):
    p = parlour
    assert reason(p, wipe(p.table)) == (Reason.EMPTY_HANDED, None)
    does(p, pick_up(p.rag), wipe(p.table))
    assert State.CLEAN in p.graph[p.table].states


@pytest.mark.parametrize(
    ("make", "able", "unable"),
    [
        (touch, "cake", None),
        (push, "table", None),
        (pull, "chair", "cat"),
        (move, "chair", "cat"),
        (squeeze, "rag", "cat"),
        (type_, "tv", "cat"),
    ],
)
def test_handling_without_an_effect(parlour, make, able, unable):
    p = parlour
    thing = getattr(p, able)
    assert reason(p, make(p.lamp)) == (Reason.NOT_CLOSE, p.lamp)
    assert reason(p, make(p.coin)) == (Reason.ENCLOSED, p.box)
    does(p, go_to(thing))
    changes_nothing(p, make(thing))
    if unable is not None:
        other = getattr(p, unable)
        does(p, go_to(other))
        assert reason(p, make(other)) == (Reason.UNSUITABLE, other)
    p.hold(p.book, p.shirt)
    assert reason(p, make(p.table), CAREFUL) == (Reason.HANDS_FULL, None)


def test_an_affordance_alone_decides_what_a_thing_is_good_for(parlour):
    p = parlour
    p.hold(p.book)
    node = p.graph[p.book]
    drinkable = node.affordances | {Affordance.DRINKABLE}
    p.graph.replace_node(replace(node, affordances=drinkable))
    does(p, Action(Verb.DRINK, p.book))
