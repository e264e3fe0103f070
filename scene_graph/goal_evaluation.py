"""Evaluation of goals: whether they hold, and their progress with named subgoals.

Progress counts literals. Every literal weighs 1, a counted quantifier as many as it asks for, and a
negation 1 in all (`as_one_literal` negates twice for that). `or` and `exists` have the progress of
their best branch; a counted quantifier that of the best instances. So n placements at one instance
give the subgoal success rate of Watch-And-Help: the maximum over t of sum(min(count, n)) / sum(n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .goal_text import describe
from .goals import (
    And,
    AtLeast,
    Domain,
    Event,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    InOrder,
    MeasureInRange,
    Not,
    Or,
    Related,
    Term,
    bind,
    conjuncts,
    measured,
)
from .graph import SceneGraph
from .node import Node, Relation

#: Node ids of variables.
_Binding = Mapping[str, int]
_EMPTY_BINDING: _Binding = {}


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One part of a goal: its text, the literals that hold, and all literals."""

    text: str
    earned: float
    total: float

    @property
    def done(self) -> bool:
        """Whether all literals hold."""
        return self.earned >= self.total


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a goal: `value` in [0, 1] (1 exactly if satisfied) and its subgoals."""

    value: float
    subgoals: tuple[Subgoal, ...]


def satisfied(goal: Goal, graph: SceneGraph, events: Sequence[Event] = ()) -> bool:
    """Whether a goal holds in a graph after these events (oldest first)."""
    return _holds(goal, graph, events, _EMPTY_BINDING)


def progress(
    goal: Goal, graph: SceneGraph, events: Sequence[Event] = (), name: Callable[[int], str] = str
) -> Progress:
    """Measure the progress of a goal. name: the name of a node id in the subgoals' texts.

    The subgoals of `exists` are those of the nearest instance; of `or`, those of the nearest
    alternative with several parts.
    """
    parts = []
    for part in _subgoals(goal, graph, events):
        earned, total = _earned(part, graph, events, _EMPTY_BINDING)
        parts.append(Subgoal(describe(part, name), earned, total))
    total = sum(part.total for part in parts)
    if total == 0:
        return Progress(1.0, tuple(parts))
    return Progress(sum(part.earned for part in parts) / total, tuple(parts))


def share(goal: Goal, graph: SceneGraph, events: Sequence[Event] = ()) -> float:
    """The value of `progress`, without its subgoals' texts."""
    parts = [
        _earned(part, graph, events, _EMPTY_BINDING) for part in _subgoals(goal, graph, events)
    ]
    total = sum(whole for _, whole in parts)
    return 1.0 if total == 0 else sum(earned for earned, _ in parts) / total


def _subgoals(goal: Goal, graph: SceneGraph, events: Sequence[Event]) -> Iterator[Goal]:
    for part in conjuncts(goal):
        if isinstance(part, Exists) and (members := sorted_members(part.domain, graph)):
            name, body = part.variable, part.body
            shares = {i: _ratio(_earned(body, graph, events, {name: i})) for i in members}
            nearest = bind(body, name, max(members, key=shares.__getitem__))
            yield from _subgoals(nearest, graph, events)
        elif isinstance(part, Or) and any(isinstance(each, And) for each in part.parts):
            nearest = max(part.parts, key=lambda each: _ratio(_earned(each, graph, events, {})))
            yield from _subgoals(nearest, graph, events)
        else:
            yield part


def _resolve(term: Term, binding: _Binding) -> int:
    return term if isinstance(term, int) else binding[term]


def _holds(goal: Goal, graph: SceneGraph, events: Sequence[Event], binding: _Binding) -> bool:
    match goal:
        case Related(source, relation, target, direct):
            start, end = _resolve(source, binding), _resolve(target, binding)
            if relation is Relation.INSIDE and not direct:
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
            number = 0
            for i in _members(domain, graph):
                number += _holds(body, graph, events, {**binding, variable: i})
                if number >= count:
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
    """The weight that holds and the total weight of a goal; equal exactly if it holds."""
    match goal:
        case And(parts):
            return _sum(_earned(part, graph, events, binding) for part in parts)
        case Or(parts):
            return _best([_earned(part, graph, events, binding) for part in parts])
        case InOrder(parts):
            return float(_matched_in_order(parts, events, binding)), float(len(parts))
        case (
            ForAll(variable, domain, body)
            | Exists(variable, domain, body)
            | AtLeast(_, variable, domain, body)
        ):
            shares = [
                _earned(body, graph, events, {**binding, variable: i})
                for i in sorted_members(domain, graph)
            ]
            if isinstance(goal, ForAll):
                return _sum(shares)
            if isinstance(goal, Exists):
                return _best(shares)
            count = max(goal.count, 0)
            return sum(sorted(map(_ratio, shares), reverse=True)[:count]), float(count)
        case _:
            return float(_holds(goal, graph, events, binding)), 1.0


def _ratio(part: tuple[float, float]) -> float:
    earned, total = part
    return earned / total if total else 1.0


def _sum(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    earned = total = 0.0
    for part_earned, part_total in parts:
        earned += part_earned
        total += part_total
    return earned, total


def _best(branches: list[tuple[float, float]]) -> tuple[float, float]:
    return max(branches, key=_ratio, default=(0.0, 1.0))


def sorted_members(domain: Domain, graph: SceneGraph) -> list[int]:
    """The node ids of a domain, in a repeatable order."""
    members = _members(domain, graph)
    return members if domain.ids is None else sorted(members)


def _members(domain: Domain, graph: SceneGraph) -> list[int]:
    """The node ids of a domain, in any order."""
    nodes = graph.by_id
    if domain.ids is None:
        candidates: Iterable[Node] = nodes.values()
        if domain.categories is not None:  # most goals name them, and few nodes match
            wanted = domain.categories | domain.also
            candidates = [node for node in candidates if node.category in wanted]
        return [node.id for node in candidates if domain.admits(node)]
    there = [i for i in domain.ids if i in nodes]
    if domain.categories is None and domain.kind is None and domain.can is None:
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
    """How many of the parts, from the first, match a subsequence of the events."""
    matched = 0
    for event in events:
        if matched < len(parts) and _matches(parts[matched], event, binding):
            matched += 1
    return matched
