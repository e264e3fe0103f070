"""Rates and means of a run, each with its 95 % interval.

Repeats of a task are not independent: a mean is bootstrapped over whole tasks, and a rate has the
interval of fewer episodes (Kish's effective sample size).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

_Z95 = 1.959963984540054
_RESAMPLES = 2000
_SEED = 20240229  # fixed, so that the same results always give the same interval


@dataclass(frozen=True)
class Estimate:
    """A mean or rate with its 95 % interval."""

    mean: float
    low: float
    high: float

    def times(self, factor: float) -> Estimate:
        """The same in another unit."""
        return Estimate(factor * self.mean, factor * self.low, factor * self.high)


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


def bootstrap(values: Sequence[float], tasks: Sequence[str] = ()) -> Estimate:
    """A mean with the percentile bootstrap interval, from a fixed seed.

    values: at least one. tasks: of each value; the values of a task are resampled together. Without
    tasks, each value is a task of its own.
    """
    import numpy as np

    found = ratio(values, [1] * len(values), tasks or [str(place) for place in range(len(values))])
    return replace(found, mean=float(np.mean(np.asarray(values, dtype=float))))


def ratio(
    numerators: Sequence[float], denominators: Sequence[float], tasks: Sequence[str]
) -> Estimate:
    """A ratio of sums with the percentile bootstrap interval over tasks, from a fixed seed.

    Raises ValueError where the denominators sum to zero.
    """
    import numpy as np

    from .intervals import cluster_sums

    if not sum(denominators):
        raise ValueError("a ratio to nothing")
    (above, _), (below, _) = cluster_sums(numerators, tasks), cluster_sums(denominators, tasks)
    picks = np.random.default_rng(_SEED).integers(0, len(above), size=(_RESAMPLES, len(above)))
    sums = below[picks].sum(axis=1)
    ratios = above[picks].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Estimate(float(above.sum() / below.sum()), float(low), float(high))
