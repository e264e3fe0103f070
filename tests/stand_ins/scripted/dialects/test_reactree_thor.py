"""Transcripts in the dialect `reactree_thor`, translated and answered in their own words."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.dialects.reactree_thor import to_reactree
from peephole.stand_ins.scripted.household.policy import next_action
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.stand_ins.scripted.transcript import Transcript, Turn

FIRST = (
    "You are in the house, and you arrive at the kitchen, Looking quickly around the room, "
    "you see SinkBasin (1), Microwave (1), Fridge (1), Faucet (1), CounterTop (1, 2)."
)
SEEN = "You see CounterTop (1), Apple (1)."
TABLE = to_table(
    {
        "Heat it.": [
            {"relation": "inside", "thing": "apple", "place": "fridge"},
            {"relation": "treated", "thing": "apple", "state": "heated"},
        ]
    }
)


def heard(*turns: tuple[str, str], options: tuple[str, ...] | None = None) -> Transcript:
    return to_reactree(Transcript("Heat it.", FIRST, tuple(Turn(*turn) for turn in turns), options))


def test_another_wording_is_left_alone():
    plain = Transcript("Go.", "You are in the house, and there is 1 room: hall (1).", (), None)
    assert to_reactree(plain) is plain


def test_the_first_observation_names_the_room():
    assert heard().first == (
        "You are in the house, and there is 1 room: kitchen (1). You are in the middle of a "
        "kitchen (1). Looking quickly around the room, you see sink basin (1), microwave (1), "
        "fridge (1), faucet (1), counter top (1, 2)."
    )
    assert heard().hands == 1


@pytest.mark.parametrize(
    ("told", "other"),
    [
        (f"You arrive at CounterTop (1). {SEEN}", "You see counter top (1), apple (1)."),
        (
            "You arrive at Fridge (1). You see Fridge (1). Fridge (1) is closed.",
            "The fridge (1) is",
        ),
        ("You pick up Apple (1). You see x. I am holding Apple (1) now.", "You hold apple (1)."),
        ("You put Apple (1) on SinkBasin (1). You see x.", "You put down apple. You see x."),
        ("You open Laptop (1). The Laptop (1) is empty.", "You see laptop (1)."),
        (
            "You arrive at the kitchen, Looking quickly around the room, you see Fridge (1). "
            "You see Boots (1).",
            "You move to the kitchen (1). Looking quickly around the room, you see fridge (1), "
            "boots (1).",
        ),
    ],
)
def test_observations_come_to_the_other_words(told, other):
    (turn,) = heard(("wait", told)).turns
    assert other in turn.observation


def test_actions_are_answered_as_they_were_offered():
    options = ("go to CounterTop (1)", "go to Fridge (1)")
    talk = heard(options=options)
    assert talk.options == ("go to counter top 1", "go to fridge 1")
    assert next_action(talk, TABLE).action in options


def test_what_is_to_be_hot_goes_into_the_microwave_before_it_goes_where_it_belongs():
    holding = "I am holding Apple (1) now."
    turns = [
        ("go to CounterTop (1)", f"You arrive at CounterTop (1). {SEEN}"),
        ("pick up Apple (1)", f"You pick up Apple (1). {SEEN} {holding}"),
    ]
    told = {
        "go to Microwave (1)": "You arrive at Microwave (1). You see Microwave (1), Apple (1). "
        f"Microwave (1) is closed. {holding}",
        "open Microwave (1)": "You open Microwave (1). You see Microwave (1), Apple (1). "
        f"{holding}",
        "put down Apple (1) in Microwave (1)": "You put Apple (1) on Microwave (1). "
        "You see Microwave (1), Apple (1).",
        "close Microwave (1)": "You close Microwave (1). You see Microwave (1).",
        "turn on Microwave (1)": "You turn on Microwave (1). You see Microwave (1).",
        "turn off Microwave (1)": "You turn off Microwave (1). You see Microwave (1).",
    }
    for expected, observation in told.items():
        assert next_action(heard(*turns), TABLE).action == expected
        turns.append((expected, observation))
    assert next_action(heard(*turns), TABLE).action == "open Microwave (1)"


def test_types_that_begin_with_capitals_are_read_as_words():
    first = FIRST.replace("SinkBasin (1)", "TVStand (1), CD (1), SinkBasin (1)")
    wording = to_reactree(Transcript("Go.", first, (), None)).wording
    assert {"tv stand 1", "cd 1", "sink basin 1"} <= wording.keys()


def test_the_published_wordings_are_read():
    turns = (
        Turn("go to DeskLamp (1)", "You see DeskLamp (1). DeskLamp (1) is already turned on."),
        Turn("go to DeskLamp (1)", "You already arrive at DeskLamp (1). You see DeskLamp (1)."),
        Turn("go to Shelf (1)", "You arrive at Shelf (1). There are no visible objects."),
        Turn("put down Cup (1)", "You put Cup (1) on Safe (1). You see Cup (1)."),
        Turn("put down Cup (1) in Safe (1)", "You put Cup (1) on Safe (1). You see Cup (1)."),
        Turn("pick up Cup (1)", "You are currently holding Pen (1). I am holding Pen (1) now."),
        Turn("put down Cup (1)", "You are not holding any object."),
        Turn("turn on Fan (1)", "The Fan (1) already turn on."),
        Turn("turn on Cup (1)", "The Cup (1) cannot be turn on."),
        Turn("pick up Fan (1)", "The Fan (1) cannot be pick up."),
    )
    read = to_reactree(Transcript("Go.", FIRST, turns, None)).turns
    assert [turn.observation for turn in read] == [
        "You arrive at the desk lamp (1). You see desk lamp (1). The desk lamp (1) is on.",
        "You arrive at the desk lamp (1). You see desk lamp (1).",
        "You arrive at the shelf (1). You see nothing.",
        "You put down cup. You see cup (1).",
        "You put down cup in safe You see cup (1).",
        "You do not have an empty hand. You hold pen (1).",
        "You do not grab the thing.",
        "The fan (1) is already turned on.",
        "The cup (1) does not have a switch.",
        "The fan (1) cannot be grabbed.",
    ]
