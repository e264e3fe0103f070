"""The dialect `reactree`: ReAcTree's observations for VirtualHome, word for word."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from peephole.adapters.virtualhome.ontology import english
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.observation_text.dialects.reactree.grammar import published
from peephole.observation_text.names import Names
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills.actions import go_to, look, pick_up, put, wait
from peephole.skills.dynamics import check
from peephole.skills.outcomes import Failure, Outcome, Reason
from peephole.skills.reach import reach

IN, ON, UNDER = Relation.INSIDE, Relation.ON, Relation.UNDER

KITCHEN = (
    "bench (1, 2), chair (1), fridge (1), kitchen cabinet (1), kitchen table (1), "
    "microwave oven (1)"
)


# --- observations ------------------------------------------------------------------------------


def test_start(play):
    assert play.first == (
        "You are in the house, and there are 4 rooms: bathroom (1), bedroom (1), kitchen (1), "
        "living room (1). You are in the middle of a kitchen (1). "
        f"Looking quickly around the room, you see {KITCHEN}."
    )


def test_start_in_a_house_of_one_empty_room(empty, play_in):
    empty.add("character", empty.add("kitchen"))
    assert play_in(empty).first == (
        "You are in the house, and there is 1 room: kitchen (1). "
        "You are in the middle of a kitchen (1). "
        "Looking quickly around the room, you see nothing."
    )


def test_a_room_shows_fixtures_on_fixtures_and_only_objects_that_stand_free(empty, play_in):
    kitchen = empty.add("kitchen")
    empty.add("character", kitchen)
    table = empty.add("kitchen table", kitchen)
    plate = empty.add("plate", table, "on")
    empty.add("microwave oven", plate, "on")
    chair = empty.add("chair", kitchen)
    empty.add("apple", chair, "on")
    both = empty.add("juice", kitchen)
    empty.relate(both, "on", table)
    assert play_in(empty).first.endswith(
        "you see chair (1), kitchen table (1), microwave oven (1)."
    )


def test_go_to_a_room(play):
    assert play.do("go to bedroom 1") == (
        "You move to the bedroom (1). Looking quickly around the room, you see bed (1)."
    )
    assert play.do("go to kitchen 1") == (
        f"You move to the kitchen (1). Looking quickly around the room, you see {KITCHEN}."
    )


def test_go_to_a_thing_has_no_final_period(play):
    assert play.do("go to kitchen table 1") == (
        "You arrive at the kitchen table (1). "
        "You see apple (1, 2), kitchen table (1), knife (1), plate (1)"
    )


def test_go_to_a_closed_and_an_open_thing(play):
    assert play.do("go to fridge 1") == (
        "You arrive at the fridge (1). The fridge (1) is closed. You see fridge (1)"
    )
    assert play.do("go to kitchen cabinet 1") == (
        "You arrive at the kitchen cabinet (1). The kitchen cabinet (1) is open. "
        "You see juice (2), kitchen cabinet (1), microwave oven (1)"
    )


def test_go_to_a_thing_on_another_shows_all_in_reach(play):
    assert play.do("go to apple 2") == (
        "You arrive at the apple (2). You see apple (1, 2), kitchen table (1), knife (1), plate (1)"
    )


def test_a_door_without_a_state_is_not_made_one(empty, play_in):
    kitchen = empty.add("kitchen")
    empty.add("character", kitchen)
    fridge = empty.add("fridge", kitchen)
    play = play_in(empty)
    assert play.do("go to fridge 1") == "You arrive at the fridge (1). You see fridge (1)"
    empty.set_state(fridge, State.CLOSED)
    assert "The fridge (1) is closed." in play.do("go to fridge 1")


def test_open_close_and_switch(play):
    play.do("go to fridge 1")
    assert play.do("open fridge 1") == "You open fridge. You see box (1), fridge (1), juice (1)"
    assert play.do("close fridge 1") == "You close fridge."
    play.do("go to microwave oven 1")
    assert play.do("turn on microwave oven 1") == "You turn on microwave oven."
    assert play.do("turn off microwave oven 1") == "You turn off microwave oven."


def test_plugs_and_knives_are_worded_in_the_same_style(play):
    play.do("go to fridge 1")
    assert play.do("unplug fridge 1") == "You unplug fridge."
    assert play.do("plug in fridge 1") == "You plug in fridge."
    play.do("go to kitchen table 1")
    play.do("pick up knife 1")
    assert play.do("slice apple 1") == "You slice apple. You hold knife (1)."


def test_what_is_held_ends_every_observation(play):
    play.do("go to kitchen table 1")
    assert play.do("pick up apple 1") == "You pick up apple. You hold apple (1)."
    assert play.do("pick up knife 1") == "You pick up knife. You hold apple (1), knife (1)."
    assert play.do("go to bench 1") == (
        "You arrive at the bench (1). You see apple (1), bench (1), knife (1) "
        "You hold apple (1), knife (1)."
    )
    assert play.do("go to bedroom 1").endswith("you see bed (1). You hold apple (1), knife (1).")
    assert play.do("open bed 1").endswith("You hold apple (1), knife (1).")


def test_put_down_has_no_final_period(play):
    play.do("go to kitchen table 1")
    play.do("pick up apple 1")
    assert play.do("put down apple 1") == "You put down apple on kitchen table"
    play.do("pick up apple 1")
    play.do("go to kitchen cabinet 1")
    assert play.do("put down apple 1") == "You put down apple in kitchen cabinet"


def test_what_is_still_held_follows_a_put(play):
    play.do("go to kitchen table 1")
    play.do("pick up apple 1")
    play.do("pick up apple 2")
    assert play.do("put down apple 1 on plate 1") == (
        "You put down apple on plate You hold apple (2)."
    )


def test_look_around_and_wait(play):
    assert play.do("look around") == f"Looking quickly around the room, you see {KITCHEN}."
    play.do("go to bench 2")
    assert play.do("look around") == (
        f"Looking quickly around the room, you see {KITCHEN}. You are close to bench (2)."
    )
    assert play.do("wait") == "You wait."


def test_look_at_a_thing_tells_what_is_in_it_where_that_was_seen(play):
    assert play.do("look at kitchen table 1") == (
        "You look at the kitchen table (1). You see apple (1, 2), knife (1), plate (1)"
    )
    assert play.do("look at fridge 1") == "You look at the fridge (1). The fridge (1) is closed."
    assert play.do("look at bench 1") == "You look at the bench (1). You see nothing"
    assert play.do("look at kitchen 1") == f"You look at the kitchen (1). You see {KITCHEN}"
    assert play.do("look at bathroom 1") == "You do not see the bathroom from here."
    play.do("go to bedroom 1")
    assert play.do("look at fridge 1") == "You do not see the fridge from here."


# --- as published --------------------------------------------------------------------------------

LISTED = """
    bathroomcabinet bathroomcounter bed bench bookshelf cabinet chair closet coffeetable computer
    desk dishwasher faucet fridge garbagecan kitchencabinet kitchencounter kitchentable microwave
    nightstand sink sofa stove toaster toilet towelrack tv washingmachine
""".split()  # noqa: SIM905
UNLISTED = """
    lightswitch rug wallpictureframe wallphone cellphone closetdrawer kitchencounterdrawer plate
    cutleryfork cutleryknife waterglass wineglass mousemat walllamp tablelamp printer coffeemaker
""".split()  # noqa: SIM905


def test_entering_a_room_lists_the_28_kinds_of_furniture(empty, play_in):
    room = empty.add("kitchen")
    empty.add("character", room)
    for class_name in (*LISTED, *UNLISTED):
        empty.add(english(class_name), room)
    told = play_in(empty).first.partition("you see ")[2].rstrip(".").split(", ")
    assert len(told) == len(LISTED) == 28
    assert told == sorted(f"{published(english(name))} (1)" for name in LISTED)


def test_what_only_other_houses_have_is_reported_and_looking_around_tells_all(empty, play_in):
    room = empty.add("kitchen")
    empty.add("character", room)
    for category in ("light", "couch", "cat", "plate", "light switch"):
        empty.add(category, room)
    play = play_in(empty)
    assert play.first.endswith("you see cat (1), couch (1), light (1).")
    assert play.do("look around") == (
        "Looking quickly around the room, you see "
        "cat (1), couch (1), light (1), light switch (1), plate (1)."
    )


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("bottlewater", "bottled water"),
        ("breadslice", "slice of bread"),
        ("cellphone", "cell phone"),
        ("chinesefood", "Chinese food"),
        ("cpuscreen", "cpu screen"),
        ("cutleryfork", "cutlery fork"),
        ("cutleryknife", "cutlery knife"),
        ("doorjamb", "door jamb"),
        ("knifeblock", "knife block"),
        ("longboard", "longboard"),
        ("microwave", "microwave oven"),
        ("mousemat", "mouse mat"),
        ("character", "user"),
    ],
)
def test_classes_have_the_published_names_in_texts_and_both_are_understood(
    empty, play_in, class_name, name
):
    room = empty.add("kitchen")
    me = empty.add("character", room)
    thing = empty.add(english(class_name), room) if class_name != "character" else me
    play = play_in(empty)
    assert play.observer.word(go_to(thing)) == f"go to {name} 1"
    assert play.parse(f"go to {name} 1") == play.parse(f"go to {name.lower()} 1") == go_to(thing)
    assert play.parse(f"go to {english(class_name)} 1") == go_to(thing)
    if thing != me:
        shown = f"{name} (1)"
        assert f"You arrive at the {shown}. You see {shown}" == play.do(f"go to {name} 1")
        assert play.do(f"turn on {name} 1") == f"The {name} does not have a switch."
        assert f"go to {name} 1" in dict(play.observer.menu())


def test_capitals_come_first_in_lists(empty, play_in):
    room = empty.add("kitchen")
    table = empty.add("kitchen table", room)
    empty.add("character", room)
    for category in ("apple", "chinese food"):
        empty.add(category, table, "on")
    assert (
        play_in(empty)
        .do("go to kitchen table 1")
        .endswith("You see Chinese food (1), apple (1), kitchen table (1)")
    )


# --- body, posture, sight ------------------------------------------------------------------------


@pytest.fixture
def den(empty, play_in):
    """An agent at a sofa with a shirt, wine and a glass on it, in a room with a tv."""
    room = empty.add("living room")
    me = empty.add("character", room)
    empty.relate(empty.add("hands", me), "attached", me)
    sofa = empty.add("sofa", room)
    empty.add("tv", room)
    for category in ("shirt", "wine", "glass"):
        empty.add(category, sofa, "on")
    empty.relate(me, "close", sofa)
    return play_in(empty)


def test_posture_and_clothes_are_reported(den):
    assert den.do("pick up shirt 1") == "You pick up shirt. You hold shirt (1)."
    assert den.do("put on shirt 1") == "You put on shirt. You wear shirt (1)."
    assert den.do("sit on sofa 1") == "You sit on sofa. You wear shirt (1)."
    around = "Looking quickly around the room, you see sofa (1), tv (1)."
    assert den.do("look around") == (
        f"{around} You are sitting on the sofa (1). You are close to glass (1), sofa (1), wine (1)."
        " You wear shirt (1)."
    )
    assert den.do("lie down on sofa 1") == "You lie down on sofa. You wear shirt (1)."
    assert den.do("take off shirt 1") == "You take off shirt."
    assert den.do("sleep") == "You sleep."
    assert den.do("wake up") == "You wake up."
    assert den.do("stand up") == "You stand up."


def test_who_begins_sitting_is_reported(empty, play_in):
    room = empty.add("bedroom")
    me = empty.add("character", room, states="sitting")
    start = "You are in the house, and there is 1 room: bedroom (1). You are in the middle of a"
    assert play_in(empty).first.startswith(f"{start} bedroom (1). You are sitting. Looking")
    empty.relate(me, "on", empty.add("bed", room))
    assert "You are sitting on the bed (1). Looking" in play_in(empty).first


def test_pouring_and_turning_are_reported(den):
    den.do("pick up wine 1")
    assert den.do("pour wine 1 into glass 1") == "You pour wine into glass. You hold wine (1)."
    assert den.do("drop wine 1") == "You drop wine."
    assert den.do("turn to tv 1") == "You turn to tv."
    assert den.do("watch tv 1") == "You watch tv."
    assert den.do("look at sofa 1") == "You look at the sofa (1). You see glass (1), shirt (1)"


def test_the_body_is_not_listed_among_what_is_close(den):
    assert den.do("go to sofa 1") == (
        "You arrive at the sofa (1). You see glass (1), shirt (1), sofa (1), wine (1)"
    )
    assert den.do("wash hands 1") == "You wash hands."


def test_failures_of_the_further_verbs(den):
    h = den.house
    assert den.do("stand up") == "You are neither sitting nor lying."
    assert den.do("watch tv 1") == "You are not turned to the tv."
    assert den.do("watch sofa 1") == "You cannot watch the sofa."
    assert den.do("lie down on wine 1") == "You cannot lie down on the wine."
    assert den.do("take off shirt 1") == "You do not wear the shirt."
    assert den.do("wipe sofa 1") == "You do not hold anything."
    assert den.do("go to hands 1") == "You have the hands with you."
    den.do("pick up wine 1")
    hold = "You hold wine (1)."
    assert den.do("pour wine 1 into wine 1") == f"The wine cannot be poured into itself. {hold}"
    assert den.do("pour wine 1 into sofa 1") == f"Nothing can be poured into the sofa. {hold}"
    den.do("sit on sofa 1")
    assert den.do("sit on sofa 1") == f"You are already sitting. {hold}"
    assert den.do(go_to(h.id("tv 1"))) == f"You are not standing. {hold}"


# --- failures ----------------------------------------------------------------------------------


def test_failures_of_pick_up_in_the_papers_order(play):
    play.do("go to bench 1")
    assert play.do("pick up apple 1") == "The apple is not close to you."
    assert play.do("pick up bench 1") == "The bench cannot be grabbed."
    play.do("go to kitchen table 1")
    play.do("pick up apple 1")
    play.do("pick up apple 2")
    assert play.do("pick up plate 1") == ("You do not have an empty hand. You hold apple (1, 2).")


def test_inside_closed_is_said_of_a_thing_that_was_seen_inside(play):
    play.do("go to fridge 1")
    play.do("open fridge 1")
    play.do("close fridge 1")
    assert play.do("pick up juice 1") == "The juice is inside closed fridge."
    assert play.do(put(play.house.id("juice 1"), ON, play.house.id("bench 1"))) == (
        "The juice is inside closed fridge."
    )


def test_failures_of_open_list_what_is_close(play):
    play.do("go to kitchen cabinet 1")
    see = "You see juice (2), kitchen cabinet (1), microwave oven (1)"
    assert play.do("open kitchen cabinet 1") == f"The kitchen cabinet is already open. {see}"
    assert play.do("open juice 2") == f"The juice cannot be opened. {see}"
    assert play.do("open fridge 1") == f"The fridge is not close to you. {see}"
    assert play.do("close juice 2") == "The juice cannot be closed."
    assert play.do("close microwave oven 1") == "The microwave oven is already closed."


def test_opening_with_full_hands(play):
    play.do("go to kitchen table 1")
    play.do("pick up apple 1")
    play.do("pick up apple 2")
    play.do("go to fridge 1")
    assert play.do("open fridge 1") == (
        "You do not have an empty hand. You see apple (1, 2), fridge (1) You hold apple (1, 2)."
    )


def test_failures_of_turn_on(play):
    play.do("go to kitchen cabinet 1")
    assert play.do("turn on juice 2") == "The juice does not have a switch."
    play.do("turn on microwave oven 1")
    assert play.do("turn on microwave oven 1") == "The microwave oven is already turned on."


def test_failures_of_put_down(play):
    house = play.house
    play.do("go to kitchen table 1")
    assert play.do("put down apple 1") == "You do not grab the apple."
    play.do("pick up apple 1")
    hold = "You hold apple (1)."
    play.do("go to kitchen 1")
    assert play.do("put down apple 1") == f"The kitchen table is not close to you. {hold}"
    play.do("go to kitchen table 1")
    apple, fridge = house.id("apple 1"), house.id("fridge 1")
    assert play.do("put down apple 1 in kitchen table 1") == (
        f"The apple cannot be put down in kitchen table. {hold}"
    )
    assert (
        play.do("put down apple 1 in apple 1") == f"The apple cannot be put down in itself. {hold}"
    )
    play.do(go_to(fridge))
    assert play.do(put(apple, ON, fridge)) == f"The apple cannot be put down on fridge. {hold}"
    assert play.do("put down apple 1") == f"The fridge is closed. {hold}"


def worded(house, action, reason, thing=None):
    """How the dialect words a failure, right at the start."""
    view = visible(house, Visibility.ROOM)
    return DIALECT.after(Names(house.nodes()), view, action, Outcome(Failure(reason, thing)), {})[0]


@pytest.mark.parametrize("reason", list(Reason))
@pytest.mark.parametrize("about", ["bench 1", None])
def test_every_reason_is_worded_for_every_form_of_action(house, reason, about):
    apple, bench = house.id("apple 1"), house.id("bench 1")
    for action in (put(apple, UNDER, bench), pick_up(apple), go_to(bench), look(), wait()):
        text = worded(house, action, reason, house.id(about) if about else None)
        assert text.endswith(".")
        assert "{" not in text


def test_different_reasons_read_differently(house):
    apple, table = house.id("apple 1"), house.id("kitchen table 1")
    texts = {reason: worded(house, put(apple, IN, table), reason, table) for reason in Reason}
    del texts[Reason.NOT_A_SURFACE]  # reads like NOT_A_CONTAINER, but for "on" and "in"
    del texts[Reason.CRASHED]  # no planner is told of it or of TIMEOUT
    assert len(set(texts.values())) == len(texts)


def test_an_unknown_thing_is_not_named_whether_it_exists_or_not(play):
    hidden = play.house.id("wine 1")
    assert play.do(pick_up(hidden)) == "You have not seen any such thing."
    assert play.do(pick_up(999)) == "You have not seen any such thing."


# --- over random houses ------------------------------------------------------------------------


@given(data=st.data())
def test_arriving_lists_exactly_what_can_be_reached_beside_ones_own_body(
    data, house_strategy, play_in
):
    house = data.draw(house_strategy)
    play = play_in(house)
    graph = play.observer.view.graph
    me = graph.agent().id
    goals = [
        node.id
        for node in graph.nodes()
        if node.kind is not Kind.ROOM and check(house, go_to(node.id), play.body) is None
    ]
    assume(goals)
    text = play.do(go_to(data.draw(st.sampled_from(goals))))
    listed = text.partition("You see ")[2].partition(" You hold")[0].partition(" You wear")[0]
    view = play.observer.view.graph
    expected = {
        play.observer.word(go_to(thing)).removeprefix("go to ")
        for thing in reach(view, me) - set(view.below(me))
        if view[thing].kind in (Kind.FIXTURE, Kind.OBJECT)
    }
    told = set()
    for group in listed.split("), "):
        category, _, numbers = group.rstrip(")").partition(" (")
        told |= {f"{category} {number}" for number in numbers.split(", ")}
    assert told == expected
