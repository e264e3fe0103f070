"""Compiled DESPOT; the tests have a readable form as its oracle (`plain_despot`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..particles import ParticleBelief
from ..protocol import CLOSED, MEMORY, BranchStep, DespotOptions, SearchResult, StateT
from ..streams import branch
from .despot_pool import DEFAULT_ACTION, EXPANDED, DespotPool, DespotSettings, despot_pool_of
from .model import CompiledModel
from .trees import CompiledSearch, Tree, joined_result


class CompiledDespot(CompiledSearch[StateT]):
    """DESPOT of one model. Of several trees the highest mean lower bound decides."""

    def __init__(
        self,
        model: CompiledModel[StateT],
        options: DespotOptions | None = None,
        *,
        threads: int = 1,
        megabytes: float = 256,
    ) -> None:
        """threads: trees grown side by side, of their own scenarios. megabytes: for all trees."""
        self.options = options or DespotOptions()
        pools = [
            despot_pool_of(
                scenarios=self.options.scenarios,
                state_size=model.state_size,
                state_type=model.state_type,
                max_actions=model.max_actions,
                megabytes=megabytes / threads,
            )
            for _ in range(threads)
        ]
        super().__init__("despot_template", model, pools)
        steps = self.options.depth + self.options.rollout + 1
        self.powers = np.cumprod([1.0, *[model.discount] * steps])

    def _tree(self, pool: DespotPool, belief: ParticleBelief[StateT], seed: int) -> _DespotTree:
        return _DespotTree(self, pool, belief, seed)

    def _joined(self, trees: Sequence[Any], results: Sequence[SearchResult]) -> SearchResult:
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
        value = sum(result.value for result in results) / count
        bound = sum(result.upper_bound or 0.0 for result in results) / count
        return joined_result(results, best, values, value, bound)


class _DespotTree(Tree):
    """The tree of one decision in a pool."""

    def __init__(
        self, search: CompiledDespot[Any], pool: DespotPool, belief: ParticleBelief[Any], seed: int
    ) -> None:
        super().__init__(search, pool)
        options = search.options
        count = options.scenarios
        root = branch(0, seed)
        pool.states[:count] = search.model.rows(belief.scenarios(count, branch(root, count)))
        keys = [branch(root, number) for number in range(count)]
        self.settings = DespotSettings(
            depth=options.depth,
            rollout=options.rollout,
            regularisation=float(options.regularisation),
            target_gap=float(options.target_gap),
            powers=search.powers,
            keys=np.array(keys, np.uint64),
        )

    def grow(self, simulations: int) -> str | None:
        closed, full = self.template.search(self.data, self.pool, self.settings, simulations)
        return CLOSED if closed else MEMORY if full else None

    def decision(self) -> dict[str, Any]:
        pool, best = self.pool, self._best(0)
        chosen = pool.counters[DEFAULT_ACTION] if best is None else pool.tried[best]["action"]
        tried = pool.tried[self._actions(0)]
        return {
            "action": int(chosen),
            "value": float(pool.nodes[0]["lower"]),
            "upper_bound": float(pool.nodes[0]["upper"]),
            "values": {int(each["action"]): float(each["lower"]) for each in tried},
            "particles": int(pool.counters[EXPANDED]),
        }

    def _actions(self, node: int) -> slice:
        first, count = self.pool.nodes[node][["first_action", "action_count"]].tolist()
        return slice(first, first + count)

    def _best(self, node: int) -> int | None:
        """The action with the highest lower bound; None where the rollout policy is better."""
        tried = self._actions(node)
        lower = self.pool.tried["lower"][tried]
        if not len(lower) or lower.max() < self.pool.nodes[node]["default"]:
            return None
        return int(tried.start + lower.argmax())

    def branch(self) -> Iterator[BranchStep]:
        pool, node = self.pool, 0
        while (best := self._best(node)) is not None:
            share = float(pool.nodes[node]["count"]) / len(self.settings.keys)
            scale = share * float(self.settings.powers[pool.nodes[node]["depth"]])
            tried = pool.tried[best]
            yield BranchStep(int(tried["action"]), share, float(tried["lower"]) / scale)
            first, children = int(tried["first_child"]), int(tried["child_count"])
            if not children:
                break
            node = first + int(np.argmax(pool.nodes["count"][first : first + children]))
