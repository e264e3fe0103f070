"""The open parts of a goal at an episode's end: objects that would fulfil it, and their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...scene_graph.goal_evaluation import progress, satisfied, sorted_members
from ...scene_graph.goals import (
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
    Not,
    Or,
    Related,
    bind,
    named_ids,
    within,
)
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation


@dataclass(frozen=True)
class OpenNeed:
    """An open part of a goal.

    targets: objects of which some would fulfil it. categories: their categories in the goal; empty
    where it names single objects. places: where they belong; empty for anywhere.
    """

    targets: frozenset[int]
    categories: frozenset[str]
    places: frozenset[int]


def open_needs(goal: Goal, graph: SceneGraph, events: Sequence[Event]) -> list[OpenNeed]:
    """The open parts of a goal."""
    return list(_Finder(graph, events).needs(goal))


def goal_targets(goal: Goal, graph: SceneGraph) -> frozenset[int]:
    """All objects that a goal is about, places included, whether it holds for them or not."""
    found = set(named_ids(goal))
    for part in within(goal):
        if isinstance(part, ForAll | Exists | AtLeast):
            found.update(sorted_members(part.domain, graph))
    return frozenset(found)


class _Finder:
    """Finds the open parts of goals in one state."""

    def __init__(self, graph: SceneGraph, events: Sequence[Event]) -> None:
        self._graph = graph
        self._events = events

    def needs(self, goal: Goal) -> Iterator[OpenNeed]:
        if satisfied(goal, self._graph, self._events):
            return
        match goal:
            case And(parts):
                for part in parts:
                    yield from self.needs(part)
            case Or(parts):
                yield from self.needs(max(parts, key=self._share))
            case ForAll(variable, domain, body):
                for member in sorted_members(domain, self._graph):
                    yield from self.needs(bind(body, variable, member))
            case Exists(variable, domain, body) if not _is_about(body, variable):
                bound = [bind(body, variable, i) for i in sorted_members(domain, self._graph)]
                if bound:
                    yield from self.needs(max(bound, key=self._share))
            case Exists(variable, domain, body) | AtLeast(_, variable, domain, body):
                yield self._of_things(variable, domain, body)
            case _:
                yield self._of_literal(goal)

    def _of_things(self, variable: str, domain: Domain, body: Goal) -> OpenNeed:
        """So many objects of a domain: those for which the body does not hold yet would do."""
        members = sorted_members(domain, self._graph)
        lacking = [
            member
            for member in members
            if not satisfied(bind(body, variable, member), self._graph, self._events)
        ]
        categories = domain.categories or frozenset() if domain.ids is None else frozenset()
        places = frozenset(self._places(body, variable, {}))
        return OpenNeed(frozenset(lacking), categories, places)

    def _places(self, body: Goal, variable: str, bound: Mapping[str, Domain]) -> Iterator[int]:
        match body:
            case Related(source, _, target) if source == variable:
                if isinstance(target, int):
                    yield target
                elif target in bound:
                    yield from sorted_members(bound[target], self._graph)
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._places(part, variable, bound)
            case Exists(name, domain, inner):
                yield from self._places(inner, variable, {**bound, name: domain})

    def _of_literal(self, goal: Goal) -> OpenNeed:
        match goal:
            case Related(int(agent), Relation.HOLDS, int(thing)):
                return OpenNeed(frozenset({thing}), frozenset(), frozenset({agent}))
            case Related(int(source), _, int(target)):
                return OpenNeed(frozenset({source}), frozenset(), frozenset({target}))
        return OpenNeed(frozenset(named_ids(goal)), frozenset(), frozenset())

    def _share(self, goal: Goal) -> float:
        return progress(goal, self._graph, self._events).value


def _is_about(body: Goal, variable: str) -> bool:
    """Whether a variable stands for an object that is moved or changed, not for its place."""
    match body:
        case Related(source, Relation.HOLDS, target):
            return target == variable
        case Related(source, _, _):
            return source == variable
        case HasState(thing, _):
            return thing == variable
        case EventOccurred(_, things, _):
            return variable in things
        case InOrder(parts) | And(parts) | Or(parts):
            return bool(parts) and _is_about(parts[0], variable)
        case Not(part):
            return _is_about(part, variable)
        case ForAll(_, _, inner) | Exists(_, _, inner) | AtLeast(_, _, _, inner):
            return _is_about(inner, variable)
    return False
