"""Floor plans: everything in its place, what matters always shown, what is hidden told apart."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.results.films.floor_plan import HEAD, FloorPlan, floor_plan
from peephole.results.films.moments import MomentState
from peephole.results.films.plan_drawing import agent_place, draw_agent, draw_plan

pytest.importorskip("PIL")
SIZE = (1280, 540)


def thing(
    number: int, kind: str, place: int | None = None, how: str = "inside", **more: Any
) -> dict[str, Any]:
    kept = {} if place is None else {"in": place, "how": how}
    drawn = {"id": number, "name": f"{kind} {number}", "kind": kind, "sight": "seen"}
    return {**drawn, **kept, **more}


def world(
    *things: dict[str, Any], at: tuple[int, ...] = (), about: tuple[int, ...] = ()
) -> MomentState:
    return MomentState({each["id"]: each for each in things}, at, about)


@st.composite
def episodes(draw: st.DrawFn) -> tuple[list[MomentState], set[int]]:
    """A house, what is carried from place to place in it, and what the task is about."""
    rooms = [thing(i, "room") for i in range(1, 1 + draw(st.integers(1, 14)))]
    fixtures = [
        thing(100 + i, "fixture", draw(st.sampled_from(rooms))["id"])
        for i in range(draw(st.integers(1, 60)))
    ]
    places = [each["id"] for each in rooms + fixtures]
    count = draw(st.integers(1, 80))
    goal = draw(st.sets(st.integers(500, 499 + count), max_size=6))
    worlds = []
    for _ in range(draw(st.integers(1, 4))):
        objects = [thing(500 + i, "object", draw(st.sampled_from(places))) for i in range(count)]
        at = draw(st.sampled_from(fixtures))
        agent = thing(999, "agent", at["in"])
        about = draw(st.integers(500, 499 + count))
        worlds.append(world(*rooms, *fixtures, *objects, agent, at=(at["id"],), about=(about,)))
    return worlds, goal


def boxes(plan: FloorPlan) -> list[tuple[int, int, int, int]]:
    return [
        (card.x, card.y, card.x + card.width, card.y + card.height) for card in plan.cards.values()
    ]


@settings(max_examples=25)
@given(episodes())
def test_cards_stand_in_their_rooms_apart_from_each_other(
    found: tuple[list[MomentState], set[int]],
) -> None:
    worlds, goal = found
    plan = floor_plan(worlds, goal, *SIZE)
    for room in plan.rooms:
        assert room.x >= 0
        assert room.y >= 0
        assert (room.x + room.width) * plan.scale <= SIZE[0] + 1
        assert (room.y + room.height) * plan.scale <= SIZE[1] + 1
        for card in room.cards:
            assert card.x >= room.x
            assert card.y >= room.y
            assert card.x + card.width <= room.x + room.width
            assert card.y + card.height <= room.y + room.height
    for one, other in combinations(boxes(plan), 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart


@settings(max_examples=25)
@given(episodes())
def test_the_rooms_of_what_matters_are_shown_and_what_is_left_out_is_counted(
    found: tuple[list[MomentState], set[int]],
) -> None:
    worlds, goal = found
    plan = floor_plan(worlds, goal, *SIZE)
    shown = {room.room for room in plan.rooms}
    rooms = [i for i, each in worlds[0].things.items() if each["kind"] == "room"]
    assert len(shown) + plan.other_rooms == len(rooms)
    for each in worlds:
        assert each.things[999]["in"] in shown
        assert (goal | set(each.about)) <= plan.shown
    for room in plan.rooms:
        fixtures = [
            i
            for i, each in worlds[0].things.items()
            if each["kind"] == "fixture" and each["in"] == room.room
        ]
        cards = [card for card in room.cards if card.thing != room.room]
        assert len(cards) + room.left_out >= len(fixtures)


KITCHEN = thing(1, "room")
CUPBOARD = thing(10, "fixture", 1, states=["closed"])
TABLE = thing(11, "fixture", 1)
AGENT = thing(99, "agent", 1)


def drawn(*worlds: MomentState, goal: tuple[int, ...] = (50,)) -> list[np.ndarray[Any, Any]]:
    """Each world as pixels, on the plan of them all, with the agent."""
    plan = floor_plan(worlds, goal, *SIZE)
    pictures = []
    for each in worlds:
        picture = draw_plan(plan, each, goal, SIZE)
        draw_agent(picture, plan, each, agent_place(plan, each))
        pictures.append(np.asarray(picture).astype(int))
    return pictures


def test_how_things_are_known_can_be_told_apart() -> None:
    worlds = [
        world(KITCHEN, CUPBOARD, TABLE, AGENT, thing(50, "object", 10, sight=sight))
        for sight in ("seen", "known", "moved", "hidden")
    ]
    for one, other in combinations(drawn(*worlds), 2):
        assert (one != other).any()


def test_what_is_open_what_is_held_and_where_the_agent_is_can_be_seen() -> None:
    start = world(KITCHEN, CUPBOARD, TABLE, AGENT, thing(50, "object", 11), at=(11,))
    opened = world(
        KITCHEN, {**CUPBOARD, "states": ["open"]}, TABLE, AGENT, thing(50, "object", 11), at=(11,)
    )
    gone = world(KITCHEN, CUPBOARD, TABLE, AGENT, thing(50, "object", 11), at=(10,))
    held = world(KITCHEN, CUPBOARD, TABLE, AGENT, thing(50, "object", 99, "holds"), at=(11,))
    pictures = drawn(start, opened, gone, held)
    for one, other in combinations(pictures, 2):
        assert (one != other).any()


def test_a_full_card_counts_what_it_does_not_name() -> None:
    things = [thing(50 + number, "object", 11) for number in range(41)]
    fewer, more = drawn(*(world(KITCHEN, TABLE, AGENT, *things[:n]) for n in (40, 41)))
    assert (fewer != more).any()


def test_the_agent_is_drawn_where_it_stands() -> None:
    start = world(KITCHEN, CUPBOARD, TABLE, AGENT, at=(10,))
    plan = floor_plan([start], (), *SIZE)
    card = plan.cards[10]
    x, y = agent_place(plan, start)
    assert card.x + card.width / 2 < x < card.x + card.width, "the name of the card is at its left"
    without = draw_plan(plan, start, (), SIZE)
    with_ = without.copy()
    draw_agent(with_, plan, start, (x, y))
    changed = np.argwhere((np.asarray(without) != np.asarray(with_)).any(axis=2)) / plan.scale
    (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
    assert top + bottom == pytest.approx(2 * y, abs=2)
    assert left + right == pytest.approx(2 * x, abs=2)


@pytest.mark.parametrize("name", ["cup", "a very long name of a thing that is carried about"])
def test_what_is_held_is_written_in_the_room_of_the_agent_and_covers_no_name(name: str) -> None:
    rooms = [thing(number, "room") for number in (1, 2, 3)]
    cards = [thing(10 + number, "fixture", number) for number in (1, 2, 3)]
    cup = thing(50, "object", 99, "holds", name=name)
    for number in (1, 2, 3):
        agent = thing(99, "agent", number)
        plain = world(*rooms, *cards, agent, at=(10 + number,))
        holding = world(*rooms, *cards, agent, cup, at=(10 + number,))
        plan = floor_plan([holding], (50,), *SIZE)
        room = next(each for each in plan.rooms if each.room == number)
        without, with_ = (draw_plan(plan, plain, (50,), SIZE) for _ in range(2))
        draw_agent(without, plan, plain, agent_place(plan, plain))
        draw_agent(with_, plan, holding, agent_place(plan, holding))
        changed = np.argwhere((np.asarray(without) != np.asarray(with_)).any(axis=2)) / plan.scale
        (top, left), (bottom, right) = changed.min(axis=0), changed.max(axis=0)
        assert room.x <= left <= right <= room.x + room.width
        assert room.y <= top <= bottom <= room.y + room.height
        for card in room.cards:
            outside = bottom < card.y or top > card.y + HEAD
            assert card.thing == number or outside, "the names of furniture stay readable"


def test_a_thing_is_on_the_card_of_what_keeps_it_and_held_on_none() -> None:
    bowl, apple = thing(50, "object", 11, "on"), thing(51, "object", 50)
    before = world(KITCHEN, CUPBOARD, TABLE, AGENT, bowl, apple)
    after = world(KITCHEN, CUPBOARD, TABLE, AGENT, bowl, thing(51, "object", 99, "holds"))
    plan = floor_plan([before, after], (51,), *SIZE)
    kept = plan.things_by_card(before)
    assert {card: [each["id"] for each in things] for card, things in kept.items()} == {
        11: [50, 51]
    }
    assert [each["id"] for each in plan.things_by_card(after)[11]] == [50]
    assert plan.cards[11].lines == 2
    assert plan.scale > 1, "a small world is drawn large"


def test_a_world_without_rooms_is_drawn_too() -> None:
    (picture,) = drawn(world(thing(10, "fixture"), thing(50, "object", 10), thing(99, "agent")))
    assert picture.std() > 5
