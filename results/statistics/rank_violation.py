"""Mean maximum rank violation (MMRV) of planners, with an interval.

Noise alone puts measured figures in the wrong order, so the measured MMRV is too large on average.
A bootstrap over tasks repeats that error: its intervals missed a small MMRV in up to three of four
simulated studies. Here the planners' true figures are drawn given the measured ones. True figures
are taken as normal over planners, with any correlation of the two sides. Measured ones are normal
around them with the covariance over tasks.
"""

from __future__ import annotations

import numpy as np

from .intervals import Array, Interval

_SEED = 20240229
#: Parallel chains of draws; the first draws of each are left out.
_CHAINS, _LEFT_OUT, _USED = 40, 20, 40
#: Prior of the variance over planners, as a share of the measured one, and the smallest variance.
#: Chosen for coverage, see benchmarks/studies.py.
_PRIOR_SHARE = 0.05
_SMALLEST_VARIANCE = 1e-4


def mmrv(x: Array, y: Array) -> float:
    """Mean maximum rank violation of simulated means x against real means y."""
    return float(_violations(x[None], y[None])[0])


def mmrv_interval(sim: Array, real: Array) -> Interval:
    """MMRV of figures by planner and task, with its interval; no interval from one task."""
    value = mmrv(sim.mean(axis=1), real.mean(axis=1))
    if sim.shape[1] < 2:
        return Interval(value, None, None)
    drawn = _violations(*_true_figures(sim, real))
    low, high = np.quantile(drawn, [0.025, 0.975])
    # The interval contains the measured value, although that is too large on average.
    return Interval(value, min(value, float(low)), max(value, float(high)))


def _violations(x: Array, y: Array) -> Array:
    """MMRV of each row of means, shape (rows, planners)."""
    gaps = y[:, :, None] - y[:, None, :]
    wrong = np.sign(gaps) != np.sign(x[:, :, None] - x[:, None, :])
    return np.asarray((np.abs(gaps) * wrong).max(axis=2).mean(axis=1))


def _true_figures(sim: Array, real: Array) -> tuple[Array, Array]:
    """Draws of the planners' true figures on either side, each of shape (draws, planners).

    Gibbs sampling: the covariance over planners given the figures, then the figures given the
    covariance.
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
