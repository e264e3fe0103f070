"""Tests that may be looked at after every pair.

`SpendingTest` tells two planners apart. Given how large the difference is that a task shows, the
side that it favours is a fair coin where the planners are equally good. The error that is allowed
is spent over the planned number of tasks (Lan and DeMets, Biometrika 70, 1983), and the bound is
computed exactly from coins. After the planned number it rejects no more. Successes spend by their
function that comes near Pocock's bounds, progress by a power of the share of tasks, later.

`BettingTest` is for the mean of any difference in [-1, 1]. A player bets on the difference before
every task; where its mean is what the hypothesis says, the capital is a supermartingale and ever
grows to 1/alpha with a chance of alpha at most (Ville). The bets are a mixture of constant shares
of the capital; see Waudby-Smith and Ramdas, JRSS B 86, 2024 ("Estimating means of bounded random
variables by betting"), and Cover's universal portfolio. It needs no planned number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .intervals import Array

#: Shares of what can be bet: a mixture of those on both sides of zero.
_SHARES = (np.arange(40) + 0.5) / 40
#: The parts of a difference of 1.
_PARTS = 120
#: Means that an interval is looked for among.
_MEANS = np.linspace(-1, 1, 201)


#: The share of the error that is spent after a share of the tasks.
Spending = Callable[[float], float]


def spent_early(share: float) -> float:
    """Lan and DeMets' function near Pocock's bounds: best where one task tells little by itself."""
    return math.log1p((math.e - 1) * share)


def spent_late(share: float) -> float:
    """A power of the share of tasks: with fewer tasks at most, for differences of many sizes."""
    return float(share**1.5)


class SpendingBounds:
    """The bounds of a spending test, look by look.

    They depend on the sizes of the differences so far, and not on whom they favour.
    """

    def __init__(self, tasks: int, alpha: float = 0.05, spending: Spending = spent_early) -> None:
        self._planned = tasks
        self._alpha = alpha
        self._spending = spending
        self._looks = 0
        self._spent = 0.0
        # The chance under fair coins to be at a score, from -reach to reach, and not yet outside,
        # and by how far from zero it is at least.
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
        return self._alpha * self._spending(self._looks / self._planned)


def coin_step(chances: Array, size: int, first: float) -> Array:
    """Chances of scores after one more task that favours the first planner with this chance."""
    grown = np.zeros(len(chances) + 2 * size)
    grown[: -2 * size] += (1 - first) * chances
    grown[2 * size :] += first * chances
    return grown


class SpendingTest:
    """Whether one of two planners does better, looked at after every task.

    tasks: how many are planned at most. alpha: the chance of a wrong rejection over all looks.
    """

    def __init__(self, tasks: int, alpha: float = 0.05, spending: Spending = spent_early) -> None:
        self.looks = 0
        self.score = 0
        self.rejected = False
        self._bounds = SpendingBounds(tasks, alpha, spending)

    def add(self, difference: int) -> bool:
        """Add a task; say whether equality is rejected by now.

        difference: how much better the first did than the second, in whole parts: in how many more
        of its repeats it succeeded, or `parts_of` a difference of progress.
        """
        if not self.rejected:
            self.looks += 1
            self.score += difference
            bound = self._bounds.next(abs(difference))
            self.rejected = bound is not None and abs(self.score) >= bound
        return self.rejected


def parts_of(difference: float) -> int:
    """A difference of progress in whole parts, exact for up to six subgoals, eight and ten."""
    return round(difference * _PARTS)


class BettingTest:
    """Capital of bets against the mean of differences in [-1, 1] being a given number.

    mean: that number. side: 0 bets on both sides of it, 1 on a larger mean alone, which tests that
    the mean is at most that, and -1 on a smaller one alone.
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
        """The logarithm of the capital, which begins at 1."""
        return _log_mean(self._logs)

    @property
    def p(self) -> float:
        """An upper bound of the p-value, whenever it is looked at: 1 by the largest capital."""
        return float(np.exp(-self._best))

    def rejects(self, alpha: float) -> bool:
        """Whether the capital has ever reached 1/alpha."""
        return bool(self._best >= -np.log(alpha))


def confidence_sequence(
    differences: Sequence[float] | Array, alpha: float = 0.05
) -> tuple[float, float]:
    """An interval for the mean of differences in [-1, 1] that holds whenever one looks.

    It is made of the means that no bets reject so far, on a grid of 0.01.
    """
    kept = [mean for mean in _MEANS.tolist() if not _ever_rejected(mean, differences, alpha)]
    if not kept:  # everything was rejected at some time: what is left is the mean itself
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
    # The largest loss of a bet on a larger mean is 1 + mean, of one on a smaller 1 - mean.
    above = _SHARES / max(1 + mean, 1e-9)
    below = -_SHARES / max(1 - mean, 1e-9)
    if side:
        return above if side > 0 else below
    return np.concatenate([above, below])


def _log_mean(logs: Array) -> float:
    top = float(logs.max())
    return top + float(np.log(np.mean(np.exp(logs - top))))
