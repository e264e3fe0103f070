"""Goals: expressions over states, relations and events, with progress and named subgoals.

Progress counts literals: every literal weighs 1, a counted quantifier as many as it asks for, and
what is negated 1 in all, once or twice (`whole`). Of `or` and `exists` it is that of the best
branch; of a counted quantifier that of the best instances, each counted once. So a goal of n
placements at one instance gives the subgoal success rate of Watch-And-Help tasks, max over t of
sum(min(count, n)) / sum(n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .events import Event
from .graph import SceneGraph
from .measures import MEASURES, measured
from .node import PLACEMENTS, Kind, Node, Relation, State

#: A thing: a node id, or the name of a variable that a quantifier binds.
Term = int | str


@dataclass(frozen=True, slots=True)
class HasState:
    """A thing is in a state."""

    thing: Term
    state: State


@dataclass(frozen=True, slots=True)
class Related:
    """Two things stand in a relation. `inside` closes over supports; all others are direct."""

    source: Term
    relation: Relation
    target: Term


@dataclass(frozen=True, slots=True)
class MeasureInRange:
    """What `measures.MEASURES` measures of some things is from `low` to `high`, in m."""

    measure: str
    things: tuple[Term, ...]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EventOccurred:
    """An event of one of these names concerned these things (None: any), with at least a value."""

    names: tuple[str, ...]
    things: tuple[Term | None, ...] = ()
    at_least: float | None = None


@dataclass(frozen=True, slots=True)
class InOrder:
    """Events that happened one after the other, at rising positions of the record."""

    parts: tuple[EventOccurred, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Goal


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """What a variable ranges over: nodes that meet every condition given."""

    categories: frozenset[str] | None = None
    kind: Kind | None = None
    ids: frozenset[int] | None = None

    def admits(self, node: Node) -> bool:
        return (
            (self.categories is None or node.category in self.categories)
            and (self.kind is None or node.kind is self.kind)
            and (self.ids is None or node.id in self.ids)
        )


@dataclass(frozen=True, slots=True)
class ForAll:
    variable: str
    domain: Domain
    body: Goal


@dataclass(frozen=True, slots=True)
class Exists:
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


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One part of a goal: its wording, the literals fulfilled and the literals in all."""

    text: str
    earned: float
    total: float

    @property
    def done(self) -> bool:
        return self.earned >= self.total


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a goal is: `value` in [0, 1] (1 exactly when satisfied) and its named parts."""

    value: float
    subgoals: tuple[Subgoal, ...]


_Binding = Mapping[str, int]
_NOTHING: _Binding = {}


def satisfied(goal: Goal, graph: SceneGraph, events: Sequence[Event] = ()) -> bool:
    """Whether a goal holds in a graph after these events (oldest first)."""
    return _holds(goal, graph, events, _NOTHING)


def progress(
    goal: Goal,
    graph: SceneGraph,
    events: Sequence[Event] = (),
    name: Callable[[int], str] = str,
) -> Progress:
    """How far a goal is; `name` words a node id in the subgoals' texts.

    A goal that something exists has for subgoals those of the instance that comes nearest.
    """
    parts = []
    for part in _subgoals(goal, graph, events):
        earned, total = _earned(part, graph, events, _NOTHING)
        parts.append(Subgoal(describe(part, name), earned, total))
    total = sum(part.total for part in parts)
    if total == 0:
        return Progress(1.0, tuple(parts))
    return Progress(sum(part.earned for part in parts) / total, tuple(parts))


def whole(goal: Goal) -> Goal:
    """A goal as one literal of progress, that holds or not: its double negation."""
    return Not(Not(goal))


def conjuncts(goal: Goal) -> Iterator[Goal]:
    """The parts that must all hold, nested `and` resolved."""
    if isinstance(goal, And):
        for part in goal.parts:
            yield from conjuncts(part)
    else:
        yield goal


def _subgoals(goal: Goal, graph: SceneGraph, events: Sequence[Event]) -> Iterator[Goal]:
    for part in conjuncts(goal):
        instances = _range(part.domain, graph) if isinstance(part, Exists) else []
        if isinstance(part, Exists) and instances:
            bound = [_bind(part.body, part.variable, i) for i in instances]
            best = max(bound, key=lambda b: _share(_earned(b, graph, events, {})))
            yield from _subgoals(best, graph, events)
        else:
            yield part


def _bind(goal: Goal, variable: str, node_id: int) -> Goal:
    """The goal with a node in the place of a free variable."""

    def term(found: Term) -> Term:
        return node_id if found == variable else found

    def happened(part: EventOccurred) -> EventOccurred:
        return replace(part, things=tuple(None if t is None else term(t) for t in part.things))

    match goal:
        case HasState(thing, state):
            return HasState(term(thing), state)
        case Related(source, relation, target):
            return Related(term(source), relation, term(target))
        case MeasureInRange(_, things, _, _):
            return replace(goal, things=tuple(map(term, things)))
        case EventOccurred():
            return happened(goal)
        case InOrder(parts):
            return InOrder(tuple(map(happened, parts)))
        case Not(part):
            return Not(_bind(part, variable, node_id))
        case And(parts):
            return And(tuple(_bind(part, variable, node_id) for part in parts))
        case Or(parts):
            return Or(tuple(_bind(part, variable, node_id) for part in parts))
        case ForAll() | Exists() | AtLeast() if goal.variable != variable:
            return replace(goal, body=_bind(goal.body, variable, node_id))
    return goal


def mentioned(goal: Goal) -> frozenset[int]:
    """The node ids that a goal names."""
    match goal:
        case HasState(thing, _):
            terms: Iterable[Term | None] = (thing,)
        case Related(source, _, target):
            terms = (source, target)
        case MeasureInRange(_, things, _, _) | EventOccurred(_, things, _):
            terms = things
        case InOrder(parts) | And(parts) | Or(parts):
            return frozenset().union(*(mentioned(part) for part in parts))
        case Not(part):
            return mentioned(part)
        case ForAll(_, domain, body) | Exists(_, domain, body) | AtLeast(_, _, domain, body):
            return mentioned(body) | (domain.ids or frozenset())
    return frozenset(term for term in terms if isinstance(term, int))


def _resolve(term: Term, binding: _Binding) -> int:
    return term if isinstance(term, int) else binding[term]


def _holds(goal: Goal, graph: SceneGraph, events: Sequence[Event], binding: _Binding) -> bool:
    match goal:
        case Related(source, relation, target):
            start, end = _resolve(source, binding), _resolve(target, binding)
            if relation is Relation.INSIDE:
                return start in graph and end in graph and graph.is_inside(start, end)
            return graph.has_edge(start, relation, end)
        case HasState(thing, state):
            node = graph.get(_resolve(thing, binding))
            return node is not None and state in node.states
        case ForAll(variable, domain, body):
            for i in _members(domain, graph):
                if not _holds(body, graph, events, {**binding, variable: i}):
                    return False
            return True
        case Exists(variable, domain, body):
            for i in _members(domain, graph):
                if _holds(body, graph, events, {**binding, variable: i}):
                    return True
            return False
        case And(parts):
            return all(_holds(part, graph, events, binding) for part in parts)
        case Or(parts):
            return any(_holds(part, graph, events, binding) for part in parts)
        case Not(part):
            return not _holds(part, graph, events, binding)
        case AtLeast(count, variable, domain, body):
            found = 0
            for i in _members(domain, graph):
                found += _holds(body, graph, events, {**binding, variable: i})
                if found >= count:
                    return True
            return count <= 0
        case MeasureInRange(measure, things, low, high):
            value = measured(measure, graph, [_resolve(thing, binding) for thing in things])
            return value is not None and low <= value <= high
        case EventOccurred():
            return any(_matches(goal, event, binding) for event in events)
        case InOrder(parts):
            return _matched_in_order(parts, events, binding) == len(parts)


def _earned(
    goal: Goal, graph: SceneGraph, events: Sequence[Event], binding: _Binding
) -> tuple[float, float]:
    """(fulfilled, total) weight of a goal; equal exactly when it holds."""
    match goal:
        case And(parts):
            return _sum(_earned(part, graph, events, binding) for part in parts)
        case Or(parts):
            return _best([_earned(part, graph, events, binding) for part in parts])
        case InOrder(parts):
            return float(_matched_in_order(parts, events, binding)), float(len(parts))
        case ForAll(variable, domain, body):
            return _sum(
                _earned(body, graph, events, {**binding, variable: i})
                for i in _range(domain, graph)
            )
        case Exists(variable, domain, body):
            return _best(
                [
                    _earned(body, graph, events, {**binding, variable: i})
                    for i in _range(domain, graph)
                ]
            )
        case AtLeast(count, variable, domain, body):
            shares = sorted(
                (
                    _share(_earned(body, graph, events, {**binding, variable: i}))
                    for i in _range(domain, graph)
                ),
                reverse=True,
            )
            return sum(shares[: max(count, 0)]), float(max(count, 0))
        case _:
            return float(_holds(goal, graph, events, binding)), 1.0


def _share(part: tuple[float, float]) -> float:
    earned, total = part
    return earned / total if total else 1.0


def _sum(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    earned = total = 0.0
    for part_earned, part_total in parts:
        earned += part_earned
        total += part_total
    return earned, total


def _best(branches: list[tuple[float, float]]) -> tuple[float, float]:
    return max(branches, key=_share) if branches else (0.0, 1.0)


def _range(domain: Domain, graph: SceneGraph) -> list[int]:
    """What a domain admits, in an order that can be repeated."""
    found = _members(domain, graph)
    return found if domain.ids is None else sorted(found)


def _members(domain: Domain, graph: SceneGraph) -> list[int]:
    """What a domain admits, in any order."""
    nodes = graph.by_id
    if domain.ids is None:
        return [node.id for node in nodes.values() if domain.admits(node)]
    there = [i for i in domain.ids if i in nodes]
    if domain.categories is None and domain.kind is None:
        return there
    return [i for i in there if domain.admits(nodes[i])]


def _matches(pattern: EventOccurred, event: Event, binding: _Binding) -> bool:
    if event.name not in pattern.names or len(event.things) < len(pattern.things):
        return False
    if pattern.at_least is not None and (event.value is None or event.value < pattern.at_least):
        return False
    return all(
        term is None or _resolve(term, binding) == thing
        for term, thing in zip(pattern.things, event.things, strict=False)
    )


def _matched_in_order(
    parts: Sequence[EventOccurred], events: Sequence[Event], binding: _Binding
) -> int:
    """How many of the parts, from the first, are matched by a subsequence of the events."""
    matched = 0
    for event in events:
        if matched < len(parts) and _matches(parts[matched], event, binding):
            matched += 1
    return matched


def describe(goal: Goal, name: Callable[[int], str] = str) -> str:
    """A goal in words. `name` words a node id; variables stand as they are."""

    def word(term: Term | None) -> str:
        return name(term) if isinstance(term, int) else (term or "anything")

    match goal:
        case HasState(thing, state):
            return f"{word(thing)} is {state.replace('_', ' ')}"
        case Related(source, Relation.CLOSE, target):
            return f"{word(source)} is close to {word(target)}"
        case Related(source, Relation.ATTACHED, target):
            return f"{word(source)} is attached to {word(target)}"
        case Related(source, Relation.HOLDS, target):
            return f"{word(source)} holds {word(target)}"
        case Related(source, relation, target):
            return f"{word(source)} is {relation} {word(target)}"
        case MeasureInRange(measure, things, low, high):
            what = MEASURES[measure].words.format(*map(word, things))
            return f"{what}: {low:g} to {high:g} m"
        case EventOccurred(names, things, at_least):
            verbs = " or ".join(n.replace("_", " ") for n in names)
            concerned = (" " + ", ".join(map(word, things))) if things else ""
            return f"{verbs}{concerned}" + (f" (at least {at_least:g})" if at_least else "")
        case InOrder(parts):
            return ", then ".join(describe(part, name) for part in parts)
        case Not(Not(part)):
            return describe(part, name)
        case Not(part):
            return f"not ({describe(part, name)})"
        case And(parts):
            return " and ".join(_grouped(part, name) for part in parts) or "nothing"
        case Or(parts):
            return " or ".join(_grouped(part, name) for part in parts) or "the impossible"
        case ForAll(variable, domain, body):
            return f"for every {variable} ({_what(domain, name)}): {_grouped(body, name)}"
        case Exists(variable, domain, body):
            return f"for some {variable} ({_what(domain, name)}): {_grouped(body, name)}"
        case AtLeast(count, variable, domain, Related(source, relation, target)) if (
            source == variable and relation in PLACEMENTS
        ):
            what = f"{count} {_what(domain, name)}".replace("one of", "of", 1)
            return f"{what} {relation} {word(target)}"
        case AtLeast(count, variable, domain, body):
            return (
                f"for at least {count} {variable} ({_what(domain, name)}): {_grouped(body, name)}"
            )


def _grouped(goal: Goal, name: Callable[[int], str]) -> str:
    text = describe(goal, name)
    inner = goal.part.part if isinstance(goal, Not) and isinstance(goal.part, Not) else goal
    return f"({text})" if isinstance(inner, And | Or) else text


def _what(domain: Domain, name: Callable[[int], str]) -> str:
    words = []
    if domain.categories is not None:
        words.append(" or ".join(sorted(domain.categories)))
    if domain.kind is not None:
        words.append(str(domain.kind))
    if domain.ids is not None:
        words.append("one of " + ", ".join(name(i) for i in sorted(domain.ids)))
    return " ".join(words) or "anything"
