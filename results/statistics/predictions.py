"""Means of a few real episodes, made narrower by many simulated ones of the same kind of task.

Prediction-powered inference with power tuning (Angelopoulos, Duchi and Zrnic, "PPI++", 2023): real
results are corrected by how far simulation was off on the same tasks, and simulation of further
tasks, of which nothing real is known, stands in for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Array, Interval, student_quantile


@dataclass(frozen=True)
class PredictionPowered:
    """A mean of real episodes with the help of simulated ones.

    interval: with their help; alone: Student's interval of the real ones alone. weight: how far
    simulation was trusted, 0 not at all. narrower: the share by which the interval is. saved: the
    real episodes that so much narrowness would else have cost.
    """

    interval: Interval
    alone: Interval
    weight: float
    narrower: float
    saved: int
    sentence: str


def prediction_powered_mean(
    real: Sequence[float] | Array,
    simulated: Sequence[float] | Array,
    further: Sequence[float] | Array,
) -> PredictionPowered | str:
    """The mean of real results.

    real, simulated: of the same tasks, a figure a task (the mean of its repeats). further:
    simulated results of other tasks of the same draw. One sentence where it cannot be told.
    """
    y, f = np.asarray(real, dtype=float), np.asarray(simulated, dtype=float)
    more = np.asarray(further, dtype=float)
    if len(y) != len(f):
        raise ValueError("real and simulated results are of the same tasks")
    if len(y) < 4 or len(more) < 2:
        return (
            "Prediction-powered intervals need four tasks that are both real and simulated, and "
            "two further simulated ones; play more."
        )
    if np.ptp(y) == 0:
        return "All real results are the same: how far their mean is off cannot be told."
    n, number = len(y), len(more)
    alone = _student(float(y.mean()), float(y.var(ddof=1) / n), n - 1)
    weight = 0.0
    if np.ptp(f) > 0:
        covariance = float(np.cov(y, f)[0, 1])
        spread = float(np.concatenate([f, more]).var(ddof=1))
        weight = covariance / ((1 + n / number) * spread)
    value = float(y.mean() + weight * (more.mean() - f.mean()))
    # The weight was read off the same data, which costs a degree of freedom.
    residual = y - weight * f
    variance = float(np.sum((residual - residual.mean()) ** 2) / (n - 2) / n)
    variance += weight**2 * float(more.var(ddof=1)) / number
    interval = _student(value, variance, n - 2)
    share = 1 - _width(interval) / _width(alone)
    saved = round(n / (1 - share) ** 2) - n if share > 0 else 0
    return PredictionPowered(
        interval,
        alone,
        weight,
        share,
        saved,
        "real tasks and further simulated ones are taken as one random draw of tasks, and a task's "
        "repeats as one figure",
    )


def _student(value: float, variance: float, freedom: int) -> Interval:
    half = student_quantile(0.975, freedom) * float(np.sqrt(variance))
    return Interval(value, value - half, value + half)


def _width(interval: Interval) -> float:
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low
