"""Agreement of two sides on the success of the same episodes: counts and Cohen's kappa."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Array, Interval, cluster_sums, student_quantile


@dataclass(frozen=True)
class OutcomeAgreement:
    """Pairs of episodes by success on either side."""

    both: int
    """Both succeeded."""
    only_first: int
    """Only the first succeeded."""
    only_second: int
    """Only the second succeeded."""
    neither: int
    """Neither succeeded."""
    kappa: Interval | None
    """Cohen's kappa, the agreement beyond chance; None where one outcome is the only one."""
    sentence: str
    """What its interval assumes."""


def outcome_agreement(
    first: Sequence[float] | Array, second: Sequence[float] | Array, tasks: Sequence[Hashable]
) -> OutcomeAgreement:
    """The agreement of paired successes. tasks: of each pair; pairs of a task are one cluster.

    Raises ValueError without pairs, or for values other than 0 and 1.
    """
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(x) or not (np.isin(x, (0, 1)).all() and np.isin(y, (0, 1)).all()):
        raise ValueError("outcomes are pairs of 0 or 1")
    return OutcomeAgreement(
        both=int((x * y).sum()),
        only_first=int((x * (1 - y)).sum()),
        only_second=int((y * (1 - x)).sum()),
        neither=int(((1 - x) * (1 - y)).sum()),
        kappa=_kappa(x, y, tasks),
        sentence="tasks are a random sample, and all episodes of a task are one draw",
    )


def _kappa(x: Array, y: Array, tasks: Sequence[Hashable]) -> Interval | None:
    """Kappa with the variance of its linear part, summed over tasks."""
    p, q = float(x.mean()), float(y.mean())
    chance = p * q + (1 - p) * (1 - q)
    if chance > 1 - 1e-12:
        return None
    same = (x == y).astype(float)
    kappa = (float(same.mean()) - chance) / (1 - chance)
    # The effect of one more pair on kappa: through the agreement, and through both rates.
    moved = (same - same.mean()) - (1 - kappa) * ((2 * q - 1) * (x - p) + (2 * p - 1) * (y - q))
    return _bounded(kappa, moved / (1 - chance), tasks, -1.0)


def _bounded(value: float, influences: Array, tasks: Sequence[Hashable], lowest: float) -> Interval:
    """A Student interval on Fisher's scale between `lowest` and 1."""
    sums, counts = cluster_sums(influences, tasks)
    number = len(sums)
    error = float(np.sqrt(number / max(number - 1, 1) * np.sum(sums**2))) / float(counts.sum())
    if number < 4 or error < 1e-12:
        return Interval(value, None, None)
    half = student_quantile(0.975, number - 1) * error
    return Interval(value, max(lowest, value - half), min(1.0, value + half))
