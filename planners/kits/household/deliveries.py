"""Cheapest deliveries: plans for a body that walks by itself and carries one thing at a time.

Of all acceptable goals and all orders of delivery, the cheapest is chosen. Costs are those of the
rules for opening, picking, putting and walking. A plan is cheapest under one assumption: a picked
thing is carried straight to its place. Laying it down on the way costs two more actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import NamedTuple

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Goal, HasState, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Relation, State
from ....scene_graph.placement_goals import Placements, alternatives
from ....scene_graph.rules import Rewards
from ....skills.actions import Action, Verb, open_, pick_up, put
from ....skills.reach import bases

#: Up to this many deliveries the best order is computed; beyond, the nearest is next.
MAX_ORDERED = 12
_KEEPING = frozenset({Affordance.SURFACE, Affordance.CONTAINER})


@dataclass(frozen=True)
class Deliveries:
    """A plan of deliveries."""

    actions: tuple[Action, ...] | None
    """The plan; None if there is none."""
    cost: float = 0.0
    """Of the actions and the walks."""
    exact: bool = True
    """Whether no plan is cheaper, under the assumption of this module."""
    compared: int = 0
    """The number of goals compared."""
    reason: str = ""
    """Why there is no plan; else empty."""


@dataclass(frozen=True)
class _Delivery:
    """A thing to be put somewhere. start, end: the furniture where the agent picks and puts it."""

    thing: int
    """Its id."""
    relation: Relation
    """How it is put there."""
    place: int
    """The id of the destination."""
    start: int
    """The furniture where the agent stands to pick it."""
    end: int
    """The furniture where the agent stands to put it."""
    held: bool
    """Whether it is in the agent's hand already."""


class _Candidate(NamedTuple):
    """A goal with a way to begin, and where the agent stands then. fixed_cost: without walks."""

    lower_bound: float
    """No plan for it costs less."""
    fixed_cost: float
    """The cost without walks."""
    at: int
    """Where the agent stands after `first`."""
    first: tuple[Action, ...]
    """The actions that come before the deliveries."""
    deliveries: list[_Delivery]
    """In no order yet."""


def cheapest_deliveries(
    graph: SceneGraph,
    goal: Goal,
    agent: int,
    rewards: Rewards,
    avoid: frozenset[Action] = frozenset(),
) -> Deliveries:
    """Find the cheapest plan to a goal of placements, or to one open thing.

    avoid: actions not to be used.
    """
    if isinstance(goal, HasState) and goal.state is State.OPEN and isinstance(goal.thing, int):
        actions = tuple(_openings(graph, goal.thing, {goal.thing}))
        return Deliveries(actions if avoid.isdisjoint(actions) else None, reason="it did not open")
    goals = alternatives(goal)
    if goals is None:
        return Deliveries(None, reason="nothing but placements of named things can be planned for")
    return _Search(graph, agent, rewards, avoid).best(goals)


class _Search:
    """One search: costs in one graph, and the orders computed so far."""

    def __init__(
        self, graph: SceneGraph, agent: int, rewards: Rewards, avoid: frozenset[Action]
    ) -> None:
        self._graph = graph
        self._me = agent
        self._avoid = avoid
        self._rewards = rewards
        verbs = (Verb.OPEN, Verb.PICK_UP, Verb.PUT)
        costs = [-rewards.step - rewards.verbs.get(verb, 0.0) for verb in verbs]
        free = not any(costs) and not rewards.travel
        self._open, self._pick, self._put = (1.0, 1.0, 1.0) if free else costs
        self._orders: dict[tuple[int, tuple[tuple[int, int], ...]], float] = {}
        self._base_of = cache(self._base)
        held = graph.held(agent)
        self._held = held[0] if held else None
        near = graph.targets(agent, Relation.CLOSE)
        self._at = near[0] if near else agent
        self._asides = self._find_asides()

    def best(self, goals: Sequence[Placements]) -> Deliveries:
        """The cheapest deliveries over all reachable goals."""
        candidates = [each for goal in goals for each in self._candidates(goal)]
        candidates.sort(key=lambda each: each.lower_bound)
        best, chosen = inf, None
        exact = True
        compared = 0
        for each in candidates:
            if each.lower_bound >= best:
                break
            compared += 1
            cost = each.fixed_cost + self._travel(each.at, each.deliveries)
            exact = exact and len(each.deliveries) <= MAX_ORDERED
            if cost < best:
                order = self._ordered(each.at, each.deliveries)
                plan = (*each.first, *self._actions(order, each.first))
                if self._avoid.isdisjoint(plan):
                    best, chosen = cost, plan
        if chosen is None:
            return Deliveries(None, reason="no acceptable goal has all its things within reach")
        return Deliveries(chosen, best, exact, compared)

    # --- one goal ------------------------------------------------------------------------------

    def _candidates(self, goal: Placements) -> Iterator[_Candidate]:
        """The ways to begin a goal: at once, or after laying aside what is held."""
        for aside in (None, *self._asides):
            deliveries = self._deliveries(goal, aside)
            if deliveries is None:
                return
            idle = self._held is not None and not any(each.held for each in deliveries)
            if idle and deliveries and aside is None:
                continue  # the hand has to be empty first
            first = self._laying_aside(aside)
            at = self._at if aside is None else self._base_of(aside)
            assert at is not None, "things are laid aside at known furniture"
            fixed = self._way(self._at, at) + self._fixed_cost(deliveries, first)
            loaded = sum(self._way(each.start, each.end) for each in deliveries)
            yield _Candidate(fixed + loaded, fixed, at, first, deliveries)

    def _deliveries(self, goal: Placements, aside: int | None) -> list[_Delivery] | None:
        """The deliveries that a goal still needs; None where it is impossible."""
        graph, deliveries = self._graph, []
        for placement in goal:
            thing, place = placement.source, placement.target
            if not isinstance(thing, int) or not isinstance(place, int):
                return None
            if thing not in graph or place not in graph or not self._takes(placement, place):
                return None
            if satisfied(placement, graph):
                continue
            held = thing == self._held and aside is None
            start = self._at if held else self._base_of(thing)
            if thing == self._held and aside is not None:
                start = self._base_of(aside)
            end = self._base_of(place)
            if start is None or end is None:
                return None
            deliveries.append(_Delivery(thing, placement.relation, place, start, end, held))
        twice = len({each.thing for each in deliveries}) < len(deliveries)
        return None if twice else deliveries

    def _takes(self, placement: Related, place: int) -> bool:
        can = self._graph[place].affordances
        if placement.relation is Relation.INSIDE:
            return Affordance.CONTAINER in can
        return placement.relation is Relation.ON and Affordance.SURFACE in can

    def _find_asides(self) -> list[int]:
        """The places to lay aside what is held; none where nothing is held."""
        if self._held is None:
            return []
        return [
            node.id
            for node in self._graph.nodes(Kind.FIXTURE)
            if not _KEEPING.isdisjoint(node.affordances) and self._base_of(node.id) is not None
        ]

    def _laying_aside(self, place: int | None) -> tuple[Action, ...]:
        if place is None or self._held is None:
            return ()
        inside = Affordance.CONTAINER in self._graph[place].affordances
        opened = _openings(self._graph, place, {place} if inside else set())
        return (*opened, put(self._held, Relation.INSIDE if inside else Relation.ON, place))

    def _fixed_cost(self, deliveries: Sequence[_Delivery], first: Sequence[Action]) -> float:
        """The cost of everything but the walks between deliveries."""
        cost = self._put if first else 0.0
        opened = {action for action in first if action.verb is Verb.OPEN}
        for each in deliveries:
            opened.update(a for a in self._sequence(each) if a.verb is Verb.OPEN)
            cost += self._put + (0.0 if each.held else self._pick)
        return cost + self._open * len(opened)

    # --- the order -----------------------------------------------------------------------------

    def _travel(self, at: int, deliveries: Sequence[_Delivery]) -> float:
        """The cost of all walks in the best order."""
        key = (at, tuple(sorted((each.start, each.end) for each in deliveries)))
        held = next((each for each in deliveries if each.held), None)
        if held is None and key in self._orders:
            return self._orders[key]
        cost = 0.0
        for each in self._ordered(at, deliveries):
            cost += self._way(at, each.start) + self._way(each.start, each.end)
            at = each.end
        if held is None:
            self._orders[key] = cost
        return cost

    def _ordered(self, at: int, deliveries: Sequence[_Delivery]) -> list[_Delivery]:
        """Deliveries in the cheapest order; the held thing comes first."""
        first = [each for each in deliveries if each.held]
        rest = [each for each in deliveries if not each.held]
        if first:
            at = first[0].end
        if len(rest) > MAX_ORDERED:
            return [*first, *self._nearest_next(at, rest)]
        return [*first, *self._best_order(at, rest)]

    def _best_order(self, at: int, rest: Sequence[_Delivery]) -> list[_Delivery]:
        """The cheapest order, by dynamic programming over the sets of deliveries that are left."""
        ways = [[self._way(a.end, b.start) for b in rest] for a in rest]
        loaded = [self._way(each.start, each.end) for each in rest]
        beginnings = [self._way(at, each.start) for each in rest]

        @cache
        def cheapest(last: int, left: int) -> tuple[float, int]:
            best, chosen = (inf, -1) if left else (0.0, -1)
            for i in range(len(rest)):
                if left >> i & 1:
                    way = beginnings[i] if last < 0 else ways[last][i]
                    cost = way + loaded[i] + cheapest(i, left & ~(1 << i))[0]
                    if cost < best:
                        best, chosen = cost, i
            return best, chosen

        order: list[_Delivery] = []
        last, left = -1, (1 << len(rest)) - 1
        while left:
            last = cheapest(last, left)[1]
            left &= ~(1 << last)
            order.append(rest[last])
        return order

    def _nearest_next(self, at: int, rest: Sequence[_Delivery]) -> list[_Delivery]:
        order: list[_Delivery] = []
        left = list(rest)
        while left:
            nearest = min(left, key=lambda each: self._way(at, each.start))
            left.remove(nearest)
            order.append(nearest)
            at = nearest.end
        return order

    def _actions(self, order: Sequence[_Delivery], first: Sequence[Action]) -> Iterator[Action]:
        """The actions of deliveries after some first actions; an opened container stays open."""
        opened = {action for action in first if action.verb is Verb.OPEN}
        for each in order:
            for action in self._sequence(each):
                if action not in opened:
                    yield action
                if action.verb is Verb.OPEN:
                    opened.add(action)

    def _sequence(self, each: _Delivery) -> Iterator[Action]:
        """The actions of one delivery as if it came first."""
        graph = self._graph
        if not each.held:
            yield from _openings(graph, each.thing, set())
            yield pick_up(each.thing)
        within = {each.place} if each.relation is Relation.INSIDE else set()
        yield from _openings(graph, each.place, within)
        yield put(each.thing, each.relation, each.place)

    def _way(self, start: int, end: int) -> float:
        if start == end:
            return 0.0
        graph = self._graph
        return -self._rewards.way(graph[start].category, graph[end].category)

    def _base(self, thing: int) -> int | None:
        """The furniture where the agent stands to reach a thing; None where it is unknown."""
        graph = self._graph
        known = bases(graph, thing) if graph.room_of(thing) is not None else []
        return known[0] if known else None


def _openings(graph: SceneGraph, thing: int, also: set[int]) -> Iterator[Action]:
    """Yield the actions that open all containers around a thing, outermost first, then `also`."""
    around = [place for place in reversed(graph.above(thing)) if _is_closed(graph, place)]
    yield from (open_(place) for place in (*around, *also) if _is_closed(graph, place))


def _is_closed(graph: SceneGraph, place: int) -> bool:
    return State.CLOSED in graph[place].states
