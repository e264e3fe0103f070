"""Episodes of two runs, paired by task and seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .intervals import Array

#: What an episode is of: its task and its seed.
Key = tuple[str, int]


@dataclass(frozen=True)
class Pairs:
    """The figures of two runs by pair. tasks: of each pair. sentence: how they were paired."""

    tasks: tuple[str, ...]
    first: Array
    second: Array
    sentence: str

    @property
    def differences(self) -> Array:
        """The first's figures less the second's."""
        return self.first - self.second

    @property
    def is_clustered(self) -> bool:
        """Whether a task has several pairs."""
        return len(set(self.tasks)) < len(self.tasks)


def pair_up(first: Mapping[Key, float], second: Mapping[Key, float]) -> Pairs | str:
    """The episodes that both have, paired; a sentence where there are none.

    Where tasks are shared but no seed is, the episodes of a task are averaged on each side, and a
    task is one pair.
    """
    both = [key for key in first if key in second]
    if both:
        left = len(first) + len(second) - 2 * len(both)
        sentence = "paired by task and seed"
        sentence += f", leaving out {left} that only one side has" if left else ""
        return _pairs(
            [(task, first[task, seed], second[task, seed]) for task, seed in both], sentence
        )
    means, others = _by_task(first), _by_task(second)
    rows = [(task, mean, others[task]) for task, mean in means.items() if task in others]
    if not rows:
        return "no task was scored in both, so they cannot be paired; run both on the same tasks"
    return _pairs(rows, "paired by task alone, since no seed is in both")


def _pairs(rows: list[tuple[str, float, float]], sentence: str) -> Pairs:
    tasks, first, second = zip(*rows, strict=True)
    return Pairs(tasks, np.asarray(first, dtype=float), np.asarray(second, dtype=float), sentence)


def _by_task(values: Mapping[Key, float]) -> dict[str, float]:
    """The mean of every task over its seeds."""
    grouped: dict[str, list[float]] = defaultdict(list)
    for (task, _), value in values.items():
        grouped[task].append(value)
    return {task: sum(each) / len(each) for task, each in grouped.items()}
