"""Shortest plans: A* over the model of household actions, on the relevant part of a house.

Plans are shortest under these assumptions, which `Plan.exact` takes for granted:

- Only the goal's things, what keeps them, and held things are handled.
- Things are put down on furniture, or where the goal has them, not on or into other movables.
- Hands are freed by putting things down. Dropping, pouring and wearing serve only the goal.
- If one base is beside another, the reverse holds.
- Nothing has to be heated, cooled or cleaned with an appliance (`appliance_effects`).

For a body that approaches by itself, plans are the cheapest deliveries (`deliveries`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Event, EventOccurred, Goal, HasState
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import State
from ....scene_graph.rules import Rewards
from ....skills.actions import Action, Verb
from ....skills.dynamics import apply
from ....skills.embodiment import Embodiment
from ....skills.events import events_of
from ....skills.reach import reaches
from .a_star import AStarSearch
from .appliance_effects import appliance_subgoals, appliances_for, is_appliance_effect
from .deliveries import cheapest_deliveries
from .goal_alternatives import GoalAlternatives, Literal
from .literal_costs import LiteralCosts
from .relevance import RelevantProblem, relevant_problem

#: Makes the problem of literals in a graph.
_ProblemOf = Callable[[SceneGraph, Iterable[Literal]], RelevantProblem]
#: The most alternatives of a goal that are searched, the cheapest first.
MAX_ALTERNATIVES = 24


@dataclass(frozen=True)
class Plan:
    """The result of a search.

    actions: the plan; None if there is none, and `reason` says why. expanded: the number of
    states expanded.

    exact: whether it is proven shortest under the assumptions above. If not, it has at most
    `a_star.WEIGHT` times the fewest actions, or not all options of the goal were compared: only the
    cheapest alternatives, and a few near things to act on.
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
    rewards: Rewards | None = None,
) -> Plan:
    """Find a shortest plan from a graph to a state where the goal holds.

    actions: the verbs on offer. avoid: actions not to be used. events: past events. rewards: the
    costs of actions and walks, for a body that approaches by itself.

    limit: expansions of exact A*, shared by the alternatives of the goal. Beyond it weighted A*
    continues, up to `a_star.WEIGHTED_EXPANSIONS` times as many. Both bounds count states, so a
    search can be repeated. If no alternative has a plan within its share, the best one is searched
    again with the whole limit.
    """
    me = graph.agent().id if agent is None else agent
    if satisfied(goal, graph, events):
        return Plan((), exact=True, expanded=0)
    if body.approaches:
        cheapest = cheapest_deliveries(graph, goal, me, rewards or Rewards(), avoid)
        return Plan(cheapest.actions, cheapest.exact, cheapest.compared, cheapest.reason)
    costs = LiteralCosts(graph, actions, me, events)
    grounding = GoalAlternatives(graph, costs.cost, MAX_ALTERNATIVES)
    alternatives = grounding.alternatives(goal)
    if not alternatives:
        reason = grounding.reasons[0] if grounding.reasons else "nothing there fits the goal"
        return Plan(None, exact=True, expanded=0, reason=reason)
    problem_of = partial(relevant_problem, body=body, actions=actions, agent=me, avoid=avoid)
    if any(_open_appliance_effects(literals, graph, events) for literals in alternatives):
        return _staged_plan(graph, alternatives, problem_of, me, limit, events)
    searches = [AStarSearch(problem_of(graph, literals), events) for literals in alternatives]
    return _best_plan(searches, limit, events, truncated=grounding.truncated)


def _best_plan(
    searches: list[AStarSearch], limit: int, events: Sequence[Event], *, truncated: bool
) -> Plan:
    """The shortest plan of these searches. truncated: whether alternatives were left out."""
    searches.sort(key=lambda search: search.lower_bound)
    complete = not truncated and not any(search.problem.truncated for search in searches)
    best: tuple[Action, ...] | None = None
    exact = True
    expanded = 0
    for search in searches:
        if best is not None and search.lower_bound >= len(best):
            break
        share = max(1, limit // len(searches))
        shorter = search.run(share, None if best is None else len(best))
        expanded += search.expanded
        exact = exact and search.exact
        best = shorter if shorter is not None else best
    if best is None and len(searches) > 1:  # their shares may have been too small
        again = AStarSearch(searches[0].problem, events)
        best = again.run(limit, None)
        expanded += again.expanded
        exact = False
    if best is None:
        return _no_plan(expanded, exact=exact and complete)
    # Agent actions that were left out take no fewer actions than the lowest bound.
    exact = (exact and complete) or (not truncated and len(best) == searches[0].lower_bound)
    return Plan(best, exact=exact, expanded=expanded)


def _no_plan(expanded: int, *, exact: bool) -> Plan:
    reason = f"no plan was found within {expanded} states"
    return Plan(None, exact=exact, expanded=expanded, reason=reason)


# --- plans made subgoal by subgoal, for goals that need an appliance -----------------------------


def _staged_plan(
    graph: SceneGraph,
    alternatives: Sequence[tuple[Literal, ...]],
    problem_of: _ProblemOf,
    agent: int,
    limit: int,
    events: Sequence[Event],
) -> Plan:
    """The staged plan of the first alternative that has one. limit: expansions per subgoal."""
    expanded = 0
    for literals in alternatives:
        staged = _StagedPlan(graph, problem_of, agent, limit, events)
        reached = staged.reach_all(literals)
        expanded += staged.expanded
        if reached:
            return Plan(tuple(staged.actions), exact=False, expanded=expanded)
    return _no_plan(expanded, exact=False)


def _open_appliance_effects(
    literals: Sequence[Literal], graph: SceneGraph, events: Sequence[Event]
) -> list[EventOccurred]:
    """List the appliance effects among some literals that have not happened yet."""
    return [
        each
        for each in literals
        if isinstance(each, EventOccurred)
        and is_appliance_effect(each)
        and not satisfied(each, graph, events)
    ]


class _StagedPlan:
    """A plan that grows subgoal by subgoal.

    graph: the state at its end. actions: the plan so far. expanded: the number of states expanded.
    """

    def __init__(
        self,
        graph: SceneGraph,
        problem_of: _ProblemOf,
        agent: int,
        limit: int,
        events: Sequence[Event],
    ) -> None:
        self.graph = graph.copy()
        self.actions: list[Action] = []
        self.expanded = 0
        self._problem_of = problem_of
        self._agent = agent
        self._limit = limit
        self._events = list(events)

    def reach_all(self, literals: Sequence[Literal]) -> bool:
        """Extend the plan until literals hold, appliance effects too. Returns whether it could."""
        slicing = [x for x in literals if isinstance(x, HasState) and x.state is State.SLICED]
        if not self.reach(slicing):
            return False
        for effect in _open_appliance_effects(literals, self.graph, self._events):
            appliances = sorted(
                appliances_for(self.graph, effect),
                key=lambda i: (not reaches(self.graph, self._agent, i), i),
            )
            if not any(self._use_appliance(effect, appliance) for appliance in appliances):
                return False
        return self.reach([x for x in literals if not is_appliance_effect(x)])

    def reach(self, subgoal: Sequence[Literal]) -> bool:
        """Extend the plan until the literals of a subgoal hold. Returns whether it could."""
        problem = self._problem_of(self.graph, subgoal)
        search = AStarSearch(problem, self._events)
        plan = search.run(self._limit, None)
        self.expanded += search.expanded
        for action in plan or ():
            self._events += events_of(self.graph, action, len(self._events) + 1)
            apply(self.graph, action, problem.agent, approaches=problem.body.approaches)
        self.actions += plan or ()
        return plan is not None

    def _use_appliance(self, effect: EventOccurred, appliance: int) -> bool:
        """Extend the plan by an appliance effect. Returns whether it could and changed anything."""
        before = self.graph.copy(), list(self.actions), list(self._events)
        for subgoal in appliance_subgoals(self.graph, effect, appliance):
            if satisfied(effect, self.graph, self._events):
                break
            if not self.reach(subgoal):
                break
        if satisfied(effect, self.graph, self._events):
            return True
        self.graph, self.actions, self._events = before
        return False
