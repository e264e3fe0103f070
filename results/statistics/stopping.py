"""When a comparison of planners is decided, asked after every episode (`--stop-when decided`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .intervals import Interval
from .sequential import (
    BettingTest,
    SpendingTest,
    confidence_sequence,
    parts_of,
    spent_early,
    spent_late,
)

Outcome = Literal["first", "second", "alike", "open"]
Measure = Literal["success", "progress"]


@dataclass(frozen=True)
class InterimComparison:
    """What is known of two planners so far.

    outcome: who is better, "alike" where the difference is smaller than the wanted one, or "open".
    tasks: those that count so far. difference: the first's mean less the second's, with an interval
    that holds whenever one looks; None before the first task.
    """

    first: str
    second: str
    outcome: Outcome
    tasks: int
    difference: Interval | None
    sentence: str


class SequentialComparison:
    """Two planners, compared task by task in an order fixed beforehand.

    tasks: all that are planned, in the random order in which they count. repeats: of each. wanted:
    the smallest difference of the means that matters. alpha: the chance of a wrong verdict "first"
    or "second" over all looks, and of a wrong "alike".
    """

    def __init__(
        self,
        tasks: Sequence[str],
        repeats: int = 1,
        wanted: float = 0.1,
        alpha: float = 0.05,
        measure: Measure = "success",
    ) -> None:
        self.outcome: Outcome = "open"
        self.differences: list[float] = []
        self._tasks = tuple(tasks)
        self._repeats = repeats
        self._alpha = alpha
        self._next = 0
        self._counts_successes = measure == "success"
        spending = spent_early if self._counts_successes else spent_late
        self._test = SpendingTest(len(tasks), alpha, spending)
        self._not_above = BettingTest(wanted, side=-1)
        self._not_below = BettingTest(-wanted, side=1)

    def look(self, first: Mapping[str, _Seeds], second: Mapping[str, _Seeds]) -> None:
        """Count the tasks that both have played in full, up to the first that one has not.

        Tasks count in their planned order, whichever ends first: quick episodes are often the
        successful ones, so that the order of endings would favour a planner.
        """
        while self.outcome == "open" and self._next < len(self._tasks):
            task = self._tasks[self._next]
            ours, theirs = first.get(task, {}), second.get(task, {})
            if min(len(ours), len(theirs)) < self._repeats:
                return
            self._next += 1
            pairs = [(ours[seed], theirs[seed]) for seed in ours if seed in theirs]
            told = [(one, other) for one, other in pairs if one is not None and other is not None]
            if told:
                self._count(sum(one - other for one, other in told), len(told))

    def _count(self, total: float, repeats: int) -> None:
        difference = total / repeats
        self.differences.append(difference)
        self._not_above.add(difference)
        self._not_below.add(difference)
        if self._test.add(round(total) if self._counts_successes else parts_of(difference)):
            self.outcome = "first" if self._test.score > 0 else "second"
        elif self._not_above.rejects(self._alpha) and self._not_below.rejects(self._alpha):
            self.outcome = "alike"


#: What came of the repeats of a task, by seed; None of one that nobody could score.
_Seeds = Mapping[int, float | None]


class StoppingRule:
    """Whether planners are told apart from the first of them, asked after every episode.

    rows: the planners, the one that others are compared with first. tasks: all that are planned,
    in the order in which they count, which has to be random (`shuffled`): a suite's own order goes
    kind by kind, and the first kind may favour a planner. repeats, wanted, measure: as in
    `SequentialComparison`. alpha: over all comparisons; each has an equal part.
    """

    def __init__(
        self,
        rows: Sequence[str],
        tasks: Sequence[str],
        repeats: int = 1,
        wanted: float = 0.1,
        alpha: float = 0.05,
        measure: Measure = "success",
    ) -> None:
        self._rows = tuple(rows)
        self._wanted, self._alpha, self._measure = wanted, alpha, measure
        self._values: dict[str, dict[str, dict[int, float | None]]] = {row: {} for row in rows}
        part = alpha / max(len(rows) - 1, 1)
        self._comparisons = {
            row: SequentialComparison(tasks, repeats, wanted, part, measure) for row in rows[1:]
        }

    def add(self, row: str, task: str, seed: int, value: float | None) -> None:
        """Add a finished episode.

        value: its success as 0 or 1, or its progress, as the measure is; None where nobody could
        score it. Episodes may come in any order.
        """
        self._values[row].setdefault(task, {})[seed] = value
        reference = self._rows[0]
        for other in self._comparisons if row == reference else (row,):
            self._comparisons[other].look(self._values[reference], self._values[other])

    @property
    def decided(self) -> bool:
        """Whether every comparison is, so that no more episodes are needed."""
        return all(each.outcome != "open" for each in self._comparisons.values())

    def needs(self, row: str) -> bool:
        """Whether more episodes of a row can still tell something."""
        if row == self._rows[0]:
            return not self.decided
        return self._comparisons[row].outcome == "open"

    @property
    def verdicts(self) -> list[InterimComparison]:
        """What is known of each comparison so far."""
        return [self._verdict(row, each) for row, each in self._comparisons.items()]

    def _verdict(self, row: str, found: SequentialComparison) -> InterimComparison:
        first, tasks = self._rows[0], len(found.differences)
        difference = None
        told = ""
        if tasks:
            part = self._alpha / len(self._comparisons)
            bounds = confidence_sequence(found.differences, part)
            difference = Interval(float(np.mean(found.differences)), *bounds)
            told = f", difference of {self._measure} {difference.text()}"
        words = {
            "first": f"{first} is better than {row}",
            "second": f"{row} is better than {first}",
            "alike": f"{first} and {row} differ by less than {self._wanted:g}",
            "open": f"{first} and {row} are not decided",
        }[found.outcome]
        sentence = (
            f"{words} after {tasks} tasks{told} (looked at after every task; wrong in at most "
            f"{self._alpha:.0%} of studies over all looks; tasks drawn at random)"
        )
        return InterimComparison(first, row, found.outcome, tasks, difference, sentence)


def shuffled(tasks: Sequence[str], seed: int) -> list[str]:
    """The tasks in a random order that follows from the seed."""
    return [tasks[place] for place in np.random.default_rng(seed).permutation(len(tasks))]
