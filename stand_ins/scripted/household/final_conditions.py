"""What the agent itself is to be in the end: what it holds and wears, where it is, and how."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..dialects.reactree import category
from ..transcript import Choice
from .requirements import YOU, Requirement, Term
from .search import search_for
from .situation import Choices, Situation
from .subtasks import approach, pick_up

#: Relations in the order in which they are seen to.
_ORDER = ("wears", "holds", "inside", "close", "facing", "on", "state")
_SEATS = frozenset(["bed", "sofa", "couch", "loveseat", "bench", "chair"])


def is_agent(term: Term | None) -> bool:
    """Whether a term means the agent."""
    return term is not None and YOU in term.categories


def of_agent(requirements: Iterable[Requirement]) -> list[Requirement]:
    """The requirements of the agent itself, in the order in which they are seen to."""
    own = [r for r in requirements if r.relation in ("wears", "holds") or is_agent(r.thing)]
    return sorted(
        own, key=lambda r: _ORDER.index(r.relation) if r.relation in _ORDER else len(_ORDER)
    )


def wants_rest(conditions: Iterable[Requirement]) -> bool:
    """Whether the agent is to sit or lie in the end."""
    return any(required.relation in ("state", "on") for required in conditions)


def fulfil(situation: Situation, conditions: Sequence[Requirement]) -> Choices:
    """Fulfil the conditions, which are those of `of_agent`."""
    for required in conditions:
        yield from _fulfil(situation, required, conditions)


def unfulfilled(situation: Situation, conditions: Sequence[Requirement]) -> list[Requirement]:
    """The conditions that something is still to be done for."""
    return [
        required
        for required in conditions
        if next(_fulfil(situation, required, conditions), None) is not None
    ]


def _fulfil(
    situation: Situation, required: Requirement, conditions: Sequence[Requirement]
) -> Choices:
    """Fulfil one of the conditions."""
    if required.relation in ("holds", "wears") and required.thing is not None:
        yield from _have_on_body(situation, required.relation, required.thing, conditions)
    elif required.relation == "state":
        seats = [
            seat
            for other in conditions
            if other.relation == "on" and other.place is not None
            for seat in situation.instances(other.place)
        ]
        yield from _take_posture(situation, required.state, seats)
    elif required.place is not None:
        posture = next((r.state for r in conditions if r.relation == "state"), "sitting")
        yield from _be_at(situation, required.relation, required.place, posture)


def _have_on_body(
    situation: Situation,
    relation: str,
    term: Term,
    conditions: Sequence[Requirement],
) -> Choices:
    """Hold or wear a thing."""
    memory = situation.memory
    there = memory.held if relation == "holds" else memory.worn
    if any(situation.fits(term, thing) for thing in there):
        return
    keep = frozenset(
        thing
        for other in conditions
        if other.relation == "holds" and other.thing is not None
        for thing in memory.held
        if situation.fits(other.thing, thing)
    )
    for thing in situation.instances(term):
        if thing in memory.held:
            yield Choice(f"I am to wear {thing}.", f"put on {thing}")
        elif thing not in memory.worn:
            yield from pick_up(situation, thing, f"I am to have {thing}.", keep)
        else:
            yield Choice(f"I am to hold {thing}.", f"take off {thing}")
    yield from search_for(situation, term.categories)


def _be_at(situation: Situation, relation: str, term: Term, posture: str) -> Choices:
    """Be in a room, close to a thing, turned to it, or on it."""
    memory = situation.memory
    places = situation.instances(term)
    if not places:
        yield from search_for(situation, term.categories)
        return
    if relation == "close":  # a lamp that is to be on, by the one that is
        places.sort(key=lambda name: memory.state(name, "on") is not True)
    place = places[0]
    if place in memory.rooms:
        if memory.room != place:
            yield Choice(f"I am to be in the {place}.", f"go to {place}")
    elif not memory.in_reach(place):
        yield from approach(situation, place, f"I am to be at {place}.")
    elif relation == "on" and not memory.resting:
        yield Choice(f"I am to be on {place}.", f"{_posture_phrase(posture)} {place}")
    elif relation == "facing" and f"turn to {place}" not in memory.succeeded:
        yield Choice(f"I am to face {place}.", f"turn to {place}")


def _take_posture(situation: Situation, posture: str, seats: Sequence[str]) -> Choices:
    """Sit or lie down."""
    memory = situation.memory
    if memory.resting:
        return
    for seat in seats or [n for n in memory.furniture if set(category(n).split()) & _SEATS]:
        if not memory.in_reach(seat):
            yield from approach(situation, seat, f"I am to be {posture}.")
        yield Choice(f"I am to be {posture}.", f"{_posture_phrase(posture)} {seat}")
    yield from search_for(situation, ("bed",) if posture == "lying" else ("sofa",))


def _posture_phrase(posture: str) -> str:
    return "lie down on" if posture == "lying" else "sit on"
