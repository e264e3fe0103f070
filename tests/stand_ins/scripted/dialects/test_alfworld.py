"""Transcripts in the dialect `alfworld`, translated and answered in their own words."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.dialects.alfworld import to_reactree
from peephole.stand_ins.scripted.household.policy import next_action
from peephole.stand_ins.scripted.household.requirements import requirements_of, to_table
from peephole.stand_ins.scripted.transcript import Transcript, Turn

TASK = "Wash it."
TABLE = to_table(
    {TASK: [{"relation": "on", "thing": "soap bar", "place": "dining table"}]},
)
FIRST = (
    "You are in the middle of a room. Looking quickly around you, you see a sinkbasin 1, "
    "a diningtable 2, and a sidetable 1."
)


def talk(*turns: tuple[str, str], options: tuple[str, ...] | None = None) -> Transcript:
    return Transcript(TASK, FIRST, tuple(Turn(*turn) for turn in turns), options)


def heard(*turns: tuple[str, str], options: tuple[str, ...] | None = None) -> Transcript:
    return to_reactree(talk(*turns, options=options), TABLE, requirements_of(TABLE, TASK) or ())


def test_another_wording_is_left_alone():
    plain = Transcript(TASK, "You are in the house, and there is 1 room: hall (1).", (), None)
    assert to_reactree(plain, TABLE, ()) is plain


def test_names_come_apart_as_the_task_has_them_or_by_common_sense():
    told = heard(options=("go to bedroom 1", "go to sinkbasin 1")).first
    assert "2 rooms: bedroom (1), room (1)." in told
    assert told.endswith("you see sink basin (1), dining table (2), side table (1).")


@pytest.mark.parametrize(
    ("action", "told", "other"),
    [
        (
            "go to diningtable 2",
            "You arrive at the diningtable 2. On the diningtable 2, you see a mug 1, and an egg 3.",
            ("go to dining table 2", "You see dining table (2), mug (1), egg (3)."),
        ),
        (
            "open fridge 1",
            "You open the fridge 1. The fridge 1 is open. In it, you see nothing.",
            ("open fridge 1", "You open fridge. The fridge (1) is open. You see fridge (1)."),
        ),
        (
            "take soapbar 1 from sinkbasin 1",
            "You pick up the soapbar 1 from the sinkbasin 1.",
            ("pick up soap bar 1", "You pick up soap bar. You hold soap bar (1)."),
        ),
        (
            "go to kitchen 1",
            "You arrive at the kitchen. Looking quickly around you, you see a stove 1.",
            ("go to kitchen 1", "You move to the kitchen (1). Looking quickly around the room, "),
        ),
        ("use lamp 1", "You turn on the lamp 1.", ("turn on lamp 1", "You turn on lamp.")),
        ("open mug 1", "Nothing happens.", ("open mug 1", "Nothing happens.")),
    ],
)
def test_turns_come_to_the_other_words(action, told, other):
    (turn,) = heard((action, told)).turns
    assert turn.action == other[0]
    assert other[1] in turn.observation


def test_what_is_found_is_brought_where_it_belongs_in_the_words_on_offer():
    told = {
        "go to sinkbasin 1": "You arrive at the sinkbasin 1. On the sinkbasin 1, you see a "
        "soapbar 1.",
        "take soapbar 1 from sinkbasin 1": "You pick up the soapbar 1 from the sinkbasin 1.",
        "go to diningtable 2": "You arrive at the diningtable 2. On the diningtable 2, you see "
        "nothing.",
        "put soapbar 1 in/on diningtable 2": "You put the soapbar 1 in/on the diningtable 2.",
    }
    turns: list[tuple[str, str]] = [("go to sinkbasin 1", told["go to sinkbasin 1"])]
    for action in list(told)[1:]:
        assert next_action(talk(*turns, options=(*told, "done")), TABLE).action == action
        turns.append((action, told[action]))
    assert next_action(talk(*turns, options=(*told, "done")), TABLE).action == "done"
