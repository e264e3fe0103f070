"""Follows the recording of a parent up to the branching step, and changes what a branch changes."""

from __future__ import annotations

from ...planners.contract import Act, Decision, Done, GiveUp, NewTrial, Percept
from ...scene_graph.changes import difference
from ..environment import Environment
from ..events import Stepped
from ..journal import Diverged, Journal
from .branch import NotBranched
from .point import BranchPoint


class Following:
    """How far one start of an episode has followed its parent; an episode may have none."""

    def __init__(self, point: BranchPoint | None) -> None:
        self._point = point
        self._made = 0  # decisions that are repeated, so far
        self.repeats = point is not None  # the episode has not left the recording yet

    def is_recorded(self) -> bool:
        """Whether all that the planner asks now is in the recording of the parent."""
        point = self._point
        if point is None or not self.repeats:
            return False
        return self._made < point.decisions or bool(point.action)

    def refusal(self, problem: str) -> NotBranched:
        """The error for an episode that cannot follow its parent. problem: one sentence."""
        assert self._point is not None
        step, action = self._point.step, self._point.action
        if action and self._made == self._point.decisions:
            return NotBranched(
                f"The planner cannot do '{action}' at step {step}: {problem} Choose an action that "
                f"it was offered there."
            )
        return NotBranched(
            f"The recorded episode cannot be repeated up to step {step}: {problem} Choose another "
            f"change, or an earlier step."
        )

    def taken_over(self, environment: Environment, journal: Journal, first: Percept) -> Percept:
        """What the planner gets first, where it takes over from another one, or else `first`."""
        point = self._point
        if point is None or point.repeated is None:
            return first
        for event in point.repeated:
            if isinstance(event, Stepped):
                action = event.action
                done = event.said or "" if action is None else environment.understood(action)
                journal.decided(Act(done, continued=True), 0.0, 0.0)
                environment.repeat(event)
            else:
                journal.decided(NewTrial(), 0.0, 0.0)
                environment.new_trial()
        self._check_state(environment)
        self.repeats = False
        return environment.hand_over() if point.step > 1 else first

    def changed(self, decision: Decision, environment: Environment, percept: Percept) -> Decision:
        """The decision to carry out: the planner's own, or that of the branch at its step.

        Raises Diverged where the world is not as recorded, and NotBranched for a text that is no
        action there.
        """
        point = self._point
        if point is None or not self.repeats:
            return decision
        if self._made < point.decisions:
            self._made += 1
            return decision
        self._check_state(environment)
        if point.action:
            if not isinstance(decision, Act | Done | GiveUp):
                return decision  # what it notes before it acts
            decision = self._given(point, decision, percept)
        self.repeats = False
        return decision

    def _given(self, point: BranchPoint, decision: Decision, percept: Percept) -> Decision:
        """The branch's action as a decision; with the planner's thought where it says it itself."""
        wanted = _read(percept, point.action)
        if isinstance(wanted, str):
            raise self.refusal(wanted)
        if not point.said:
            return Act(point.action, continued=isinstance(decision, Act) and decision.continued)
        own = decision.action if isinstance(decision, Act) else ""
        if own != point.action and (not isinstance(own, str) or _read(percept, own) != wanted):
            raise self.refusal(f"It decides otherwise where its model says so ({own or decision}).")
        return decision

    def _check_state(self, environment: Environment) -> None:
        """Raise Diverged where the true state is not the recorded one."""
        recorded = None if self._point is None else self._point.state
        truth = environment.truth
        if recorded is None or truth is None:
            return
        if difference(recorded, truth, ordered=False) is not None:
            raise Diverged("The state of the simulator differs from the recorded one.")


def _read(percept: Percept, text: str) -> object:
    """The action of a text, or why it is none."""
    assert percept.read is not None
    reading = percept.read(text)
    if reading.action is None:
        return reading.objection or "it is no action."
    return reading.action
