"""Transcripts in the dialect `lookplangraph`, translated and answered in their own words."""

from __future__ import annotations

import pytest

from peephole.stand_ins.scripted.dialects.lookplangraph_games import to_reactree
from peephole.stand_ins.scripted.household.policy import next_action
from peephole.stand_ins.scripted.household.requirements import to_table
from peephole.stand_ins.scripted.transcript import Transcript, Turn

TASK = "Store it."
TABLE = to_table({TASK: [{"relation": "inside", "thing": "t-shirt", "place": "toy box"}]})
FIRST = (
    "The house has these places: attic-1, hall-1. You are in hall-1. "
    "Looking around, you see bench-1, toy_box-1 (closed)."
)


def talk(*turns: tuple[str, str], options: tuple[str, ...] | None = None) -> Transcript:
    return Transcript(TASK, FIRST, tuple(Turn(*turn) for turn in turns), options)


def test_another_wording_is_left_alone():
    plain = Transcript(TASK, "You are in the house, and there is 1 room: hall (1).", (), None)
    assert to_reactree(plain, TABLE) is plain


def test_the_first_observation_keeps_rooms_furniture_and_doors():
    assert to_reactree(talk(), TABLE).first == (
        "You are in the house, and there are 2 rooms: attic (1), hall (1). "
        "You are in the middle of a hall (1). "
        "Looking quickly around the room, you see bench (1), toy box (1). "
        "The toy box (1) is closed."
    )


@pytest.mark.parametrize(
    ("action", "observation", "wanted", "told"),
    [
        (
            "go_to(bench-1)",
            "You go to bench-1. On bench-1, you see t_shirt-1 (dirty). In it, you see pin-2.",
            "go to bench 1",
            "You arrive at the bench (1). You see bench (1), t-shirt (1), pin (2).",
        ),
        (
            "go_to(toy_box-1)",
            "You go to toy_box-1. toy_box-1 is closed.",
            "go to toy box 1",
            "You arrive at the toy box (1). The toy box (1) is closed. You see toy box (1).",
        ),
        (
            "open(toy_box-1)",
            "You open toy_box-1. Inside toy_box-1, you see nothing.",
            "open toy box 1",
            "You open toy box. You see toy box (1).",
        ),
        (
            "pick_up(t_shirt-1)",
            "You pick up t_shirt-1.",
            "pick up t-shirt 1",
            "You pick up t-shirt. You hold t-shirt (1).",
        ),
        (
            "pick_up(t_shirt-1)",
            "t_shirt-1 is inside toy_box-1, which is closed.",
            "pick up t-shirt 1",
            "The t-shirt is inside closed toy box.",
        ),
        (
            "open(bench-1)",
            "bench-1 has no door or lid.",
            "open bench 1",
            "The bench cannot be opened.",
        ),
    ],
)
def test_actions_and_what_came_of_them(action, observation, wanted, told):
    (turn,) = to_reactree(talk((action, observation)), TABLE).turns
    assert turn == Turn(wanted, told)


def test_what_is_in_hand_is_put_and_then_is_not():
    *_, last = to_reactree(
        talk(
            ("pick_up(t_shirt-1)", "You pick up t_shirt-1."),
            ("put_inside(toy_box-1)", "You put t_shirt-1 inside toy_box-1."),
        ),
        TABLE,
    ).turns
    assert last == Turn("put down t-shirt 1 in toy box 1", "You put down t-shirt in toy box.")


def test_an_answer_is_one_of_the_planners_own_options():
    offered = ("go_to(attic-1)", "go_to(bench-1)", "go_to(toy_box-1)", "look()")
    assert next_action(talk(options=offered), TABLE).action in offered
