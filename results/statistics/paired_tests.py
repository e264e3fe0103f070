"""Paired tests of two planners: exact McNemar, or sign flips where tasks repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from .intervals import Array, Interval, cluster_sums, mean_interval, means_by_task

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
    means, others = (
        means_by_task((task, value) for (task, _), value in each.items())
        for each in (first, second)
    )
    rows = [(task, mean, others[task]) for task, mean in means.items() if task in others]
    if not rows:
        return "no task was scored in both, so they cannot be paired; run both on the same tasks"
    return _pairs(rows, "paired by task alone, since no seed is in both")


def _pairs(rows: list[tuple[str, float, float]], sentence: str) -> Pairs:
    tasks, first, second = zip(*rows, strict=True)
    return Pairs(tasks, np.asarray(first, dtype=float), np.asarray(second, dtype=float), sentence)


#: Random sign flips where there are too many to enumerate.
_FLIPS = 20_000
#: Up to so many tasks, all flips are enumerated.
_FEW_TASKS = 14
_SEED = 20240229


@dataclass(frozen=True)
class PairedComparison:
    """The first planner against the second on the same tasks."""

    tasks: int
    """Number of tasks, the clusters."""
    pairs: int
    """Number of pairs of episodes."""
    first_better: int
    """Tasks with a better mean of the first."""
    second_better: int
    """Tasks with a better mean of the second."""
    ties: int
    """Tasks with equal means."""
    difference: Interval
    """Of the means, first less second."""
    test: str
    """Name of the test."""
    p: float
    """Two-sided p of the test."""
    sentence: str
    """What is assumed."""


def compare_pairs(pairs: Pairs) -> PairedComparison:
    """The comparison of paired figures: successes, or progress."""
    sums, _ = cluster_sums(pairs.differences, pairs.tasks)
    signs = np.sign(np.round(sums, 9))
    first_better, second_better = int((signs > 0).sum()), int((signs < 0).sum())
    binary = bool(np.isin(pairs.first, (0, 1)).all() and np.isin(pairs.second, (0, 1)).all())
    if binary and not pairs.is_clustered:
        test, p = "exact McNemar", mcnemar(first_better, second_better)
    else:
        test, p = "sign-flip over tasks", sign_flip(sums)
    unit = "a task is one draw with all its repeats" if pairs.is_clustered else "a task is one draw"
    return PairedComparison(
        tasks=len(sums),
        pairs=len(pairs.tasks),
        first_better=first_better,
        second_better=second_better,
        ties=len(sums) - first_better - second_better,
        difference=mean_interval(pairs.differences, pairs.tasks),
        test=test,
        p=p,
        sentence=(
            f"{pairs.sentence}; {unit} from the tasks of interest, the test takes the two "
            "planners as exchangeable in each"
        ),
    )


def holm(ps: Sequence[float]) -> list[float]:
    """p-values corrected for several comparisons (Holm), which keeps the family-wise error."""
    corrected, largest = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = largest
    return corrected


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p of the exact test."""
    number = only_first + only_second
    tail = sum(comb(number, i) for i in range(min(only_first, only_second) + 1))
    return float(min(1.0, 2 * tail / 2**number))


def sign_flip(sums: Array) -> float:
    """The two-sided p of flipping the sign of each task's difference.

    sums: of each task over its repeats. Whole numbers give the exact p by convolution. Other sums
    are enumerated for up to fourteen tasks. For more tasks 20,000 flips are drawn from a fixed
    seed; the observed one counts among them, so that p is never too small.
    """
    sizes = np.abs(np.asarray(sums, dtype=float))
    sizes = sizes[sizes > 1e-12]
    observed = abs(float(np.sum(sums)))
    if not len(sizes):
        return 1.0
    whole = np.round(sizes)
    if np.allclose(sizes, whole, atol=1e-9):
        return _exact([int(size) for size in whole], round(observed))
    if len(sizes) <= _FEW_TASKS:
        flips = 1 - 2 * (np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes)) & 1)
        return float(np.mean(np.abs(flips @ sizes) >= observed - 1e-9))
    flips = np.random.default_rng(_SEED).choice([-1, 1], size=(_FLIPS, len(sizes)))
    extreme = int(np.count_nonzero(np.abs(flips @ sizes) >= observed - 1e-9))
    return (extreme + 1) / (_FLIPS + 1)


def _exact(sizes: list[int], observed: int) -> float:
    total = sum(sizes)
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0
    for size in sizes:
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    return float(min(1.0, chances[np.abs(np.arange(-total, total + 1)) >= observed].sum()))
