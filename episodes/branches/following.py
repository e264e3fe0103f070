"""Follows the recording of a parent up to the branching step, and changes what a branch changes."""

from __future__ import annotations

from ...planners.contract import Act, Decision, NewTrial, Percept
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
        self._made = 0  # decisions of the planner so far

    @property
    def repeats(self) -> bool:
        """Whether the episode has not left the recording yet."""
        return self._point is not None and self._made <= self._point.decisions

    def is_recorded(self) -> bool:
        """Whether all that the planner asks now is in the recording of the parent."""
        point = self._point
        if point is None or point.repeated is not None:
            return False
        return self._made < point.decisions + bool(point.action)

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
        return environment.hand_over() if point.step > 1 else first

    def changed(self, decision: Decision, environment: Environment, percept: Percept) -> Decision:
        """The decision to carry out: the planner's own, or that of the branch at its step.

        Raises Diverged where the world is not as recorded, and NotBranched for a text that is no
        action there.
        """
        point, made = self._point, self._made
        self._made += 1
        if point is None or point.repeated is not None or made != point.decisions:
            return decision
        self._made = made  # until the decision is found to be right
        self._check_state(environment)
        if point.action:
            decision = self._given(point, decision, percept)
        self._made += 1
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
        if recorded is not None and truth is not None:
            if difference(recorded, truth, ordered=False) is not None:
                raise Diverged("The state of the simulator differs from the recorded one.")


def _read(percept: Percept, text: str) -> object:
    """The action of a text, or why it is none."""
    assert percept.read is not None
    reading = percept.read(text)
    if reading.action is None:
        return reading.objection or "it is no action."
    return reading.action
