"""The steps of an episode, each with what was perceived and thought before it."""

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
)
from ...planners.contract import Act, Done, GiveUp, Internal, NewTrial, Note, Think
from ...skills.arm.sensor_reading import ArmReading
from ..run_episodes import RunEpisode

#: How a planner says in a conversation that it ends the episode.
DONE, GIVE_UP = "done", "give up"
#: Why episodes end that are cut off rather than over.
_CUT_OFF = frozenset({"steps", "decisions", "planning_time", "voided"})


@dataclass(frozen=True)
class Deliberation:
    """What a planner thought and noted between two moments.

    thoughts: in words, with the name of what they are about before those of internal decisions.
    answered: what it said that was no action, or that it was done where it was not, each with what
    it was told.
    """

    thoughts: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    internal: list[Internal] = field(default_factory=list)
    answered: list[tuple[str, str]] = field(default_factory=list)

    @property
    def thought(self) -> str:
        return "\n".join(self.thoughts)


@dataclass(frozen=True)
class ExportedStep:
    """One try of an action: what was perceived before, thought, done, and what came of it.

    trial: from 1. t: seconds since the episode began at which the planner was told `before`.
    image: that shows the moment before, "" where none was recorded.
    """

    trial: int
    t: float
    before: str
    image: str
    progress: float | None
    deliberation: Deliberation
    event: Stepped


@dataclass(frozen=True)
class ExportedSteps:
    """The steps of an episode.

    last: what the planner thought after the last of them. end: how it ended the episode, `DONE` or
    `GIVE_UP`, or "" where it was ended otherwise.
    """

    started: Started
    steps: Sequence[ExportedStep]
    last: Deliberation
    end: str


def steps_of(events: Sequence[RecordedEvent]) -> ExportedSteps:
    """The steps of one episode, by the events of its newest start."""
    started = next(event for event in events if isinstance(event, Started))
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
                steps.append(
                    ExportedStep(
                        trial,
                        moment.t,
                        moment.observation,
                        moment.image,
                        moment.progress,
                        now,
                        event,
                    )
                )
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
    """Add to what was thought what a decision says in words."""
    match decision:
        case Act(thought=text) | Think(text=text) if text:
            now.thoughts.append(text)
        case Done(reason=text) | GiveUp(reason=text) | NewTrial(reason=text) if text:
            now.thoughts.append(text)
        case Internal():
            now.internal.append(decision)
        case Note():
            now.notes.append(decision)


@dataclass(frozen=True)
class Trial:
    """One trial of an episode with at least one action. moments: one more than steps."""

    episode: RunEpisode
    number: int
    is_last: bool
    moments: Sequence[Perceived]
    steps: Sequence[ExportedStep]

    @property
    def success(self) -> bool:
        """Whether the task was done in it."""
        return (
            self.is_last and self.episode.result is not None and bool(self.episode.result.success)
        )

    @property
    def cut_off(self) -> bool:
        """Whether it ended by what it may cost, not by what was done."""
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
    """What an arm's sensors read: pose, fingers, force, peak force."""
    return [] if reading is None else list(chain(*reading))


def last_trial(steps: ExportedSteps) -> Iterator[ExportedStep]:
    """The steps of the trial that counts."""
    number = max((step.trial for step in steps.steps), default=1)
    return (step for step in steps.steps if step.trial == number)
