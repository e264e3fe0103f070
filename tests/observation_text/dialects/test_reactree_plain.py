"""The dialect `reactree_plain`: names as actions have them, and no text that misleads."""

from __future__ import annotations

import pytest

from peephole.observation_text.dialects.reactree.plain import PLAIN_DIALECT as DIALECT

KITCHEN = (
    "bench 1, bench 2, chair 1, fridge 1, kitchen cabinet 1, kitchen table 1, microwave oven 1"
)


@pytest.fixture
def plain(house, play_in):
    return play_in(house, DIALECT)


def test_things_are_called_in_observations_as_in_actions(plain):
    assert plain.first == (
        "You are in the house, and there are 4 rooms: bathroom 1, bedroom 1, kitchen 1, "
        "living room 1. You are in the middle of a kitchen 1. "
        f"Looking quickly around the room, you see {KITCHEN}."
    )
    assert plain.do("go to kitchen table 1") == (
        "You arrive at the kitchen table 1. "
        "You see apple 1, apple 2, kitchen table 1, knife 1, plate 1."
    )
    assert plain.do("pick up apple 2") == "You pick up apple 2. You hold apple 2."
    assert plain.do("put down apple 2") == "You put down apple 2 on kitchen table 1."
    plain.do("pick up knife 1")
    assert plain.do("slice apple 1") == "You slice apple 1. You hold knife 1."
    assert plain.do("go to kitchen cabinet 1") == (
        "You arrive at the kitchen cabinet 1. The kitchen cabinet 1 is open. "
        "You see juice 2, kitchen cabinet 1, knife 1, microwave oven 1. You hold knife 1."
    )
    assert plain.do("put down knife 1") == "You put down knife 1 in kitchen cabinet 1."
    assert plain.do("go to bedroom 1") == (
        "You move to the bedroom 1. Looking quickly around the room, you see bed 1."
    )


def test_what_is_open_is_reported_after_opening_alone(plain):
    """A list after a refusal reads as what is in the thing: "You see nothing" as an empty one."""
    assert plain.do("open fridge 1") == "The fridge 1 is not close to you."
    plain.do("go to fridge 1")
    assert plain.do("open fridge 1") == "You open fridge 1. You see box 1, fridge 1, juice 1."
    assert plain.do("open fridge 1") == "The fridge 1 is already open."
    plain.do("go to chair 1")
    assert plain.do("open chair 1") == "The chair 1 cannot be opened."


def test_putting_down_what_is_not_held_says_so(plain):
    plain.do("go to kitchen table 1")
    assert plain.do("put down apple 1") == "You do not hold the apple 1."


def test_failures_tell_the_numbers(plain):
    plain.do("go to kitchen table 1")
    assert plain.do("pick up fridge 1") == "The fridge 1 is not close to you."
    plain.do("pick up apple 1")
    plain.do("pick up apple 2")
    assert plain.do("pick up plate 1") == (
        "You do not have an empty hand. You hold apple 1, apple 2."
    )


def test_actions_menu_and_state_are_those_of_reactree(house, play_in, play):
    plain = play_in(house.copy(), DIALECT)
    for action in ("go to kitchen table 1", "pick up apple 1", "go to kitchen cabinet 1"):
        plain.do(action)
        play.do(action)
        assert plain.observer.menu() == play.observer.menu()
    assert plain.refusal("open apple (1)") == play.refusal("open apple (1)")
