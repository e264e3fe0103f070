"""Goals as alternatives: lists of literals of which one list has to hold entirely."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from heapq import nsmallest
from itertools import combinations, islice, permutations
from math import comb, inf

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
    satisfied,
)
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import OPPOSITE, PLACEMENTS, Relation, State

#: A ground HasState, Related, Happened or InOrder, or Not of one of the first two. Of events, what
#: they concern may be left open.
Literal = HasState | Related | EventOccurred | InOrder | Not
#: Literals that must all hold, with a rough cost.
Costed = tuple[float, tuple[Literal, ...]]

#: Of the ways to pair things so many are compared.
_PAIRINGS = 5000

_DIRECT = frozenset(PLACEMENTS) - {Relation.INSIDE}


class Unplannable(Exception):
    """A goal that no plan can be made for; the message says why."""


class GoalAlternatives:
    """Turns goals into their cheapest alternatives.

    cost: a rough cost of a literal, 0 where it holds. Raises Unplannable for an impossible one.
    limit: how many alternatives are kept, the cheapest first; `cut` tells whether any was left out.
    refused: why alternatives were dropped.
    """

    def __init__(self, graph: SceneGraph, cost: Callable[[Literal], float], limit: int) -> None:
        self._graph = graph
        self._cost = cost
        self._limit = limit
        self.cut = False
        self.refused: list[str] = []
        self._costs: dict[Literal, float] = {}

    def of(self, goal: Goal) -> list[tuple[Literal, ...]]:
        """The alternatives of a goal, the cheapest first; none when it is impossible."""
        return [literals for _, literals in self._of(goal, {}, wanted=True)]

    def _of(self, goal: Goal, binding: Mapping[str, int], *, wanted: bool) -> list[Costed]:
        match goal:
            case Not(part):
                return self._of(part, binding, wanted=not wanted)
            case And((AtLeast() as least, Not(AtLeast() as more))) if wanted and more == replace(
                least, count=least.count + 1
            ):
                return self._exactly(least, binding)
            case And((AtLeast() as one, AtLeast() as other)) if wanted and _pairs(one, other):
                return self._paired(one, binding)
            case And(parts) | Or(parts):
                lists = [self._of(part, binding, wanted=wanted) for part in parts]
                return self._all(lists) if isinstance(goal, And) is wanted else self._any(lists)
            case ForAll(variable, domain, body) | Exists(variable, domain, body):
                lists = self._instances(variable, domain, body, binding, wanted=wanted)
                return self._all(lists) if isinstance(goal, ForAll) is wanted else self._any(lists)
            case AtLeast(count, variable, domain, body):
                lists = self._instances(variable, domain, body, binding, wanted=wanted)
                if wanted and asks_for_pieces(body, variable):
                    count = min(count, max(1, sum(map(bool, lists))))
                return self._some(lists, count if wanted else len(lists) - count + 1)
            case InOrder(parts):
                ordered = InOrder(tuple(_bound(part, binding) for part in parts))
                return self._literal(ordered, wanted=wanted)
            case HasState(thing, state):
                return self._literal(HasState(_bind(thing, binding), state), wanted=wanted)
            case Related(source, relation, target):
                ground = Related(_bind(source, binding), relation, _bind(target, binding))
                return self._literal(ground, wanted=wanted)
            case EventOccurred():
                return self._literal(_bound(goal, binding), wanted=wanted)
            case MeasureInRange():
                self.refused.append("household actions do not decide where exactly a thing lies")
                return []

    def _instances(
        self,
        variable: str,
        domain: Domain,
        body: Goal,
        binding: Mapping[str, int],
        *,
        wanted: bool,
    ) -> list[list[Costed]]:
        return [
            self._of(body, {**binding, variable: node.id}, wanted=wanted)
            for node in self._graph.nodes()
            if domain.admits(node)
        ]

    def _literal(self, literal: Literal, *, wanted: bool) -> list[Costed]:
        signed = literal if wanted else Not(literal)
        try:
            cost = self._costs[signed] = self._cost(signed)
            return [(cost, (signed,))]
        except Unplannable as refusal:
            self.refused.append(str(refusal))
            return []

    def _any(self, lists: Iterable[list[Costed]]) -> list[Costed]:
        return self._cheapest([each for alternatives in lists for each in alternatives])

    def _all(self, lists: Iterable[list[Costed]]) -> list[Costed]:
        joined: list[Costed] = [(0.0, ())]
        for alternatives in lists:
            joined = self._cheapest(
                [
                    (sum(map(self._costs.__getitem__, both)), both)
                    for _, literals in joined
                    for _, others in alternatives
                    if (both := self._joined(literals, others)) is not None
                ]
            )
        return joined

    def _some(self, lists: list[list[Costed]], count: int) -> list[Costed]:
        """The alternatives in which `count` of the instances hold."""
        possible = sorted((a for a in lists if a), key=lambda alternatives: alternatives[0][0])
        if count > len(possible):
            if len(possible) == len(lists):
                self.refused.append(f"there are {len(lists)} such things, not {count}")
            return []
        size = len(possible)
        while size > max(count, 1) and comb(size, max(count, 0)) > self._limit:
            size -= 1
            self.cut = True
        chosen = combinations(possible[:size], max(count, 0))
        return self._any([self._all(instances) for instances in chosen])

    def _exactly(self, goal: AtLeast, binding: Mapping[str, int]) -> list[Costed]:
        """The alternatives in which so many of the instances hold, and the others do not."""
        given = goal.variable, goal.domain, goal.body, binding
        holding = self._instances(*given, wanted=True)
        lacking = self._instances(*given, wanted=False)
        chosen = combinations(
            sorted(range(len(holding)), key=lambda i: _least(holding[i])), goal.count
        )
        found = []
        for number, some in enumerate(chosen):
            if number >= self._limit:
                self.cut = True
                break
            found.append(
                self._all([holding[i] if i in some else lacking[i] for i in range(len(holding))])
            )
        return self._any(found)

    def _paired(self, goal: AtLeast, binding: Mapping[str, int]) -> list[Costed]:
        """The alternatives in which different instances of one sort have different partners."""
        assert isinstance(goal.body, Exists)
        variable, partners = goal.body.variable, goal.body
        table = [
            self._instances(
                variable,
                partners.domain,
                partners.body,
                {**binding, goal.variable: node.id},
                wanted=True,
            )
            for node in self._graph.nodes()
            if goal.domain.admits(node)
        ]
        columns = len(table[0]) if table else 0
        if goal.count > min(len(table), columns):
            return []
        ways = (
            [table[row][column] for row, column in zip(rows, places, strict=True)]
            for rows in combinations(range(len(table)), goal.count)
            for places in permutations(range(columns), goal.count)
        )
        looked = [way for way in islice(ways, _PAIRINGS) if all(way)]
        self.cut = True
        best = nsmallest(self._limit, looked, key=lambda way: sum(map(_least, way)))
        return self._any([self._all(way) for way in best])

    def _joined(
        self, literals: tuple[Literal, ...], others: tuple[Literal, ...]
    ) -> tuple[Literal, ...] | None:
        """Both together, each literal once, or None where they exclude each other."""
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
                case Related(source, relation, _) if relation in _DIRECT:
                    other = placed.setdefault(source, literal)
                    if other is not literal and not (self._holds(other) and self._holds(literal)):
                        return None  # a thing is put down at one place only
        return tuple(both)

    def _holds(self, literal: Related) -> bool:
        return satisfied(literal, self._graph)

    def _cheapest(self, alternatives: list[Costed]) -> list[Costed]:
        unique = {literals: cost for cost, literals in alternatives}
        ordered = sorted(((c, ls) for ls, c in unique.items()), key=lambda pair: pair[0])
        self.cut = self.cut or len(ordered) > self._limit
        return ordered[: self._limit]


def _pairs(one: AtLeast, other: AtLeast) -> bool:
    """Whether two parts of a goal ask for as many of each of two sorts to have a partner."""
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


def _least(alternatives: list[Costed]) -> float:
    """The cost of the cheapest of them."""
    return alternatives[0][0] if alternatives else inf


def _bind(term: Term, binding: Mapping[str, int]) -> int:
    return term if isinstance(term, int) else binding[term]


def _bound(event: EventOccurred, binding: Mapping[str, int]) -> EventOccurred:
    things = tuple(None if term is None else _bind(term, binding) for term in event.things)
    return EventOccurred(event.names, things, event.at_least)


def asks_for_pieces(body: Goal, variable: str) -> bool:
    """Whether a thing has to be sliced: then one is cut into as many as are asked for."""
    match body:
        case HasState(thing, State.SLICED):
            return thing == variable
        case And(parts):
            return any(asks_for_pieces(part, variable) for part in parts)
        case Not(Not(part)) | Exists(_, _, part):
            return asks_for_pieces(part, variable)
    return False


def things_of(literal: Literal) -> tuple[int, ...]:
    """The things that a ground literal is about."""
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
