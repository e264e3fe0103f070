"""Carry things to their places, and away from wrong places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..table import Requirement, category
from .handling import (
    approach,
    is_surface,
    may_be_closed,
    open_container,
    pick_up,
    put_down,
    search_for,
    set_aside,
)
from .memory import Choice, Choices, HouseSituation, Memory
from .placements import RequiredPlacement, RequiredPlacements


def carry(placements: RequiredPlacements) -> Choices:
    """Bring held things, and fetch found ones."""
    situation, memory = placements.situation, placements.situation.memory
    carried = list(in_hand(placements))
    ready = _ready(placements, [thing for thing, _ in carried])
    if not carried:
        for thing, placement in ready:
            yield from _open_beforehand(situation, placement)
            yield from _fetch(situation, thing)
        return
    first = carried[0][1]
    has_free_hand = len(memory.held) < memory.hands and not _needs_hand_for_door(memory, first)
    more = ready if has_free_hand else []
    for thing, _ in more[:1]:
        if _is_on_the_way(memory, thing, first):
            yield from _fetch(situation, thing)
    for thing, placement in carried:
        place, relation = placement.place, placement.relation
        if place is not None:
            why = f"{thing} is to be {relation} {place}."
            yield from put_down(situation, thing, relation, place, why)
    for thing, _ in more:
        yield from _fetch(situation, thing)


def in_hand(placements: RequiredPlacements) -> Iterator[tuple[str, RequiredPlacement]]:
    """The held things, each with a placement that needs it."""
    lacking = _lacking(placements)
    for thing in placements.situation.memory.held:
        for placement in placements.all:
            if lacking[id(placement)] > 0 and placements.accepts(placement, thing):
                lacking[id(placement)] -= 1
                yield thing, placement
                break


def _ready(
    placements: RequiredPlacements, carried: Sequence[str]
) -> list[tuple[str, RequiredPlacement]]:
    """The found things that are still to be fetched, the nearest first."""
    memory = placements.situation.memory
    lacking = _lacking(placements)
    for _, placement in in_hand(placements):
        lacking[id(placement)] -= 1
    searches_on = bool(memory.left) and not memory.held
    taken = {*carried, *placements.placed, *memory.held}
    found: list[tuple[str, RequiredPlacement]] = []
    for placement in placements.all:
        if placement.place is None and not searches_on:
            continue  # find the place first, while the hands are free
        things = [
            name
            for name in placements.candidates(placement)
            if name not in taken and name != placement.place
        ]
        if placement.place is None:  # take along what is here
            things = [name for name in things if memory.in_reach(name)]
        things.sort(key=lambda name: _distance(memory, name))
        for name in things[: max(lacking[id(placement)], 0)]:
            taken.add(name)
            found.append((name, placement))
    return sorted(found, key=lambda pair: _distance(memory, pair[0]))


def _lacking(placements: RequiredPlacements) -> Counter[int]:
    """How many things each placement needs, by its Python id, since two may be equal."""
    return Counter({id(placement): placement.lacking for placement in placements.all})


def _distance(memory: Memory, thing: str) -> int:
    """0 within reach, 1 in this room, 2 elsewhere."""
    if memory.in_reach(thing):
        return 0
    return 1 if memory.room_of(thing) == memory.room else 2


def _is_on_the_way(memory: Memory, thing: str, first: RequiredPlacement) -> bool:
    """Whether to fetch another thing before bringing the held one."""
    if first.place is None or _distance(memory, thing) == 0:
        return True
    if memory.in_reach(first.place):
        return False
    return _distance(memory, thing) == 1 or _distance(memory, first.place) == 2


def _needs_hand_for_door(memory: Memory, placement: RequiredPlacement) -> bool:
    place = placement.place
    return (
        memory.opening_needs_hand
        and placement.relation == "inside"
        and (place is None or memory.state(place, "open") is not True)
    )


def _open_beforehand(situation: HouseSituation, placement: RequiredPlacement) -> Choices:
    """Open the place of a thing while the agent stands there with a free hand."""
    memory, place = situation.memory, placement.place
    if place is None or not memory.opening_needs_hand or placement.relation != "inside":
        return
    if memory.in_reach(place) and may_be_closed(situation, place):
        yield from open_container(situation, place, "Things are to go in.")


def _fetch(situation: HouseSituation, thing: str) -> Choices:
    yield from pick_up(situation, thing, f"The task needs a {category(thing)}.")


# --- away from where things are not to be --------------------------------------------------------


def take_away(placements: RequiredPlacements, requirements: Sequence[Requirement]) -> Choices:
    """Take away wrong things from a place, except those to bring elsewhere."""
    situation, memory = placements.situation, placements.situation.memory
    for required in requirements:
        if required.thing is None or required.place is None:
            continue
        if required.place.which:
            chosen = placements.meant.chosen(required.place)
            places = [] if chosen is None else [chosen]
        else:
            places = situation.instances(required.place)
            if not places:
                yield from search_for(situation, required.place.categories)
        for place in places:
            why = f"Something is not to be at {place}."
            for thing in memory.held:
                if situation.fits(required.thing, thing):
                    yield from set_aside(situation, thing, why, away_from=place)
            if place in memory.held:
                continue
            if place not in memory.looked:
                yield from approach(situation, place, why)
            for thing, known in memory.things.items():
                if known.place == place and situation.fits(required.thing, thing):
                    yield from pick_up(situation, thing, why)
            if memory.in_reach(place) and may_be_closed(situation, place):
                yield from open_container(situation, place, why)


def take_some_away(situation: HouseSituation, required: Requirement) -> Choices:
    """Take a number of things from a place, held ones included."""
    memory = situation.memory
    place, left = left_to_take(situation, required)
    if place is None and required.place is not None:
        yield from search_for(situation, required.place.categories)
    if place is None or (required.count is not None and left <= 0):
        return
    if len(memory.held) >= memory.hands:
        if memory.in_reach(place):  # to another place, where it can be put down
            for name, room in memory.furniture.items():
                if room == memory.room and name != place and is_surface(name):
                    yield Choice("There is room for it there.", f"go to {name}")
        yield from set_aside(situation, memory.held[0], "It must not go back.")
        return
    if place not in memory.looked:
        yield from approach(situation, place, "Things are to be taken from it.")
        return
    why = f"{place} is to have less on it."
    there = _left_at(situation, required, place)
    for name in sorted(there, key=lambda name: not situation.possible(f"pick up {name}")):
        yield from pick_up(situation, name, why)
    yield from approach(situation, place, why)


def left_to_take(situation: HouseSituation, required: Requirement) -> tuple[str | None, int]:
    """The place that things are to be taken from, None where it was not seen, and how many more;
    for all of them one, until none that can be taken is left.
    """
    places = situation.instances(required.place) if required.place else []
    if not places:
        return None, required.count or 1
    if required.count is not None:
        return places[0], required.count - len(_taken(situation, required, places[0]))
    there = _left_at(situation, required, places[0])
    return places[0], 1 if there or places[0] not in situation.memory.looked else 0


def _taken(situation: HouseSituation, required: Requirement, place: str) -> list[str]:
    memory = situation.memory
    put = [name for name, known in memory.things.items() if known.mine and known.place != place]
    thing = required.thing
    return [name for name in (*memory.held, *put) if thing and situation.fits(thing, name)]


def _left_at(situation: HouseSituation, required: Requirement, place: str) -> list[str]:
    memory, thing = situation.memory, required.thing
    return [
        name
        for name, known in memory.things.items()
        if place in (known.place, known.at) and not (known.mine and known.place != place)
        if thing and memory.graspable(name) and situation.fits(thing, name)
    ]
