"""A random source with the same draws on every machine and Python version."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

_T = TypeVar("_T")


class RandomDraws:
    """Draws by a seed.

    All draws use `random.Random.random`, the only method with a guaranteed sequence per seed:
    https://docs.python.org/3/library/random.html#notes-on-reproducibility.
    """

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random

    def below(self, count: int) -> int:
        """An integer from 0, less than `count`."""
        return int(self._next() * count)

    def between(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def one_in(self, count: int) -> bool:
        """True with a probability of 1 in `count`."""
        return self.below(count) == 0

    def pick(self, items: Sequence[_T]) -> _T:
        return items[self.below(len(items))]

    def weighted(self, weights: Mapping[_T, int]) -> _T:
        """A key, with a probability proportional to its weight."""
        left = self.below(sum(weights.values()))
        for item, weight in weights.items():
            left -= weight
            if left < 0:
                return item
        raise ValueError("no key has a weight above 0")

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in items]
