"""What is left to be done, in few words: a thought that a small model can learn to have.

"two milk, one juice in fridge 1; dishwasher 1 on", and "nothing" in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....observation_text.dialects.compact.number_words import number_word
from .placements import RequiredPlacement, RequiredPlacements
from .requirements import Requirement, Term
from .situation import Situation

_PREPOSITIONS = {"inside": "in", "under": "under"}
NOTHING = "nothing"


def left_to_do(placements: RequiredPlacements, states: Iterable[Requirement]) -> str:
    """What is still to be brought, in the order of the instruction, and to come to a state."""
    said = placements.situation.instruction.lower()
    places: dict[str, list[str]] = {}
    for placement in sorted(placements.all, key=lambda each: _position(said, _kind(each.thing))):
        if placement.lacking > 0:
            places.setdefault(_where(placement), []).append(_things(placement))
    told = [f"{', '.join(things)} {where}" for where, things in places.items()]
    told += [text for required in states for text in _lacking(placements.situation, required)]
    return "; ".join(told) or NOTHING


def _position(instruction: str, kind: str) -> int:
    """Where an instruction names a kind, also as "knives"; its end where it does not."""
    found = [instruction.find(word) for word in (kind, kind[:-2])]
    return next((position for position in found if position >= 0), len(instruction))


def _where(placement: RequiredPlacement) -> str:
    preposition = _PREPOSITIONS.get(placement.relation, "on")
    return f"{preposition} {placement.place or _kind(placement.requirement.place)}"


def _things(placement: RequiredPlacement) -> str:
    count, kind = placement.requirement.count, _kind(placement.thing)
    return f"all {kind}" if count is None else f"{number_word(placement.lacking)} {kind}"


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


def _kind(term: Term | None) -> str:
    if term is None:
        return "somewhere"
    return term.categories[0] if term.categories else term.room or "something"
