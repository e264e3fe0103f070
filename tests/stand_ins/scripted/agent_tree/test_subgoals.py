"""The words in which the stand-in divides goals."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.agent_tree.subgoals import (
    Bring,
    Find,
    GoOn,
    Group,
    Place,
    Put,
    Subgoal,
    Treat,
    WantedPlacement,
    parse,
)
from peephole.stand_ins.scripted.household.requirements import Term

PLATE, KNIFE = Term(("plate",)), Term(("knife", "butter knife"))
TABLE = Place("on", "kitchen table 1", "dining room 1")

GOALS: list[tuple[Subgoal, str]] = [
    (Group(TABLE, (PLATE, KNIFE)), "put these on kitchen table 1 in dining room 1: plate, knife"),
    (Group(TABLE, (PLATE,), alone=True), "carry these on kitchen table 1 in dining room 1: plate"),
    (WantedPlacement(PLATE, TABLE), "put the plate on kitchen table 1 in dining room 1"),
    (WantedPlacement(PLATE, TABLE, 2), "put the second plate on kitchen table 1"),
    (Find(KNIFE), "find and pick up the knife or butter knife"),
    (Find(PLATE, "kids bedroom 1"), "find and pick up the plate in kids bedroom 1"),
    (Find(PLATE, unlikely=True), "find and pick up the plate in unlikely places"),
    (Find(PLATE, "hall 1", unlikely=True, but=TABLE), "in unlikely places of hall 1, but none"),
    (Find(PLATE, but=TABLE), "find and pick up the plate, but none that is on kitchen table 1"),
    (
        Put(PLATE, "inside", Place("inside", "fridge 1", "kitchen 1")),
        "put down the plate in fridge",
    ),
    (Put(PLATE, "on", kind=Term(("shelf", "desk"))), "put down the plate on the shelf or desk"),
    (Bring("on", "dishwasher 1", "kitchen 1"), "turn on dishwasher 1 in kitchen 1"),
    (Treat("cooled", PLATE), "cool the plate and pick it up"),
    (GoOn(PLATE, "Put it away.\nNow."), "with the plate in hand: Put it away."),
]


@pytest.mark.parametrize(("goal", "words"), GOALS, ids=lambda value: str(value)[:40])
def test_goals_are_read_back_from_their_words(goal: Subgoal, words: str) -> None:
    assert words in str(goal)
    assert parse(str(goal)) == goal


def test_other_words_are_no_goal_of_its_own() -> None:
    assert parse("Put the plate in the cabinet.") is None
