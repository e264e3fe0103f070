"""Capacities of places, learned from puts that found no free spot."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ....scene_graph.graph import SceneGraph
from ....skills.actions import Action
from ....skills.embodiment import Embodiment
from ....skills.outcomes import Outcome, Reason


class LearnedCapacity:
    """An embodiment whose capacities shrink with the failures of an episode.

    body: the embodiment to plan with. A place where a put found no free spot is taken to hold no
    more than it does now, so that a plan has to take something away first; only where there is no
    plan otherwise. Capacities belong to categories, so other places of the category count as full
    when they hold as much.
    """

    def __init__(self, body: Embodiment) -> None:
        self.body = body
        self._failed_puts: set[Action] = set()

    def record(self, action: Action, outcome: Outcome | None) -> None:
        """Remember an action that failed because its place had no free spot."""
        failure = None if outcome is None else outcome.failure
        if failure is not None and failure.reason is Reason.NO_FREE_SPOT:
            self._failed_puts.add(action)

    def make_room(self, graph: SceneGraph, failed: Counter[Action]) -> bool:
        """Lower the capacities of the places that had no free spot; False where nothing changes.

        Call it when there is no plan. failed: how often each action failed; the puts that found no
        free spot are taken off it, since they may work once there is room.
        """
        capacity = dict(self.body.capacity)
        for action in self._failed_puts:
            if action.place is not None and action.place in graph:
                category, there = graph[action.place].category, len(graph.contents(action.place))
                capacity[category] = min(there, capacity.get(category, there))
        if capacity == self.body.capacity:
            return False
        self.body = replace(self.body, capacity=capacity)
        failed.subtract(self._failed_puts)
        self._failed_puts.clear()
        return True
