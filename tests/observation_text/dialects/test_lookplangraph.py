"""The dialect `lookplangraph`: functions on nodes, and what is told after them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.dialect import Refusal
from peephole.observation_text.dialects.lookplangraph import grammar
from peephole.observation_text.dialects.lookplangraph.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.scene_graph.node import Kind, Node, Relation
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    OPTIONAL_TARGET,
    WITHOUT_TARGET,
    Action,
    Verb,
    go_to,
    pick_up,
    pour,
    put,
)
from peephole.skills.outcomes import Failure, Outcome, Reason


@pytest.fixture
def told(house, play_in):
    return play_in(house, DIALECT)


def test_the_beginning_tells_the_rooms_and_the_furniture_of_one(told):
    assert told.first == (
        "The house has these places: bathroom-1, bedroom-1, kitchen-1, living_room-1. "
        "You are in kitchen-1. Looking around, you see bench-1, bench-2, chair-1, "
        "fridge-1 (closed), kitchen_cabinet-1 (open), kitchen_table-1, "
        "microwave_oven-1 (closed, off)."
    )


def test_going_to_furniture_tells_what_it_keeps_at_any_depth(told):
    assert told.do("go_to(kitchen_table-1)") == (
        "You go to kitchen_table-1. On kitchen_table-1, you see apple-1, apple-2, plate-1. "
        "On plate-1, you see knife-1."
    )
    assert told.do("go_to(kitchen_cabinet-1)") == (
        "You go to kitchen_cabinet-1. kitchen_cabinet-1 is open. "
        "On kitchen_cabinet-1, you see microwave_oven-1 (closed, off). "
        "Inside kitchen_cabinet-1, you see juice-2."
    )


def test_what_is_closed_tells_nothing_until_it_is_opened(told):
    assert told.do("go_to(fridge-1)") == "You go to fridge-1. fridge-1 is closed."
    assert told.do("open(fridge-1)") == (
        "You open fridge-1. Inside fridge-1, you see box-1 (closed), juice-1."
    )
    assert told.do("go_to(bench-1)") == "You go to bench-1. On bench-1, you see nothing."


def test_what_is_held_is_put(told):
    told.do("go_to(kitchen_table-1)")
    assert told.do("pick_up(apple-1)") == "You pick up apple-1."
    assert told.do("go_to(bench-2)").startswith("You go to bench-2.")
    assert told.do("put_on(bench-2)") == "You put apple-1 on bench-2."
    assert told.refusal("put_on(bench-2)") == (
        "You hold nothing that could be put there; pick it up first."
    )


def test_of_several_things_held_it_is_said_which(told):
    for text in ("go_to(kitchen_table-1)", "pick_up(apple-1)", "pick_up(apple-2)"):
        told.do(text)
    assert "say which" in told.refusal("put_on(kitchen_table-1)")
    assert told.do("put_on(apple-2, kitchen_table-1)") == "You put apple-2 on kitchen_table-1."


def test_the_menu_says_puts_in_short_where_one_thing_is_held(told):
    told.do("go_to(kitchen_table-1)")
    told.do("pick_up(apple-1)")
    offered = {text for text, _ in told.observer.menu()}
    assert {"put_on(kitchen_table-1)", "go_to(bedroom-1)", "pick_up(apple-2)"} <= offered
    for text, action in told.observer.menu():
        assert told.parse(text) == action


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("pick_up(apple-1)", "apple-1 is too far away; go there first."),
        ("pick_up(bench-1)", "bench-1 is too far away; go there first."),
        ("turn_on(microwave_oven-1)", "microwave_oven-1 is too far away; go there first."),
    ],
)
def test_a_failure_tells_its_reason(told, said, reason):
    assert told.do(said) == reason


def test_every_failure_has_words_for_every_action(told):
    told.do("go_to(kitchen_table-1)")
    apple, table = told.house.id("apple 1"), told.house.id("kitchen table 1")
    for action in (go_to(table), pick_up(apple), put(apple, Relation.ON, table), Action(Verb.WAIT)):
        for reason in Reason:
            for thing in (None, table):
                text, _ = told.observer.after(
                    told.observer.view, action, Outcome(Failure(reason, thing, "not now"))
                )
                assert text.endswith("not now.") or reason is Reason.ENCLOSED, text
                assert "{" not in text


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("go to kitchen-1", "one function call"),
        ("go_to(kitchen-1) now", "one function call"),
        ("fly_to(kitchen-1)", "There is no such function"),
        ("go_to(kitchen)", "There is no such node"),
        ("go_to(kitchen 1)", "There is no such node"),
        ("go_to(kitchen-01)", "There is no such node"),
        ("go_to(kitchen-1, bedroom-1)", "takes 1 names, and 2 were given"),
        ("put_inside()", "takes 1 or 2 names, and 0 were given"),
    ],
)
def test_other_texts_are_refused(told, said, reason):
    assert reason in told.refusal(said)


def test_forms_are_those_of_the_paper():
    verbs = frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.TURN_ON})
    assert set(DIALECT.forms(verbs)) == {
        "go_to(place-1)",
        "pick_up(thing-1)",
        "put_on(place-1)",
        "put_inside(place-1)",
        "open(thing-1)",
        "turn_on(thing-1)",
    }


CATEGORIES = st.from_regex(r"[a-z]{1,6}( [a-z0-9]{0,3}[a-z]){0,2}", fullmatch=True)


@given(data=st.data(), categories=st.lists(CATEGORIES, min_size=2, max_size=5))
def test_every_action_is_parsed_as_it_is_worded(data, categories):
    names = Names(Node(i, name, Kind.OBJECT, i) for i, name in enumerate(categories, start=1))
    thing = st.sampled_from(range(1, len(categories) + 1))
    verb = data.draw(st.sampled_from(sorted(HOUSEHOLD_VERBS)))
    if verb is Verb.PUT:
        relation = data.draw(st.sampled_from([Relation.ON, Relation.INSIDE, Relation.UNDER]))
        action = put(data.draw(thing), relation, data.draw(thing))
    elif verb is Verb.POUR:
        action = pour(data.draw(thing), data.draw(thing))
    elif verb in WITHOUT_TARGET or (verb in OPTIONAL_TARGET and data.draw(st.booleans())):
        action = Action(verb)
    else:
        action = Action(verb, data.draw(thing))
    text = DIALECT.word(names, action)
    assert DIALECT.parse(text, names, names.numbers, {}) == action
    if action.verb is Verb.PUT:
        short = grammar.put_held(names, action)
        assert DIALECT.parse(short, names, names.numbers, {"held": [action.target]}) == action
    with pytest.raises(Refusal):
        DIALECT.parse(text + "x", names, names.numbers, {})
