"""Transcripts in the dialect `reactree_plain`, translated into `reactree`."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.dialects.reactree import parse_first, parse_observation
from peephole.stand_ins.scripted.dialects.reactree_plain import to_reactree
from peephole.stand_ins.scripted.transcript import Transcript, Turn

FIRST = (
    "You are in the house, and there are 2 rooms: hall 1, tv room 1. You are in the middle of a "
    "hall 1. Looking quickly around the room, you see bench 1, bench 2."
)


def translated(action: str, told: str) -> Turn:
    (turn,) = to_reactree(Transcript("Go.", FIRST, (Turn(action, told),), None)).turns
    return turn


def test_another_wording_is_left_alone() -> None:
    first = "You are in the house, and there are 2 rooms: hall (1), tv room (1)."
    published = Transcript("Go.", first, (), None)
    assert to_reactree(published) is published


def test_the_first_observation_tells_rooms_and_furniture() -> None:
    seen = parse_first(to_reactree(Transcript("Go.", FIRST, (), None)).first)
    assert (seen.rooms, seen.room) == (["hall 1", "tv room 1"], "hall 1")
    assert seen.furniture == ["bench 1", "bench 2"]


@pytest.mark.parametrize(
    ("action", "plain", "published"),
    [
        (
            "open fridge 1",
            "You open fridge 1. You see fridge 1, juice 1, juice 2. You hold cup 1.",
            "You open fridge. You see fridge (1), juice (1, 2) You hold cup (1).",
        ),
        (
            "go to fridge 1",
            "You arrive at the fridge 1. The fridge 1 is closed. You see fridge 1.",
            "You arrive at the fridge (1). The fridge (1) is closed. You see fridge (1)",
        ),
        (
            "put down cup 1 in fridge 2",
            "You put down cup 1 in fridge 2. You hold cup 2.",
            "You put down cup in fridge You hold cup (2).",
        ),
        ("put down cup 1", "You put down cup 1 on desk 3.", "You put down cup on desk"),
        (
            "pick up cup 1",
            "You pick up cup 1. You hold cup 1.",
            "You pick up cup. You hold cup (1).",
        ),
        ("put down cup 1", "You do not hold the cup 1.", "You do not grab the cup."),
        ("open box 1", "The box 1 is already open.", "The box is already open. You see nothing"),
        ("open box 1", "The box 1 is not close to you.", "The box is not close to you."),
        ("wait", "You wait.", "You wait."),
    ],
)
def test_an_observation_says_what_the_published_one_says(
    action: str, plain: str, published: str
) -> None:
    turn = translated(action, plain)
    assert turn.action == action
    one, other = parse_observation(turn.observation, action), parse_observation(published, action)
    if other.listed == []:  # the list that only the published one has after a failure
        other = parse_observation(published.partition(" You see")[0], action)
    assert one == other
