"""Skills on either side: success rates, reasons of failures, retries, seconds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...episodes.events import Perceived, RecordedEvent, Stepped
from ...episodes.world import Moment, RecordedMoments
from ...observation_text.view import View
from ...skills.outcomes import Outcome, Reason
from ..statistics.estimates import Estimate, rate_over_tasks
from ..statistics.intervals import Interval, expanded_shares

RESAMPLES = 2000
SEED = 20240229


@dataclass(frozen=True)
class SkillTry:
    """One action and its outcome."""

    task: str
    """Id of the task."""
    skill: str
    """Its verb."""
    reason: str
    """Why it failed, "" where it did not."""
    retries: int
    """Attempts after the first."""
    seconds: float
    """By the simulator's clock where it has one, else by ours."""
    handled: bool
    """Whether the hand holds something else than before."""
    words: str = ""
    """The simulator's message about the failure."""
    injected: bool = False
    """See `Outcome`."""

    @property
    def is_denied(self) -> bool:
        """Whether a person or a rule denied it."""
        return self.reason == Reason.DENIED


@dataclass(frozen=True)
class SkillSide:
    """A skill on one side: its success rate, failures by reason, and means of an action."""

    tries: int
    """Actions with this verb."""
    rate: Estimate
    """Success rate."""
    reasons: Mapping[str, int]
    """Failures by reason, the most frequent first."""
    retries: float
    """Mean retries."""
    seconds: float
    """Mean seconds."""


@dataclass(frozen=True)
class ComparedSkill:
    """A skill on both sides; None for a side that never tried it.

    gap: success rate in simulation less that on the real side, over tasks.
    """

    skill: str
    sim: SkillSide | None
    real: SkillSide | None
    gap: Interval | None


def tries_of(task: str, moments: Iterable[tuple[RecordedEvent, Moment | None]]) -> list[SkillTry]:
    """The actions of an episode, from its events and the moments after them."""
    found = []
    before: View | None = None
    for event, moment in moments:
        if isinstance(event, Stepped) and event.action is not None:
            held = set() if before is None else set(before.held())
            after = held if moment is None else set(moment.view.held())
            found.append(_try(task, event.action.verb.value, event.outcome, held != after))
        before = before if moment is None else moment.view
    return found


def _try(task: str, skill: str, outcome: Outcome, handled: bool) -> SkillTry:
    reason = "" if outcome.failure is None else outcome.failure.reason.value
    seconds = outcome.sim_time_s or outcome.duration_s
    words = outcome.attempts[-1].message if outcome.attempts and reason else ""
    injected = outcome.injected is not None
    return SkillTry(task, skill, reason, outcome.retries, seconds, handled, words, injected)


def with_moments(events: Sequence[RecordedEvent]) -> Iterator[tuple[RecordedEvent, Moment | None]]:
    """Events, each with the moment after it where it has one."""
    moments = RecordedMoments()
    for event in events:
        yield event, moments.after(event) if isinstance(event, Perceived) else None


def compared_skills(sim: Sequence[SkillTry], real: Sequence[SkillTry]) -> list[ComparedSkill]:
    """All skills that either side tried, the largest gaps first.

    Actions that a person or a rule denied were not tried.
    """
    ours, theirs = _by_skill(sim), _by_skill(real)
    found = [
        ComparedSkill(
            skill, _side(ours[skill]), _side(theirs[skill]), _gap(ours[skill], theirs[skill])
        )
        for skill in dict.fromkeys([*ours, *theirs])
    ]
    return sorted(found, key=lambda each: -abs(each.gap.value) if each.gap else 1.0)


def _by_skill(tries: Sequence[SkillTry]) -> defaultdict[str, list[SkillTry]]:
    found: defaultdict[str, list[SkillTry]] = defaultdict(list)
    for each in tries:
        if not each.is_denied:
            found[each.skill].append(each)
    return found


def _side(tries: Sequence[SkillTry]) -> SkillSide | None:
    if not tries:
        return None
    reasons = Counter(each.reason for each in tries if each.reason)
    return SkillSide(
        len(tries),
        rate_over_tasks([(each.task, not each.reason) for each in tries]),
        dict(reasons.most_common()),
        sum(each.retries for each in tries) / len(tries),
        sum(each.seconds for each in tries) / len(tries),
    )


def _gap(sim: Sequence[SkillTry], real: Sequence[SkillTry]) -> Interval | None:
    """The difference of two rates with a bootstrap interval over tasks."""
    if not sim or not real:
        return None
    tasks = {task: n for n, task in enumerate(dict.fromkeys(each.task for each in (*sim, *real)))}
    counts = np.zeros((2, 2, len(tasks)))  # side, successes or tries, task
    for side, tries in enumerate((sim, real)):
        for each in tries:
            counts[side, 0, tasks[each.task]] += not each.reason
            counts[side, 1, tasks[each.task]] += 1
    whole = counts.sum(axis=2)
    value = float(whole[0, 0] / whole[0, 1] - whole[1, 0] / whole[1, 1])
    if len(tasks) < 4:
        return Interval(value, None, None)
    picks = np.random.default_rng(SEED).integers(0, len(tasks), size=(RESAMPLES, len(tasks)))
    sums = counts[:, :, picks].sum(axis=3)
    usable = (sums[:, 1] > 0).all(axis=0)  # draws with a try on both sides
    rates = sums[:, 0][:, usable] / sums[:, 1][:, usable]
    low, high = np.quantile(rates[0] - rates[1], expanded_shares(len(tasks)))
    if high - low < 1e-12:
        return Interval(value, None, None)  # all tasks are alike
    return Interval(value, float(low), float(high))
