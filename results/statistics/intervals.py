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
    """An estimate with its 95 % interval. low, high: None where it has none."""

    value: float
    low: float | None
    high: float | None

    def text(self, unit: float = 1.0, digits: int = 2) -> str:
        """Such as "0.12 [0.03, 0.21]"."""
        value = f"{unit * self.value:.{digits}f}"
        if self.low is None or self.high is None:
            return f"{value} [no interval]"
        return f"{value} [{unit * self.low:.{digits}f}, {unit * self.high:.{digits}f}]"


def student_quantile(share: float, freedom: float) -> float:
    """The quantile of Student's distribution. freedom: degrees of freedom."""
    if freedom > 500:  # the sum below would be too coarse, and the normal quantile nearly right
        normal = NormalDist().inv_cdf(share)
        return normal + (normal**3 + normal) / (4 * freedom)
    # With x = sqrt(freedom) tan(angle) the density is a power of the cosine on a bounded range.
    angles = np.linspace(-np.pi / 2, np.pi / 2, 20001)
    density = np.cos(angles) ** (freedom - 1)
    sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return float(np.sqrt(freedom) * np.tan(np.interp(share * sums[-1], sums, angles)))


def cluster_sums(values: Sequence[float] | Array, tasks: Sequence[Hashable]) -> tuple[Array, Array]:
    """The sum and the number of the values of each task, in order of first occurrence."""
    places = {task: place for place, task in enumerate(dict.fromkeys(tasks))}
    of_task = [places[task] for task in tasks]
    sums = np.bincount(of_task, weights=np.asarray(values, dtype=float)).astype(float)
    return sums, np.bincount(of_task).astype(float)


def mean_interval(values: Sequence[float] | Array, tasks: Sequence[Hashable]) -> Interval:
    """A mean with a bootstrap interval that draws whole tasks.

    Plain percentiles are too narrow for twenty tasks. These are expanded as a Student interval is
    against a normal one (Hesterberg, The American Statistician 69, 2015). One task gives no
    interval. Raises ValueError without values.
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
    """The shares of a bootstrap distribution over tasks that bound an interval."""
    quantile = student_quantile((1 + coverage) / 2, tasks - 1)
    tail = NormalDist().cdf(-quantile * float(np.sqrt(tasks / (tasks - 1))))
    return tail, 1 - tail
