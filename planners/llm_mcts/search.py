"""Monte-Carlo tree search of a known kitchen, guided by probabilities of actions (PUCT).

After Zhao et al., Large language models as commonsense knowledge for large-scale task planning
(2023): at a node the action is followed whose mean return, plus a bonus by how probable it was
said to be, is highest; a new node is rolled out by random legal actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kits.belief.search.models.kitchen import Arrangement, Kitchen, random_legal
from ..kits.belief.search.protocol import BranchStep, Random, SearchResult

#: How probable each of some actions is in a state.
Prior = Callable[[Arrangement, Sequence[int]], Sequence[float]]


@dataclass
class _Tried:
    """An action at a node. node: what it leads to, once it was followed."""

    action: int
    probability: float
    visits: int = 0
    value: float = 0.0
    reward: float = 0.0
    node: _Node | None = None


@dataclass
class _Node:
    """A state. tried: its actions, None before it is expanded. done: nothing is left to do."""

    state: Arrangement
    done: bool = False
    visits: int = 0
    tried: list[_Tried] | None = None


@dataclass
class GuidedSearch:
    """A search of one kitchen.

    actions: what can be done in a state. exploration: the weight of the bonus, on the scale of
    returns. depth: steps of a simulation, in the tree and after it.
    """

    kitchen: Kitchen
    actions: Callable[[Arrangement], Sequence[int]]
    prior: Prior
    exploration: float
    depth: int
    rng: Random
    nodes: int = field(default=1, init=False)
    steps: int = field(default=0, init=False)

    def search(self, state: Arrangement, simulations: int) -> SearchResult:
        """The most visited action of the root after so many simulations."""
        root = _Node(state)
        for _ in range(simulations):
            self._simulate(root, self.depth)
        tried = [each for each in root.tried or [] if each.visits]
        best = max(tried, key=lambda each: (each.visits, each.value))
        return SearchResult(
            action=best.action,
            value=best.value,
            upper_bound=None,
            values={each.action: each.value for each in tried},
            simulations=simulations,
            nodes=self.nodes,
            particles=self.nodes,
            steps=self.steps,
            seconds=0.0,
            ended="simulations",
            branch=tuple(_branch(root)),
        )

    def _simulate(self, node: _Node, depth: int) -> float:
        """The return of one simulation from a node, which takes it in."""
        if node.done or depth == 0:
            return 0.0
        node.visits += 1
        if node.tried is None:
            actions = list(self.actions(node.state))
            probabilities = self.prior(node.state, actions)
            node.tried = [_Tried(a, p) for a, p in zip(actions, probabilities, strict=True)]
        chosen = max(node.tried, key=lambda each: self._score(node, each))
        if chosen.node is None:
            step = self._step(node.state, chosen.action)
            chosen.reward, chosen.node = step.reward, _Node(step.state, step.done)
            self.nodes += 1
            later = 0.0 if step.done else self._rollout(step.state, depth - 1)
        else:
            later = self._simulate(chosen.node, depth - 1)
        value = chosen.reward + self.kitchen.discount * later
        chosen.visits += 1
        chosen.value += (value - chosen.value) / chosen.visits
        return value

    def _score(self, node: _Node, tried: _Tried) -> float:
        bonus = tried.probability * math.sqrt(node.visits) / (1 + tried.visits)
        return tried.value + self.exploration * bonus

    def _rollout(self, state: Arrangement, depth: int) -> float:
        """The return of random legal actions."""
        total, weight = 0.0, 1.0
        for _ in range(depth):
            step = self._step(state, random_legal(self.kitchen, state, self.rng.random()))
            total += weight * step.reward
            if step.done:
                break
            state, weight = step.state, weight * self.kitchen.discount
        return total

    def _step(self, state: Arrangement, action: int) -> Any:
        self.steps += 1
        return self.kitchen.step(state, action, self.rng)


def _branch(node: _Node | None) -> Sequence[BranchStep]:
    """The most visited actions from a node."""
    steps = []
    while node is not None and node.tried and node.visits:
        best = max(node.tried, key=lambda each: (each.visits, each.value))
        steps.append(BranchStep(best.action, 1.0, best.value))
        node = best.node
    return steps
