"""Agreement of simulation with reality: in planners' figures, and in outcomes of episodes.

Ties: equal figures share their mean rank (Spearman). In MMRV, of two planners that tie in
simulation alone, the better one is out of order, as in SIMPLER's code; `Agreement.mmrv_both` counts
both. Planners that tie in reality are never out of order. A correlation is None where all planners
have the same figure on one side.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Array, Interval, cluster_sums, student_quantile


@dataclass(frozen=True)
class Agreement:
    """Agreement of the planners' mean figures, simulated and real."""

    planners: tuple[str, ...]
    """Their labels."""
    srcc: Interval | None
    """Pearson's correlation, as papers on simulated evaluation call it."""
    spearman: Interval | None
    """Correlation of ranks."""
    mmrv: Interval
    """Mean over planners of the largest real difference that simulation orders wrongly."""
    mmrv_both: float
    """The same where a tie in simulation counts for both planners."""
    notes: tuple[str, ...]
    """Which figures are unknown, and why."""
    sentence: str
    """What the intervals assume."""


def agreement(simulated: Mapping[str, Array], real: Mapping[str, Array]) -> Agreement | str:
    """The agreement over planners that both have; a sentence where there are fewer than two.

    simulated, real: by planner, one figure a task. The tasks are the same everywhere, in the same
    order.
    """
    planners = tuple(name for name in simulated if name in real)
    if len(planners) < 2:
        return (
            "Agreement needs at least two planners that both sides have; add runs of more planners."
        )
    sim = np.array([simulated[name] for name in planners], dtype=float)
    true = np.array([real[name] for name in planners], dtype=float)
    if sim.shape != true.shape:
        raise ValueError("simulated and real figures are of the same tasks")
    x, y = sim.mean(axis=1), true.mean(axis=1)
    notes = []
    for side, means in (("simulation", x), ("reality", y)):
        if np.ptp(means) < 1e-12:
            notes.append(f"all planners have the same figure in {side}: correlations are undefined")
    if not notes and len(planners) < 4:
        notes.append("intervals of correlations need four planners")
    return Agreement(
        planners,
        _correlation(x, y, spearman=False),
        _correlation(ranks(x), ranks(y), spearman=True),
        mmrv_interval(sim, true),
        mmrv(x, y, ties_of_both=True),
        tuple(notes),
        "intervals take the planners as a random sample with normally distributed figures; "
        "those of correlations are Fisher's z (Bonett and Wright's for Spearman), that of MMRV is "
        "of the planners' true figures, drawn given the measured ones",
    )


def leave_one_out(
    simulated: Mapping[str, Array], real: Mapping[str, Array]
) -> dict[str, Agreement]:
    """The agreement without each planner in turn; empty for fewer than three."""
    names = [name for name in simulated if name in real]
    found = {}
    for left_out in names if len(names) > 2 else ():
        rest = {name: simulated[name] for name in names if name != left_out}
        without = agreement(rest, real)
        if isinstance(without, Agreement):
            found[left_out] = without
    return found


def pearson(x: Array, y: Array) -> float | None:
    """The correlation; None where one side is constant."""
    dx, dy = x - x.mean(), y - y.mean()
    spread = math.sqrt(float(dx @ dx) * float(dy @ dy))
    return float(np.clip(dx @ dy / spread, -1, 1)) if spread > 1e-15 else None


def ranks(values: Sequence[float] | Array) -> Array:
    """Ranks from 1; equal values share the mean of theirs."""
    data = np.asarray(values, dtype=float)
    below = (data[None, :] < data[:, None]).sum(axis=1)
    same = (data[None, :] == data[:, None]).sum(axis=1)
    return np.asarray(below + (same + 1) / 2)


def _correlation(x: Array, y: Array, spearman: bool) -> Interval | None:
    value = pearson(x, y)
    if value is None:
        return None
    if len(x) < 4:
        return Interval(value, None, None)
    if abs(value) > 1 - 1e-12:
        return Interval(value, None, None)  # the transform is infinite there
    unit = 1 + value**2 / 2 if spearman else 1.0
    half = 1.959963984540054 * math.sqrt(unit / (len(x) - 3))
    middle = math.atanh(value)
    return Interval(value, math.tanh(middle - half), math.tanh(middle + half))


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


_SEED = 20240229
#: Parallel chains of draws; the first draws of each are left out.
_CHAINS, _LEFT_OUT, _USED = 40, 20, 40
#: Prior of the variance over planners, as a share of the measured one, and the smallest variance.
#: Chosen for coverage, see benchmarks/studies.py.
_PRIOR_SHARE = 0.05
_SMALLEST_VARIANCE = 1e-4
#: Quantiles of the draws. They are further out than 2.5 % and 97.5 %, above most of all: the draws
#: bring planners closer to each other than they are, if these agree little. Chosen likewise.
_LEVELS = (0.02, 0.99)


def mmrv(x: Array, y: Array, *, ties_of_both: bool = False) -> float:
    """Mean maximum rank violation of simulated means x against real means y.

    ties_of_both: whether a tie in simulation counts for both planners, not for the better one.
    """
    if ties_of_both:
        return float(np.maximum(_largest(x[None], y[None]), _largest(-x[None], -y[None])).mean())
    return float(_largest(x[None], y[None]).mean())


def mmrv_interval(sim: Array, real: Array) -> Interval:
    """MMRV of figures by planner and task, with its interval; no interval from one task.

    Noise alone puts measured figures in the wrong order, so the measured MMRV is too large on
    average. A bootstrap repeats that error: its intervals missed a small MMRV in up to three of
    four simulated studies. So the planners' true figures are drawn given the measured ones.
    """
    value = mmrv(sim.mean(axis=1), real.mean(axis=1))
    if sim.shape[1] < 2:
        return Interval(value, None, None)
    drawn = _largest(*_true_figures(sim, real)).mean(axis=1)
    low, high = np.quantile(drawn, _LEVELS)
    # The interval contains the measured value, although that is too large on average.
    return Interval(value, min(value, float(low)), max(value, float(high)))


def _largest(x: Array, y: Array) -> Array:
    """The largest violation of each planner, from rows of means, shape (rows, planners)."""
    wrong = (x[:, :, None] > x[:, None, :]) != (y[:, :, None] > y[:, None, :])
    return np.asarray((np.abs(y[:, :, None] - y[:, None, :]) * wrong).max(axis=2))


def _true_figures(sim: Array, real: Array) -> tuple[Array, Array]:
    """Draws of the planners' true figures on either side, each of shape (draws, planners).

    True figures are normal over planners, with any correlation of the two sides; measured ones are
    normal around them with the covariance over tasks. Gibbs sampling: the covariance over planners
    given the figures, then the figures given the covariance.
    """
    random = np.random.default_rng(_SEED)
    planners = len(sim)
    measured = np.stack([sim.mean(axis=1), real.mean(axis=1)])
    noise = _noise(np.vstack([sim, real]))
    certainty = np.linalg.inv(noise)
    prior = np.diag(_PRIOR_SHARE * measured.var(axis=1, ddof=1) + _SMALLEST_VARIANCE)
    shape = (_CHAINS, 2 * planners)
    figures = measured.ravel() + random.normal(size=shape) @ np.linalg.cholesky(noise).T
    kept = []
    for turn in range(_LEFT_OUT + _USED):
        sides = figures.reshape(_CHAINS, 2, planners)
        precision = _precision(sides, prior, random)
        spread = np.linalg.cholesky(np.linalg.inv(precision) / planners)
        middle = sides.mean(axis=2) + (spread @ random.normal(size=(_CHAINS, 2, 1)))[:, :, 0]
        wanted = certainty + np.einsum("cab,ij->caibj", precision, np.eye(planners)).reshape(
            _CHAINS, 2 * planners, 2 * planners
        )
        pulled = certainty @ measured.ravel() + np.einsum("cab,cb->ca", precision, middle).repeat(
            planners, axis=1
        )
        root = np.linalg.cholesky(wanted).transpose(0, 2, 1)
        off = np.linalg.solve(root, random.normal(size=(*shape, 1)))
        figures = (np.linalg.solve(wanted, pulled[:, :, None]) + off)[:, :, 0]
        if turn >= _LEFT_OUT:
            kept.append(figures)
    drawn = np.concatenate(kept).reshape(-1, 2, planners)
    return drawn[:, 0], drawn[:, 1]


def _noise(figures: Array) -> Array:
    """The covariance over tasks of means, from figures by row and task.

    It is shrunk a little towards its diagonal. So few tasks give one that can be inverted, and a
    row of equal figures is not taken as certain.
    """
    tasks = figures.shape[1]
    covariance = np.atleast_2d(np.cov(figures)) / tasks
    least = 0.25 / (tasks + 2) ** 2
    share = min(1.0, 2 / tasks)
    diagonal = np.diag(share * np.diag(covariance) + least)
    return np.asarray((1 - share) * covariance + diagonal)


def _precision(sides: Array, prior: Array, random: np.random.Generator) -> Array:
    """The inverse of the covariance over planners, drawn for each chain (Wishart)."""
    chains, _, planners = sides.shape
    apart = sides - sides.mean(axis=2, keepdims=True)
    root = np.linalg.cholesky(np.linalg.inv(apart @ apart.transpose(0, 2, 1) + prior))
    freedom = max(2.0, planners - 1.0)
    lower = np.zeros((chains, 2, 2))
    lower[:, 0, 0] = np.sqrt(random.chisquare(freedom, chains))
    lower[:, 1, 1] = np.sqrt(random.chisquare(freedom - 1, chains))
    lower[:, 1, 0] = random.normal(size=chains)
    half = root @ lower
    return np.asarray(half @ half.transpose(0, 2, 1))
