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

from collections.abc import Sequence
from dataclasses import dataclass

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Event, Goal
from ....scene_graph.graph import SceneGraph
from ....scene_graph.rules import Rewards
from ....skills.actions import Action, Verb
from ....skills.embodiment import Embodiment
from .a_star import AStarSearch
from .deliveries import cheapest_deliveries
from .goal_alternatives import GoalAlternatives, Literal
from .literal_costs import LiteralCosts
from .relevance import relevant_problem
from .staged_plan import StagedPlan, open_appliance_effects

#: The most alternatives of a goal that are searched, the cheapest first.
MAX_ALTERNATIVES = 24


@dataclass(frozen=True)
class Plan:
    """The result of a search.

    actions: the plan; None where there is none, and `reason` says why. expanded: the number of
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
    if any(open_appliance_effects(literals, graph, events) for literals in alternatives):
        return _staged_plan(graph, alternatives, body, actions, me, limit, avoid, events)
    searches = [
        AStarSearch(relevant_problem(graph, literals, body, actions, me, avoid), events)
        for literals in alternatives
    ]
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


def _staged_plan(
    graph: SceneGraph,
    alternatives: Sequence[tuple[Literal, ...]],
    body: Embodiment,
    actions: frozenset[Verb],
    me: int,
    limit: int,
    avoid: frozenset[Action],
    events: Sequence[Event],
) -> Plan:
    """The staged plan of the first alternative that has one."""
    expanded = 0
    for literals in alternatives:
        staged = StagedPlan(graph, body, actions, me, limit, avoid, events)
        reached = staged.reach_all(literals)
        expanded += staged.expanded
        if reached:
            return Plan(tuple(staged.actions), exact=False, expanded=expanded)
    return _no_plan(expanded, exact=False)


def _no_plan(expanded: int, *, exact: bool) -> Plan:
    reason = f"no plan was found within {expanded} states"
    return Plan(None, exact=exact, expanded=expanded, reason=reason)
