"""Objects that have to be located before a goal can be planned for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ....scene_graph.goals import (
    And,
    AtLeast,
    Domain,
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
)
from ...contract import Thing
from .goal_alternatives import requires_slicing
from .observed_graph import ObservedGraph

_Binding = Mapping[str, int | None]


@dataclass(frozen=True)
class MissingObject:
    """An object to search for: one certain thing, or any of some categories (empty: anything)."""

    categories: frozenset[str]
    thing: int | None = None

    def __str__(self) -> str:
        """ "milk", "plate or bowl"."""
        return " or ".join(sorted(self.categories)) or "thing"


class MissingObjects:
    """The objects that a goal needs, compared with what was observed.

    things: those that the goal names, by id. agent: its node id, which is never missing.
    """

    def __init__(self, goal: Goal, things: Mapping[int, Thing], agent: int) -> None:
        self._goal = goal
        self._things = things
        self._agent = agent

    def missing(self, observed: ObservedGraph) -> list[MissingObject]:
        """List the objects still to be located; for an `or`, of the branch with the fewest."""
        return list(dict.fromkeys(self._missing(self._goal, observed, {})))

    def quantified(self, *, universal: bool = False) -> list[MissingObject]:
        """List what the goal's quantifiers range over, located or not.

        universal: only where one more object could still break the goal ("every plate …").
        """
        return list(dict.fromkeys(self._domains(self._goal, universal=universal, positive=True)))

    def _missing(
        self, goal: Goal, observed: ObservedGraph, binding: _Binding
    ) -> list[MissingObject]:
        match goal:
            case HasState(thing, _):
                return self._unlocated([thing], observed, binding)
            case Related(source, _, target):
                return self._unlocated([source, target], observed, binding)
            case MeasureInRange(_, things, _, _) | EventOccurred(_, things, _):
                return self._unlocated([t for t in things if t is not None], observed, binding)
            case InOrder(parts) | And(parts):
                return [each for part in parts for each in self._missing(part, observed, binding)]
            case Or(parts):
                return min(
                    (self._missing(p, observed, binding) for p in parts), key=len, default=[]
                )
            case Not(part):
                return self._missing(part, observed, binding)
            case ForAll(variable, domain, body):
                instances = self._instances(variable, domain, body, observed, binding)
                return [each for missing in instances for each in missing]
            case Exists(variable, domain, body):
                return self._missing_instances(1, variable, domain, body, observed, binding)
            case AtLeast(count, variable, domain, body):
                return self._missing_instances(count, variable, domain, body, observed, binding)

    def _missing_instances(
        self,
        count: int,
        variable: str,
        domain: Domain,
        body: Goal,
        observed: ObservedGraph,
        binding: _Binding,
    ) -> list[MissingObject]:
        """What is missing for `count` instances of a body; observed things come first."""
        known = sorted(self._instances(variable, domain, body, observed, binding), key=len)[:count]
        missing = [each for instance in known for each in instance]
        lacking = count - len(known)
        if known and requires_slicing(body, variable):
            lacking = 0
        if lacking > 0:
            missing += [self._any_of(domain)] * lacking
            missing += self._missing(body, observed, {**binding, variable: None})
        return missing

    def _instances(
        self, variable: str, domain: Domain, body: Goal, observed: ObservedGraph, binding: _Binding
    ) -> Iterator[list[MissingObject]]:
        for node in observed.graph.nodes():
            if domain.admits(node) and observed.located(node.id):
                yield self._missing(body, observed, {**binding, variable: node.id})

    def _unlocated(
        self, terms: Iterable[Term], observed: ObservedGraph, binding: _Binding
    ) -> list[MissingObject]:
        missing = []
        for term in terms:
            thing = term if isinstance(term, int) else binding[term]
            if thing is not None and thing != self._agent and not observed.located(thing):
                known = self._things.get(thing)
                missing.append(MissingObject(frozenset({known.category} if known else ()), thing))
        return missing

    def _any_of(self, domain: Domain) -> MissingObject:
        if domain.categories is not None:
            return MissingObject(domain.categories)
        ids = domain.ids or frozenset()
        return MissingObject(frozenset(self._things[i].category for i in ids if i in self._things))

    def _domains(self, goal: Goal, *, universal: bool, positive: bool) -> Iterator[MissingObject]:
        match goal:
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._domains(part, universal=universal, positive=positive)
            case Not(part):
                yield from self._domains(part, universal=universal, positive=not positive)
            case ForAll(_, domain, body) | Exists(_, domain, body) | AtLeast(_, _, domain, body):
                if not universal or isinstance(goal, ForAll) is positive:
                    yield self._any_of(domain)
                yield from self._domains(body, universal=universal, positive=positive)
