"""Grounding of goals into alternatives: conjunctions of literals, one of which has to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from heapq import nsmallest
from itertools import combinations, islice, permutations
from math import comb, inf

from ....scene_graph.goal_evaluation import satisfied
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
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import OPPOSITE, PLACEMENTS, Relation, State

#: A ground HasState, Related, EventOccurred or InOrder, or Not of one of the first two. An event
#: may leave its things open.
Literal = HasState | Related | EventOccurred | InOrder | Not
#: A rough cost, and literals that must all hold.
CostedLiterals = tuple[float, tuple[Literal, ...]]

#: The most pairings of things with partners that are compared.
_MAX_PAIRINGS = 5000

_DIRECT_PLACEMENTS = frozenset(PLACEMENTS) - {Relation.INSIDE}


class Unplannable(Exception):
    """No plan can reach a goal; the message says why."""


class GoalAlternatives:
    """Grounding of goals in one graph.

    cost: the rough cost of a literal, 0 where it holds; raises Unplannable for an impossible one.
    limit: the number of alternatives kept, cheapest first. truncated: whether any alternative was
    left out. reasons: why literals were impossible.
    """

    def __init__(self, graph: SceneGraph, cost: Callable[[Literal], float], limit: int) -> None:
        self._graph = graph
        self._cost = cost
        self._limit = limit
        self.truncated = False
        self.reasons: list[str] = []
        self._costs: dict[Literal, float] = {}
        self._taken: frozenset[Term] = frozenset()

    def alternatives(self, goal: Goal) -> list[tuple[Literal, ...]]:
        """List the alternatives of a goal, cheapest first; none when it is impossible."""
        return [literals for _, literals in self._ground(goal, {}, positive=True)]

    def _ground(
        self, goal: Goal, binding: Mapping[str, int], *, positive: bool
    ) -> list[CostedLiterals]:
        match goal:
            case Not(part):
                return self._ground(part, binding, positive=not positive)
            case And((AtLeast() as least, Not(AtLeast() as excess))) if (
                positive and excess == replace(least, count=least.count + 1)
            ):
                return self._exactly(least, binding)
            case And((AtLeast() as one, AtLeast() as other)) if positive and _is_pairing(
                one, other
            ):
                return self._paired(one, binding)
            case And(parts) | Or(parts):
                lists = [self._ground(part, binding, positive=positive) for part in parts]
                return self._joined(lists, conjunction=isinstance(goal, And) is positive)
            case ForAll(variable, domain, body) | Exists(variable, domain, body):
                lists = self._instances(variable, domain, body, binding, positive=positive)
                return self._joined(lists, conjunction=isinstance(goal, ForAll) is positive)
            case AtLeast(count, variable, domain, body):
                lists = self._instances(variable, domain, body, binding, positive=positive)
                if positive and requires_slicing(body, variable):
                    count = min(count, max(1, sum(map(bool, lists))))
                found = self._at_least(lists, count if positive else len(lists) - count + 1)
                if found or not positive or count > sum(map(bool, lists)):
                    return found
                return self._one_by_one(goal, binding)
            case InOrder(parts):
                ordered = InOrder(tuple(_ground_event(part, binding) for part in parts))
                return self._literal(ordered, positive=positive)
            case HasState(thing, state):
                return self._literal(HasState(_resolve(thing, binding), state), positive=positive)
            case Related(source, _, target):
                ground = replace(
                    goal, source=_resolve(source, binding), target=_resolve(target, binding)
                )
                return self._literal(ground, positive=positive)
            case EventOccurred():
                return self._literal(_ground_event(goal, binding), positive=positive)
            case MeasureInRange():
                self.reasons.append("household actions do not decide where exactly a thing lies")
                return []

    def _instances(
        self,
        variable: str,
        domain: Domain,
        body: Goal,
        binding: Mapping[str, int],
        *,
        positive: bool,
    ) -> list[list[CostedLiterals]]:
        return [
            self._ground(body, {**binding, variable: node.id}, positive=positive)
            for node in self._graph.nodes()
            if domain.admits(node) and node.id not in self._taken
        ]

    def _literal(self, literal: Literal, *, positive: bool) -> list[CostedLiterals]:
        signed = literal if positive else Not(literal)
        try:
            cost = self._costs[signed] = self._cost(signed)
            return [(cost, (signed,))]
        except Unplannable as refusal:
            self.reasons.append(str(refusal))
            return []

    def _joined(
        self, lists: list[list[CostedLiterals]], *, conjunction: bool
    ) -> list[CostedLiterals]:
        return self._conjunction(lists) if conjunction else self._disjunction(lists)

    def _disjunction(self, lists: Iterable[list[CostedLiterals]]) -> list[CostedLiterals]:
        return self._cheapest([each for alternatives in lists for each in alternatives])

    def _conjunction(self, lists: Iterable[list[CostedLiterals]]) -> list[CostedLiterals]:
        joined: list[CostedLiterals] = [(0.0, ())]
        for alternatives in lists:
            joined = self._cheapest(
                [
                    (sum(map(self._costs.__getitem__, both)), both)
                    for _, literals in joined
                    for _, others in alternatives
                    if (both := self._merged(literals, others)) is not None
                ]
            )
        return joined

    def _at_least(self, lists: list[list[CostedLiterals]], count: int) -> list[CostedLiterals]:
        """The alternatives in which `count` instances hold. lists: of each instance."""
        possible = sorted((a for a in lists if a), key=lambda alternatives: alternatives[0][0])
        if count > len(possible):
            if len(possible) == len(lists):
                self.reasons.append(f"there are {len(lists)} such things, not {count}")
            return []
        size = len(possible)
        while size > max(count, 1) and comb(size, max(count, 0)) > self._limit:
            size -= 1
            self.truncated = True
        chosen = combinations(possible[:size], max(count, 0))
        return self._disjunction([self._conjunction(instances) for instances in chosen])

    def _one_by_one(self, goal: AtLeast, binding: Mapping[str, int]) -> list[CostedLiterals]:
        """An alternative in which no thing serves two instances, where the cheapest ones clash."""
        before, chosen = self._taken, list[list[CostedLiterals]]()
        for node in self._graph.nodes():
            if len(chosen) < goal.count and goal.domain.admits(node):
                bound = {**binding, goal.variable: node.id}
                alternatives = self._ground(goal.body, bound, positive=True)[:1]
                chosen += [alternatives] * bool(alternatives)
                literals = [each for _, found in alternatives for each in found]
                self._taken |= {each.source for each in literals if isinstance(each, Related)}
        self._taken, self.truncated = before, True
        return self._conjunction(chosen) if len(chosen) == goal.count else []

    def _exactly(self, goal: AtLeast, binding: Mapping[str, int]) -> list[CostedLiterals]:
        """The alternatives in which exactly `goal.count` instances hold."""
        given = goal.variable, goal.domain, goal.body, binding
        holding = self._instances(*given, positive=True)
        lacking = self._instances(*given, positive=False)
        chosen = combinations(
            sorted(range(len(holding)), key=lambda i: _lowest_cost(holding[i])), goal.count
        )
        exact = []
        for number, some in enumerate(chosen):
            if number >= self._limit:
                self.truncated = True
                break
            exact.append(
                self._conjunction(
                    [holding[i] if i in some else lacking[i] for i in range(len(holding))]
                )
            )
        return self._disjunction(exact)

    def _paired(self, goal: AtLeast, binding: Mapping[str, int]) -> list[CostedLiterals]:
        """The alternatives in which different instances of one domain have different partners."""
        assert isinstance(goal.body, Exists)
        variable, partners = goal.body.variable, goal.body
        table = [
            self._instances(
                variable,
                partners.domain,
                partners.body,
                {**binding, goal.variable: node.id},
                positive=True,
            )
            for node in self._graph.nodes()
            if goal.domain.admits(node)
        ]
        columns = len(table[0]) if table else 0
        if goal.count > min(len(table), columns):
            return []
        pairings = (
            [table[row][column] for row, column in zip(rows, places, strict=True)]
            for rows in combinations(range(len(table)), goal.count)
            for places in permutations(range(columns), goal.count)
        )
        possible = [pairing for pairing in islice(pairings, _MAX_PAIRINGS) if all(pairing)]
        self.truncated = True
        best = nsmallest(self._limit, possible, key=lambda pairing: sum(map(_lowest_cost, pairing)))
        return self._disjunction([self._conjunction(pairing) for pairing in best])

    def _merged(
        self, literals: tuple[Literal, ...], others: tuple[Literal, ...]
    ) -> tuple[Literal, ...] | None:
        """The union of two conjunctions; None where they exclude each other."""
        both = dict.fromkeys((*literals, *others))
        placed: dict[Term, Related] = {}
        for literal in both:
            match literal:
                case Not(part):
                    if part in both:
                        return None
                case HasState(thing, state):
                    opposite = OPPOSITE.get(state)
                    if opposite is not None and HasState(thing, opposite) in both:
                        return None
                case Related(source, relation, _, direct) if (
                    direct or relation in _DIRECT_PLACEMENTS
                ):
                    other = placed.setdefault(source, literal)
                    if other is not literal and not (self._holds(other) and self._holds(literal)):
                        return None  # a thing is put down at one place only
        return tuple(both)

    def _holds(self, literal: Related) -> bool:
        return satisfied(literal, self._graph)

    def _cheapest(self, alternatives: list[CostedLiterals]) -> list[CostedLiterals]:
        unique = {literals: cost for cost, literals in alternatives}
        ordered = sorted(((c, ls) for ls, c in unique.items()), key=lambda pair: pair[0])
        self.truncated = self.truncated or len(ordered) > self._limit
        return ordered[: self._limit]


def _is_pairing(one: AtLeast, other: AtLeast) -> bool:
    """Whether two parts of a goal ask that equally many things of two domains have a partner."""
    return (
        isinstance(one.body, Exists)
        and AtLeast(
            one.count,
            one.body.variable,
            one.body.domain,
            Exists(one.variable, one.domain, one.body.body),
        )
        == other
    )


def _lowest_cost(alternatives: list[CostedLiterals]) -> float:
    """The cost of the cheapest alternative, infinite if there is none."""
    return alternatives[0][0] if alternatives else inf


def _resolve(term: Term, binding: Mapping[str, int]) -> int:
    return term if isinstance(term, int) else binding[term]


def _ground_event(event: EventOccurred, binding: Mapping[str, int]) -> EventOccurred:
    things = tuple(None if term is None else _resolve(term, binding) for term in event.things)
    return EventOccurred(event.names, things, event.at_least)


def requires_slicing(body: Goal, variable: str) -> bool:
    """Whether a goal asks that a variable is sliced: one thing gives any number of pieces."""
    match body:
        case HasState(thing, State.SLICED):
            return thing == variable
        case And(parts):
            return any(requires_slicing(part, variable) for part in parts)
        case Not(Not(part)) | Exists(_, _, part):
            return requires_slicing(part, variable)
    return False


def things_of(literal: Literal) -> tuple[int, ...]:
    """The ids of the things that a ground literal names."""
    atom = literal.part if isinstance(literal, Not) else literal
    match atom:
        case HasState(int(thing), _):
            return (thing,)
        case Related(int(source), _, int(target)):
            return (source, target)
        case EventOccurred(_, things, _):
            return tuple(thing for thing in things if isinstance(thing, int))
        case InOrder(parts):
            return tuple(thing for part in parts for thing in things_of(part))
    return ()
