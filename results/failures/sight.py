"""A failed episode without a true state: what was seen, done and answered says why it failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...episodes.events import Perceived, RecordedEvent, Started, Stepped, TrialStarted
from ...episodes.world import RecordedMoments
from ...observation_text.view import View
from ...planners.kits.map.memory_graph import MemoryGraph
from ...scene_graph.goals import (
    Event,
    ForAll,
    Goal,
    Not,
    mentioned_categories,
    mentioned_ids,
    within,
)
from ...skills.actions import Action
from ...skills.dynamics import check
from ...skills.outcomes import FailureClass, Outcome, Reason
from .classify import IDLE
from .needs import OpenNeed, open_needs
from .played import PERFECT, Attribution, Cause, skill_failed

#: Reasons by which the world says that something is not as it was seen.
_NOT_AS_SEEN = frozenset(
    {
        *(Reason.UNKNOWN, Reason.NOT_HERE, Reason.ENCLOSED, Reason.CONTAINER_CLOSED, Reason.FULL),
        *(Reason.ALREADY_OPEN, Reason.ALREADY_CLOSED, Reason.ALREADY_ON, Reason.ALREADY_OFF),
        *(Reason.STILL_ON, Reason.STILL_OPEN, Reason.UNPLUGGED, Reason.ALREADY_SLICED),
        *(Reason.ALREADY_PLUGGED_IN, Reason.ALREADY_PLUGGED_OUT, Reason.OCCUPIED),
    }
)


@dataclass(frozen=True)
class _Step:
    """An action with the views around it."""

    number: int
    action: Action | None
    outcome: Outcome
    before: View
    after: View


class Sight:
    """The newest trial of a failed episode, as far as it was seen.

    goal: of the task. knows_goal: whether it says anything; without that only a person judges.
    """

    def __init__(self, events: Sequence[RecordedEvent], goal: Goal, steps: int) -> None:
        """steps: of the episode."""
        self.goal, self.steps = goal, steps
        self.knows_goal = bool(mentioned_ids(goal) or mentioned_categories(goal))
        self._known = MemoryGraph(None)
        self._steps: list[_Step] = []
        self._happened: list[Event] = []
        self._read(events)
        self._needs: list[OpenNeed] = []
        if self.knows_goal:
            self._needs = open_needs(goal, self._known.graph, self._happened)
        self._targets = frozenset[int]().union(*(need.targets for need in self._needs))
        about = [step for step in self._steps if self._concerns(step)]
        self._last = about[-1] if about else None

    def failed_skill(self) -> Attribution | None:
        """The last action on an open target, if it failed while it was carried out."""
        last = self._last
        failed = last is not None and skill_failed(last.outcome)
        return Attribution(Cause.CONTACT, last.number) if last is not None and failed else None

    def false_belief(self) -> Attribution | None:
        """Where something was not as it was seen.

        The goal held by all that was seen, and says nothing about all things of a kind; or the last
        action on an open target was possible by all that was seen, and the world said that it is
        not; or a view of an open target differs from an earlier one, although nothing was done to
        it.
        """
        about_all = any(isinstance(part, ForAll | Not) for part in within(self.goal))
        if self.knows_goal and not self._needs and not about_all:
            return Attribution(Cause.PERCEPTION, self.steps)
        last = self._last
        if last is not None and self._is_refused(last, as_seen=False):
            return Attribution(Cause.PERCEPTION, last.number)
        found = (self._contradicted(target) for target in sorted(self._targets))
        step = min((step for step in found if step is not None), default=None)
        return None if step is None else Attribution(Cause.PERCEPTION, step)

    def planning(self) -> Attribution | None:
        """Where the plan was wrong by all that was seen; None where that cannot be told.

        Every skill worked. The last action on an open target was not possible by what was seen; or
        it succeeded, and targets of every open part of the goal were seen.
        """
        last = self._last
        if any(skill_failed(step.outcome) for step in self._steps):
            return None
        if last is not None and self._is_refused(last, as_seen=True):
            return Attribution(Cause.PLANNING, last.number)
        if last is not None and last.outcome.failure is not None:
            return None
        seen = self._known.seen
        needs = self._needs
        if needs and all(need.targets and need.targets <= seen for need in needs):
            return Attribution(Cause.PLANNING, self.steps)
        return None

    def _read(self, events: Sequence[RecordedEvent]) -> None:
        moments, view = RecordedMoments(), None
        for event in events:
            if isinstance(event, Started):
                moments = RecordedMoments()
            if not isinstance(event, Perceived):
                continue
            before, view = view, moments.after(event).view
            if isinstance(event, Started | TrialStarted):
                self._known, self._steps, self._happened = MemoryGraph(None), [], []
            if isinstance(event, Stepped) and before is not None:
                self._steps.append(_Step(event.step, event.action, event.outcome, before, view))
                action = event.action
                if action is not None and event.outcome.success:
                    self._known.acted(action)
                    self._happened.append(Event(str(action.verb), action.things, event.step))
            self._known.take_in(view, event.step)

    def _concerns(self, step: _Step) -> bool:
        """Whether an action is about an open target or what encloses it; any, without a goal."""
        action = step.action
        if action is None or action.verb in IDLE:
            return False
        graph = step.before.graph
        around = {at for target in self._targets if target in graph for at in graph.above(target)}
        return not self.knows_goal or not (self._targets | around).isdisjoint(action.things)

    def _is_refused(self, step: _Step, *, as_seen: bool) -> bool:
        """Whether the world refused an action, and what was seen says so as well, or does not."""
        failure, action = step.outcome.failure, step.action
        if failure is None or action is None or failure.kind is not FailureClass.PRECONDITION:
            return False
        graph = step.before.graph
        is_seen = all(thing in graph for thing in action.things)
        seen = check(graph, action, PERFECT) if is_seen else failure
        if as_seen:
            return seen is not None
        return seen is None and failure.reason in _NOT_AS_SEEN

    def _contradicted(self, target: int) -> int | None:
        """The step of the first view of a thing that a later one contradicts."""
        at: frozenset[int] | None = None
        empty: dict[int, int] = {}  # places that were seen without it
        since = 0
        for number, step, view in self._views():
            if step is not None and _may_move(step, target):
                at, empty = None, {}
            if view.get(target) is None:
                whole = {place for place, complete in view.covered.items() if complete}
                if at and not at.isdisjoint(whole):
                    return since
                empty.update((place, number) for place in whole if place not in empty)
                continue
            places = _places(view, target)
            if at is not None and places != at:
                return since
            said_empty = [empty[place] for place in places if place in empty]
            if said_empty:
                return min(said_empty)
            at, since = places, number
        return None

    def _views(self) -> Iterator[tuple[int, _Step | None, View]]:
        """The views in order, each with the number and the action before it."""
        if self._steps:
            yield self._steps[0].number - 1, None, self._steps[0].before
        for step in self._steps:
            yield step.number, step, step.after


def _places(view: View, thing: int) -> frozenset[int]:
    """The places of a thing; its room only if there is no nearer one."""
    graph = view.graph
    places = {place for _, place in graph.places(thing)}
    return frozenset(places - set(graph.room_ids) or places)


def _may_move(step: _Step, thing: int) -> bool:
    """Whether an action may have moved a thing: one on it, one on what carries it, or one that
    failed in the world.
    """
    action = step.action
    if action is None or action.verb in IDLE:
        return False
    if step.outcome.failure is not None and step.outcome.attempts:
        return True
    carriers: set[int] = set()
    for view in (step.before, step.after):
        if thing in view.graph:
            carriers.update(view.graph.above(thing))
    return thing in action.things or not carriers.isdisjoint(action.things)
