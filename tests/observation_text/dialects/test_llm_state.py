"""The dialect `llm_state`: lists of all that was seen, bare results, and calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.dialect import Refusal
from peephole.observation_text.dialects.llm_state import grammar
from peephole.observation_text.dialects.llm_state.dialect import DIALECT, observed, without_things
from peephole.observation_text.names import Names
from peephole.scene_graph.node import Kind, Node, Relation
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    OPTIONAL_TARGET,
    WITHOUT_TARGET,
    Action,
    Verb,
    pour,
    put,
)
from peephole.skills.outcomes import Failure, Outcome, Reason

KITCHEN = """\
Object List: ['microwaveoven1 ON kitchencabinet1', 'chair1 IN kitchen1', \
'apple1 ON kitchentable1', 'apple2 ON kitchentable1', 'plate1 ON kitchentable1', \
'knife1 ON plate1', 'juice2 IN kitchencabinet1']
Container List: ['fridge1 IN kitchen1', 'kitchencabinet1 IN kitchen1', \
'microwaveoven1 ON kitchencabinet1']
Surface List: ['bench1 IN kitchen1', 'bench2 IN kitchen1', 'kitchencabinet1 IN kitchen1', \
'kitchentable1 IN kitchen1', 'plate1 ON kitchentable1']
Room List: ['bathroom1', 'bedroom1', 'kitchen1', 'livingroom1']
Current Holding: []
You are close to: []
Current Room: kitchen1"""


@pytest.fixture
def listed(house, play_in):
    return play_in(house, DIALECT)


def lists(text):
    """What is listed, by titles."""
    return dict(line.split(": ", 1) for line in observed(text).splitlines())


def items(listed):
    """The set of a list's items."""
    return set(listed.strip("[]").replace("'", "").split(", "))


def test_a_room_is_reported_in_lists(listed):
    told, wanted = lists(listed.first), lists(KITCHEN)
    assert told.keys() == wanted.keys()
    for title in wanted:
        assert items(told[title]) == items(wanted[title]), title


def test_what_was_seen_in_other_rooms_stays_listed(listed):
    told = lists(listed.do("move(bedroom1)"))
    assert told["Current Room"] == "bedroom1"
    assert {"wine2 ON bed1", "apple1 ON kitchentable1"} <= items(told["Object List"])
    assert "bed1 IN bedroom1" in items(told["Surface List"])


def test_of_an_action_only_whether_it_succeeded_is_reported(listed):
    before = listed.first
    assert listed.do("open(fridge1)") == f"(Fail)\n{before}"
    after = listed.do("move(fridge1)")
    assert after.startswith("(Success)\nObject List: ")
    assert lists(after)["You are close to"] == "['fridge1']"
    assert not any(word in after for word in ("closed", "open", "plugged"))


def test_the_reason_of_a_person_who_denies_is_reported(listed, house):
    denied = Outcome(Failure(Reason.DENIED, detail="Not that one."))
    action = listed.parse("move(fridge1)")
    text, _ = listed.observer.after(listed.observer.view, action, denied)
    assert text.splitlines()[0] == "(Fail): Not that one."


def test_contents_are_listed_once_they_are_seen_and_remembered_behind_a_door(listed):
    listed.do("move(fridge1)")
    opened = lists(listed.do("open(fridge1)"))
    assert {"juice1 IN fridge1", "box1 IN fridge1"} <= items(opened["Object List"])
    assert "wine1" not in "".join(opened.values())
    shut = lists(listed.do("close(fridge1)"))
    assert "juice1 IN fridge1" in items(shut["Object List"])


def test_what_is_held_is_in_no_list_of_things(listed):
    listed.do("move(kitchentable1)")
    told = lists(listed.do("pickup(apple1)"))
    assert told["Current Holding"] == "['apple1']"
    assert not any("apple1" in told[title] for title in told if title != "Current Holding")
    told = lists(listed.do("placeon(apple1, plate1)"))
    assert "apple1 ON plate1" in items(told["Object List"])
    assert told["Current Holding"] == "[]"


def test_what_is_gone_from_where_it_was_is_forgotten(listed, house):
    """Where the place is not in view, nobody can know."""
    table, apple = house.id("kitchen table 1"), house.id("apple 1")
    listed.do("move(bedroom1)")
    house.remove_edge(apple, Relation.ON, table)
    house.relate(apple, "inside", house.id("bathroom 1"))
    assert "apple1 ON kitchentable1" in listed.do("move(bed1)")
    back = listed.do("move(kitchen1)")
    assert "apple1" not in back
    assert "apple2 ON kitchentable1" in back


def test_posture_and_clothes_are_reported_where_there_are_any(empty, play_in):
    room = empty.add("bedroom")
    me = empty.add("character", room)
    sofa = empty.add("sofa", room)
    shirt = empty.add("shirt")
    empty.relate(me, "holds", shirt)
    player = play_in(empty, DIALECT)
    assert "Current Posture" not in player.first
    assert lists(player.do("puton(shirt1)"))["Current Wearing"] == "['shirt1']"
    player.do("move(sofa1)")
    assert lists(player.do("sit(sofa1)"))["Current Posture"] == "sitting"
    assert sofa


def test_without_the_things_rooms_and_the_agent_are_left(listed):
    short = without_things(listed.first)
    assert short.splitlines() == KITCHEN.splitlines()[3:]


def test_the_calls_of_the_paper_are_its_own():
    verbs = frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE})
    verbs |= {Verb.TURN_ON, Verb.TURN_OFF, Verb.WAIT}
    assert set(DIALECT.forms(verbs)) == set(grammar.PAPER_CALLS)


REFUSED = {
    "move(lightswitch3)": "Nothing that was seen so far has this name.",
    "move(wine1)": "Nothing that was seen so far has this name.",
    "move(apple01)": "Nothing that was seen so far has this name.",
    "move(apple)": "Nothing that was seen so far has this name.",
    "move()": "move() takes 1 names, and 0 were given.",
    "placein(apple1)": "placein() takes 2 names, and 1 were given.",
    "wait(apple1)": "wait() takes 0 names, and 1 were given.",
    "fly(apple1)": "There is no such action.",
    "go to apple 1": "An action is one call",
    "move(apple1) now": "An action is one call",
    "1. move(apple1)": "An action is one call",
    'move("apple1")': "Nothing that was seen so far has this name.",
    "": "An action is one call",
}


@pytest.mark.parametrize("said", REFUSED)
def test_calls_are_read_strictly(listed, said):
    assert listed.refusal(said).startswith(REFUSED[said])


def test_case_and_blanks_are_free(listed):
    plain = listed.parse("placein(apple1,fridge1)")
    assert listed.parse(" PlaceIn( apple1 , Fridge1 ) ") == plain


@given(st.data())
def test_every_action_is_read_back(data):
    categories = data.draw(
        st.lists(
            st.text("abc 12-Ä", min_size=1, max_size=6).filter(lambda c: grammar.stem(c) != ""),
            min_size=2,
            max_size=6,
            unique_by=grammar.stem,
        )
    )
    nodes = [Node(i, c, Kind.OBJECT, i) for i, c in enumerate(categories * 3, start=1)]
    names, ids = Names(nodes), st.sampled_from([node.id for node in nodes])
    verb = data.draw(st.sampled_from(sorted(HOUSEHOLD_VERBS)))
    if verb is Verb.PUT:
        relations = (Relation.ON, Relation.INSIDE, Relation.UNDER)
        action = put(data.draw(ids), data.draw(st.sampled_from(relations)), data.draw(ids))
    elif verb is Verb.POUR:
        action = pour(data.draw(ids), data.draw(ids))
    elif verb in WITHOUT_TARGET or (verb in OPTIONAL_TARGET and data.draw(st.booleans())):
        action = Action(verb)
    else:
        action = Action(verb, data.draw(ids))
    everything = {node.id for node in nodes}
    assert DIALECT.parse(DIALECT.word(names, action), names, everything, {}) == action


@given(st.text("movepickwait(),1aZ \n\"'", max_size=30))
def test_any_text_is_an_action_or_refused(text):
    names = Names([Node(1, "apple", Kind.OBJECT, 1)])
    try:
        action = DIALECT.parse(text, names, {1}, {})
    except Refusal:
        return
    assert set(action.things) <= {1}
