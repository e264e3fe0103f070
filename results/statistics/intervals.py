"""Means and rates of tasks with 95 % intervals; the repeats of a task are one cluster."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_RESAMPLES = 4000
_SEED = 20240229  # fixed, so that the same figures always give the same interval


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % interval. low, high: None where it cannot be told."""

    value: float
    low: float | None
    high: float | None

    def text(self, unit: float = 1.0, digits: int = 2) -> str:
        """Such as "0.12 [0.03, 0.21]"; a value that cannot be bounded says so."""
        value = f"{unit * self.value:.{digits}f}"
        if self.low is None or self.high is None:
            return f"{value} [cannot be told]"
        return f"{value} [{unit * self.low:.{digits}f}, {unit * self.high:.{digits}f}]"


def student_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's distribution with so many degrees of freedom."""
    if freedom > 500:  # the sum below would be too coarse, and the normal quantile nearly right
        normal = NormalDist().inv_cdf(share)
        return normal + (normal**3 + normal) / (4 * freedom)
    # With x = sqrt(freedom) tan(angle) the density is a power of the cosine on a bounded range.
    angles = np.linspace(-np.pi / 2, np.pi / 2, 20001)
    density = np.cos(angles) ** (freedom - 1)
    sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return float(np.sqrt(freedom) * np.tan(np.interp(share * sums[-1], sums, angles)))


def cluster_sums(values: Sequence[float] | Array, tasks: Sequence[Hashable]) -> tuple[Array, Array]:
    """Of every task, in order of its first value: the sum of its values, and their number."""
    places = {task: place for place, task in enumerate(dict.fromkeys(tasks))}
    of_task = [places[task] for task in tasks]
    sums = np.bincount(of_task, weights=np.asarray(values, dtype=float)).astype(float)
    return sums, np.bincount(of_task).astype(float)


def mean_interval(values: Sequence[float] | Array, tasks: Sequence[Hashable]) -> Interval:
    """A mean with a bootstrap interval that draws whole tasks.

    The percentiles are those that a Student interval of so few tasks would have in place of the
    normal one's (Hesterberg, The American Statistician 69, 2015): plain percentiles are too narrow
    for twenty tasks. No interval from one task. Raises ValueError where there is no value.
    """
    if not len(values):
        raise ValueError("no values have no mean")
    sums, counts = cluster_sums(values, tasks)
    value = float(sums.sum() / counts.sum())
    if len(sums) == 1:
        return Interval(value, None, None)
    picks = np.random.default_rng(_SEED).integers(0, len(sums), size=(_RESAMPLES, len(sums)))
    means = sums[picks].sum(axis=1) / counts[picks].sum(axis=1)
    low, high = np.quantile(means, expanded_shares(len(sums)))
    return Interval(value, float(low), float(high))


def expanded_shares(tasks: int, coverage: float = 0.95) -> tuple[float, float]:
    """The shares of a bootstrap distribution over so many tasks that bound an interval."""
    quantile = student_quantile((1 + coverage) / 2, tasks - 1)
    tail = NormalDist().cdf(-quantile * float(np.sqrt(tasks / (tasks - 1))))
    return tail, 1 - tail
