"""What has to be found before a goal can be planned for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...scene_graph.goals import (
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
from ..contract import Thing
from ..task_planning.goal_alternatives import asks_for_pieces
from .observed_graph import ObservedGraph

_Binding = Mapping[str, int | None]


@dataclass(frozen=True)
class MissingObject:
    """Something to look for: one certain thing, or any of these categories (empty: anything)."""

    categories: frozenset[str]
    thing: int | None = None

    def __str__(self) -> str:
        """ "milk", "plate or bowl"."""
        return " or ".join(sorted(self.categories)) or "thing"


class MissingObjects:
    """Compares a goal with what is believed.

    things: those that the goal names, by id.
    """

    def __init__(self, goal: Goal, things: Mapping[int, Thing], agent: int) -> None:
        self._goal = goal
        self._things = things
        self._agent = agent

    def missing(self, belief: ObservedGraph) -> list[MissingObject]:
        """The things still to be found: of the branches of a choice those that lack least."""
        return list(dict.fromkeys(self._missing(self._goal, belief, {})))

    def unseen(self, *, universal: bool = False) -> list[MissingObject]:
        """Whatever else a goal's quantifiers range over, found or not.

        universal: only where one more thing could still break the goal ("every plate …").
        """
        return list(dict.fromkeys(self._ranges(self._goal, universal=universal, wanted=True)))

    def _missing(self, goal: Goal, belief: ObservedGraph, binding: _Binding) -> list[MissingObject]:
        match goal:
            case HasState(thing, _):
                return self._unlocated([thing], belief, binding)
            case Related(source, _, target):
                return self._unlocated([source, target], belief, binding)
            case MeasureInRange(_, things, _, _) | EventOccurred(_, things, _):
                return self._unlocated([t for t in things if t is not None], belief, binding)
            case InOrder(parts) | And(parts):
                return [want for part in parts for want in self._missing(part, belief, binding)]
            case Or(parts):
                return min((self._missing(p, belief, binding) for p in parts), key=len, default=[])
            case Not(part):
                return self._missing(part, belief, binding)
            case ForAll(variable, domain, body):
                instances = self._instances(variable, domain, body, belief, binding)
                return [want for wants in instances for want in wants]
            case Exists(variable, domain, body):
                return self._enough(1, variable, domain, body, belief, binding)
            case AtLeast(count, variable, domain, body):
                return self._enough(count, variable, domain, body, belief, binding)

    def _enough(
        self,
        count: int,
        variable: str,
        domain: Domain,
        body: Goal,
        belief: ObservedGraph,
        binding: _Binding,
    ) -> list[MissingObject]:
        """What lacks for so many instances, those believed in first."""
        found = sorted(self._instances(variable, domain, body, belief, binding), key=len)[:count]
        wants = [want for each in found for want in each]
        lacking = count - len(found)
        if found and asks_for_pieces(body, variable):
            lacking = 0
        if lacking > 0:
            wants += [self._of_domain(domain)] * lacking
            wants += self._missing(body, belief, {**binding, variable: None})
        return wants

    def _instances(
        self, variable: str, domain: Domain, body: Goal, belief: ObservedGraph, binding: _Binding
    ) -> Iterator[list[MissingObject]]:
        for node in belief.graph.nodes():
            if domain.admits(node) and belief.located(node.id):
                yield self._missing(body, belief, {**binding, variable: node.id})

    def _unlocated(
        self, terms: Iterable[Term], belief: ObservedGraph, binding: _Binding
    ) -> list[MissingObject]:
        wants = []
        for term in terms:
            thing = term if isinstance(term, int) else binding[term]
            if thing is not None and thing != self._agent and not belief.located(thing):
                wants.append(self._certain(thing))
        return wants

    def _certain(self, thing: int) -> MissingObject:
        known = self._things.get(thing)
        return MissingObject(frozenset({known.category}) if known else frozenset(), thing)

    def _of_domain(self, domain: Domain) -> MissingObject:
        if domain.categories is not None:
            return MissingObject(domain.categories)
        ids = domain.ids or frozenset()
        return MissingObject(frozenset(self._things[i].category for i in ids if i in self._things))

    def _ranges(self, goal: Goal, *, universal: bool, wanted: bool) -> Iterator[MissingObject]:
        match goal:
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._ranges(part, universal=universal, wanted=wanted)
            case Not(part):
                yield from self._ranges(part, universal=universal, wanted=not wanted)
            case ForAll(_, domain, body) | Exists(_, domain, body) | AtLeast(_, _, domain, body):
                if not universal or isinstance(goal, ForAll) is wanted:
                    yield self._of_domain(domain)
                yield from self._ranges(body, universal=universal, wanted=wanted)
