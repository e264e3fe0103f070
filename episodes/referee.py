"""The referee of an episode: what has happened, how far the goal is, and whether it was reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from ..observation_text.view import View
from ..scene_graph.changed_nodes import ChangedNodes, changed_nodes
from ..scene_graph.events import Event
from ..scene_graph.goal_evaluation import Progress, Subgoal, progress, satisfied
from ..scene_graph.goals import named_placements
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Relation
from ..scene_graph.rules import Budgets, Rewards, Rules
from ..scene_graph.task import Task
from ..skills.actions import Action, Verb
from ..skills.appliance_events import events_of
from ..skills.arm.measurement_events import measurement_events
from ..skills.outcomes import FailureClass, Outcome, Reason
from .events import Perceived


class Referee:
    """Judges one trial of a task, from the true state and what has happened.

    Where there is no true state, it asks: `judge` gives the verdict of the adapter, such as a
    person's, or None where nobody can tell. Of a moment that was recorded, the verdict was too.

    progress: how far the goal is; None where nobody can tell. happened: the events so far, oldest
    first. reward: the sum over the steps.
    """

    def __init__(
        self,
        task: Task,
        rewards: Rewards,
        name: Callable[[int], str],
        judge: Callable[[], Progress | None],
    ) -> None:
        """name: words a node in the subgoals' texts."""
        self.progress: Progress | None = None
        self.happened: list[Event] = []
        self.reward = 0.0
        self._task = task
        self._rewards = rewards
        self._name = name
        self._judge = judge
        self._first: SceneGraph | None = None  # the state that the trial began in
        self._truth: SceneGraph | None = None
        self._recalled = False  # the verdict is a recorded one, which has no subgoals
        self._reached_at = 0  # the step from which on the goal holds, while it does
        self._goal_rewarded = False
        self._standing: str | None = None
        self._placements = named_placements(task.goal)

    @property
    def value(self) -> float | None:
        """The share of the goal's literals that hold, in [0, 1]; None where nobody can tell."""
        return None if self.progress is None else self.progress.value

    @property
    def reached(self) -> bool | None:
        """Whether the goal holds; None where nobody can tell."""
        return None if self.progress is None else self.progress.value >= 1.0

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """The goal's parts, as they stand; empty where nobody can tell."""
        progress = self._judge() if self._recalled else self.progress
        return () if progress is None else progress.subgoals

    @property
    def informed(self) -> bool | None:
        """Whether what the task depends on had been measured when it was chosen how to fulfil it.

        That is before the last lift by which the goal came to hold for good: what is found out by
        that lift itself comes too late, as for a block that is lifted blindly.

        None for a task that asks for nothing of the kind, and without a true state.
        """
        evidence = self._task.required_evidence
        if evidence is None or self._truth is None:
            return None
        lifts = [event.step for event in self.happened if event.name == Verb.PICK_UP]
        deciding = [step for step in lifts if step <= self._reached_at]
        chosen = max(deciding, default=self._reached_at + 1)
        known = [event for event in self.happened if event.step < chosen]
        return satisfied(evidence, self._truth, known)

    @property
    def changed_nodes(self) -> ChangedNodes | None:
        """The nodes that the goal asks to change, and those that are right now.

        None without a true state.
        """
        if self._first is None or self._truth is None:
            return None
        return changed_nodes(self._task.goal, self._first, self._truth, self.happened)

    @property
    def rightly_placed(self) -> frozenset[int]:
        """The things that lie where some acceptable goal has them; none without a true state."""
        if self._truth is None:
            return frozenset()
        held = (each for each in self._placements if satisfied(each, self._truth))
        return frozenset(each.source for each in held if isinstance(each.source, int))

    def start(
        self, view: View, truth: SceneGraph | None, recorded: Perceived | None = None
    ) -> None:
        """Judge the state that a trial begins in. recorded: what was recorded of it."""
        self._first = self._truth = truth
        self._standing = self._stands_at(truth or view.graph)
        self.progress = self._progress(recorded)

    def after(
        self,
        action: Action,
        outcome: Outcome,
        view: View,
        truth: SceneGraph | None,
        step: int,
        recorded: Perceived | None = None,
    ) -> float:
        """Take in an action with what came of it; the step's reward.

        view, truth: after it. recorded: what was recorded of it.
        """
        if outcome.success:
            if self._truth is not None:
                self.happened += events_of(self._truth, action, step)
            else:
                self.happened.append(Event(str(action.verb), action.things, step))
        self._truth = truth
        if view.arm is not None:
            self.happened += measurement_events(
                action, outcome, view.graph, view.arm, self.happened, step
            )
        before = self.value
        self.progress = self._progress(recorded)
        if before is not None and before < 1.0:
            self._reached_at = step
        start, self._standing = self._standing, self._stands_at(truth or view.graph)
        way = self._rewards.way(start, self._standing)
        return self._rewarded(action, outcome, before, way)

    def refused(self) -> float:
        """Take in words that no action could be made of and that count as a failed one."""
        reward = self._rewards.step + self._rewards.failed
        self.reward += reward
        return reward

    def _progress(self, recorded: Perceived | None) -> Progress | None:
        self._recalled = self._truth is None and recorded is not None
        if self._truth is None and recorded is not None:
            return None if recorded.progress is None else Progress(recorded.progress, ())
        if self._truth is None:
            return self._judge()
        return progress(self._task.goal, self._truth, self.happened, self._name)

    def _stands_at(self, graph: SceneGraph) -> str | None:
        """The category of the furniture that the agent stands at, where ways from it are told."""
        if not self._rewards.travel:
            return None
        near = (graph[thing].category for thing in graph.targets(graph.agent().id, Relation.CLOSE))
        return next((category for category in near if category in self._rewards.travel), None)

    def _rewarded(
        self, action: Action, outcome: Outcome, before: float | None, way: float
    ) -> float:
        rules, now = self._rewards, self.value
        reward = rules.step + way
        reward += rules.verbs.get(action.verb, 0.0) if outcome.success else rules.failed
        if before is not None and now is not None and now != before:
            reward += rules.progress * (now - before)
            if now >= 1.0 and not self._goal_rewarded:
                reward += rules.goal
                self._goal_rewarded = True
        self.reward += reward
        return reward


@dataclass
class Tally:
    """What is counted of an episode.

    reward: of the trials before this one. in_a_row: the newest actions that came to nothing.
    infeasible: the actions of this trial that could not be done as the world was. All else is of
    the whole episode.
    """

    steps: int = 0
    retries: int = 0
    duration_s: float = 0.0
    reward: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    in_a_row: int = 0
    infeasible: int = 0

    def new_trial(self) -> None:
        """Count anew what is counted by trial."""
        self.in_a_row = self.infeasible = 0

    def done(self, outcome: Outcome, redacted: Outcome) -> None:
        """Count what came of an action. redacted: as whoever acts is told it."""
        self.duration_s += outcome.duration_s
        self.retries += outcome.retries
        self.in_a_row = 0 if outcome.success else self.in_a_row + 1
        if outcome.failure is not None and outcome.failure.kind is FailureClass.PRECONDITION:
            self.infeasible += 1
        if redacted.failure is not None:
            self.failures[str(redacted.failure.reason)] += 1

    def refused(self, *, costs_step: bool) -> None:
        """Count words that are no action."""
        self.in_a_row += 1
        if costs_step:
            self.steps += 1
            self.infeasible += 1
            self.failures[str(Reason.UNKNOWN)] += 1

    def fails(self, rules: Rules) -> bool:
        """Whether an action was infeasible where none may be."""
        return rules.infeasible_fails and self.infeasible > 0

    def ends(self, rules: Rules, budgets: Budgets) -> str | None:
        """Why the episode is over by what was counted, None while it goes on."""
        limit = rules.infeasible_in_a_row
        if limit is not None and self.in_a_row >= limit:
            return "infeasible"
        return "steps" if self.steps >= budgets.steps else None
