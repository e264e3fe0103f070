"""POMCP in plain Python: the readable form, and the oracle of the compiled one.

After Silver and Veness, Monte-Carlo Planning in Large POMDPs (2010). Each simulation draws a state
from the belief and descends through a tree of histories by UCB1. Where it leaves the tree, one node
is added and the rollout policy continues. On a belief of one particle this is UCT.

The actions of a node below the root come from the one state that first has to choose there. So a
model for this search must offer actions by observable facts alone.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, cast

from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import (
    SECONDS,
    SIMULATIONS,
    BranchStep,
    Limits,
    PomcpOptions,
    SearchResult,
    StateT,
)
from peephole.planners.kits.belief.search.streams import POLICY_BRANCH, Stream, branch, uniform

from .plain_despot import GenerativeModel


@dataclass
class _Edge:
    """An action of a node: its visits, its mean return, and the nodes after it."""

    action: int
    visits: int = 0
    value: float = 0.0
    children: dict[Hashable, _History] = field(default_factory=dict)


@dataclass
class _History:
    """A node of the tree: the actions and observations so far.

    edges: none before the first choice.
    """

    edges: list[_Edge] = field(default_factory=list)
    visits: int = 0


class Pomcp(Generic[StateT]):
    """A solver for one model."""

    def __init__(self, model: GenerativeModel[StateT], options: PomcpOptions | None = None) -> None:
        self.model = model
        self.options = options or PomcpOptions()
        self._steps = self._nodes = 0

    def search(self, belief: ParticleBelief[StateT], seed: int, limits: Limits) -> SearchResult:
        """The action with the highest mean return within the limits."""
        start = time.perf_counter()
        cumulative = belief.cumulative()
        self._steps, self._nodes = 0, 0
        root = self._node()
        root.edges = self._edges(belief.states)
        done, reason = 0, SIMULATIONS
        while limits.simulations is None or done < limits.simulations:
            if done and limits.out_of_time(time.perf_counter() - start):
                reason = SECONDS
                break
            key = branch(branch(0, seed), done)
            number = bisect_right(cumulative, uniform(key, self.options.depth))
            number = min(number, len(cumulative) - 1)
            self._simulate(root, belief.states[number], key)
            done += 1
        best = _most_valued(root)
        return SearchResult(
            action=best.action,
            value=best.value,
            upper_bound=None,
            values={edge.action: edge.value for edge in root.edges if edge.visits},
            simulations=done,
            nodes=self._nodes,
            particles=0,
            steps=self._steps,
            seconds=time.perf_counter() - start,
            ended=reason,
            branch=_branch(root, done),
        )

    def _simulate(self, node: _History, state: StateT, key: int) -> None:
        """Play one state to the end and record the returns on the path."""
        path: list[tuple[_History, _Edge, float]] = []
        tail, depth = 0.0, 0
        while depth < self.options.depth:
            node.edges = node.edges or self._edges([state])
            edge = self._selected(node)
            step = self.model.step(state, edge.action, Stream(branch(key, depth)))
            self._steps += 1
            depth += 1
            path.append((node, edge, step.reward))
            if step.done:
                break
            state = cast(StateT, step.state)
            following = edge.children.get(step.observation)
            if following is None:
                if depth < self.options.depth:
                    edge.children[step.observation] = self._node()
                    tail = self._rolled_out(state, key, depth)
                break
            node = following
        for node, edge, reward in reversed(path):
            tail = reward + self.model.discount * tail
            node.visits += 1
            edge.visits += 1
            edge.value += (tail - edge.value) / edge.visits

    def _selected(self, node: _History) -> _Edge:
        """The first untried action, else the best by UCB1."""
        best, highest = node.edges[0], -math.inf
        for edge in node.edges:
            if edge.visits == 0:
                return edge
        scale = self.options.exploration * math.sqrt(math.log(node.visits))
        for edge in node.edges:
            score = edge.value + scale / math.sqrt(edge.visits)
            if score > highest:
                best, highest = edge, score
        return best

    def _rolled_out(self, state: StateT, key: int, depth: int) -> float:
        """The return of the rollout policy from a depth on."""
        total, weight = 0.0, 1.0
        for ahead in range(min(self.options.rollout, self.options.depth - depth)):
            step_key = branch(key, depth + ahead)
            if self.options.random_rollouts:
                actions = self.model.actions([state])
                action = actions[int(uniform(step_key, POLICY_BRANCH) * len(actions))]
            else:
                action = self.model.rollout([state], Stream(branch(step_key, POLICY_BRANCH)))
            step = self.model.step(state, action, Stream(step_key))
            self._steps += 1
            total += weight * step.reward
            if step.done:
                break
            state = cast(StateT, step.state)
            weight *= self.model.discount
        return total

    def _node(self) -> _History:
        self._nodes += 1
        return _History()

    def _edges(self, states: Sequence[StateT]) -> list[_Edge]:
        """The actions of a node, given some of its states."""
        return [_Edge(action) for action in self.model.actions(states)]


def _most_valued(node: _History) -> _Edge:
    """The tried action with the highest mean return, the first of several."""
    tried = [edge for edge in node.edges if edge.visits]
    return max(tried or node.edges, key=lambda edge: edge.value)


def _branch(root: _History, simulations: int) -> tuple[BranchStep, ...]:
    """The best actions from the root, each with its most frequent observation."""
    steps: list[BranchStep] = []
    node: _History | None = root
    while node is not None and node.visits:
        best = _most_valued(node)
        steps.append(BranchStep(best.action, node.visits / simulations, best.value))
        children = list(best.children.values())
        node = max(children, key=lambda child: child.visits) if children else None
    return tuple(steps)
