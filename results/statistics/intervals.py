"""Means and variances over tasks, with 95 % intervals; the repeats of a task are one cluster."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_RESAMPLES = 4000
#: From so many tasks, the normal interval is as good as resampling, and quicker.
_MANY_TASKS = 2000
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
            return f"{value} (no interval)"
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
    if not len(tasks):
        return np.zeros(0), np.zeros(0)
    places = {task: place for place, task in enumerate(dict.fromkeys(tasks))}
    of_task = [places[task] for task in tasks]
    sums = np.bincount(of_task, weights=np.asarray(values, dtype=float)).astype(float)
    return sums, np.bincount(of_task).astype(float)


def means_by_task(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The mean of every task over its repeats."""
    grouped: defaultdict[str, list[float]] = defaultdict(list)
    for task, value in values:
        grouped[task].append(value)
    return {task: sum(each) / len(each) for task, each in grouped.items()}


def mean_interval(values: Sequence[float] | Array, tasks: Sequence[Hashable]) -> Interval:
    """A mean with a bootstrap interval that draws whole tasks; see `ratio_interval`."""
    return ratio_interval(values, np.ones(len(values)), tasks)


def ratio_interval(
    numerators: Sequence[float] | Array,
    denominators: Sequence[float] | Array,
    tasks: Sequence[Hashable],
) -> Interval:
    """A ratio of sums with a bootstrap interval that draws whole tasks.

    Plain percentiles are too narrow for twenty tasks. These are expanded as a Student interval is
    against a normal one (Hesterberg, The American Statistician 69, 2015). One task, or tasks that
    are all alike, give no interval. Raises ValueError where the denominators sum to zero.
    """
    (above, _), (below, _) = cluster_sums(numerators, tasks), cluster_sums(denominators, tasks)
    if not below.sum():
        raise ValueError("a mean of no values, or a ratio to nothing")
    value = float(above.sum() / below.sum())
    # How far each task moves the ratio; rounding of equal tasks is no difference.
    moves = above - value * below
    if len(above) == 1 or np.abs(moves).max() <= 1e-9 * max(1.0, float(np.abs(above).max())):
        return Interval(value, None, None)
    if len(above) >= _MANY_TASKS:
        error = math.sqrt(float(np.sum(moves**2))) / float(below.sum())
        half = student_quantile(0.975, len(above) - 1) * error
        return Interval(value, value - half, value + half)
    picks = np.random.default_rng(_SEED).integers(0, len(above), size=(_RESAMPLES, len(above)))
    sums = below[picks].sum(axis=1)
    ratios = above[picks].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.quantile(ratios, expanded_shares(len(above)))
    return Interval(value, float(low), float(high))


def expanded_shares(tasks: int) -> tuple[float, float]:
    """The shares of a bootstrap distribution over tasks that bound an interval."""
    quantile = student_quantile(0.975, tasks - 1)
    tail = NormalDist().cdf(-quantile * float(np.sqrt(tasks / (tasks - 1))))
    return tail, 1 - tail


@dataclass(frozen=True)
class VarianceSplit:
    """The variance of single episodes in two parts.

    task: variance of the tasks' means, by how hard they are. model: variance within a task over its
    repeats, by the model and the simulator. repeats: mean number of repeats of a task.
    """

    task: float
    model: float
    tasks: int
    repeats: float

    @property
    def task_share(self) -> float | None:
        """The tasks' part of the variance; None where nothing varies."""
        total = self.task + self.model
        return self.task / total if total > 0 else None

    def standard_error(self, tasks: int, repeats: int) -> float:
        """The standard error of a mean over so many tasks and repeats."""
        return math.sqrt(self.task / tasks + self.model / (tasks * repeats))

    @property
    def sentence(self) -> str:
        """The split in words, with what would narrow the mean."""
        if self.task_share is None:
            return "All episodes had the same result, so their variance cannot be split."
        again = self.standard_error(self.tasks, round(2 * self.repeats))
        more = self.standard_error(2 * self.tasks, round(self.repeats))
        return (
            f"{self.task_share:.0%} of the variance is between tasks and "
            f"{1 - self.task_share:.0%} between repeats of a task; twice the repeats would bring "
            f"the standard error of the mean to {again:.3f}, twice the tasks to {more:.3f}."
        )


def variance_split(
    values: Sequence[float] | Array, tasks: Sequence[Hashable]
) -> VarianceSplit | str:
    """The parts by an analysis of variance with tasks as random effects.

    A sentence where no task was repeated, or there is one task only. A negative estimate for the
    tasks is set to zero.
    """
    data = np.asarray(values, dtype=float)
    sums, counts = cluster_sums(data, tasks)
    number, episodes = len(sums), len(data)
    if number < 2 or number == episodes:
        return "Splitting the variance needs several tasks that are repeated; use --repeats."
    within = float(np.sum(data**2) - np.sum(sums**2 / counts)) / (episodes - number)
    between = float(np.sum(counts * (sums / counts - data.mean()) ** 2)) / (number - 1)
    repeats = (episodes - float(np.sum(counts**2)) / episodes) / (number - 1)
    within = max(within, 0.0)
    return VarianceSplit(max((between - within) / repeats, 0.0), within, number, repeats)
