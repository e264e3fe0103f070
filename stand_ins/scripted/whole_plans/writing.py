"""Whole plans: things are imagined where they usually are, or where they are told to be.

What would be done there, with all of it in view, is the plan. Which of the usual places a thing is
imagined at is a matter of chance for samples, so that they differ; else it is the likeliest.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ..dialects.reactree import category, parse_put
from ..household import commonsense
from ..household.memory import Memory
from ..household.memory_updates import memory_at_first, take_in
from ..household.policy import choices, first_possible
from ..household.requirements import ANYTHING, Requirement, Table, requirements_of
from ..household.situation import Situation
from ..transcript import DONE, GIVE_UP, Transcript, Turn
from .imagined_house import ImaginedHouse
from .told_house import ToldHouse, read_house

#: What is needed for some tasks and named by none.
_TOOLS = ("knife", "butter knife")
#: Lines of a plan, and actions to find it.
_LINES, _ACTIONS = 80, 160
#: How the imagined house begins to tell of failures.
_FAILED = ("The ", "You do not ", "You have not ")
_VERBS = ("go to ", "pick up ", "open ", "close ", "turn on ", "turn off ", "slice ")


def plan_lines(
    asked: str, table: Table, seed: int | None, hands: int, hand_to_open: bool
) -> tuple[str, ...]:
    """The plan for a message that asks for one, its end included. seed: None for the likeliest."""
    house, _ = read_house(asked)
    requirements = requirements_of(table, house.instruction)
    if requirements is None:
        return (DONE,)
    return _planned(asked.partition("\nPlan:")[0], requirements, seed, hands, hand_to_open)


@lru_cache(maxsize=64)  # it is asked for line by line
def _planned(
    asked: str,
    requirements: tuple[Requirement, ...],
    seed: int | None,
    hands: int,
    hand_to_open: bool,
) -> tuple[str, ...]:
    told, _ = read_house(asked)
    chance = None if seed is None else random.Random(seed)
    house = _imagined(told, requirements, chance, hands)
    transcript = Transcript(
        told.instruction,
        house.first(),
        (),
        None,
        hands=hands,
        opening_needs_hand=hand_to_open,
    )
    memory = memory_at_first(transcript)
    for action in _tour(house):
        transcript = _after(transcript, memory, house, action)
    lines: list[str] = []
    for _ in range(_ACTIONS):
        situation = Situation(memory, None, told.instruction)
        action = first_possible(choices(situation, requirements), situation, transcript).action
        if action in (DONE, GIVE_UP) or len(lines) >= _LINES:
            break
        if action.startswith("go to "):
            action = f"go to {house.stands_at(action.removeprefix('go to '))}"
        said = [*_lines(action, told, house)]
        transcript = _after(transcript, memory, house, action)
        if not transcript.turns[-1].observation.startswith(_FAILED):
            lines += said
    return (*lines, DONE)


def _after(transcript: Transcript, memory: Memory, house: ImaginedHouse, action: str) -> Transcript:
    """The transcript with an action, which is added to what is known, too."""
    turn = Turn(action, house.act(action))
    take_in(memory, turn)
    return replace(transcript, turns=(*transcript.turns, turn))


def _lines(action: str, told: ToldHouse, house: ImaginedHouse) -> Iterator[str]:
    """An action as lines of a plan; none for what no plan has.

    A thing on the floor is gone to by its room. Only what is put into an object says where.
    """
    put = parse_put(action)
    if put is not None:
        thing, how, place = put
        said = f"put down {_called(thing, told)}"
        yield f"{said} {how} {_called(place, told)}" if place and place in told.objects else said
        return
    for verb in _VERBS:
        name = action.removeprefix(verb)
        if name == action:
            continue
        if verb == "go to " and name in told.objects and name in house.furniture:
            yield f"go to {_called(house.furniture[name], told)}"
        yield verb + _called(name, told)
        return


def _called(name: str, told: ToldHouse) -> str:
    """A name as plans have it: that of an object without its number."""
    return told.written(name.rpartition(" ")[0] if name in told.objects else name)


# --- what is imagined ----------------------------------------------------------------------------


def _imagined(
    told: ToldHouse,
    requirements: Sequence[Requirement],
    chance: random.Random | None,
    hands: int,
) -> ImaginedHouse:
    furniture = dict(told.furniture)
    places = {thing: (how, place) for thing, how, place in told.places}
    things: dict[str, tuple[str, str]] = {}
    for thing in _relevant(told, requirements):
        if places.get(thing, ("", ""))[1] in told.rooms:  # it stands or lies there by itself
            furniture[thing] = places[thing][1]
        elif places:
            things.update(_with_keepers(thing, places, furniture))
        elif thing not in furniture:
            place = _likely(thing, furniture, chance)
            things[thing] = ("in" if commonsense.has_door(category(place)) else "on", place)
    closed = told.closed
    if not places:
        closed = tuple(piece for piece in furniture if commonsense.has_door(category(piece)))
    return ImaginedHouse(told.rooms, told.start, furniture, things, closed, hands)


def _relevant(told: ToldHouse, requirements: Sequence[Requirement]) -> list[str]:
    """The objects that a task is about, and the tools for it."""
    kinds = set(_TOOLS)
    for required in requirements:
        for term in (required.thing, required.place):
            kinds.update(() if term is None else term.categories)
    return [o for o in told.objects if category(o) in kinds or ANYTHING in kinds]


def _with_keepers(
    thing: str, places: Mapping[str, tuple[str, str]], furniture: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """A thing with where it is told to be, and so on up to the furniture."""
    while thing in places and thing not in furniture:
        yield thing, places[thing]
        thing = places[thing][1]


def _likely(thing: str, furniture: Mapping[str, str], chance: random.Random | None) -> str:
    """Furniture where a thing usually is: the likeliest, or by chance one of the likely."""
    names = sorted(furniture)
    values = [
        commonsense.search_value(category(thing), category(name), category(furniture[name]))
        for name in names
    ]
    if chance is None:
        return names[values.index(max(values))]
    return chance.choices(names, [value**2 for value in values])[0]


def _tour(house: ImaginedHouse) -> Iterator[str]:
    """The way to see all rooms, and everything that is imagined, with nothing changed."""
    start = house.room
    for room in house.rooms:
        yield f"go to {room}"
    for place in sorted({house.stands_at(thing) for thing in house.things}):
        yield f"go to {place}"
        for container in _closed_above(house, place):
            yield f"open {container}"
            yield f"close {container}"
    yield f"go to {start}"


def _closed_above(house: ImaginedHouse, place: str) -> list[str]:
    """What is closed there, the outer first."""
    found = [place]
    for keeper in found:  # it grows
        found += [thing for thing, (_, kept_by) in house.things.items() if kept_by == keeper]
    return [keeper for keeper in found if keeper in house.closed]
