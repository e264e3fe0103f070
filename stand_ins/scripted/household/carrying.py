"""Carrying things to their places: what is fetched first, and what is brought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Memory
from .placements import RequiredPlacement, RequiredPlacements
from .situation import Choices, Situation
from .subtasks import may_be_closed, open_container, pick_up, put_down


def carry(placements: RequiredPlacements) -> Choices:
    """Bring what is in hand, and fetch what was found."""
    situation, memory = placements.situation, placements.situation.memory
    carried = list(in_hand(placements))
    ready = _ready(placements, [thing for thing, _ in carried])
    if not carried:
        for thing, placement in ready:
            yield from _open_beforehand(situation, placement)
            yield from _fetch(situation, thing, placement)
        return
    first = carried[0][1]
    has_free_hand = len(memory.held) < memory.hands and not _needs_hand_for_door(memory, first)
    more = ready if has_free_hand else []
    for thing, placement in more[:1]:
        if _is_on_the_way(memory, thing, first):
            yield from _fetch(situation, thing, placement)
    for thing, placement in carried:
        yield from _deliver(situation, thing, placement)
    for thing, placement in more:
        yield from _fetch(situation, thing, placement)


def make_sure(placements: RequiredPlacements) -> Choices:
    """Take up what was only seen at its place, in or on it, to put it there as it is wanted."""
    for thing in placements.uncertain():
        yield from pick_up(placements.situation, thing, f"I make sure where {thing} is.")


# --- what to carry -------------------------------------------------------------------------------


def in_hand(placements: RequiredPlacements) -> Iterator[tuple[str, RequiredPlacement]]:
    """What is in hand, each with a placement that lacks it."""
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
    """What was found and is still to be fetched, the nearest first."""
    situation, memory = placements.situation, placements.situation.memory
    lacking = _lacking(placements)
    for _, placement in in_hand(placements):
        lacking[id(placement)] -= 1
    searches_on = bool(situation.not_looked_at) and not memory.held
    taken = {*carried, *placements.placed, *memory.held}
    found: list[tuple[str, RequiredPlacement]] = []
    for placement in placements.all:
        if placement.place is None and not searches_on:
            continue  # where to is found out first, while the hands are free
        things = [
            name
            for name in placements.candidates(placement)
            if name not in taken and name != placement.place
        ]
        if placement.place is None:  # what is here is taken along
            things = [name for name in things if memory.in_reach(name)]
        things.sort(key=lambda name: _distance(memory, name))
        for name in things[: max(lacking[id(placement)], 0)]:
            taken.add(name)
            found.append((name, placement))
    return sorted(found, key=lambda pair: _distance(memory, pair[0]))


def _lacking(placements: RequiredPlacements) -> Counter[int]:
    """How many things each placement lacks, by its id in Python: two may be equal."""
    return Counter({id(placement): placement.lacking for placement in placements.all})


def _distance(memory: Memory, thing: str) -> int:
    """0 within reach, 1 in this room, 2 elsewhere."""
    if memory.in_reach(thing):
        return 0
    return 1 if memory.room_of(thing) == memory.room else 2


def _is_on_the_way(memory: Memory, thing: str, first: RequiredPlacement) -> bool:
    """Whether to fetch another thing before bringing what is in hand."""
    if first.place is None or _distance(memory, thing) == 0:
        return True
    if memory.in_reach(first.place):
        return False
    return _distance(memory, thing) == 1 or _distance(memory, first.place) == 2


# --- how to carry it -----------------------------------------------------------------------------


def _needs_hand_for_door(memory: Memory, placement: RequiredPlacement) -> bool:
    """Whether a hand has to stay free for a door."""
    place = placement.place
    return (
        memory.opening_needs_hand
        and placement.relation == "inside"
        and (place is None or memory.state(place, "open") is not True)
    )


def _open_beforehand(situation: Situation, placement: RequiredPlacement) -> Choices:
    """Open where a thing goes while one stands there and the hand is free."""
    memory, place = situation.memory, placement.place
    if place is None or not memory.opening_needs_hand or placement.relation != "inside":
        return
    if memory.in_reach(place) and may_be_closed(situation, place):
        yield from open_container(situation, place, "Things are to go in.")


def _deliver(situation: Situation, thing: str, placement: RequiredPlacement) -> Choices:
    """Put what is in hand where it goes."""
    place, relation = placement.place, placement.relation
    if place is None:
        return
    why = f"{thing} is to be {relation} {place}."
    yield from put_down(situation, thing, relation, place, why)


def _fetch(situation: Situation, thing: str, placement: RequiredPlacement) -> Choices:
    """Pick up a thing, once it is clear that it is not at its place already."""
    memory, place, relation = situation.memory, placement.place, placement.relation
    if place is not None and _may_be_placed(memory, thing, relation, place):
        yield Choice(f"Is {thing} {relation} {place} already?", f"look at {place}")
    yield from pick_up(situation, thing, f"The task needs a {category(thing)}.")


def _may_be_placed(memory: Memory, thing: str, relation: str, place: str) -> bool:
    """Whether a thing may be at its place already, and a look from here would tell."""
    sighting = memory.things.get(thing)
    if sighting is None or sighting.place is not None or place in memory.rooms:
        return False
    if (thing, place) in memory.not_at or f"look at {place}" in memory.succeeded[-1:]:
        return False
    if relation == "inside" and (
        (thing, place) in memory.not_inside or memory.state(place, "closed")
    ):
        return False
    return memory.in_reach(thing) and memory.in_reach(place)
