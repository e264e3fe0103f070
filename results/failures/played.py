"""An episode step by step, and what its actions would have led to with perfect skills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ...episodes.events import Perceived, RecordedEvent, Started, Stepped, TrialStarted
from ...episodes.faults import OF_EXECUTION
from ...episodes.world import RecordedMoments
from ...observation_text.view import View
from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import Event, Goal
from ...scene_graph.graph import SceneGraph
from ...skills.actions import Action
from ...skills.dynamics import step
from ...skills.embodiment import Embodiment
from ...skills.events import events_of
from ...skills.outcomes import Outcome, Reason
from .classify import IDLE

#: A body without limits: with it, a plan fails for nothing but its own mistakes.
PERFECT = Embodiment(hands=99, needs_tool=False, approaches=True)


class Cause(StrEnum):
    """What made an episode fail."""

    PLANNING = "planning"  # it would have failed with perfect skills
    PERCEPTION = "perception"  # what was believed was not so
    CONTACT = "contact"  # a skill failed


@dataclass(frozen=True)
class Attribution:
    """The cause of a failure, and the step that decided it; 0 is the beginning."""

    cause: Cause
    step: int


@dataclass(frozen=True)
class Moment:
    """A step: its action, and the world and the view after it."""

    number: int
    action: Action | None
    skill_failed: bool
    """Whether it failed, and some attempt of it failed for geometry, contact or the simulator."""
    world: SceneGraph
    view: View


@dataclass
class Played:
    """A trial's steps, and what its actions would have led to if every skill had worked."""

    start: SceneGraph
    moments: list[Moment] = field(default_factory=list)
    reached: bool = False
    """Whether the goal would have been reached."""
    happened: list[Event] = field(default_factory=list)
    """What happened in the presumed world, where there is one."""

    def failed_skill(self, targets: frozenset[int]) -> Attribution | None:
        """The first failed skill, if the goal would have been reached had all skills worked.

        One on an open target, or on what encloses it, goes before the others.
        Or the last failed try of an open target or of what encloses it; or the step in which an
        open target came to lie elsewhere although the action was not about it.
        """
        failed = [each for each in self.moments if each.skill_failed]
        about = [each for each in self.moments if self._concerns(each, targets)]
        if failed and self.reached:
            first = next((each for each in about if each.skill_failed), failed[0])
            return Attribution(Cause.CONTACT, first.number)
        if about and about[-1].skill_failed:
            return Attribution(Cause.CONTACT, about[-1].number)
        before = self.start
        for each in self.moments:
            for target in targets.intersection(before.by_id, each.world.by_id):
                touched = each.action is not None and target in each.action.things
                if not touched and before.places(target) != each.world.places(target):
                    return Attribution(Cause.CONTACT, each.number)
            before = each.world
        return None

    def false_belief(self, targets: frozenset[int]) -> Attribution | None:
        """The step at which an open target was believed, or said, to be where it was not."""
        for each in reversed(self.moments):
            for target in targets:
                if target not in each.world:
                    continue
                places = set(each.world.places(target))
                seen = each.view.get(target) is not None
                if seen and not places.issuperset(each.view.graph.places(target)):
                    return Attribution(Cause.PERCEPTION, each.number)
                said_empty = any(each.view.covered.get(place) for _, place in places)
                if not seen and said_empty and each.world.closed_around(target) is None:
                    return Attribution(Cause.PERCEPTION, each.number)
        return None

    def _concerns(self, moment: Moment, targets: frozenset[int]) -> bool:
        action = moment.action
        if action is None or action.verb in IDLE:
            return False
        around = {
            place
            for target in targets
            if target in moment.world
            for place in moment.world.above(target)
        }
        return not (targets | around).isdisjoint(action.things)


def skill_failed(outcome: Outcome) -> bool:
    """Whether an action failed, and some attempt of it failed while it was carried out."""
    reasons = [each.failure.reason for each in outcome.attempts if each.failure is not None]
    return not outcome.success and not OF_EXECUTION.isdisjoint(reasons)


def read_played(
    events: Sequence[RecordedEvent], goal: Goal, twin: SceneGraph | None = None
) -> Played | None:
    """The newest trial of an episode; None without a true state.

    twin: the presumed true state at its start, in the place of the recorded states. Actions that
    succeeded change it by the rules of the built-in world.
    """
    played = Played(SceneGraph())
    presumed, perfect = _Rules(SceneGraph()), _Rules(SceneGraph())
    moments = RecordedMoments()
    for event in events:
        if isinstance(event, Started):
            moments = RecordedMoments()
        if not isinstance(event, Perceived):
            continue
        moment = moments.after(event)
        truth = moment.truth if twin is None else twin
        if truth is None:
            return None
        if isinstance(event, Started | TrialStarted):
            played = Played(truth)
            presumed, perfect = _Rules(truth), _Rules(truth)
        if isinstance(event, Stepped):
            denied = _is_denied(event.outcome)
            if event.action is not None and not denied:
                perfect.do(event.action, event.step)
            if twin is not None:
                if event.action is not None and event.outcome.success:
                    presumed.do(event.action, event.step)
                truth = presumed.graph.copy()
            played.reached = played.reached or satisfied(goal, perfect.graph, perfect.happened)
            failed = skill_failed(event.outcome)
            played.moments.append(Moment(event.step, event.action, failed, truth, moment.view))
            played.happened = presumed.happened
    return played


def _is_denied(outcome: Outcome) -> bool:
    return outcome.failure is not None and outcome.failure.reason is Reason.DENIED


class _Rules:
    """A world in which every possible action succeeds."""

    def __init__(self, start: SceneGraph) -> None:
        self.graph = start.copy()
        self.happened: list[Event] = []

    def do(self, action: Action, number: int) -> None:
        if all(thing in self.graph for thing in action.things):
            new = events_of(self.graph, action, number)
            if step(self.graph, action, PERFECT) is None:
                self.happened += new
