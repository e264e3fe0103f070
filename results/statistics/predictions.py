"""Means of few real episodes, with narrower intervals from many simulated ones.

Prediction-powered inference with power tuning (Angelopoulos, Duchi and Zrnic, "PPI++", 2023).
Simulation of further tasks is added to the real results, corrected by its error on tasks that both
have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Array, Interval, student_quantile


@dataclass(frozen=True)
class PredictionPowered:
    """A mean of real episodes with the help of simulated ones."""

    interval: Interval
    """With their help."""
    alone: Interval
    """Student's interval of the real episodes alone."""
    weight: float
    """How far simulation is trusted; 0 is not at all."""
    narrower: float
    """The share by which the interval is narrower."""
    saved: int
    """Further real episodes that would narrow it as much."""
    sentence: str
    """What is assumed."""


def prediction_powered_mean(
    real: Sequence[float] | Array,
    simulated: Sequence[float] | Array,
    further: Sequence[float] | Array,
) -> PredictionPowered | str:
    """The mean of real results; a sentence where it is unknown.

    real, simulated: of the same tasks, one figure a task (the mean of its repeats). further:
    simulated results of other tasks from the same population.
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
        return "All real results are the same, so their mean has no interval."
    n, number = len(y), len(more)
    alone = _student(float(y.mean()), float(y.var(ddof=1) / n), n - 1)
    weight = 0.0
    if np.ptp(f) > 0:
        covariance = float(np.cov(y, f)[0, 1])
        spread = float(np.concatenate([f, more]).var(ddof=1))
        weight = covariance / ((1 + n / number) * spread)
    value = float(y.mean() + weight * (more.mean() - f.mean()))
    # The weight comes from the same data, which costs a degree of freedom.
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
        "real tasks and further simulated ones are taken as one random sample of tasks, and a "
        "task's repeats as one figure",
    )


def _student(value: float, variance: float, freedom: int) -> Interval:
    half = student_quantile(0.975, freedom) * float(np.sqrt(variance))
    return Interval(value, value - half, value + half)


def _width(interval: Interval) -> float:
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low
