"""A*, then weighted A*, over the states of one relevant problem."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Event
from ....scene_graph.graph import SceneGraph
from ....skills.actions import Action, Verb
from ....skills.dynamics import apply
from .heuristic import Heuristic, RemainingActions
from .relevance import RelevantProblem
from .successors import Successors

#: The weight of the heuristic once the exact search has reached its limit.
WEIGHT = 3
#: The limit of the weighted search, as a multiple of the exact search's expansions.
WEIGHTED_EXPANSIONS = 4

#: A key that differs between any two states of one problem.
_StateKey = tuple[object, ...]


@dataclass(frozen=True)
class _SearchNode:
    """A state, and the action that led to it; neither action nor parent at the start."""

    graph: SceneGraph
    """The state."""
    events_done: tuple[int, ...]
    """For each sequence of events, how many have happened."""
    key: _StateKey
    """Identifies the state within the problem."""
    remaining: RemainingActions
    """The actions that every plan from here contains."""
    steps: int
    """The actions from the start to here."""
    action: Action | None = None
    """The last action; None at the start."""
    parent: _SearchNode | None = None
    """The state before it; None at the start."""


class AStarSearch:
    """A search for a shortest plan of one problem.

    problem: the problem. lower_bound: no plan has fewer actions. expanded: the number of states
    expanded so far. exact: whether a returned plan is a shortest one of this problem.
    """

    def __init__(self, problem: RelevantProblem, events: Sequence[Event]) -> None:
        """events: what has happened before the problem's start, oldest first."""
        self.problem = problem
        self._heuristic = Heuristic(problem)
        self._successors = Successors(problem, self._heuristic)
        self._with_states = list(dict.fromkeys(a.things[0] for a in problem.state_actions))
        done = (0,) * len(problem.event_sequences)
        for event in events:
            done = self._events_done(done, event)
        remaining = self._heuristic(problem.start, done)
        key = self._key(problem.start, done)
        self._start = _SearchNode(problem.start, done, key, remaining, steps=0)
        self.lower_bound = remaining.lower_bound
        self.expanded = 0
        self.exact = True

    def run(self, limit: int, upper_bound: int | None) -> tuple[Action, ...] | None:
        """Search for a plan with fewer actions than `upper_bound`; None if there is none.

        limit: expansions of the exact search; beyond it, weighted A* continues.
        """
        order = count()
        weight = 1
        queue = [_entry(self._start, weight, next(order))]
        fewest_steps = {self._start.key: 0}
        while queue:
            node = heapq.heappop(queue)[-1]
            if node.steps > fewest_steps[node.key]:
                continue  # a shorter way to this state is known
            if node.remaining.lower_bound == 0:
                return _plan_to(node)
            if weight == 1 and self.expanded >= limit:
                self.exact = False
                weight = WEIGHT
                queue = [_entry(entry[-1], weight, next(order)) for entry in queue]
                heapq.heapify(queue)
            elif self.expanded >= limit * (1 + WEIGHTED_EXPANSIONS):
                return None
            self.expanded += 1
            for child in self._children(node, fewest_steps):
                if upper_bound is None or child.steps + child.remaining.lower_bound < upper_bound:
                    heapq.heappush(queue, _entry(child, weight, next(order)))
        return None

    def _children(
        self, node: _SearchNode, fewest_steps: dict[_StateKey, int]
    ) -> Iterator[_SearchNode]:
        """Yield the nodes one action away that no shorter way reached before."""
        steps = node.steps + 1
        after_go_to = node.action is not None and node.action.verb is Verb.GO_TO
        for action in self._successors.actions(node.graph, node.remaining, after_go_to):
            graph = node.graph.copy()
            apply(graph, action, self.problem.agent, approaches=self.problem.body.approaches)
            done = node.events_done
            if done:
                done = self._events_done(done, Event(str(action.verb), action.things, steps))
            key = self._key(graph, done)
            if steps < fewest_steps.get(key, steps + 1):
                fewest_steps[key] = steps
                remaining = self._heuristic(graph, done)
                yield _SearchNode(graph, done, key, remaining, steps, action, node)

    def _events_done(self, done: tuple[int, ...], event: Event) -> tuple[int, ...]:
        """For each sequence of events, how many have happened after one more event."""
        start = self.problem.start
        return tuple(
            n + (n < len(parts) and satisfied(parts[n], start, [event]))
            for parts, n in zip(self.problem.event_sequences, done, strict=True)
        )

    def _key(self, graph: SceneGraph, done: tuple[int, ...]) -> _StateKey:
        return (
            done,
            frozenset(graph.outgoing(self.problem.agent)),
            graph[self.problem.agent].states,
            *(graph.outgoing(thing) for thing in self.problem.movable),
            *(graph[thing].states for thing in self._with_states),
        )


def _entry(node: _SearchNode, weight: int, order: int) -> tuple[int, int, int, _SearchNode]:
    """A node's queue entry; ties go to the node nearest to the goal, then to the newest."""
    bound = node.remaining.lower_bound
    return (node.steps + weight * bound, bound, -order, node)


def _plan_to(node: _SearchNode) -> tuple[Action, ...]:
    actions = []
    current: _SearchNode | None = node
    while current is not None and current.action is not None:
        actions.append(current.action)
        current = current.parent
    return tuple(reversed(actions))
