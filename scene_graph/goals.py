"""Goals: expressions over the states and relations of a scene graph, and over events.

`goal_evaluation` defines their meaning, `goal_text` their wording.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .graph import SceneGraph
from .node import Affordance, Kind, Node, Relation, State, Vector


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in an episode.

    name: a verb ("turn_on") or an effect ("heated", "measured"). things: node ids, in the order of
    the action's arguments. step: from 1. value: such as seconds or newtons; None if there is none.
    """

    name: str
    things: tuple[int, ...]
    step: int
    value: float | None = None


#: A thing: a node id, or the name of a variable that a quantifier binds.
Term = int | str


@dataclass(frozen=True, slots=True)
class HasState:
    """A thing is in a state."""

    thing: Term
    state: State


@dataclass(frozen=True, slots=True)
class Related:
    """Two things stand in a relation. `inside` closes over supports; all others are direct.

    direct: for `inside`, in the place itself and not in something in it.
    """

    source: Term
    relation: Relation
    target: Term
    direct: bool = False


@dataclass(frozen=True, slots=True)
class MeasureInRange:
    """A measure of `MEASURES` of some things is from `low` to `high`, in m."""

    measure: str
    things: tuple[Term, ...]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EventOccurred:
    """An event with one of these names concerned these things (None: any).

    at_least: the least value of the event; None for any.
    """

    names: tuple[str, ...]
    things: tuple[Term | None, ...] = ()
    at_least: float | None = None


@dataclass(frozen=True, slots=True)
class InOrder:
    """Events happened in this order, other events in between allowed."""

    parts: tuple[EventOccurred, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Goal


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Some part holds."""

    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain of a variable: the nodes that meet every given condition."""

    categories: frozenset[str] | None = None
    """The categories that the goal asks for."""
    kind: Kind | None = None
    """The layer of the nodes."""
    ids: frozenset[int] | None = None
    """The only ids allowed."""
    can: Affordance | None = None
    """An affordance that the nodes have."""
    also: frozenset[str] = frozenset()
    """Categories that count beside `categories` in scoring, but are not asked for."""

    def admits(self, node: Node) -> bool:
        """Whether a node is in the domain."""
        return (
            (
                self.categories is None
                or node.category in self.categories
                or node.category in self.also
            )
            and (self.kind is None or node.kind is self.kind)
            and (self.ids is None or node.id in self.ids)
            and (self.can is None or self.can in node.affordances)
        )


@dataclass(frozen=True, slots=True)
class ForAll:
    """Every node of a domain fulfils the body."""

    variable: str
    domain: Domain
    body: Goal


@dataclass(frozen=True, slots=True)
class Exists:
    """Some node of a domain fulfils the body."""

    variable: str
    domain: Domain
    body: Goal


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least `count` different instances fulfil the body."""

    count: int
    variable: str
    domain: Domain
    body: Goal


Goal = (
    HasState
    | Related
    | MeasureInRange
    | EventOccurred
    | InOrder
    | Not
    | And
    | Or
    | ForAll
    | Exists
    | AtLeast
)


def as_one_literal(goal: Goal) -> Goal:
    """The double negation of a goal, which counts as one literal of progress."""
    return Not(Not(goal))


def conjuncts(goal: Goal) -> Iterator[Goal]:
    """Yield the parts that must all hold, nested `and` resolved."""
    if isinstance(goal, And):
        for part in goal.parts:
            yield from conjuncts(part)
    else:
        yield goal


def within(goal: Goal) -> Iterator[Goal]:
    """Yield a goal and all its parts."""
    yield goal
    match goal:
        case Not(part) | ForAll(_, _, part) | Exists(_, _, part) | AtLeast(_, _, _, part):
            yield from within(part)
        case And(parts) | Or(parts) | InOrder(parts):
            for each in parts:
                yield from within(each)


def named_ids(goal: Goal) -> frozenset[int]:
    """Collect the node ids that a goal names."""
    return frozenset(mentioned_ids(goal))


def mentioned_ids(goal: Goal) -> tuple[int, ...]:
    """The node ids that a goal names, each once, in the order of the goal's parts."""
    terms: list[Term | None] = []
    for part in within(goal):
        match part:
            case HasState(thing, _):
                terms.append(thing)
            case Related(source, _, target):
                terms += (source, target)
            case MeasureInRange(_, things, _, _) | EventOccurred(_, things, _):
                terms += things
            case ForAll(_, domain, _) | Exists(_, domain, _) | AtLeast(_, _, domain, _):
                terms += sorted(domain.ids or ())
    return tuple(dict.fromkeys(term for term in terms if isinstance(term, int)))


def mentioned_categories(goal: Goal) -> frozenset[str]:
    """The categories that the domains of a goal ask for."""
    found: set[str] = set()
    for part in within(goal):
        if isinstance(part, ForAll | Exists | AtLeast):
            found |= part.domain.categories or frozenset()
    return frozenset(found)


def named_placements(goal: Goal) -> frozenset[Related]:
    """Collect the relations between two named things that a goal mentions without negation."""
    match goal:
        case Related(int(), _, int()):
            return frozenset({goal})
        case And(parts) | Or(parts):
            return frozenset().union(*(named_placements(part) for part in parts))
        case Not(Not(part)) | ForAll(_, _, part) | Exists(_, _, part) | AtLeast(_, _, _, part):
            return named_placements(part)
    return frozenset()


def with_ids(goal: Goal, new: Callable[[int], int]) -> Goal:
    """The same goal for nodes with other ids. new: maps an old id to a new one."""

    def term(old: Term) -> Term:
        return new(old) if isinstance(old, int) else old

    def domain(old: Domain) -> Domain:
        return old if old.ids is None else replace(old, ids=frozenset(map(new, old.ids)))

    return _changed(goal, term, domain)


def bind(goal: Goal, variable: str, node_id: int) -> Goal:
    """The goal with a node in place of a free variable."""

    def term(old: Term) -> Term:
        return node_id if old == variable else old

    return _changed(goal, term, lambda domain: domain, keeping=variable)


def _changed(
    goal: Goal,
    term: Callable[[Term], Term],
    domain: Callable[[Domain], Domain],
    keeping: str | None = None,
) -> Goal:
    """A goal with other terms and domains. keeping: a variable whose quantifiers stay unchanged."""

    def changed(part: Goal) -> Goal:
        return _changed(part, term, domain, keeping)

    def event(old: EventOccurred) -> EventOccurred:
        return replace(old, things=tuple(t if t is None else term(t) for t in old.things))

    match goal:
        case HasState(thing, state):
            return HasState(term(thing), state)
        case Related(source, relation, target, direct):
            return Related(term(source), relation, term(target), direct)
        case MeasureInRange(_, things, _, _):
            return replace(goal, things=tuple(map(term, things)))
        case EventOccurred():
            return event(goal)
        case InOrder(events):
            return InOrder(tuple(map(event, events)))
        case And(parts):
            return And(tuple(map(changed, parts)))
        case Or(parts):
            return Or(tuple(map(changed, parts)))
        case Not(part):
            return Not(changed(part))
        case ForAll(variable) | Exists(variable) | AtLeast(_, variable):
            if variable == keeping:
                return goal
            return replace(goal, domain=domain(goal.domain), body=changed(goal.body))


class Measure(NamedTuple):
    """A measure: its number of things, its wording ({0}, {1} … the things), and its value in m."""

    arity: int
    words: str
    value: Callable[[Sequence[Vector]], float]


def _off_middle(at: Sequence[Vector]) -> float:
    first, middle, last = at
    return math.hypot(middle[0] - (first[0] + last[0]) / 2, middle[1] - (first[1] + last[1]) / 2)


#: Measures by name. beside: the horizontal distance of two things. left_of: how much further left
#: (along y) the first lies than the second. off_middle: the horizontal distance of the second from
#: the midpoint of the others; 0 if three things lie in a straight line at equal distances.
MEASURES: Mapping[str, Measure] = {
    "x": Measure(1, "x of {0}", lambda at: at[0][0]),
    "y": Measure(1, "y of {0}", lambda at: at[0][1]),
    "z": Measure(1, "z of {0}", lambda at: at[0][2]),
    "apart": Measure(2, "{0} from {1}", lambda at: math.dist(at[0], at[1])),
    "beside": Measure(2, "{0} beside {1}", lambda at: math.dist(at[0][:2], at[1][:2])),
    "left_of": Measure(2, "{0} left of {1}", lambda at: at[0][1] - at[1][1]),
    "off_middle": Measure(3, "{1} off the middle of {0} and {2}", _off_middle),
}


def measured(measure: str, graph: SceneGraph, things: Sequence[int]) -> float | None:
    """The value of a measure in m; None if a thing is missing or has no pose."""
    positions = []
    for thing in things:
        node = graph.get(thing)
        if node is None or node.pose is None:
            return None
        positions.append(node.pose.position)
    return MEASURES[measure].value(positions)
