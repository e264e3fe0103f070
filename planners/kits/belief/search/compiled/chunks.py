"""The limits of a compiled search, alone or as one of several trees."""

from __future__ import annotations

import time

from ..protocol import Limits
from ..streams import branch

#: The seconds of a chunk of simulations; the clock is read between chunks.
CHUNK_SECONDS = 0.001
#: The branch of a seed for the seeds of further trees.
_TREES = 1 << 40


class Chunks:
    """The number of simulations to run next, by the time left. timed_out: whether time ran out.

    The first simulation always runs: without it there is no decision.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._start = self._before = time.perf_counter()
        self._chunk = 0
        self.timed_out = False

    def spent(self) -> float:
        """The seconds so far."""
        return time.perf_counter() - self._start

    def following(self, done: int) -> int:
        """The number to run next, given the number done; 0 where a limit is reached."""
        now = time.perf_counter()
        seconds, simulations = self._limits.seconds, self._limits.simulations
        if simulations is not None and done >= simulations:
            return 0
        left = None if simulations is None else simulations - done
        if seconds is None:
            return left or 0
        if not self._chunk:
            self._chunk = 1
            return 1
        if self._limits.out_of_time(now - self._start):
            self.timed_out = True
            return 0
        took, self._before = now - self._before, now
        if took < CHUNK_SECONDS:
            self._chunk *= 2
        elif took > 2 * CHUNK_SECONDS:
            self._chunk = max(1, self._chunk // 2)
        return self._chunk if left is None else min(self._chunk, left)


def shares(limits: Limits, trees: int) -> list[Limits]:
    """The limits of each tree; the first trees take the remainder."""
    if len(limits.by_tree) == trees:
        return [Limits(max(1, count), limits.seconds) for count in limits.by_tree]
    if limits.simulations is None or trees == 1:
        return [limits] * trees
    each, rest = divmod(limits.simulations, trees)
    return [Limits(max(1, each + (number < rest)), limits.seconds) for number in range(trees)]


def seed_of(seed: int, tree: int) -> int:
    """The seed of a tree; the first has the seed of the search."""
    return seed if tree == 0 else branch(branch(_TREES, seed), tree)
