"""LIBERO's goals: conjunctions of its predicates, and what they are over the scene graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...scene_graph.fields import Field
from ...scene_graph.goals import And, Goal, HasState, Related
from ...scene_graph.node import Relation, State
from .names import node_id, place_of

_RELATIONS = {"on": Relation.ON, "in": Relation.INSIDE}
_STATES = {
    "open": State.OPEN,
    "close": State.CLOSED,
    "turnon": State.ON,
    "turnoff": State.OFF,
}


@dataclass(frozen=True)
class Conjunct:
    """A predicate of a goal with its arguments, by the engine's names."""

    predicate: str
    """In lower case: on, in, open, close, turnon or turnoff."""
    things: tuple[str, ...]
    """One or two names."""


def read_goal(field: Field) -> tuple[Conjunct, ...]:
    """The conjuncts of [[predicate, thing, place?], …]. Raises BadInput for an unknown one."""
    return tuple(_conjunct(each) for each in field.items())


def _conjunct(field: Field) -> Conjunct:
    words = field.items()
    if not words:
        raise field.wrong("expected a predicate and its things")
    predicate = words[0].text().lower()
    if predicate not in _RELATIONS and predicate not in _STATES:
        raise words[0].wrong(f"expected one of {', '.join([*_RELATIONS, *_STATES])}")
    count = 2 if predicate in _RELATIONS else 1
    if len(words) != 1 + count:
        raise field.wrong(f"expected {count} names after '{predicate}'")
    return Conjunct(predicate, tuple(each.text() for each in words[1:]))


def goal_of(conjuncts: Iterable[Conjunct], salt: str) -> Goal:
    """The same goal over the scene graph, part by part. salt: of its ids."""
    parts = tuple(part_of(each, salt) for each in conjuncts)
    return parts[0] if len(parts) == 1 else And(parts)


def part_of(conjunct: Conjunct, salt: str) -> Goal:
    """A conjunct over the scene graph."""
    thing = node_id(place_of(conjunct.things[0]), salt)
    if conjunct.predicate in _STATES:
        return HasState(thing, _STATES[conjunct.predicate])
    relation = _RELATIONS[conjunct.predicate]
    place = node_id(place_of(conjunct.things[1]), salt)
    # LIBERO looks at the thing alone: what stands on a can in the basket may be too high to be in.
    return Related(thing, relation, place, direct=relation is Relation.INSIDE)
