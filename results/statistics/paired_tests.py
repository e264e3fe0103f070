"""Two planners on the same tasks: exact McNemar, and the sign-flip test where tasks repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from .intervals import Array, Interval, cluster_sums, mean_interval
from .pairs import Pairs

#: Sign flips that are drawn where there are too many to go through.
_FLIPS = 20_000
#: Tasks whose flips are gone through one by one.
_FEW_TASKS = 14
_SEED = 20240229


@dataclass(frozen=True)
class PairedComparison:
    """How the first did against the second on the same tasks.

    tasks: clusters; pairs: episodes of either. first_better, second_better, ties: tasks by their
    mean over repeats. difference: of the means, first less second, with its interval. p: two-sided,
    of `test`. sentence: what is assumed.
    """

    tasks: int
    pairs: int
    first_better: int
    second_better: int
    ties: int
    difference: Interval
    test: str
    p: float
    sentence: str


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
            f"{pairs.sentence}; {unit} from the tasks that one wants to speak of, the test takes "
            "the two as exchangeable in each"
        ),
    )


def holm(ps: Sequence[float]) -> list[float]:
    """The p-values of several comparisons, corrected so that any false one is as rare (Holm)."""
    corrected, largest = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = largest
    return corrected


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p of the exact test: as many heads or tails among so many fair coins."""
    number = only_first + only_second
    tail = sum(comb(number, i) for i in range(min(only_first, only_second) + 1))
    return float(min(1.0, 2 * tail / 2**number))


def sign_flip(sums: Array) -> float:
    """The two-sided p of flipping the sign of each task's difference.

    sums: of each task, over its repeats. Whole numbers give the exact p, by convolution; others of
    up to fourteen tasks as well, by going through all flips; of more tasks 20,000 flips are drawn
    from a fixed seed, and the observed one counts among them, so that p is never too small.
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
