"""Compiled DESPOT; the tests have a readable form as its oracle (`plain_despot`)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic

import numpy as np

from ..options import DespotOptions
from ..particles import ParticleBelief, scenario_key
from ..protocol import (
    CLOSED,
    MEMORY,
    SECONDS,
    SIMULATIONS,
    BranchStep,
    Limits,
    SearchResult,
    StateT,
)
from ..streams import branch
from .chunks import Chunks, seed_of, shares
from .despot_pool import DEFAULT_ACTION, EXPANDED, NODES, STEPS, Pool, Settings, pool_of
from .despot_pool import SIMULATIONS as SIMULATIONS_DONE
from .model import CompiledModel, instantiated


class CompiledDespot(Generic[StateT]):
    """A solver for one model. It reuses its memory for every decision."""

    def __init__(
        self,
        model: CompiledModel[StateT],
        options: DespotOptions | None = None,
        *,
        threads: int = 1,
        megabytes: float = 256,
    ) -> None:
        """threads: trees grown side by side, of their own scenarios. megabytes: for all trees."""
        self.model = model
        self.options = options or DespotOptions()
        self.template = instantiated("despot_template", model.kernels)
        self._pools = [
            pool_of(
                scenarios=self.options.scenarios,
                state_size=model.state_size,
                state_type=model.state_type,
                max_actions=model.max_actions,
                megabytes=megabytes / threads,
            )
            for _ in range(threads)
        ]
        powers = [1.0]
        for _ in range(self.options.depth + self.options.rollout + 1):
            powers.append(powers[-1] * model.discount)
        self.powers = np.array(powers)

    def search(self, belief: ParticleBelief[StateT], seed: int, limits: Limits) -> SearchResult:
        """The best action within the limits.

        Of several trees the one with the highest mean lower bound decides. Their shares of the
        simulations are fixed, so the result does not depend on the speed of threads.
        """
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
        solver: CompiledDespot[Any],
        pool: Pool,
        belief: ParticleBelief[Any],
        seed: int,
    ) -> None:
        options = solver.options
        count = options.scenarios
        states = belief.scenarios(count, branch(branch(0, seed), count))
        keys = [scenario_key(seed, number) for number in range(count)]
        pool.states[:count] = solver.model.rows(states)
        self.pool = pool
        self.data = solver.model.data
        self.template = solver.template
        self.settings = Settings(
            depth=options.depth,
            rollout=options.rollout,
            regularisation=float(options.regularisation),
            target_gap=float(options.target_gap),
            powers=solver.powers,
            keys=np.array(keys, np.uint64),
        )

    def search(self, limits: Limits) -> SearchResult:
        """Grow the tree in chunks of simulations that fit the time left."""
        chunks = Chunks(limits)
        self.pool.counters[:] = 0
        reason = SIMULATIONS
        while (wanted := chunks.following(self._done())) > 0:
            closed, full = self.template.search(self.data, self.pool, self.settings, wanted)
            if closed or full:
                reason = CLOSED if closed else MEMORY
                break
        return self._result(SECONDS if chunks.timed_out else reason, chunks.spent())

    def _done(self) -> int:
        return int(self.pool.counters[SIMULATIONS_DONE])

    def _result(self, reason: str, seconds: float) -> SearchResult:
        pool = self.pool
        best = self._best(0)
        chosen = pool.counters[DEFAULT_ACTION] if best is None else pool.tried[best]["action"]
        return SearchResult(
            action=int(chosen),
            value=float(pool.nodes[0]["lower"]),
            upper_bound=float(pool.nodes[0]["upper"]),
            values={
                int(pool.tried[k]["action"]): float(pool.tried[k]["lower"])
                for k in self._actions(0)
            },
            simulations=self._done(),
            nodes=int(pool.counters[NODES]),
            particles=int(pool.counters[EXPANDED]),
            steps=int(pool.counters[STEPS]),
            seconds=seconds,
            ended=reason,
            branch=self._branch(),
        )

    def _actions(self, node: int) -> range:
        first = (
            int(self.pool.nodes[node]["first_action"])
            if self.pool.nodes[node]["action_count"]
            else 0
        )
        return range(first, first + int(self.pool.nodes[node]["action_count"]))

    def _best(self, node: int) -> int | None:
        """The action with the highest lower bound; None where the rollout policy is better."""
        best = None
        for k in self._actions(node):
            if best is None or self.pool.tried[k]["lower"] > self.pool.tried[best]["lower"]:
                best = k
        if best is None or self.pool.tried[best]["lower"] < self.pool.nodes[node]["default"]:
            return None
        return best

    def _branch(self) -> tuple[BranchStep, ...]:
        """The best actions from the root, each with its most probable observation."""
        pool, steps, node = self.pool, [], 0
        while (best := self._best(node)) is not None:
            share = float(pool.nodes[node]["count"]) / len(self.settings.keys)
            scale = share * float(self.settings.powers[pool.nodes[node]["depth"]])
            value = float(pool.tried[best]["lower"]) / scale
            steps.append(BranchStep(int(pool.tried[best]["action"]), share, value))
            first, children = (
                int(pool.tried[best]["first_child"]),
                int(pool.tried[best]["child_count"]),
            )
            if not children:
                break
            node = first + int(np.argmax(pool.nodes["count"][first : first + children]))
        return tuple(steps)


def _joined(trees: list[_Tree], results: list[SearchResult]) -> SearchResult:
    """One decision from several trees; an untried action counts with its tree's default."""
    defaults = [float(tree.pool.nodes[0]["default"]) for tree in trees]
    values: dict[int, float] = {}
    for action in dict.fromkeys(action for result in results for action in result.values):
        of_trees = [r.values.get(action, d) for r, d in zip(results, defaults, strict=True)]
        values[action] = sum(of_trees) / len(of_trees)
    best = max(values, key=lambda action: values[action], default=None)
    count = len(results)
    if best is None or values[best] < sum(defaults) / count:
        best = int(trees[0].pool.counters[DEFAULT_ACTION])
    agreeing = next((r for r in results if r.action == best), results[0])
    return SearchResult(
        action=best,
        value=sum(result.value for result in results) / count,
        upper_bound=sum(r.upper_bound or 0.0 for r in results) / count,
        values=values,
        simulations=sum(result.simulations for result in results),
        nodes=sum(result.nodes for result in results),
        particles=sum(result.particles for result in results),
        steps=sum(result.steps for result in results),
        seconds=max(result.seconds for result in results),
        ended=results[0].ended,
        by_tree=tuple(result.simulations for result in results),
        branch=agreeing.branch,
    )
