"""Shortest plans: A* over the dynamics, on the relevant part of a house.

Plans are shortest under these assumptions, which `Plan.exact` takes for granted:

- Only what the goal concerns is handled: its things, what keeps them, and what is in hand.
- Things are put down on furniture, or where the goal wants them, not on or into other movables.
- Hands are freed by putting things down, not by dropping, pouring or wearing what the goal does
  not want dropped, poured or worn.
- Bases stand side by side mutually.
- Nothing has to be heated, cooled or cleaned by way of an appliance (`treatments`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from ...observation_text.view import View
from ...scene_graph.events import Event
from ...scene_graph.goals import EventOccurred, Goal, satisfied
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import POSTURES, Relation
from ...skills.actions import Action, Verb, go_to, stand_up
from ...skills.appliance_events import events_of
from ...skills.dynamics import SIGHT, apply, bases, reaches, step
from ...skills.embodiment import Embodiment
from .appliance_effects import devices, is_appliance_effect, rest_of, slicing, stages
from .goal_alternatives import GoalAlternatives, Literal
from .heuristic import Heuristic, RemainingActions
from .literal_costs import LiteralCosts
from .relevance import RelevantProblem
from .successors import Successors

#: Of the ways to meet a goal with choices, so many of the cheapest are looked into.
ALTERNATIVES = 24
#: Past the exact limit the search is continued with the estimate weighted so.
WEIGHT = 3
#: The weighted search stops after so many times the expansions of the exact one.
PATIENCE = 4


@dataclass(frozen=True)
class Plan:
    """What a search found.

    actions: the plan, None where there is none; `reason` then says why.
    exact: whether it is proven shortest under the assumptions above. Otherwise it has at most
    WEIGHT times as many actions as needed, or not all that would fulfil the goal was compared:
    of many alternatives the cheapest, of many things to do something with a few near ones.
    expanded: the states looked into.
    """

    actions: tuple[Action, ...] | None
    exact: bool
    expanded: int
    reason: str = ""


def find_plan(
    graph: SceneGraph,
    goal: Goal,
    body: Embodiment,
    actions: frozenset[Verb],
    agent: int | None = None,
    limit: int = 1000,
    *,
    avoid: frozenset[Action] = frozenset(),
    events: Sequence[Event] = (),
) -> Plan:
    """A shortest plan from a graph to one where the goal holds.

    actions: the verbs there are; avoid: actions not to be used. events: what has happened.
    limit: expansions of the exact search (A*), shared by the alternatives of the goal; beyond it
    weighted A* continues from where it stopped, up to PATIENCE times as many. Both bounds count
    states, so a search can be repeated. Where none comes to anything within its share, the most
    promising one has all of it once more.
    """
    me = graph.agent().id if agent is None else agent
    if satisfied(goal, graph, events):
        return Plan((), exact=True, expanded=0)
    appraisal = LiteralCosts(graph, actions, me, events)
    grounding = GoalAlternatives(graph, appraisal.cost, ALTERNATIVES)
    candidates = grounding.of(goal)
    if not candidates:
        reason = grounding.refused[0] if grounding.refused else "nothing there fits the goal"
        return Plan(None, exact=True, expanded=0, reason=reason)
    if any(_untreated(literals, graph, events) for literals in candidates):
        return _staged_plan(graph, candidates, body, actions, me, limit, avoid, events)
    searches = [
        _Search(RelevantProblem(graph, literals, body, actions, me, avoid), events)
        for literals in candidates
    ]
    searches.sort(key=lambda search: search.least)
    complete = not grounding.cut and not any(search.cut for search in searches)
    best: tuple[Action, ...] | None = None
    exact = True
    expanded = 0
    for search in searches:
        if best is not None and search.least >= len(best):
            break
        share = max(1, limit // len(searches))
        found = search.run(share, None if best is None else len(best))
        expanded += search.expanded
        exact = exact and search.exact
        best = found if found is not None else best
    if best is None and len(searches) > 1:  # their shares may have been too small
        again = _Search(searches[0].problem, events)
        best = again.run(limit, None)
        expanded += again.expanded
        exact = False
    if best is None:
        reason = f"no plan was found within {expanded} states"
        return Plan(None, exact=exact and complete, expanded=expanded, reason=reason)
    # What was left out takes as much as the least that these alternatives take, too.
    exact = (exact and complete) or (not grounding.cut and len(best) == searches[0].least)
    return Plan(best, exact=exact, expanded=expanded)


def _untreated(
    literals: Sequence[Literal], graph: SceneGraph, events: Sequence[Event]
) -> list[EventOccurred]:
    return [
        each
        for each in literals
        if isinstance(each, EventOccurred)
        and is_appliance_effect(each)
        and not satisfied(each, graph, events)
    ]


def _staged_plan(
    graph: SceneGraph,
    candidates: Sequence[tuple[Literal, ...]],
    body: Embodiment,
    actions: frozenset[Verb],
    me: int,
    limit: int,
    avoid: frozenset[Action],
    events: Sequence[Event],
) -> Plan:
    """A plan for the first of some alternatives that has one, stage by stage."""
    expanded = 0
    for literals in candidates:
        way = _Way(graph, body, actions, me, limit, avoid, events)
        found = way.pursue(slicing(literals))
        for treatment in _untreated(literals, graph, events) if found else ():
            nearest = sorted(
                devices(way.graph, treatment), key=lambda i: (not reaches(way.graph, me, i), i)
            )
            found = any(way.treat(treatment, device) for device in nearest)
            if not found:
                break
        found = found and way.pursue(rest_of(literals))
        expanded += way.expanded
        if found:
            return Plan(tuple(way.plan), exact=False, expanded=expanded)
    reason = f"no plan was found within {expanded} states"
    return Plan(None, exact=False, expanded=expanded, reason=reason)


class _Way:
    """A plan that grows stage by stage, and where it leads. graph: the state at its end."""

    def __init__(
        self,
        graph: SceneGraph,
        body: Embodiment,
        actions: frozenset[Verb],
        me: int,
        limit: int,
        avoid: frozenset[Action],
        events: Sequence[Event],
    ) -> None:
        self.graph = graph.copy()
        self.plan: list[Action] = []
        self.expanded = 0
        self._with = body, actions, me, avoid
        self._limit = limit
        self._events = list(events)

    def treat(self, treatment: EventOccurred, device: int) -> bool:
        """Have a thing treated with a device. Whether there is a way; else nothing has changed."""
        kept = self.graph.copy(), list(self.plan), list(self._events)
        for stage in stages(self.graph, treatment, device):
            if satisfied(treatment, self.graph, self._events):
                break
            if not self.pursue(stage):
                break
        if satisfied(treatment, self.graph, self._events):
            return True
        self.graph, self.plan, self._events = kept
        return False

    def pursue(self, literals: Sequence[Literal]) -> bool:
        """Go on until some literals hold. Whether there is a way."""
        body, actions, me, avoid = self._with
        search = _Search(
            RelevantProblem(self.graph, literals, body, actions, me, avoid), self._events
        )
        found = search.run(self._limit, None)
        self.expanded += search.expanded
        for action in found or ():
            self._events += events_of(self.graph, action, len(self._events) + 1)
            apply(self.graph, action, me)
        self.plan += found or ()
        return found is not None


def shortest_plan(
    graph: SceneGraph,
    goal: Goal,
    body: Embodiment,
    actions: frozenset[Verb],
    agent: int | None = None,
    limit: int = 1000,
) -> list[Action] | None:
    """The actions of `find_plan`, or None."""
    found = find_plan(graph, goal, body, actions, agent, limit).actions
    return None if found is None else list(found)


def still_leads_to(
    goal: Goal,
    graph: SceneGraph,
    actions: Sequence[Action],
    body: Embodiment,
    agent: int | None = None,
    events: Sequence[Event] = (),
) -> bool:
    """Whether a plan can be carried out from a graph on, and the goal holds at its end."""
    after = graph.copy()
    happened = list(events)
    for action in actions:
        brought_about = events_of(after, action, len(happened) + 1)
        if step(after, action, body, agent) is not None:
            return False
        happened += brought_about
    return satisfied(goal, after, happened)


def to_see(action: Action, view: View, graph: SceneGraph, agent: int) -> Action | None:
    """What to do first to have in view what is only to be looked at; None where it is."""
    target = action.target
    if action.verb not in SIGHT or target is None or target in view.graph or target not in graph:
        return None
    for base in bases(graph, target):
        if not graph.has_edge(agent, Relation.CLOSE, base):
            return walk_to(graph, base, agent)[0]
    return None


def walk_to(graph: SceneGraph, place: int, agent: int) -> list[Action]:
    """Going somewhere, from a seat as well."""
    seated = not POSTURES.isdisjoint(graph[agent].states)
    return [*([stand_up()] if seated else []), go_to(place)]


@dataclass(frozen=True)
class _State:
    """A state reached, and how."""

    graph: SceneGraph
    done: tuple[int, ...]
    key: tuple[object, ...]
    needs: RemainingActions
    steps: int
    action: Action | None = None
    before: _State | None = None


class _Search:
    """The search for one alternative of a goal."""

    def __init__(self, problem: RelevantProblem, events: Sequence[Event]) -> None:
        self.problem = problem
        self.cut = problem.cut
        self._assess = Heuristic(problem)
        self._moves = Successors(problem, self._assess)
        self._mutable = list(dict.fromkeys(a.things[0] for a in problem.changes))
        done = (0,) * len(problem.events)
        for event in events:
            done = self._after(done, event)
        needs = self._assess(problem.start, done)
        self._start = _State(problem.start, done, self._key(problem.start, done), needs, steps=0)
        self.least = self._start.needs.total
        self.expanded = 0
        self.exact = True

    def run(self, limit: int, below: int | None) -> tuple[Action, ...] | None:
        """A plan with fewer actions than `below`, or None."""
        order = count()
        weight = 1
        queue = [_entry(self._start, weight, next(order))]
        reached = {self._start.key: 0}
        while queue:
            state = heapq.heappop(queue)[-1]
            if state.steps > reached[state.key]:
                continue  # reached by a shorter way since
            if state.needs.total == 0:
                return _way_to(state)
            if weight == 1 and self.expanded >= limit:
                self.exact = False
                weight = WEIGHT
                queue = [_entry(entry[-1], weight, next(order)) for entry in queue]
                heapq.heapify(queue)
            elif self.expanded >= limit * (1 + PATIENCE):
                return None
            self.expanded += 1
            for after in self._successors(state, reached):
                if below is None or after.steps + after.needs.total < below:
                    heapq.heappush(queue, _entry(after, weight, next(order)))
        return None

    def _successors(
        self, state: _State, reached: dict[tuple[object, ...], int]
    ) -> Iterator[_State]:
        """The states that one action leads to, if by a shorter way than any before."""
        steps = state.steps + 1
        moving = state.action is not None and state.action.verb is Verb.GO_TO
        for action in self._moves.of(state.graph, state.needs, moving):
            graph = state.graph.copy()
            apply(graph, action, self.problem.me)
            done = state.done
            if done:
                done = self._after(done, Event(str(action.verb), action.things, steps))
            key = self._key(graph, done)
            if steps < reached.get(key, steps + 1):
                reached[key] = steps
                yield _State(graph, done, key, self._assess(graph, done), steps, action, state)

    def _after(self, done: tuple[int, ...], event: Event) -> tuple[int, ...]:
        """Of each sequence of events how many have happened, one more event included."""
        start = self.problem.start
        return tuple(
            n + (n < len(parts) and satisfied(parts[n], start, [event]))
            for parts, n in zip(self.problem.events, done, strict=True)
        )

    def _key(self, graph: SceneGraph, done: tuple[int, ...]) -> tuple[object, ...]:
        """What tells the states of this problem apart."""
        return (
            done,
            frozenset(graph.outgoing(self.problem.me)),
            graph[self.problem.me].states,
            *(graph.outgoing(thing) for thing in self.problem.movable),
            *(graph[thing].states for thing in self._mutable),
        )


def _entry(state: _State, weight: int, order: int) -> tuple[int, int, int, _State]:
    """Its place in the queue: of equally good ones the nearest to the goal, then the last found."""
    least = state.needs.total
    return (state.steps + weight * least, least, -order, state)


def _way_to(state: _State) -> tuple[Action, ...]:
    actions = []
    current: _State | None = state
    while current is not None and current.action is not None:
        actions.append(current.action)
        current = current.before
    return tuple(reversed(actions))
