"""The conditions of a goal, for trees of subgoals made by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    Goal,
    HasState,
    Not,
    Related,
    Term,
)
from ...scene_graph.node import PLACEMENTS, Relation, State


class Unreadable(Exception):
    """A goal without a rule; the message says which part."""


@dataclass(frozen=True)
class Things:
    """Things of some categories, or certain ones. sliced: only slices of them."""

    categories: frozenset[str] = frozenset()
    ids: frozenset[int] = frozenset()
    sliced: bool = False

    @property
    def domain(self) -> Domain:
        """The domain of the things, whole ones included."""
        return Domain(self.categories or None, ids=self.ids or None)


@dataclass(frozen=True)
class Placing:
    """`count` things belong at a place. literal: has the relation; its terms do not matter."""

    things: Things
    count: int
    place: Things
    literal: Related


@dataclass(frozen=True)
class Switching:
    """A thing has to be in a state. near: the agent has to stand at it."""

    things: Things
    state: State
    near: bool


@dataclass
class GoalConditions:
    """The conditions of a goal. treated: the event that has to happen to things, "heated"."""

    placings: list[Placing] = field(default_factory=list)
    treated: dict[Things, str] = field(default_factory=dict)
    held: list[Things] = field(default_factory=list)
    switchings: list[Switching] = field(default_factory=list)


#: The things that variables stand for, and how many of them are needed.
_Bound = Mapping[str, tuple[Things, int]]
_Literal = HasState | Related | EventOccurred


def conditions_of(goal: Goal) -> GoalConditions:
    """The conditions of a goal. Raises Unreadable for a goal of another kind."""
    literals = list(_literals(goal, {}))
    sliced: set[Things] = set()
    near: set[Things] = set()
    for literal, bound in literals:
        if isinstance(literal, HasState) and literal.state is State.SLICED:
            sliced.add(_meant(literal.thing, bound)[0])
        if isinstance(literal, Related) and literal.relation is Relation.CLOSE:
            near.add(_meant(literal.target, bound)[0])
    conditions = GoalConditions()
    for literal, bound in literals:
        _take(literal, bound, sliced, near, conditions)
    places = {placing.place for placing in conditions.placings}
    # a container that is filled goes to its own place afterwards
    conditions.placings.sort(key=lambda placing: replace(placing.things, sliced=False) in places)
    return conditions


def _take(
    literal: _Literal,
    bound: _Bound,
    sliced: set[Things],
    near: set[Things],
    conditions: GoalConditions,
) -> None:
    """Add one literal to the conditions."""

    def meant(term: Term) -> tuple[Things, int]:
        things, count = _meant(term, bound)
        return replace(things, sliced=things in sliced), count

    match literal:
        case Related(_, Relation.HOLDS, thing):
            conditions.held.append(meant(thing)[0])
        case Related(thing, relation, place) if relation in PLACEMENTS:
            things, count = meant(thing)
            placing = Placing(things, count, _meant(place, bound)[0], literal)
            known = {(each.things, each.place) for each in conditions.placings}
            if (placing.things, placing.place) not in known:
                conditions.placings.append(placing)
        case HasState(thing, state) if state is not State.SLICED:
            things, _ = meant(thing)
            conditions.switchings.append(Switching(things, state, things in near))
        case EventOccurred((name,), (thing,)) if thing is not None:
            conditions.treated[meant(thing)[0]] = name


def _literals(goal: Goal, bound: _Bound) -> Iterator[tuple[_Literal, _Bound]]:
    """The literals of a goal that must all hold, with what its variables stand for."""
    match goal:
        case And(parts):
            for part in parts:
                yield from _literals(part, bound)
        case Not(Not(part)):
            yield from _literals(part, bound)
        case Exists(variable, domain, body):
            yield from _literals(body, {**bound, variable: (_things(domain), 1)})
        case AtLeast(count, variable, domain, body):
            yield from _literals(body, {**bound, variable: (_things(domain), count)})
        case HasState() | Related() | EventOccurred():
            yield goal, bound
        case _:
            raise Unreadable(f"it has a part of the kind {type(goal).__name__}")


def _things(domain: Domain) -> Things:
    return Things(domain.categories or frozenset(), domain.ids or frozenset())


def _meant(term: Term, bound: _Bound) -> tuple[Things, int]:
    return bound[term] if isinstance(term, str) else (Things(ids=frozenset({term})), 1)
