"""Compiled POMCP; the tests have a readable form as its oracle (`plain_pomcp`)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic

import numpy as np

from ..options import PomcpOptions
from ..particles import ParticleBelief
from ..protocol import MEMORY, SECONDS, SIMULATIONS, BranchStep, Limits, SearchResult, StateT
from ..streams import branch
from .chunks import Chunks, seed_of, shares
from .model import CompiledModel, instantiated
from .pomcp_pool import NODES, STEPS, Pool, Settings, pool_of
from .pomcp_pool import SIMULATIONS as SIMULATIONS_DONE


class CompiledPomcp(Generic[StateT]):
    """A solver for one model. It reuses its memory for every decision."""

    def __init__(
        self,
        model: CompiledModel[StateT],
        options: PomcpOptions | None = None,
        *,
        threads: int = 1,
        megabytes: float = 256,
    ) -> None:
        """threads: trees grown side by side, of their own samples. megabytes: for all trees."""
        self.model = model
        self.options = options or PomcpOptions()
        self.template = instantiated("pomcp_template", model.kernels)
        self._pools = [
            pool_of(
                actions=model.max_actions,
                depth=self.options.depth,
                megabytes=megabytes / threads,
            )
            for _ in range(threads)
        ]

    def search(self, belief: ParticleBelief[StateT], seed: int, limits: Limits) -> SearchResult:
        """The action with the highest mean return, over the simulations of all trees."""
        trees = [
            _Tree(self, pool, belief, seed_of(seed, number))
            for number, pool in enumerate(self._pools)
        ]
        given = shares(limits, len(trees))
        if len(trees) == 1:
            return trees[0].search(given[0])
        with ThreadPoolExecutor(len(trees)) as threads:
            results = list(threads.map(lambda tree, own: tree.search(own), trees, given))
        return _joined(trees, results)


class _Tree:
    """The tree of one decision in a pool."""

    def __init__(
        self,
        solver: CompiledPomcp[Any],
        pool: Pool,
        belief: ParticleBelief[Any],
        seed: int,
    ) -> None:
        options, model = solver.options, solver.model
        particles = model.rows(belief.states)
        pool.table[pool.nodes["slot"][1 : pool.counters[NODES]]] = 0
        pool.counters[:] = 0
        self.data = model.data
        self.template = solver.template
        self.pool = pool._replace(
            particles=particles,
            rows=np.zeros(len(particles), np.int64),
            state=particles[:1].copy(),
        )
        cumulative = np.array(belief.cumulative())
        parts = np.arange(len(cumulative)) / len(cumulative)
        guide = np.searchsorted(cumulative, parts, side="right")
        self.settings = Settings(
            depth=options.depth,
            rollout=options.rollout,
            exploration=float(options.exploration),
            discount=float(model.discount),
            random_rollouts=options.random_rollouts,
            root_key=np.uint64(branch(0, seed)),
            cumulative=cumulative,
            guide=np.minimum(guide, len(cumulative) - 1),
        )

    def search(self, limits: Limits) -> SearchResult:
        """Simulate in chunks that fit the time left."""
        chunks = Chunks(limits)
        reason = SIMULATIONS
        while (wanted := chunks.following(self._done())) > 0:
            if not self.template.search(self.data, self.pool, self.settings, wanted):
                reason = MEMORY
                break
        return self._result(SECONDS if chunks.timed_out else reason, chunks.spent())

    def _done(self) -> int:
        return int(self.pool.counters[SIMULATIONS_DONE])

    def edges(self, node: int) -> Any:
        """The tried actions of a node."""
        at = self.pool.nodes[node]
        edges = self.pool.edges[at["first_edge"] : at["first_edge"] + at["edge_count"]]
        return edges[edges["visits"] > 0]

    def _result(self, reason: str, seconds: float) -> SearchResult:
        edges = self.edges(0)
        best = edges[np.argmax(edges["value"])]
        return SearchResult(
            action=int(best["action"]),
            value=float(best["value"]),
            upper_bound=None,
            values={int(edge["action"]): float(edge["value"]) for edge in edges},
            simulations=self._done(),
            nodes=int(self.pool.counters[NODES]),
            particles=0,
            steps=int(self.pool.counters[STEPS]),
            seconds=seconds,
            ended=reason,
            branch=self._branch(),
        )

    def _branch(self) -> tuple[BranchStep, ...]:
        """The best actions from the root, each with its most frequent observation."""
        steps: list[BranchStep] = []
        nodes = self.pool.nodes[: self.pool.counters[NODES]]
        node = 0
        while len(edges := self.edges(node)):
            best = edges[np.argmax(edges["value"])]
            share = int(nodes[node]["visits"]) / self._done()
            steps.append(BranchStep(int(best["action"]), share, float(best["value"])))
            first = int(nodes[node]["first_edge"])
            tried = self.pool.edges[first : first + int(nodes[node]["edge_count"])]
            number = first + int(np.flatnonzero(tried["action"] == best["action"])[0])
            children = 1 + np.flatnonzero(nodes["edge"][1:] == number)
            if not len(children):
                break
            node = int(children[np.argmax(nodes["visits"][children])])
        return tuple(steps)


def _joined(trees: list[_Tree], results: list[SearchResult]) -> SearchResult:
    """One decision from several trees: the mean return of each action over all simulations."""
    visits: dict[int, int] = {}
    sums: dict[int, float] = {}
    for tree in trees:
        for edge in tree.edges(0):
            action, count = int(edge["action"]), int(edge["visits"])
            visits[action] = visits.get(action, 0) + count
            sums[action] = sums.get(action, 0.0) + count * float(edge["value"])
    values = {action: sums[action] / visits[action] for action in sums}
    best = max(values, key=lambda action: values[action])
    return SearchResult(
        action=best,
        value=values[best],
        upper_bound=None,
        values=values,
        simulations=sum(result.simulations for result in results),
        nodes=sum(result.nodes for result in results),
        particles=0,
        steps=sum(result.steps for result in results),
        seconds=max(result.seconds for result in results),
        ended=results[0].ended,
        by_tree=tuple(result.simulations for result in results),
        branch=next((r for r in results if r.action == best), results[0]).branch,
    )
