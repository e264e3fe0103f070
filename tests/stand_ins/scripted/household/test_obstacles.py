"""Ways around obstacles: what is out of sight, places that take nothing, things that do not belong.

By transcripts in the dialect `reactree`, with one hand.
"""

from __future__ import annotations

from peephole.stand_ins.scripted.household.policy import next_action
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.stand_ins.scripted.transcript import Transcript, Turn

FIRST = (
    "You are in the house, and there is 1 room: kitchen (1). You are in the middle of a kitchen "
    "(1). Looking quickly around the room, you see fridge (1), table (1, 2)."
)
TASK = "Do it."
ON_TABLE = [{"relation": "on", "thing": "apple", "place": "table"}]
IN_FRIDGE = [{"relation": "inside", "thing": "apple", "place": "fridge"}]
AT_TABLE = Turn("go to table 1", "You arrive at the table (1). You see apple (1), table (1)")
TAKEN = Turn("pick up apple 1", "You pick up apple. You hold apple (1).")


def _next(entries, *turns, options=None, first=FIRST):
    table = to_table({TASK: entries})
    return next_action(Transcript(TASK, first, turns, options, hands=1), table).action


def test_a_second_thing_that_is_out_of_sight_is_gone_back_to_by_what_stood_beside_it():
    two = [{**IN_FRIDGE[0], "count": 2}]
    turns = (
        Turn("go to apple 1", "You arrive at the apple (1). You see apple (1, 2), table (1)"),
        TAKEN,
        Turn(
            "go to fridge 1", "You arrive at the fridge (1). You see fridge (1) You hold apple (1)."
        ),
        Turn("put down apple 1 in fridge 1", "You put down apple in fridge"),
    )
    assert _next(two, *turns, options=("go to table 1", "go to table 2", "done")) == "go to table 1"


def _at(table: int) -> Turn:
    there = f"table ({table})"
    return Turn(
        f"go to table {table}",
        f"You arrive at the {there}. You see pan ({table}), {there} You hold apple (1).",
    )


def test_where_nothing_is_offered_to_put_it_down_the_next_place_is_tried():
    fridge = [Turn("go to fridge 1", "You arrive at the fridge (1). You see apple (1), fridge (1)")]
    offered = ("go to table 1", "go to table 2", "look at table 1", "look at table 2", "give up")
    turns = [*fridge, TAKEN]
    assert _next(ON_TABLE, *turns, options=offered) == "go to table 1"
    assert _next(ON_TABLE, *turns, _at(1), options=offered) == "go to table 2"
    then = _next(ON_TABLE, *turns, _at(1), _at(2), options=offered)
    assert then != "give up", "one of them has to be cleared"


def test_room_is_made_at_a_place_that_is_full():
    first = FIRST.replace("table (1, 2)", "table (1)")
    fridge = Turn("go to fridge 1", "You arrive at the fridge (1). You see apple (1), fridge (1)")
    full = Turn(
        "put down apple 1 on table 1",
        "There is no free spot on the table (1). You hold apple (1).",
    )
    looked = Turn(
        "look at table 1", "You look at the table (1). You see pan (1) You hold apple (1)."
    )
    aside = Turn("drop apple 1", "You drop apple.")
    pan = Turn("pick up pan 1", "You pick up pan. You hold pan (1).")
    turns = (fridge, TAKEN, _at(1), full, looked, aside, pan)
    expected = (
        "look at table 1",
        "drop apple 1",
        "pick up pan 1",
        "drop pan 1",
    )
    for count, action in enumerate(expected, start=4):
        assert _next(ON_TABLE, *turns[:count], first=first) == action
    down = Turn("drop pan 1", "You drop pan.")
    again = Turn("pick up apple 1", "You pick up apple. You hold apple (1).")
    assert _next(ON_TABLE, *turns, down, first=first) == "pick up apple 1"
    put = _next(ON_TABLE, *turns, down, again, first=first)
    assert put == "put down apple 1 on table 1", "that it was full is of no account any more"


def test_what_is_not_to_be_there_is_taken_away():
    absent = [{"relation": "on", "thing": "apple", "place": "table", "count": "all", "not": True}]
    one = FIRST.replace("table (1, 2)", "table (1)")
    assert _next(absent, first=one) == "go to table 1"
    assert _next(absent, AT_TABLE, first=one) == "look at table 1"
    looked = Turn("look at table 1", "You look at the table (1). You see apple (1)")
    assert _next(absent, AT_TABLE, looked, first=one) == "pick up apple 1"
    held = (AT_TABLE, looked, TAKEN)
    offered = ("drop apple 1", "put down apple 1 on table 1", "done")
    assert _next(absent, *held, first=one, options=offered) == "drop apple 1"
    gone = Turn("drop apple 1", "You drop apple. You see apple (1), table (1)")
    assert _next(absent, *held, gone, first=one) == "done"


def test_places_that_are_told_apart_get_one_thing_each():
    each = [{**ON_TABLE[0], "place_which": number} for number in (1, 2)]
    fridge = Turn(
        "go to fridge 1", "You arrive at the fridge (1). You see apple (1, 2), fridge (1)"
    )
    put = Turn("put down apple 1 on table 1", "You put down apple on table")
    there = Turn(
        "go to table 1", "You arrive at the table (1). You see table (1) You hold apple (1)."
    )
    back = Turn("go to fridge 1", "You arrive at the fridge (1). You see apple (2), fridge (1)")
    second = Turn("pick up apple 2", "You pick up apple. You hold apple (2).")
    turns = (fridge, TAKEN, there, put, back, second)
    assert _next(each, *turns) == "go to table 2"
    same = [{**ON_TABLE[0], "count": 2}]
    assert _next(same, *turns) == "go to table 1"


def test_of_what_an_instruction_may_mean_what_is_seen_decides():
    elsewhere = [{**IN_FRIDGE[0], "place": "box"}, {**ON_TABLE[0], "meaning": 1}]
    offered = ("put down apple 1 on table 1", "go to table 1", "done", "give up")
    assert _next(elsewhere, AT_TABLE, TAKEN, options=offered) == "put down apple 1 on table 1"


def test_all_that_an_instruction_may_mean_is_done_where_nothing_is_undone_by_it():
    both = [*ON_TABLE, {"relation": "on", "thing": "cup", "place": "table", "meaning": 1}]
    turns = (
        Turn(
            "go to fridge 1", "You arrive at the fridge (1). You see apple (1), cup (1), fridge (1)"
        ),
        TAKEN,
        Turn("go to table 1", "You arrive at the table (1). You see table (1) You hold apple (1)."),
        Turn("put down apple 1 on table 1", "You put down apple on table"),
    )
    assert _next(both, *turns) == "go to cup 1"
    instead = [*ON_TABLE, {**IN_FRIDGE[0], "meaning": 1}]
    assert _next(instead, *turns) == "done"
