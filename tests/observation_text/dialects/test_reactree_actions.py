"""The dialect `reactree`: how actions are said, what is refused and why, and the menu."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.node import Relation
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    WITHOUT_TARGET,
    Action,
    Verb,
    close,
    drink,
    drop,
    eat,
    go_to,
    greet,
    lie_down,
    look,
    move,
    open_,
    pick_up,
    plug_in,
    plug_out,
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
    slice_,
    squeeze,
    stand_up,
    take_off,
    touch,
    turn_off,
    turn_on,
    turn_to,
    type_,
    wait,
    wake_up,
    wash,
    watch,
    wipe,
)
from peephole.skills.dynamics import legal_actions
from peephole.skills.outcomes import Failure, Outcome, Reason

EVERY_VERB = HOUSEHOLD_VERBS
IN, ON, UNDER = Relation.INSIDE, Relation.ON, Relation.UNDER


# --- parsing -----------------------------------------------------------------------------------


def test_every_form_is_read(play):
    apple, table = play.house.id("apple 1"), play.house.id("kitchen table 1")
    assert play.parse("go to kitchen table 1") == go_to(table)
    assert play.parse("pick up apple 1") == pick_up(apple)
    assert play.parse("open apple 1") == open_(apple)
    assert play.parse("close apple 1") == close(apple)
    assert play.parse("turn on apple 1") == turn_on(apple)
    assert play.parse("turn off apple 1") == turn_off(apple)
    assert play.parse("plug in apple 1") == plug_in(apple)
    assert play.parse("unplug apple 1") == plug_out(apple)
    assert play.parse("slice apple 1") == slice_(apple)
    assert play.parse("look at apple 1") == look(apple)
    assert play.parse("look around") == look()
    assert play.parse("wait") == wait()
    assert play.parse("put down apple 1 in kitchen table 1") == put(apple, IN, table)
    assert play.parse("put down apple 1 on kitchen table 1") == put(apple, ON, table)
    assert play.parse("put down apple 1 under kitchen table 1") == put(apple, UNDER, table)
    assert play.parse("pour apple 1 into kitchen table 1") == pour(apple, table)


@pytest.mark.parametrize(
    ("phrase", "make"),
    [
        ("drop", drop),
        ("sit on", sit),
        ("lie down on", lie_down),
        ("put on", put_on),
        ("take off", take_off),
        ("eat", eat),
        ("drink", drink),
        ("read", read),
        ("wash", wash),
        ("rinse", rinse),
        ("scrub", scrub),
        ("wipe", wipe),
        ("touch", touch),
        ("type on", type_),
        ("squeeze", squeeze),
        ("push", push),
        ("pull", pull),
        ("move", move),
        ("turn to", turn_to),
        ("point at", point_at),
        ("watch", watch),
        ("greet", greet),
    ],
)
def test_the_further_verbs_are_said_in_the_same_style(play, phrase, make):
    apple = play.house.id("apple 1")
    assert play.parse(f"{phrase} apple 1") == make(apple)
    assert play.observer.word(make(apple)) == f"{phrase} apple 1"


def test_verbs_without_a_thing(play):
    assert play.parse("stand up") == stand_up()
    assert play.parse("sleep") == sleep()
    assert play.parse("wake up") == wake_up()
    assert play.refusal("sleep bed 1") == "Nothing may follow 'sleep'."


def test_letter_case_and_surrounding_spaces_are_forgiven(play):
    assert play.parse("  Go To KITCHEN Table 1\n") == go_to(play.house.id("kitchen table 1"))


@pytest.mark.parametrize("text", ["go to  kitchen 1", "go  to kitchen 1", "go to kitchen 1."])
def test_nothing_else_is_forgiven(play, text):
    assert play.refusal(text)


def test_put_down_goes_to_the_last_receptacle_walked_to(play):
    h = play.house
    apple = h.id("apple 1")
    play.do("go to bench 2")
    assert play.parse("put down apple 1") == put(apple, ON, h.id("bench 2"))
    play.do("go to kitchen cabinet 1")
    assert play.parse("put down apple 1") == put(apple, IN, h.id("kitchen cabinet 1"))
    for elsewhere in ("go to apple 2", "go to chair 1", "go to bedroom 1", "open kitchen table 1"):
        play.do(elsewhere)
    assert play.parse("put down apple 1") == put(apple, IN, h.id("kitchen cabinet 1"))


def test_a_walk_that_failed_visits_no_receptacle(play):
    play.do("go to bench 1")
    walk = go_to(play.house.id("bench 2"))
    play.observer.after(play.observer.view, walk, Outcome(Failure(Reason.UNREACHABLE)))
    assert play.parse("put down apple 1").place == play.house.id("bench 1")


def test_the_state_is_plain_data(house):
    names, view = Names(house.nodes()), visible(house, Visibility.ROOM)
    _, state = DIALECT.start(names, view)
    assert json.loads(json.dumps(state)) == state
    action = go_to(house.id("fridge 1"))
    _, state = DIALECT.after(names, view, action, Outcome(None), state)
    assert json.loads(json.dumps(state)) == state
    read = DIALECT.parse("put down apple 1", names, {house.id("apple 1")}, state)
    assert read == put(house.id("apple 1"), IN, house.id("fridge 1"))


def test_refusals_say_what_is_wrong(play):
    assert play.refusal("goto kitchen 1") == "There is no such action. Did you mean 'go to'?"
    assert play.refusal("pickup apple 1") == "There is no such action. Did you mean 'pick up'?"
    assert play.refusal("xyzzy") == (
        "There is no such action. The actions are: go to, pick up, put down, open, close, "
        "turn on, turn off, plug in, unplug, slice, drop, pour, sit on, lie down on, put on, "
        "take off, eat, drink, read, wash, rinse, scrub, wipe, touch, type on, squeeze, push, "
        "pull, move, turn to, point at, watch, greet, look at, stand up, sleep, wake up, "
        "look around, wait."
    )
    assert play.refusal("").startswith("There is no such action. The actions are:")
    missing = "A number is missing; say 'open NAME NUMBER', without brackets."
    assert play.refusal("open fridge") == missing
    assert play.refusal("open fridge (1)") == missing
    assert play.refusal("open") == missing
    assert play.refusal("open 1") == play.refusal("open nosuch 1")
    assert play.refusal("open fridge 1 please") == (
        "There are words after the number; say only 'open NAME NUMBER'."
    )
    assert play.refusal("wait a little") == "Nothing may follow 'wait'."
    assert play.refusal("look around now") == "Nothing may follow 'look around'."


@pytest.mark.parametrize("number", ["0", "01", "-1", "1.0", "٣", "9" * 5000])
def test_odd_numbers_are_refused(play, number):
    assert play.refusal(f"open fridge {number}")


def test_put_down_without_a_visited_receptacle_says_what_to_do(play):
    assert play.refusal("put down apple 1") == (
        "'put down NAME NUMBER' uses the last receptacle you went to, and you went to none; "
        "go to one, or say 'put down NAME NUMBER in|on NAME NUMBER'."
    )


def test_pour_says_what_into(play):
    said = "It has to be said what into; say 'pour NAME NUMBER into NAME NUMBER'."
    for text in ("pour", "pour apple 1", "pour apple into bench 1", "pour apple 1 into"):
        assert play.refusal(text) == said
    assert play.refusal("pour apple 1 into bench") == (
        "A number is missing; say 'pour NAME NUMBER into NAME NUMBER', without brackets."
    )
    assert play.refusal("pour apple 1 into nosuch 1") == play.refusal("open nosuch 1")


def test_put_down_refusals_tell_the_form_that_was_begun(play):
    assert play.refusal("put down apple 1 on bench") == (
        "A number is missing; say 'put down NAME NUMBER on NAME NUMBER', without brackets."
    )
    assert play.refusal("put down apple 1 on nosuch 1") == play.refusal("open nosuch 1")


@pytest.mark.parametrize("text", ["recall location of apple", "done", "Failure"])
def test_the_planners_own_moves_are_refused_as_such(play, text):
    assert "is a move inside a planner" in play.refusal(text)


@pytest.mark.parametrize("form", ["pick up {}", "put down {}", "put down apple 1 in {}"])
def test_hidden_and_nonexistent_things_are_refused_alike(play, form):
    assert play.refusal(form.format("wine 1")) == play.refusal(form.format("nosuch 1"))
    assert play.refusal(form.format("juice 1")) == play.refusal(form.format("juice 77"))


def test_things_seen_before_can_be_named(play):
    play.do("go to bedroom 1")
    assert play.parse("go to apple 1") == go_to(play.house.id("apple 1"))


@given(data=st.data())
def test_every_action_on_perceived_things_reads_back(data, house_strategy):
    house = data.draw(house_strategy)
    observer = Observer(Names(house.nodes()), DIALECT, EVERY_VERB)
    observer.start(visible(house, Visibility.ROOM))
    things = st.sampled_from(sorted(observer.names))
    verb = data.draw(st.sampled_from(sorted(HOUSEHOLD_VERBS)))
    if verb is Verb.PUT:
        relation = data.draw(st.sampled_from([IN, ON, UNDER]))
        action = put(data.draw(things), relation, data.draw(things))
    elif verb is Verb.POUR:
        action = pour(data.draw(things), data.draw(things))
    else:
        action = Action(verb, None if verb in WITHOUT_TARGET else data.draw(things))
    assert observer.parse(observer.word(action)) == action
    assert observer.parse(observer.word(look())) == look()


# --- the menu ----------------------------------------------------------------------------------


def test_the_menu_offers_rooms_then_things_as_far_as_their_state_allows(empty, play_in):
    kitchen, bedroom = empty.add("kitchen"), empty.add("bedroom")
    me = empty.add("character", kitchen)
    fridge = empty.add("fridge", kitchen, states="open")
    apple = empty.add("apple", fridge)
    table = empty.add("kitchen table", kitchen)
    empty.add("wine", empty.add("bed", bedroom), "on")
    play = play_in(empty)
    seen = ("kitchen", "apple", "fridge", "kitchen table")
    assert [text for text, _ in play.observer.menu()] == [
        "go to bedroom 1",
        *(f"{verb} {thing} 1" for thing in seen for verb in ("go to", "look at", "turn to")),
        "look around",
        "wait",
    ]
    play.do("go to fridge 1")
    here = {text for text, _ in play.observer.menu()}
    assert {"close fridge 1", "pick up apple 1"} <= here
    assert not here & {"open fridge 1", "slice apple 1", "put down apple 1"}
    play.do("pick up apple 1")
    play.do("go to kitchen table 1")
    menu = dict(play.observer.menu())
    assert menu["put down apple 1 on kitchen table 1"] == put(apple, ON, table)
    assert "put down apple 1" in dict(play.observer.sayable())
    empty.relate(me, "close", fridge)
    play.do("wait")
    assert dict(play.observer.menu())["put down apple 1 in fridge 1"] == put(apple, IN, fridge)


def test_the_menu_offers_the_further_verbs_only_where_they_may_be_done(empty, play_in):
    room = empty.add("living room")
    me = empty.add("character", room)
    sofa = empty.add("sofa", room)
    empty.add("tv", room)
    empty.add("shirt", sofa, "on")
    empty.add("wine", sofa, "on")
    empty.add("glass", sofa, "on")
    play = play_in(empty)

    def further() -> set[str]:
        usual = ("go to", "pick up", "put down", "turn", "look", "plug", "unplug", "wait")
        return {text for text, _ in play.observer.menu() if not text.startswith(usual)}

    assert further() == set()
    play.do("go to sofa 1")
    plain = {"wash", "rinse", "scrub", "touch", "push"}
    things = ("sofa 1", "shirt 1", "wine 1", "glass 1")
    here = {f"{verb} {thing}" for verb in plain for thing in things}
    assert further() == here | {"sit on sofa 1", "lie down on sofa 1", "squeeze shirt 1"}
    play.do("pick up wine 1")
    assert {"pour wine 1 into glass 1", "drink wine 1", "wipe sofa 1", "drop wine 1"} <= further()
    play.do("pick up shirt 1")
    assert "put on shirt 1" in further()
    play.do("put on shirt 1")
    assert "take off shirt 1" in further()
    play.do("sit on sofa 1")
    assert {"stand up", "sleep", "wake up"} <= further()
    assert "watch tv 1" not in further()
    play.do("turn to tv 1")
    assert {"watch tv 1", "point at tv 1"} <= further()
    assert empty.held(me) == [empty.id("wine 1")]


def test_the_menu_keeps_to_the_adapters_verbs(house):
    observer = Observer(Names(house.nodes()), DIALECT, frozenset({Verb.GO_TO, Verb.LOOK}))
    observer.start(visible(house, Visibility.ROOM))
    assert {action.verb for _, action in observer.menu()} == {Verb.GO_TO, Verb.LOOK}


@given(data=st.data())
def test_the_menu_reads_back_and_holds_the_legal_actions(data, house_strategy, play_in):
    house = data.draw(house_strategy)
    play = play_in(house)
    for _ in range(3):
        menu = play.observer.menu()
        assert len(dict(menu)) == len(menu)
        for text, action in menu:
            assert play.parse(text) == action
        offered = {action for _, action in menu}
        legal = legal_actions(play.observer.view.graph, play.body)
        assert offered >= set(legal)
        play.do(data.draw(st.sampled_from(legal)))
