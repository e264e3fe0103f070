"""Compiled searches: trees of one decision, grown side by side within limits."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic

from ..particles import ParticleBelief
from ..protocol import SECONDS, SIMULATIONS, BranchStep, Limits, SearchResult, StateT
from ..streams import branch
from .model import CompiledModel, instantiated

#: The index of each counter that all pools have.
NODES, STEPS, SIMULATED = range(3)
#: The seconds of a chunk of simulations; the clock is read between chunks.
CHUNK_SECONDS = 0.001
#: The branch of a seed for the seeds of further trees.
_TREES = 1 << 40


class Tree(ABC):
    """The tree of one decision in a pool."""

    def __init__(self, search: CompiledSearch[Any], pool: Any) -> None:
        self.data = search.model.data
        self.template = search.template
        self.pool = pool
        pool.counters[:] = 0

    @property
    def simulations(self) -> int:
        """The number of simulations so far."""
        return int(self.pool.counters[SIMULATED])

    def search(self, limits: Limits) -> SearchResult:
        """Grow the tree in chunks of simulations that fit the time left."""
        chunks = _Chunks(limits)
        reason = None
        while reason is None and (wanted := chunks.following(self.simulations)) > 0:
            reason = self.grow(wanted)
        seconds, counters = chunks.spent(), self.pool.counters
        return SearchResult(
            **self.decision(),
            simulations=self.simulations,
            nodes=int(counters[NODES]),
            steps=int(counters[STEPS]),
            seconds=seconds,
            ended=SECONDS if chunks.timed_out else reason or SIMULATIONS,
            branch=tuple(self.branch()),
        )

    @abstractmethod
    def grow(self, simulations: int) -> str | None:
        """Run simulations. Returns why the search ends; None where it may go on."""

    @abstractmethod
    def decision(self) -> dict[str, Any]:
        """The fields of the result that only this kind of search knows."""

    @abstractmethod
    def branch(self) -> Iterator[BranchStep]:
        """Yield the best actions from the root, each with its likeliest observation."""


class CompiledSearch(ABC, Generic[StateT]):
    """A search of one model. It reuses its memory, a pool for each tree, for every decision."""

    def __init__(self, template: str, model: CompiledModel[StateT], pools: Sequence[Any]) -> None:
        """template: the name of its loops."""
        self.model = model
        self.template = instantiated(template, model.kernels)
        self._pools = pools

    def search(self, belief: ParticleBelief[StateT], seed: int, limits: Limits) -> SearchResult:
        """The best action within the limits.

        The trees' shares of the simulations are fixed, so the result does not depend on the speed
        of threads.
        """
        trees = [
            self._tree(pool, belief, _seed_of(seed, number))
            for number, pool in enumerate(self._pools)
        ]
        given = _shares(limits, len(trees))
        if len(trees) == 1:
            return trees[0].search(given[0])
        with ThreadPoolExecutor(len(trees)) as threads:
            results = list(threads.map(lambda tree, own: tree.search(own), trees, given))
        return self._joined(trees, results)

    @abstractmethod
    def _tree(self, pool: Any, belief: ParticleBelief[StateT], seed: int) -> Tree:
        """A tree in a pool, for one decision."""

    @abstractmethod
    def _joined(self, trees: Sequence[Any], results: Sequence[SearchResult]) -> SearchResult:
        """One decision from several trees."""


def joined_result(
    results: Sequence[SearchResult],
    action: int,
    values: Mapping[int, float],
    value: float,
    upper_bound: float | None,
) -> SearchResult:
    """The result of several trees, with the best branch of the first that agrees."""
    return SearchResult(
        action=action,
        value=value,
        upper_bound=upper_bound,
        values=values,
        simulations=sum(result.simulations for result in results),
        nodes=sum(result.nodes for result in results),
        particles=sum(result.particles for result in results),
        steps=sum(result.steps for result in results),
        seconds=max(result.seconds for result in results),
        ended=results[0].ended,
        by_tree=tuple(result.simulations for result in results),
        branch=next((r for r in results if r.action == action), results[0]).branch,
    )


class _Chunks:
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


def _shares(limits: Limits, trees: int) -> list[Limits]:
    """The limits of each tree; the first trees take the remainder."""
    if len(limits.by_tree) == trees:
        return [Limits(max(1, count), limits.seconds) for count in limits.by_tree]
    if limits.simulations is None or trees == 1:
        return [limits] * trees
    each, rest = divmod(limits.simulations, trees)
    return [Limits(max(1, each + (number < rest)), limits.seconds) for number in range(trees)]


def _seed_of(seed: int, tree: int) -> int:
    """The seed of a tree; the first has the seed of the search."""
    return seed if tree == 0 else branch(branch(_TREES, seed), tree)
