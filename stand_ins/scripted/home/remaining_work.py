"""The remaining work in few words, as a thought that a small model can learn.

"milk, milk, juice in fridge 1 in kitchen 1; milk 1 for fridge 1, now at table 1; milk 2, juice 1 at
desk 1 in bedroom 1; dishwasher 1 on". After each thing the list has one name less, which is easier
for a small model than counting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..table import ANYTHING, Requirement, Term, category
from .agent import unfulfilled
from .carrying import in_hand, left_to_take
from .memory import HouseSituation, Memory
from .placements import RequiredPlacement, RequiredPlacements
from .states import TOASTED, is_treated, treatment_begun, where_treated

_PREPOSITIONS = {"inside": "in", "under": "under"}
#: Wordings of the agent's own goals, by relation.
_OF_AGENT = {
    "holds": "{} in hand",
    "wears": "{} worn",
    "inside": "be in {}",
    "close": "be at {}",
    "facing": "face {}",
    "on": "be on {}",
}
NOTHING = "nothing"


def remaining_work(
    placements: RequiredPlacements,
    states: Sequence[Requirement],
    treatments: Sequence[Requirement],
    away: Sequence[Requirement],
    agent: Sequence[Requirement],
    *,
    searches: bool,
) -> str:
    """The remaining work, in the order of the instruction.

    treatments: of things, before they are brought. away: things to take away. agent: goals of the
    agent itself. searches: whether there may be more things for goals on all things.
    """
    situation = placements.situation
    in_order = _as_instructed(placements)
    places: dict[str, list[str]] = {}
    for placement in in_order:
        required = placement.requirement
        if placement.lacking > 0 or (searches and required.count is None and not required.origin):
            name = _name(situation, placement.thing)
            things = [f"all {name}"] if required.count is None else [name] * placement.lacking
            places.setdefault(_where(situation, placement), []).extend(things)
    parts = [f"{', '.join(things)} {place}" for place, things in places.items()]
    parts += [text for required in treatments for text in _untreated(situation, required)]
    parts += [text for required in away for text in _to_take(situation, required)]
    parts += _carried(placements)
    parts += _seen(placements, in_order)
    parts += [text for required in states for text in _lacking(situation, required, searches)]
    parts += [_of_agent(situation, required) for required in unfulfilled(situation, agent)]
    return "; ".join(parts) or NOTHING


def _as_instructed(placements: RequiredPlacements) -> list[RequiredPlacement]:
    """The placements in the order in which the instruction names their things."""
    said = placements.situation.instruction.lower()

    def position(placement: RequiredPlacement) -> int:
        name = _name(placements.situation, placement.thing)
        found = [said.find(word) for word in (name, name[:-2])]  # also as "knives"
        return next((at for at in found if at >= 0), len(said))

    return sorted(placements.all, key=position)


def _where(situation: HouseSituation, placement: RequiredPlacement) -> str:
    preposition = _PREPOSITIONS.get(placement.relation, "on")
    if placement.place is None:
        return f"{preposition} {_name(situation, placement.requirement.place)}"
    return f"{preposition} {_in_room(situation, placement.place)}"


def _in_room(situation: HouseSituation, place: str) -> str:
    room = situation.memory.room_of(place)
    return f"{place} in {room}" if room else place


def _carried(placements: RequiredPlacements) -> list[str]:
    """The held things with their goals, and the present place."""
    situation = placements.situation
    places: dict[str, list[str]] = {}
    for thing, placement in in_hand(placements):
        place = placement.place or _name(situation, placement.requirement.place)
        places.setdefault(place, []).append(thing)
    here = _here(situation.memory)
    return [f"{', '.join(things)} for {place}, now {here}" for place, things in places.items()]


def _here(memory: Memory) -> str:
    """The present place, or else the room."""
    place = memory.here
    return f"at {place}" if place and memory.in_reach(place) else f"in {memory.room}"


def _seen(placements: RequiredPlacements, in_order: Sequence[RequiredPlacement]) -> list[str]:
    """The found things to fetch with their places, no more of a kind than are needed."""
    memory = placements.situation.memory
    named = {*placements.placed, *memory.held}
    places: dict[str, list[str]] = {}
    for placement in in_order:
        found = placements.candidates(placement)
        lacking = placement.lacking - sum(name in memory.held for name in found)
        known = {name: memory.things[name] for name in found if name in memory.things}
        lying = [name for name in known if name not in named and known[name].at is not None]
        for name in lying[: max(lacking, 0)]:
            named.add(name)
            room = memory.room_of(name)
            where = f"at {known[name].at}{f' in {room}' if room else ''}"
            places.setdefault(where, []).append(name)
    return [f"{', '.join(things)} {where}" for where, things in places.items()]


def _lacking(situation: HouseSituation, required: Requirement, searches: bool) -> Iterator[str]:
    """A state that things still have to reach, if any. searches: see `remaining_work`."""
    if required.thing is None:
        return
    memory, state = situation.memory, required.state.replace("_", " ")
    name = _name(situation, required.thing)
    things = situation.instances(required.thing)
    if required.room:
        things = [n for n in things if category(memory.room_of(n) or "") == required.room]
    rest = [thing for thing in things if memory.state(thing, required.state) is not True]
    if required.count is None:
        if rest or searches or not things:
            yield f"all {name} {state}"
    elif len(things) - len(rest) < required.count:
        where = f" in {required.room}" if required.room and not things else ""
        yield f"{rest[0] if len(things) == 1 else name} {state}{where}"


def _untreated(situation: HouseSituation, required: Requirement) -> Iterator[str]:
    """The things still to heat, cool, clean or toast, with the device and a held one's place."""
    if required.thing is None:
        return
    memory, state = situation.memory, required.state
    things = situation.instances(required.thing)
    done = [thing for thing in things if is_treated(memory, thing, state)]
    wanted = (required.count or 1) if state == TOASTED else 1
    if len(done) >= wanted:
        return
    place = where_treated(state)
    begun = [
        thing for thing in things if thing not in done and treatment_begun(memory, thing, state)
    ]
    thing = begun[0] if begun else _name(situation, required.thing)
    here = f", now {_here(memory)}" if thing in memory.held else ""
    yield f"{thing} to be {state} in {place}{here}"


def _to_take(situation: HouseSituation, required: Requirement) -> Iterator[str]:
    """The things still to take away from a place, and the held ones of them."""
    place, lacking = left_to_take(situation, required)
    if lacking <= 0:
        return
    where = _name(situation, required.place) if place is None else _in_room(situation, place)
    yield f"{', '.join([_name(situation, required.thing)] * lacking)} away from {where}"
    held = situation.memory.held
    if len(held) >= situation.memory.hands:
        yield f"{', '.join(held)} to be set aside, now {_here(situation.memory)}"


def _of_agent(situation: HouseSituation, required: Requirement) -> str:
    if required.relation == "state":
        return f"be {required.state}"
    own = required.relation in ("holds", "wears")
    name = _name(situation, required.thing if own else required.place)
    return _OF_AGENT[required.relation].format(name)


def _name(situation: HouseSituation, term: Term | None) -> str:
    """The name of a term in the instruction, else its category."""
    if term is None:
        return "somewhere"
    named = situation.named_by(term)
    if named is not None:
        return named
    if ANYTHING in term.categories:
        return "thing"
    return term.categories[0] if term.categories else term.room or "something"
