"""When a comparison of planners is decided, checked after every episode (`--stop-when decided`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .intervals import Interval
from .sequential import (
    BettingTest,
    PlannedBets,
    SpendingTest,
    confidence_sequence,
)

Outcome = Literal["first", "second", "alike", "open"]
Measure = Literal["success", "progress"]


@dataclass(frozen=True)
class InterimComparison:
    """The present state of a comparison of two planners."""

    first: str
    """The first planner."""
    second: str
    """The second planner."""
    outcome: Outcome
    """The better one, "alike" for a difference smaller than wanted, or "open"."""
    tasks: int
    """Tasks counted so far."""
    difference: Interval | None
    """Mean of the first less that of the second, with an interval that is valid at every look; None
    before the first task.
    """
    sentence: str
    """The verdict in words."""


class SequentialComparison:
    """Two planners, compared task by task in an order fixed beforehand.

    tasks: all planned ones, in the random order in which they count. repeats: of each task. wanted:
    the smallest difference of means that matters. alpha: the probability of a wrong "first" or
    "second" over all looks, and of a wrong "alike".
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
        single = measure == "success" and repeats == 1
        self._test = (SpendingTest if single else PlannedBets)(len(tasks), alpha)
        self._not_above = BettingTest(wanted, side=-1)
        self._not_below = BettingTest(-wanted, side=1)

    def look(self, first: Mapping[str, _Seeds], second: Mapping[str, _Seeds]) -> None:
        """Count the tasks that both have played in full, up to the first that one has not.

        Tasks count in their planned order. Quick episodes are often the successful ones, so the
        order of their ends would favour a planner.
        """
        while self.outcome == "open" and self._next < len(self._tasks):
            task = self._tasks[self._next]
            ours, theirs = first.get(task, {}), second.get(task, {})
            if min(len(ours), len(theirs)) < self._repeats:
                return
            self._next += 1
            pairs = [(ours[seed], theirs[seed]) for seed in ours if seed in theirs]
            scored = [(one, other) for one, other in pairs if one is not None and other is not None]
            if scored:
                self._count(sum(one - other for one, other in scored), len(scored))

    def _count(self, total: float, repeats: int) -> None:
        difference = total / repeats
        self.differences.append(difference)
        self._not_above.add(difference)
        self._not_below.add(difference)
        if self._test.add(difference):
            self.outcome = "first" if self._test.score > 0 else "second"
        elif self._not_above.rejects(self._alpha) and self._not_below.rejects(self._alpha):
            self.outcome = "alike"


#: Results of a task's repeats by seed; None where nobody could score one.
_Seeds = Mapping[int, float | None]


class StoppingRule:
    """Compares each planner with the first one, after every episode.

    rows: the planners, the reference first. tasks: all planned ones, in the order in which they
    count. It has to be random (`shuffled`): a suite's own order goes kind by kind, and the first
    kind may favour a planner. repeats, wanted, measure: as in `SequentialComparison`. alpha: over
    all comparisons, in equal parts.
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
        """Add a finished episode, in any order.

        value: its success as 0 or 1, or its progress, by `measure`; None where nobody could score
        it.
        """
        self._values[row].setdefault(task, {})[seed] = value
        reference = self._rows[0]
        for other in self._comparisons if row == reference else (row,):
            self._comparisons[other].look(self._values[reference], self._values[other])

    @property
    def decided(self) -> bool:
        """Whether every comparison is decided, so that no more episodes are needed."""
        return all(each.outcome != "open" for each in self._comparisons.values())

    def needs(self, row: str) -> bool:
        """Whether more episodes of a row can change a comparison."""
        if row == self._rows[0]:
            return not self.decided
        return self._comparisons[row].outcome == "open"

    @property
    def verdicts(self) -> list[InterimComparison]:
        """The present state of each comparison."""
        return [self._verdict(row, each) for row, each in self._comparisons.items()]

    def _verdict(self, row: str, found: SequentialComparison) -> InterimComparison:
        first, tasks = self._rows[0], len(found.differences)
        difference = None
        difference_text = ""
        if tasks:
            part = self._alpha / len(self._comparisons)
            bounds = confidence_sequence(found.differences, part)
            difference = Interval(float(np.mean(found.differences)), *bounds)
            difference_text = f", difference of {self._measure} {difference.text()}"
        words = {
            "first": f"{first} is better than {row}",
            "second": f"{row} is better than {first}",
            "alike": f"{first} and {row} differ by less than {self._wanted:g}",
            "open": f"{first} and {row} are not decided",
        }[found.outcome]
        sentence = (
            f"{words} after {tasks} tasks{difference_text} (looked at after every task; wrong in "
            f"at most {self._alpha:.0%} of studies over all looks; tasks drawn at random)"
        )
        return InterimComparison(first, row, found.outcome, tasks, difference, sentence)


def shuffled(tasks: Sequence[str], seed: int) -> list[str]:
    """The tasks in a random order that depends on the seed alone."""
    return [tasks[place] for place in np.random.default_rng(seed).permutation(len(tasks))]
