"""The steps of an episode, each with the observation and thoughts before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby

from ...episodes.events import (
    Decided,
    GoalChecked,
    Perceived,
    RecordedEvent,
    Started,
    Stepped,
    TextRefused,
    TrialStarted,
    beginning_of,
)
from ...planners.contract import Act, Done, GiveUp, Internal, NewTrial, Note, Think
from ...skills.arm.blocks.world import ArmReading
from ..run_episodes import RunEpisode

#: Texts with which a planner ends the episode in a conversation.
DONE, GIVE_UP = "done", "give up"
#: Endings of episodes that were cut off.
_CUT_OFF = frozenset({"steps", "decisions", "planning_time", "voided"})


@dataclass(frozen=True)
class Deliberation:
    """Thoughts and notes of a planner between two moments.

    answered: texts without effect, each
    with the answer: no action, or "done" where the goal did not hold.
    """

    thoughts: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    answered: list[tuple[str, str]] = field(default_factory=list)

    @property
    def thought(self) -> str:
        return "\n".join(self.thoughts)


@dataclass(frozen=True)
class ExportedStep:
    """One try of an action, with the moment before it."""

    trial: int
    """Its trial, from 1."""
    t: float
    """Seconds since the episode began at which the planner got `before`."""
    before: str
    """The observation before it."""
    image: str
    """Image of the moment before, "" where none was recorded."""
    deliberation: Deliberation
    """Thoughts and notes before it."""
    event: Stepped
    """The recorded action with its outcome."""


@dataclass(frozen=True)
class ExportedSteps:
    """The steps of an episode.

    last: thoughts after the last step. end: `DONE` or `GIVE_UP` where the planner ended the
    episode, else "".
    """

    started: Started
    steps: Sequence[ExportedStep]
    last: Deliberation
    end: str


def steps_of(events: Sequence[RecordedEvent]) -> ExportedSteps:
    """The steps of one episode, by the events of its newest start."""
    started = beginning_of(events)
    moment: Started | TrialStarted | Stepped = started
    trial, end, now = 1, "", Deliberation()
    steps: list[ExportedStep] = []
    for event in events:
        match event:
            case Started():
                moment = event
            case TrialStarted():
                moment, trial, now = event, event.trial, Deliberation()
            case Stepped():
                before = (moment.t, moment.observation, moment.image)
                steps.append(ExportedStep(trial, *before, now, event))
                moment, now, end = event, Deliberation(), ""
            case Decided(decision=Done() | GiveUp() as decision):
                end = DONE if isinstance(decision, Done) else GIVE_UP
                _take(now, decision)
            case Decided():
                _take(now, event.decision)
            case TextRefused():
                now.answered.append((event.said, event.reason))
            case GoalChecked(reached=False):
                now.answered.append((DONE, event.feedback))
                end = ""
    return ExportedSteps(started, steps, now, end)


def _take(
    now: Deliberation, decision: Act | Think | Internal | Note | Done | GiveUp | NewTrial
) -> None:
    """Add the texts of a decision."""
    match decision:
        case Act(thought=text) | Think(text=text) if text:
            now.thoughts.append(text)
        case Done(reason=text) | GiveUp(reason=text) | NewTrial(reason=text) if text:
            now.thoughts.append(text)
        case Note():
            now.notes.append(decision)


@dataclass(frozen=True)
class Trial:
    """One trial of an episode with at least one action. moments: one more than steps."""

    episode: RunEpisode
    """The episode."""
    number: int
    """From 1."""
    is_last: bool
    """Whether it is the last trial."""
    moments: Sequence[Perceived]
    """Events of its moments, one more than steps."""
    steps: Sequence[ExportedStep]
    """Its steps."""

    @property
    def success(self) -> bool:
        """Whether the task succeeded in it."""
        return (
            self.is_last and self.episode.result is not None and bool(self.episode.result.success)
        )

    @property
    def cut_off(self) -> bool:
        """Whether a budget ended it, or a new trial."""
        result = self.episode.result
        return not self.is_last or result is None or result.ended in _CUT_OFF


def trials_of(episode: RunEpisode) -> Iterator[Trial]:
    """The trials of an episode."""
    exported = steps_of(episode.events)
    firsts: dict[int, Perceived] = {1: exported.started}
    firsts |= {event.trial: event for event in episode.events if isinstance(event, TrialStarted)}
    for number, group in groupby(exported.steps, key=lambda step: step.trial):
        steps = list(group)
        moments = [firsts[number], *(step.event for step in steps)]
        yield Trial(episode, number, number == max(firsts), moments, steps)


def sensor_numbers(reading: ArmReading | None) -> list[float]:
    """The readings of an arm's sensors: pose, fingers, force, peak force."""
    return [] if reading is None else list(chain(*reading))


def last_trial(steps: ExportedSteps) -> Iterator[ExportedStep]:
    """The steps of the last trial."""
    number = max((step.trial for step in steps.steps), default=1)
    return (step for step in steps.steps if step.trial == number)
