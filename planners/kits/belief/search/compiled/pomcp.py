"""Compiled POMCP; the tests have a readable form as its oracle (`plain_pomcp`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..particles import ParticleBelief
from ..protocol import MEMORY, BranchStep, PomcpOptions, SearchResult, StateT
from ..streams import branch
from .model import CompiledModel
from .pomcp_pool import PomcpPool, PomcpSettings, pomcp_pool_of
from .trees import NODES, CompiledSearch, Tree, joined_result


class CompiledPomcp(CompiledSearch[StateT]):
    """POMCP of one model. The highest mean return decides, over the simulations of all trees."""

    def __init__(
        self,
        model: CompiledModel[StateT],
        options: PomcpOptions | None = None,
        *,
        threads: int = 1,
        megabytes: float = 256,
    ) -> None:
        """threads: trees grown side by side, of their own samples. megabytes: for all trees."""
        self.options = options or PomcpOptions()
        pools = [
            pomcp_pool_of(
                actions=model.max_actions, depth=self.options.depth, megabytes=megabytes / threads
            )
            for _ in range(threads)
        ]
        super().__init__("pomcp_template", model, pools)

    def _tree(self, pool: PomcpPool, belief: ParticleBelief[StateT], seed: int) -> _PomcpTree:
        return _PomcpTree(self, pool, belief, seed)

    def _joined(self, trees: Sequence[Any], results: Sequence[SearchResult]) -> SearchResult:
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
        return joined_result(results, best, values, values[best], None)


class _PomcpTree(Tree):
    """The tree of one decision in a pool."""

    def __init__(
        self, search: CompiledPomcp[Any], pool: PomcpPool, belief: ParticleBelief[Any], seed: int
    ) -> None:
        options, model = search.options, search.model
        particles = model.rows(belief.states)
        pool.table[pool.nodes["slot"][1 : pool.counters[NODES]]] = 0
        rows = np.zeros(len(particles), np.int64)
        state = particles[:1].copy()
        super().__init__(search, pool._replace(particles=particles, rows=rows, state=state))
        cumulative = np.array(belief.cumulative())
        parts = np.arange(len(cumulative)) / len(cumulative)
        guide = np.searchsorted(cumulative, parts, side="right")
        self.settings = PomcpSettings(
            depth=options.depth,
            rollout=options.rollout,
            exploration=float(options.exploration),
            discount=float(model.discount),
            random_rollouts=options.random_rollouts,
            root_key=np.uint64(branch(0, seed)),
            cumulative=cumulative,
            guide=np.minimum(guide, len(cumulative) - 1),
        )

    def grow(self, simulations: int) -> str | None:
        fits = self.template.search(self.data, self.pool, self.settings, simulations)
        return None if fits else MEMORY

    def edges(self, node: int) -> Any:
        """The tried actions of a node."""
        at = self.pool.nodes[node]
        edges = self.pool.edges[at["first_edge"] : at["first_edge"] + at["edge_count"]]
        return edges[edges["visits"] > 0]

    def decision(self) -> dict[str, Any]:
        edges = self.edges(0)
        best = edges[np.argmax(edges["value"])]
        return {
            "action": int(best["action"]),
            "value": float(best["value"]),
            "upper_bound": None,
            "values": {int(edge["action"]): float(edge["value"]) for edge in edges},
            "particles": 0,
        }

    def branch(self) -> Iterator[BranchStep]:
        nodes = self.pool.nodes[: self.pool.counters[NODES]]
        node = 0
        while len(edges := self.edges(node)):
            best = edges[np.argmax(edges["value"])]
            share = int(nodes[node]["visits"]) / self.simulations
            yield BranchStep(int(best["action"]), share, float(best["value"]))
            first = int(nodes[node]["first_edge"])
            tried = self.pool.edges[first : first + int(nodes[node]["edge_count"])]
            number = first + int(np.flatnonzero(tried["action"] == best["action"])[0])
            children = 1 + np.flatnonzero(nodes["edge"][1:] == number)
            if not len(children):
                break
            node = int(children[np.argmax(nodes["visits"][children])])
