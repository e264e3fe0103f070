"""The referee of an episode: what has happened, how far the goal is, and what is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from ..observation_text.view import View
from ..scene_graph.changed_nodes import ChangedNodes, changed_nodes
from ..scene_graph.goal_evaluation import Progress, Subgoal, progress, satisfied, share
from ..scene_graph.goals import Event, named_placements
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Relation
from ..scene_graph.rules import Budgets, Rewards, Rules
from ..scene_graph.task import Task
from ..skills.actions import Action
from ..skills.events import events_of, measurement_events
from ..skills.outcomes import FailureClass, Outcome, Reason
from .events import Perceived


class Referee:
    """Judges one trial of a task, from the true state and from what has happened.

    `judge` comes first: the adapter's own verdict, where it has one, for example a person's or that
    of a benchmark's predicates. Without a true state a recorded moment has a recorded verdict.

    value: the share of the goal's literals that hold, in [0, 1]; None where nobody can tell.
    happened: the events so far, oldest first. reward: the sum over the steps.
    """

    def __init__(
        self,
        task: Task,
        rewards: Rewards,
        name: Callable[[int], str],
        judge: Callable[[], Progress | None] | None,
    ) -> None:
        """name: the name of a node in the subgoals' texts. judge: the adapter's own verdict; None
        where it has none.
        """
        self.value: float | None = None
        self.happened: list[Event] = []
        self.reward = 0.0
        self._task = task
        self._rewards = rewards
        self._name = name
        self._judge = judge
        self._first: SceneGraph | None = None  # the state that the trial began in
        self._truth: SceneGraph | None = None
        self._judged: Progress | None = None  # by the adapter
        self._recalled = False  # the verdict is a recorded one, which has no subgoals
        self._planned_at = 0  # the steps before the plan by which the goal came to hold was made
        self._goal_rewarded = False
        self._standing: str | None = None
        self._placements = named_placements(task.goal)

    @property
    def reached(self) -> bool | None:
        """Whether the goal holds; None where nobody can tell."""
        return None if self.value is None else self.value >= 1.0

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """The goal's parts and their present values; empty where nobody can tell."""
        judged = self._judge() if self._recalled and self._judge else self._judged
        if judged is not None:
            return judged.subgoals
        if self._truth is None:
            return ()
        return progress(self._task.goal, self._truth, self.happened, self._name).subgoals

    @property
    def informed(self) -> bool | None:
        """Whether the agent had measured what the task depends on before it planned to fulfil it.

        The plan is the one by which the goal came to hold for good. What its own actions reveal
        comes too late, as for a block that is lifted and placed blindly in one plan. None for a
        task without such a condition, and without a true state.
        """
        evidence = self._task.required_evidence
        if evidence is None or self._truth is None:
            return None
        known = [event for event in self.happened if event.step <= self._planned_at]
        return satisfied(evidence, self._truth, known)

    @property
    def changed_nodes(self) -> ChangedNodes | None:
        """The nodes that the goal asks to change, and those of them that are right now.

        None without a true state.
        """
        if self._first is None or self._truth is None:
            return None
        return changed_nodes(self._task.goal, self._first, self._truth, self.happened)

    @property
    def rightly_placed(self) -> frozenset[int]:
        """The objects that lie where an acceptable goal wants them; none without a true state."""
        if self._truth is None:
            return frozenset()
        held = (each for each in self._placements if satisfied(each, self._truth))
        return frozenset(each.source for each in held if isinstance(each.source, int))

    def start(
        self, view: View, truth: SceneGraph | None, recorded: Perceived | None = None
    ) -> None:
        """Judge the state that a trial begins in. recorded: its recorded event, if any."""
        self._first = self._truth = truth
        self._standing = self._stands_at(truth or view.graph)
        self.value = self._judgement(recorded)

    def after(
        self,
        action: Action,
        outcome: Outcome,
        view: View,
        truth: SceneGraph | None,
        step: int,
        planned_at: int,
        recorded: Perceived | None = None,
    ) -> float:
        """Take in an action with its outcome; returns the step's reward.

        view, truth: after the action. planned_at: the number of steps before its plan was made.
        recorded: its recorded event, if any.
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
        self.value = self._judgement(recorded)
        if before is not None and before < 1.0:
            self._planned_at = planned_at
        start, self._standing = self._standing, self._stands_at(truth or view.graph)
        way = self._rewards.way(start, self._standing)
        return self._rewarded(action, outcome, before, way)

    def refused(self) -> float:
        """Take in a text that is no action and counts as a failed one; returns the reward."""
        reward = self._rewards.step + self._rewards.failed
        self.reward += reward
        return reward

    def _judgement(self, recorded: Perceived | None) -> float | None:
        """The value now."""
        if self._judge is not None:
            self._recalled = recorded is not None
            self._judged = None if self._recalled else self._judge()
            if recorded is not None:
                return recorded.progress
            if self._judged is not None:
                return self._judged.value
        return None if self._truth is None else share(self._task.goal, self._truth, self.happened)

    def _stands_at(self, graph: SceneGraph) -> str | None:
        """The category of the furniture that the agent stands at, where ways have a price."""
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
    """What is counted in an episode."""

    steps: int = 0
    """Actions so far."""
    retries: int = 0
    """Attempts after the first of each action."""
    duration_s: float = 0.0
    """Seconds in the simulator."""
    reward: float = 0.0
    """Sum over the earlier trials."""
    failures: Counter[str] = field(default_factory=Counter)
    """Failed actions by reason, as the agent sees them."""
    in_a_row: int = 0
    """Failed actions since the last success."""
    infeasible: int = 0
    """Actions of this trial whose preconditions did not hold."""

    def new_trial(self) -> None:
        """Reset the counts of a trial."""
        self.in_a_row = self.infeasible = 0

    def done(self, outcome: Outcome, redacted: Outcome) -> None:
        """Count an action. redacted: its outcome as the agent sees it."""
        self.duration_s += outcome.duration_s
        self.retries += outcome.retries
        self.in_a_row = 0 if outcome.success else self.in_a_row + 1
        if outcome.failure is not None and outcome.failure.kind is FailureClass.PRECONDITION:
            self.infeasible += 1
        if redacted.failure is not None:
            self.failures[str(redacted.failure.reason)] += 1

    def refused(self, *, costs_step: bool) -> None:
        """Count a text that is no action."""
        self.in_a_row += 1
        if costs_step:
            self.steps += 1
            self.infeasible += 1
            self.failures[str(Reason.UNKNOWN)] += 1

    def fails(self, rules: Rules) -> bool:
        """Whether an infeasible action fails the episode by its rules."""
        return rules.infeasible_fails and self.infeasible > 0

    def ends(self, rules: Rules, budgets: Budgets) -> str | None:
        """Why the episode is over by these counts; None while it goes on."""
        limit = rules.infeasible_in_a_row
        if limit is not None and self.in_a_row >= limit:
            return "infeasible"
        return "steps" if self.steps >= budgets.steps else None
