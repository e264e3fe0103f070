"""The variance of results split between tasks and repeats."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Array, cluster_sums


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
