"""Places that had no room for a thing: what is there has to leave first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ...scene_graph.graph import SceneGraph
from ...skills.actions import Action
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Outcome, Reason


class LearnedCapacity:
    """What the failures of an episode tell of the room there is: nobody knows it before.

    body: the limits to plan with. Where a put found no room, and no other place will do, its place
    takes no more than is there, so that a plan has to take something away. Limits are those of
    categories: other places of it that are as full count as full, too.
    """

    def __init__(self, body: Embodiment) -> None:
        self.body = body
        self._refused: set[Action] = set()

    def learn(self, action: Action, outcome: Outcome | None) -> None:
        """Take in what came of an action."""
        failure = None if outcome is None else outcome.failure
        if failure is not None and failure.reason is Reason.NO_FREE_SPOT:
            self._refused.add(action)

    def make_room(self, graph: SceneGraph, failed: Counter[Action]) -> bool:
        """To be asked when there is no plan otherwise: whether one that makes room may be.

        failed: how often actions failed; those that found no room then get another try.
        """
        capacity = dict(self.body.capacity)
        for action in self._refused:
            if action.place is not None and action.place in graph:
                category, there = graph[action.place].category, len(graph.contents(action.place))
                capacity[category] = min(there, capacity.get(category, there))
        if capacity == self.body.capacity:
            return False
        self.body = replace(self.body, capacity=capacity)
        failed.subtract(self._refused)
        self._refused.clear()
        return True
