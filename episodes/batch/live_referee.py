"""The referee of a world whose true state changes in place."""

from __future__ import annotations

from collections.abc import Collection

from ...observation_text.view import View
from ...scene_graph.goal_evaluation import share
from ...scene_graph.goals import Event, EventOccurred, Related, within
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation
from ...skills.actions import Action
from ...skills.events import events_of
from ...skills.outcomes import Outcome
from ..referee import Referee

#: The relations of an agent that few goals speak of, and most actions change.
_PASSING = frozenset({Relation.CLOSE, Relation.FACING})


class LiveReferee(Referee):
    """Judges like `Referee`, but evaluates the goal only after changes that may concern it.

    It keeps events only for goals that speak of them.
    """

    def begin(self, world: SceneGraph, view: View) -> None:
        """Judge the state that a trial begins in. world: the true state, which will change."""
        parts = [*within(self._task.goal)]
        self._asks_events = any(isinstance(part, EventOccurred) for part in parts)
        self._passing = _PASSING.difference(
            part.relation for part in parts if isinstance(part, Related)
        )
        self._world, self._me = world, world.agent().id
        self._mine = self._of_agent()
        self.start(view, world)

    def expected(self, action: Action, step: int) -> list[Event]:
        """The events of an action if it succeeds, from the state before it."""
        return events_of(self._world, action, step) if self._asks_events else []

    def settle(
        self, action: Action, outcome: Outcome, events: list[Event], changed: Collection[int]
    ) -> None:
        """Take in an action. events: `expected` before it. changed: nodes that it changed."""
        if not outcome.success:
            events = []
        self.happened += events
        before = self.value
        if events or self._concerns(changed):
            self.value = share(self._task.goal, self._world, self.happened)
        start, self._standing = self._standing, self._stands_at(self._world)
        self._rewarded(action, outcome, before, self._rewards.way(start, self._standing))

    def _concerns(self, changed: Collection[int]) -> bool:
        """Whether changes may concern the goal."""
        if self._me not in changed:
            return bool(changed)
        before, self._mine = self._mine, self._of_agent()
        return len(changed) > 1 or before != self._mine

    def _of_agent(self) -> tuple[object, ...]:
        """What of the agent may concern the goal: its states, relations and place."""
        pairs = self._world.outgoing_of[self._me]
        lasting = [pair for pair in pairs if pair[0] not in self._passing]
        return self._world.by_id[self._me].states, lasting
