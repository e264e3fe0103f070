"""Tests of what an agent of a tree decides for its goal."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.agent_tree.policy import (
    AgentContext,
    Decided,
    Earlier,
    Expansion,
    Recall,
    Thought,
    decide,
)
from peephole.stand_ins.scripted.transcript import GIVE_UP, Choice, Transcript, Turn

FIRST = (
    "You are in the house, and there are 2 rooms: bedroom (1), kitchen (1). You are in the middle "
    "of a kitchen (1). Looking quickly around the room, you see chair (1), drawing (1), kitchen "
    "counter (1), mat (1), table (1), towel rack (1)."
)
AT_COUNTER = Turn(
    "go to kitchen counter 1",
    "You arrive at the kitchen counter (1). You see drawing (1), kitchen counter (1), plate (1)",
)
AT_TABLE = Turn("go to table 1", "You arrive at the table (1). You see book (1), table (1)")
AT_RACK = Turn(
    "go to towel rack 1",
    "You arrive at the towel rack (1). You see mat (1), towel rack (1)",
)
FLOWS = ("sequence", "fallback", "parallel")


def decided(goal: str, *turns: Turn, earlier: tuple[Earlier, ...] = ()) -> Decided:
    """What an agent of the house decides: not the root, and one that may recall."""
    transcript = Transcript(goal, FIRST, turns, options=None)
    return decide(AgentContext(transcript, earlier, is_root=False, flows=FLOWS, recalls=True), {})


def test_a_search_of_a_room_ends_where_all_likely_places_were_seen() -> None:
    """What is left, and stands beside places that were seen, does not lead back to these."""
    goal = "find and pick up the mug in kitchen 1"
    begun = decided(goal)
    assert isinstance(begun, Choice)
    assert begun.action in ("go to kitchen counter 1", "go to table 1")
    ended = decided(goal, AT_COUNTER, AT_TABLE, AT_RACK)
    assert isinstance(ended, Choice)
    assert ended.action == GIVE_UP


def test_unlikely_places_of_a_room_are_looked_at_by_an_agent_of_their_own() -> None:
    searched = decided("find and pick up the mug in unlikely places of kitchen 1", AT_COUNTER)
    assert isinstance(searched, Choice)
    assert searched.action != GIVE_UP
    assert not searched.action.endswith("kitchen counter 1")


@pytest.mark.parametrize(
    ("thing", "likely"),
    [("mug", False), ("pan", False), ("towel", True)],
)
def test_furniture_for_other_things_is_unlikely(thing: str, likely: bool) -> None:
    goal = f"find and pick up the {thing} in kitchen 1"
    choice = decided(goal, AT_COUNTER, AT_TABLE)
    assert isinstance(choice, Choice)
    assert (choice.action == "go to towel rack 1") is likely


def test_finding_and_putting_is_a_sequence_without_a_thought() -> None:
    assert decided("put the mug on kitchen counter 1 in kitchen 1") == Expansion(
        "sequence",
        ("find and pick up the mug", "put down the mug on kitchen counter 1 in kitchen 1"),
    )


def test_a_thing_not_seen_yet_is_looked_for_room_by_room_after_a_thought() -> None:
    goal = "find and pick up the mug"
    assert decided(goal) == Recall("mug")
    recalled = Earlier("recall", "mug", "You have not seen mug before.")
    assert isinstance(decided(goal, earlier=(recalled,)), Thought)
    thought = Earlier("think", "Room by room.", "OK.")
    assert decided(goal, earlier=(recalled, thought)) == Expansion(
        "fallback",
        (
            "find and pick up the mug in kitchen 1",
            "find and pick up the mug in bedroom 1",
            "find and pick up the mug in unlikely places",
        ),
    )
