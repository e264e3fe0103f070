"""Plans made subgoal by subgoal, for goals that need an appliance."""

from __future__ import annotations

from collections.abc import Sequence

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Event, EventOccurred
from ....scene_graph.graph import SceneGraph
from ....skills.actions import Action, Verb
from ....skills.dynamics import apply
from ....skills.embodiment import Embodiment
from ....skills.events import events_of
from ....skills.reach import reaches
from .a_star import AStarSearch
from .appliance_effects import (
    appliance_subgoals,
    appliances_for,
    is_appliance_effect,
    other_literals,
    slicing_literals,
)
from .goal_alternatives import Literal
from .relevance import relevant_problem


def open_appliance_effects(
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


class StagedPlan:
    """A plan that grows subgoal by subgoal.

    graph: the state at its end. actions: the plan so far. expanded: the number of states expanded.
    """

    def __init__(
        self,
        graph: SceneGraph,
        body: Embodiment,
        verbs: frozenset[Verb],
        agent: int,
        limit: int,
        avoid: frozenset[Action],
        events: Sequence[Event],
    ) -> None:
        """The arguments are those of `search.find_plan`; limit: expansions per subgoal."""
        self.graph = graph.copy()
        self.actions: list[Action] = []
        self.expanded = 0
        self._body = body
        self._verbs = verbs
        self._me = agent
        self._limit = limit
        self._avoid = avoid
        self._events = list(events)

    def reach_all(self, literals: Sequence[Literal]) -> bool:
        """Extend the plan until literals hold, appliance effects too. Returns whether it could."""
        if not self.reach(slicing_literals(tuple(literals))):
            return False
        for effect in open_appliance_effects(literals, self.graph, self._events):
            appliances = sorted(
                appliances_for(self.graph, effect),
                key=lambda i: (not reaches(self.graph, self._me, i), i),
            )
            if not any(self._use_appliance(effect, appliance) for appliance in appliances):
                return False
        return self.reach(other_literals(tuple(literals)))

    def reach(self, subgoal: Sequence[Literal]) -> bool:
        """Extend the plan until the literals of a subgoal hold. Returns whether it could."""
        problem = relevant_problem(
            self.graph, subgoal, self._body, self._verbs, self._me, self._avoid
        )
        search = AStarSearch(problem, self._events)
        plan = search.run(self._limit, None)
        self.expanded += search.expanded
        for action in plan or ():
            self._events += events_of(self.graph, action, len(self._events) + 1)
            apply(self.graph, action, self._me, approaches=self._body.approaches)
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
