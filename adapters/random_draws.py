"""A random source that draws the same on every machine and Python version."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

_T = TypeVar("_T")


class RandomDraws:
    """Draws by a seed.

    Everything comes from `random.Random.random`, the one method whose sequence for a seed Python
    promises to keep: https://docs.python.org/3/library/random.html#notes-on-reproducibility.
    """

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random

    def below(self, count: int) -> int:
        """A whole number from 0, less than `count`."""
        return int(self._next() * count)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def one_in(self, count: int) -> bool:
        """True once in `count` times."""
        return self.below(count) == 0

    def pick(self, items: Sequence[_T]) -> _T:
        return items[self.below(len(items))]

    def weighted(self, weights: Mapping[_T, int]) -> _T:
        """A key, as often as its weight says."""
        left = self.below(sum(weights.values()))
        for item, weight in weights.items():
            left -= weight
            if left < 0:
                return item
        raise ValueError("no key has a weight above 0")

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in items]
