"""What is left to be done, in few words: a thought that a small model can learn to have.

"milk, milk, juice in fridge 1 in kitchen 1; milk 1 for fridge 1, now at table 1; milk 2, juice 1 at
desk 1 in bedroom 1; dishwasher 1 on": what is to be brought where, what is held and where one is
with it, which of the rest was seen, what is to come to a state; "nothing" in the end. What is to be
heated, cooled or cleaned is "cup to be cooled in fridge" until it is. One thing
less is the same list without a name, which a small model does rather than count; where to go next
is there to be copied; and whether to put something down here is whether two names beside each other
are the same. With the last observation it is all that one has to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .carrying import in_hand
from .memory import Memory
from .placements import RequiredPlacement, RequiredPlacements
from .requirements import Requirement, Term
from .situation import Situation
from .toast import TOASTED
from .treatments import is_treated, treatment_begun, where_treated

_PREPOSITIONS = {"inside": "in", "under": "under"}
NOTHING = "nothing"


def remaining_work(
    placements: RequiredPlacements,
    states: Iterable[Requirement],
    treatments: Iterable[Requirement],
) -> str:
    """What is still to be brought, in the order of the instruction, and to come to a state."""
    situation = placements.situation
    in_order = _as_instructed(placements)
    places: dict[str, list[str]] = {}
    for placement in in_order:
        if placement.lacking > 0:
            where = _where(placements.situation, placement)
            places.setdefault(where, []).extend(_things(placement))
    told = [f"{', '.join(things)} {place}" for place, things in places.items()]
    told += [text for required in treatments for text in _untreated(situation, required)]
    told += _carried(placements)
    told += _seen(placements, in_order)
    told += [text for required in states for text in _lacking(situation, required)]
    return "; ".join(told) or NOTHING


def _as_instructed(placements: RequiredPlacements) -> list[RequiredPlacement]:
    """The placements in the order of the instruction."""
    said = placements.situation.instruction.lower()
    return sorted(placements.all, key=lambda each: _position(said, _kind(each.thing)))


def _position(instruction: str, kind: str) -> int:
    """Where an instruction names a kind, also as "knives"; its end where it does not."""
    found = [instruction.find(word) for word in (kind, kind[:-2])]
    return next((position for position in found if position >= 0), len(instruction))


def _where(situation: Situation, placement: RequiredPlacement) -> str:
    preposition = _PREPOSITIONS.get(placement.relation, "on")
    if placement.place is None:
        return f"{preposition} {_kind(placement.requirement.place)}"
    room = situation.memory.room_of(placement.place)
    return f"{preposition} {placement.place}{f' in {room}' if room else ''}"


def _carried(placements: RequiredPlacements) -> list[str]:
    """What is held and where it is for, and where one is."""
    places: dict[str, list[str]] = {}
    for thing, placement in in_hand(placements):
        place = placement.place or _kind(placement.requirement.place)
        places.setdefault(place, []).append(thing)
    here = _here(placements.situation.memory)
    return [f"{', '.join(things)} for {place}, now {here}" for place, things in places.items()]


def _here(memory: Memory) -> str:
    """What one stands at; the room, where one stands at nothing."""
    place = memory.last_receptacle
    return f"at {place}" if place and memory.in_reach(place) else f"in {memory.room}"


def _seen(placements: RequiredPlacements, in_order: Sequence[RequiredPlacement]) -> list[str]:
    """What was found and is still to be fetched, no more of a kind than lacks, and where."""
    memory = placements.situation.memory
    told = {*placements.placed, *memory.held}
    places: dict[str, list[str]] = {}
    for placement in in_order:
        found = placements.candidates(placement)
        lacking = placement.lacking - sum(name in memory.held for name in found)
        lying = [name for name in found if name not in told and name in memory.things]
        for name in lying[: max(lacking, 0)]:
            told.add(name)
            place, room = memory.furniture_of(name), memory.room_of(name)
            if place is not None:
                where = f"at {place}{f' in {room}' if room else ''}"
                places.setdefault(where, []).append(name)
    return [f"{', '.join(things)} {where}" for where, things in places.items()]


def _things(placement: RequiredPlacement) -> list[str]:
    kind = _kind(placement.thing)
    return [f"all {kind}"] if placement.requirement.count is None else [kind] * placement.lacking


def _lacking(situation: Situation, required: Requirement) -> Iterator[str]:
    """A state that things are still to come to, if they are."""
    if required.thing is None:
        return
    state = required.state.replace("_", " ")
    things = situation.instances(required.thing)
    rest = [thing for thing in things if situation.memory.state(thing, required.state) is not True]
    count = max(len(things), 1) if required.count is None else required.count
    if len(things) - len(rest) < count:
        yield f"{rest[0] if len(things) == 1 else _kind(required.thing)} {state}"


def _untreated(situation: Situation, required: Requirement) -> Iterator[str]:
    """What is still to be heated, cooled or cleaned, where, and where one is with it in hand."""
    if required.thing is None or required.state == TOASTED:
        return
    memory, state = situation.memory, required.state
    things = situation.instances(required.thing)
    if any(is_treated(memory, thing, state) for thing in things):
        return
    begun = [thing for thing in things if treatment_begun(memory, thing, state)]
    thing = begun[0] if begun else _kind(required.thing)
    here = f", now {_here(memory)}" if thing in memory.held else ""
    yield f"{thing} to be {state} in {where_treated(state)}{here}"


def _kind(term: Term | None) -> str:
    if term is None:
        return "somewhere"
    return term.categories[0] if term.categories else term.room or "something"
