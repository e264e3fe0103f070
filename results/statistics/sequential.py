"""Tests that allow a look after every pair.

`SpendingTest` separates two planners by single successes. Of the tasks that one planner alone
solves, the side is a fair coin where the planners are equally good. The allowed error is spent over
the planned number of tasks (Lan and DeMets, Biometrika 70, 1983); bounds are computed exactly.

`PlannedBets` and `BettingTest` are for the mean of any difference in [-1, 1], such as of progress
or of repeats: equal means leave the differences any other shape, and a coin would not be fair. A
player bets on each difference. Under the hypothesis the capital is a supermartingale and reaches
1/alpha with a probability of at most alpha (Ville). The bets of `BettingTest` are a mixture of
constant shares of the capital (Waudby-Smith and Ramdas, JRSS B 86, 2024; Cover's universal
portfolio). It needs no planned number of tasks. `PlannedBets` needs fewer tasks. It bets what is
best for normal differences to reach the capital within the planned tasks, found again before each
task from what is left (as the STaR-Bets of Voracek and Orabona, 2025).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from .intervals import Array

#: Shares of the largest possible bet, mixed on both sides of zero.
_SHARES = (np.arange(40) + 0.5) / 40
#: A first square of a difference, before any is known, and the largest part of a capital to bet.
_FIRST_SQUARE, _LARGEST_BET = 0.1, 0.95
#: A smaller share of the wanted capital counts as this one.
_LEAST_SHARE = 1e-9
#: Grid of means for intervals.
_MEANS = np.linspace(-1, 1, 201)


def spent(share: float) -> float:
    """The share of the error that is spent in a share of the tasks; near Pocock's bounds."""
    return math.log1p((math.e - 1) * share)


class SpendingBounds:
    """The bounds of a spending test, look by look.

    They depend on the sizes of the differences so far, not on their signs.
    """

    def __init__(self, tasks: int, alpha: float = 0.05) -> None:
        self._planned = tasks
        self._alpha = alpha
        self._looks = 0
        self._spent = 0.0
        # Probabilities under fair coins: of each score from -reach to reach while not rejected, and
        # of each absolute score or more.
        self._chances: Array = np.ones(1)
        self._tails: Array = np.ones(1)

    def next(self, size: int) -> int | None:
        """The absolute score that rejects after one more task; None where none does."""
        self._looks += 1
        if self._looks > self._planned:
            return None
        if size:
            self._chances = coin_step(self._chances, size, 0.5)
            self._weigh()
        left = self._allowed - self._spent + 1e-12
        bound = len(self._tails) - int(np.searchsorted(self._tails[::-1], left, side="right"))
        if bound >= len(self._tails) or bound == 0:
            return None
        self._spent += float(self._tails[bound])
        reach = len(self._chances) // 2
        self._chances[: reach - bound + 1] = 0
        self._chances[reach + bound :] = 0
        self._weigh()
        return bound

    def _weigh(self) -> None:
        reach = len(self._chances) // 2
        both = self._chances[reach:] + self._chances[reach::-1]
        self._tails = np.cumsum(both[::-1])[::-1]

    @property
    def _allowed(self) -> float:
        return self._alpha * spent(self._looks / self._planned)


def coin_step(chances: Array, size: int, first: float) -> Array:
    """Probabilities of scores after one more task, which favours the first planner with `first`."""
    grown = np.zeros(len(chances) + 2 * size)
    grown[: -2 * size] += (1 - first) * chances
    grown[2 * size :] += first * chances
    return grown


class SpendingTest:
    """Tests, after every task, whether one of two planners does better.

    tasks: planned at most. alpha: probability of a wrong rejection over all looks.
    """

    def __init__(self, tasks: int, alpha: float = 0.05) -> None:
        self.looks = 0
        self.score = 0
        self.rejected = False
        self._bounds = SpendingBounds(tasks, alpha)

    def add(self, difference: float) -> bool:
        """Add a task; returns whether equality is rejected by now.

        difference: 1 where the first alone succeeded, -1 where the second did, else 0.
        """
        if not self.rejected:
            self.looks += 1
            self.score += round(difference)
            bound = self._bounds.next(abs(round(difference)))
            self.rejected = bound is not None and abs(self.score) >= bound
        return self.rejected


class PlannedBets:
    """Tests, after every task, whether the mean of differences in [-1, 1] is other than zero.

    tasks: planned at most. alpha: probability of a wrong rejection over all looks, half of it on
    either side. The tasks are independent draws. score: 1 or -1 once it has rejected, by which side
    is better.
    """

    def __init__(self, tasks: int, alpha: float = 0.05) -> None:
        self.score = 0
        self._left = tasks
        # 1 divided by the capital that is still wanted, of the bets on the first and the second.
        self._shares = [alpha / 2, alpha / 2]
        self._squares, self._count = _FIRST_SQUARE, 1

    def add(self, difference: float) -> bool:
        """Add a task; returns whether a mean of zero is rejected by now."""
        if self.rejected or not self._left:
            return self.rejected
        spread = math.sqrt(self._squares / self._count * self._left)
        for side, sign in ((0, 1), (1, -1)):
            stake = min(_reaching_bet(self._shares[side]) / spread, _LARGEST_BET)
            self._shares[side] *= 1 + sign * stake * difference
            if self._shares[side] >= 1:
                self.score = sign
        self._left -= 1
        self._squares += difference**2
        self._count += 1
        return self.rejected

    @property
    def rejected(self) -> bool:
        return self.score != 0


def _reaching_bet(share: float) -> float:
    """The part of the capital to bet, for a spread of 1 in what is left to be played.

    A random walk reaches a bound with this probability; the bet follows how the probability grows
    with the walk. share: of the wanted capital.
    """
    normal = NormalDist()
    bound = normal.inv_cdf(1 - max(share, _LEAST_SHARE) / 2)
    return 2 * normal.pdf(bound) / max(share, _LEAST_SHARE)


class BettingTest:
    """Capital of bets against a given mean of differences in [-1, 1].

    mean: the tested mean. side: 0 bets on both sides. 1 bets on a larger mean alone, which tests
    that the mean is at most `mean`; -1 bets on a smaller one alone.
    """

    def __init__(self, mean: float = 0.0, side: int = 0) -> None:
        self._mean = mean
        self._shares = _shares(mean, side)
        self._logs = np.zeros(len(self._shares))
        self._best = 0.0

    def add(self, difference: float) -> None:
        """Add a task's difference, between -1 and 1."""
        self._logs += np.log1p(self._shares * (difference - self._mean))
        self._best = max(self._best, self.log_capital)

    @property
    def log_capital(self) -> float:
        """The logarithm of the capital, which starts at 1."""
        return _log_mean(self._logs)

    @property
    def p(self) -> float:
        """An upper bound of the p-value at any time: 1 divided by the largest capital."""
        return float(np.exp(-self._best))

    def rejects(self, alpha: float) -> bool:
        """Whether the capital has ever reached 1/alpha."""
        return bool(self._best >= -np.log(alpha))


def confidence_sequence(
    differences: Sequence[float] | Array, alpha: float = 0.05
) -> tuple[float, float]:
    """An interval for the mean of differences in [-1, 1] that is valid at every look.

    It holds the means, on a grid of 0.01, that no bets have rejected.
    """
    kept = [mean for mean in _MEANS.tolist() if not _ever_rejected(mean, differences, alpha)]
    if not kept:  # every mean of the grid was rejected at some time
        kept = [float(np.mean(differences))]
    return min(kept), max(kept)


def _ever_rejected(mean: float, differences: Sequence[float] | Array, alpha: float) -> bool:
    if not len(differences):
        return False
    shares = _shares(mean, 0)
    gains = np.log1p(shares[:, None] * (np.asarray(differences, dtype=float) - mean))
    logs = np.cumsum(gains, axis=1)
    top = logs.max(axis=0)
    capital = top + np.log(np.mean(np.exp(logs - top), axis=0))
    return bool(capital.max() >= -np.log(alpha))


def _shares(mean: float, side: int) -> Array:
    """Bets that no difference in [-1, 1] can ruin."""
    # A bet on a larger mean loses at most 1 + mean, one on a smaller mean 1 - mean.
    above = _SHARES / max(1 + mean, 1e-9)
    below = -_SHARES / max(1 - mean, 1e-9)
    if side:
        return above if side > 0 else below
    return np.concatenate([above, below])


def _log_mean(logs: Array) -> float:
    top = float(logs.max())
    return top + float(np.log(np.mean(np.exp(logs - top))))
