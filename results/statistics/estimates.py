"""Rates and means of a run, each with its 95 % interval.

Repeats of a task are not independent: a mean is bootstrapped over whole tasks (`intervals`), and a
rate has the interval of fewer episodes (Kish's effective sample size).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

_Z95 = 1.959963984540054
#: What stands in the place of an interval that cannot be computed.
NO_INTERVAL = "(no interval)"


@dataclass(frozen=True)
class Estimate:
    """A mean or rate with its 95 % interval.

    low, high: None where the interval cannot be computed, from one task or from tasks all alike.
    """

    mean: float
    low: float | None
    high: float | None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval, where there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def times(self, factor: float) -> Estimate:
        """The same in another unit."""
        if self.bounds is None:
            return replace(self, mean=factor * self.mean)
        return Estimate(factor * self.mean, factor * self.bounds[0], factor * self.bounds[1])

    def lines(self, unit: float = 1.0, digits: int = 1) -> tuple[str, str]:
        """The figure, and its interval in brackets or the words that there is none."""
        mean, bounds = f"{unit * self.mean:.{digits}f}", self.bounds
        if bounds is None:
            return mean, NO_INTERVAL
        return mean, "[" + ", ".join(f"{unit * each:.{digits}f}" for each in bounds) + "]"

    def text(self, unit: float = 1.0, digits: int = 1) -> str:
        """Such as "4.5 [3.1, 5.9]"."""
        return " ".join(self.lines(unit, digits))


def wilson(successes: int, trials: int) -> Estimate:
    """A rate with the Wilson score interval. Raises ValueError unless 0 <= successes <= trials."""
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} successes of {trials} trials have no rate")
    return _score_interval(successes / trials, trials)


def rate_over_tasks(outcomes: Sequence[tuple[str, bool]]) -> Estimate:
    """The success rate of episodes, each with its task, with the Wilson score interval.

    Repeats of a task count as fewer independent episodes: the fewer, the more alike they are, down
    to one for each task. Raises ValueError without episodes.
    """
    by_task: dict[str, list[bool]] = {}
    for task, success in outcomes:
        by_task.setdefault(task, []).append(success)
    trials, tasks = len(outcomes), len(by_task)
    successes = sum(success for _, success in outcomes)
    if tasks == trials:
        return wilson(successes, trials)
    rate = successes / trials
    if rate in (0, 1) or tasks == 1:
        return _score_interval(rate, tasks)
    between = sum((sum(each) - rate * len(each)) ** 2 for each in by_task.values())
    variance = between * tasks / (tasks - 1) / trials**2
    independent = rate * (1 - rate) / trials
    return _score_interval(rate, trials / max(variance / independent, 1.0))


def _score_interval(rate: float, trials: float) -> Estimate:
    square = _Z95 * _Z95
    middle = (rate + square / (2 * trials)) / (1 + square / trials)
    spread = (
        _Z95
        / (1 + square / trials)
        * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    )
    # At 0 and 1 one bound is the rate itself, which rounding would miss.
    low = middle - spread if rate > 0 else 0.0
    high = middle + spread if rate < 1 else 1.0
    return Estimate(rate, low, high)


def mean_over_tasks(values: Sequence[float], tasks: Sequence[str]) -> Estimate:
    """The mean of episodes, each with its task. Raises ValueError without episodes."""
    return ratio_over_tasks(values, [1.0] * len(values), tasks)


def ratio_over_tasks(
    numerators: Sequence[float], denominators: Sequence[float], tasks: Sequence[str]
) -> Estimate:
    """A ratio of sums over episodes, each with its task; see `intervals.ratio_interval`."""
    from .intervals import ratio_interval

    found = ratio_interval(numerators, denominators, tasks)
    return Estimate(found.value, found.low, found.high)
