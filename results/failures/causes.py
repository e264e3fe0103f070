"""The cause of a failed episode in a world with real contact: planning, perception or contact.

docs/reference/failures.md has the rules. The first that fits decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ...episodes.events import Perceived, RecordedEvent, Started, Stepped, result_among
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
from ...skills.outcomes import Outcome
from .classify import IDLE
from .history import history_of
from .needs import open_needs

#: A body without limits: with it, a plan fails for nothing but its own mistakes.
_PERFECT = Embodiment(hands=99, needs_tool=False, approaches=True)


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


def blame(events: Sequence[RecordedEvent]) -> Attribution | None:
    """The cause of a failed episode.

    None for one that has not failed, was voided, or whose true state is not known throughout.
    """
    result = result_among(events)
    if result is None or result.success is not False or result.is_voided:
        return None
    history = history_of(events, result)
    if history.goal is None or history.last is None:
        return None
    played = _played(events, history.goal)
    if played is None:
        return None
    targets = frozenset[int]().union(
        *(need.targets for need in open_needs(history.goal, history.last, history.happened))
    )
    found = played.failed_skill(targets) or played.false_belief(targets)
    return found or Attribution(Cause.PLANNING, result.steps)


@dataclass(frozen=True)
class _Moment:
    """A step: its action, and the world and the view after it."""

    number: int
    action: Action | None
    skill_failed: bool
    """Whether it failed, and some attempt of it failed for geometry, contact or the simulator."""
    world: SceneGraph
    view: View


@dataclass
class _Played:
    """An episode's steps, and what its actions would have led to if every skill had worked."""

    start: SceneGraph
    moments: list[_Moment] = field(default_factory=list)
    reached: bool = False
    """Whether the goal would have been reached."""

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

    def _concerns(self, moment: _Moment, targets: frozenset[int]) -> bool:
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


def _skill_failed(outcome: Outcome) -> bool:
    reasons = [each.failure.reason for each in outcome.attempts if each.failure is not None]
    return not outcome.success and not OF_EXECUTION.isdisjoint(reasons)


def _played(events: Sequence[RecordedEvent], goal: Goal) -> _Played | None:
    """The newest start of an episode, read step by step; None without a true state."""
    played, perfect = _Played(SceneGraph()), SceneGraph()
    happened: list[Event] = []
    moments = RecordedMoments()
    for event in events:
        if isinstance(event, Started):
            moments, happened = RecordedMoments(), []
        if not isinstance(event, Perceived):
            continue
        moment = moments.after(event)
        if moment.truth is None:
            return None
        if isinstance(event, Started):
            played, perfect = _Played(moment.truth), moment.truth.copy()
        if isinstance(event, Stepped):
            if event.action is not None:
                new = events_of(perfect, event.action, event.step)
                if step(perfect, event.action, _PERFECT) is None:
                    happened += new
            played.reached = played.reached or satisfied(goal, perfect, happened)
            failed = _skill_failed(event.outcome)
            played.moments.append(
                _Moment(event.step, event.action, failed, moment.truth, moment.view)
            )
    return played
