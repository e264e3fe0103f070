"""DESPOT in plain Python: the readable form, and the oracle of the compiled one.

After Ye, Somani, Hsu and Lee, DESPOT: Online POMDP Planning with Regularization (2017). A belief
tree follows a fixed number of scenarios through all actions. A scenario is a state and the random
numbers of its future, so its observations are determined.

Each node has a lower bound: the best known policy, at worst the rollout policy. Its upper bound is
the gain of any policy minus its size times a constant, the regularisation. Every simulation
descends along the best upper bounds while the gap between the bounds is in excess, and grows the
tree there.

All values of a node are in the root's terms: discounted to the root and weighted by the node's
share of the scenarios.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, cast

from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import (
    CLOSED,
    SECONDS,
    SIMULATIONS,
    BranchStep,
    DespotOptions,
    Limits,
    Random,
    SearchResult,
    StateT,
    Transition,
)
from peephole.planners.kits.belief.search.streams import POLICY_BRANCH, Stream, branch

#: Gaps between bounds below this count as closed.
CLOSED_GAP = 1e-6
_PlayedT = TypeVar("_PlayedT", contravariant=True)


class GenerativeModel(Protocol[_PlayedT]):
    """A world that can be simulated without explicit probabilities.

    Actions are numbers from 0. States are immutable: a step gives a new one. States that are given
    together share their history, so the agent cannot tell them apart.
    """

    @property
    def discount(self) -> float:
        """The weight of a reward one step later, in (0, 1]."""

    def step(self, state: _PlayedT, action: int, rng: Random) -> Transition:
        """Simulate one action; all randomness comes from `rng`."""

    def actions(self, states: Sequence[_PlayedT]) -> Sequence[int]:
        """The actions to consider, at least one; the same for every order of the states."""

    def rollout(self, states: Sequence[_PlayedT], rng: Random) -> int:
        """The rollout policy's action: one for all these states, the likelier hypothesis first."""

    def lower_bound(self, state: _PlayedT) -> float:
        """A return that some policy guarantees from here; used where a rollout is cut off."""

    def upper_bound(self, state: _PlayedT) -> float:
        """A return that no policy exceeds from here on."""


@dataclass
class _ActionNode(Generic[StateT]):
    """An action tried at a node."""

    action: int
    """Its number."""
    reward: float
    """Its own reward minus the regularisation."""
    children: list[_Node[StateT]]
    """One node for each observation."""
    lower: float = 0.0
    """The lower bound."""
    upper: float = 0.0
    """The upper bound."""
    utility_upper: float = 0.0
    """The upper bound without regularisation."""


@dataclass(eq=False)
class _Node(Generic[StateT]):
    """The knowledge after a history: the scenarios that share it."""

    depth: int
    """Steps from the root."""
    scenarios: list[int]
    """The numbers of the scenarios."""
    states: list[StateT]
    """Their states."""
    parent: _Node[StateT] | None
    """None for the root."""
    default: float = 0.0
    """The value of the rollout policy."""
    lower: float = 0.0
    """The lower bound."""
    upper: float = 0.0
    """The upper bound."""
    utility_upper: float = 0.0
    """The upper bound without regularisation."""
    actions: list[_ActionNode[StateT]] = field(default_factory=list)
    """The tried actions."""


class Despot(Generic[StateT]):
    """A solver for one model."""

    def __init__(
        self, model: GenerativeModel[StateT], options: DespotOptions | None = None
    ) -> None:
        self.model = model
        self.options = options or DespotOptions()

    def search(self, belief: ParticleBelief[StateT], seed: int, limits: Limits) -> SearchResult:
        """The best action within the limits."""
        count = self.options.scenarios
        states = belief.scenarios(count, branch(branch(0, seed), count))
        keys = [branch(branch(0, seed), number) for number in range(count)]
        return _Tree(self.model, self.options, states, keys).search(limits)


class _Tree(Generic[StateT]):
    """The tree of one decision."""

    def __init__(
        self,
        model: GenerativeModel[StateT],
        options: DespotOptions,
        states: list[StateT],
        keys: Sequence[int],
    ) -> None:
        self.model = model
        self.options = options
        self.keys = keys
        self.nodes = self.particles = self.steps = 0
        self.powers = [1.0]
        for _ in range(options.depth + options.rollout + 1):
            self.powers.append(self.powers[-1] * model.discount)
        self.root = self._node(0, list(range(len(states))), states, None)

    def search(self, limits: Limits) -> SearchResult:
        """Grow the tree until a limit is reached or the bounds of the root meet."""
        start = time.perf_counter()
        simulations, reason = 0, CLOSED
        while self.root.upper - self.root.lower > CLOSED_GAP:
            if limits.simulations is not None and simulations >= limits.simulations:
                reason = SIMULATIONS
                break
            if simulations and limits.out_of_time(time.perf_counter() - start):
                reason = SECONDS
                break
            self._simulate()
            simulations += 1
        return SearchResult(
            action=self._action(),
            value=self.root.lower,
            upper_bound=self.root.upper,
            values={each.action: each.lower for each in self.root.actions},
            simulations=simulations,
            nodes=self.nodes,
            particles=self.particles,
            steps=self.steps,
            seconds=time.perf_counter() - start,
            ended=reason,
            branch=self._branch(),
        )

    def _simulate(self) -> None:
        """Descend while the gap is in excess, grow the tree, and propagate the bounds."""
        node = self.root
        while node.depth < self.options.depth and self._excess(node) > 0:
            if self._prune(node):
                return
            if not node.actions:
                self._expand(node)
            best = node.actions[0]
            for each in node.actions:
                if each.upper > best.upper:
                    best = each
            if not best.children:
                break
            following = best.children[0]
            for child in best.children:
                if self._excess(child) > self._excess(following):
                    following = child
            node = following
        self._back_up(node)

    def _action(self) -> int:
        """The root's best action; the rollout policy's where no better policy is known."""
        best = _best(self.root)
        if best is not None and best.lower >= self.root.default:
            return best.action
        key = branch(self.keys[0], 0)
        return self.model.rollout(self.root.states, Stream(branch(key, POLICY_BRANCH)))

    def _excess(self, node: _Node[StateT]) -> float:
        """The weighted excess uncertainty: the gap beyond the node's share of the target gap."""
        share = len(node.scenarios) / len(self.keys)
        target = self.options.target_gap * (self.root.upper - self.root.lower)
        return (node.upper - node.lower) - share * target

    def _prune(self, node: _Node[StateT]) -> bool:
        """Whether a node is blocked.

        A blocked node takes its default policy's value, and so do blocked ancestors.
        """
        pruned = False
        current: _Node[StateT] | None = node
        while current is not None and self._blocked(current):
            current.lower = current.upper = current.utility_upper = current.default
            self._back_up(current.parent)
            pruned = True
            current = current.parent
        return pruned

    def _blocked(self, node: _Node[StateT]) -> bool:
        """Whether some node on the path can gain less than the cost of the path."""
        if self.options.regularisation == 0:
            return False
        size = 1
        above: _Node[StateT] | None = node
        while above is not None:
            if above.utility_upper - above.default <= self.options.regularisation * size:
                return True
            size += 1
            above = above.parent
        return False

    def _expand(self, node: _Node[StateT]) -> None:
        """Try every action of a node in all its scenarios."""
        count = len(self.keys)
        self.particles += len(node.states)
        for action in self.model.actions(node.states):
            total = 0.0
            groups: dict[Hashable, tuple[list[int], list[StateT]]] = {}
            for scenario, state in zip(node.scenarios, node.states, strict=True):
                rng = Stream(branch(self.keys[scenario], node.depth))
                step = self.model.step(state, action, rng)
                self.steps += 1
                total += step.reward
                if not step.done:
                    scenarios, states = groups.setdefault(step.observation, ([], []))
                    scenarios.append(scenario)
                    states.append(cast(StateT, step.state))
            reward = total / count * self.powers[node.depth] - self.options.regularisation
            children = [
                self._node(node.depth + 1, scenarios, states, node)
                for scenarios, states in groups.values()
            ]
            node.actions.append(_ActionNode(action, reward, children))
        self._update(node)

    def _node(
        self,
        depth: int,
        scenarios: list[int],
        states: list[StateT],
        parent: _Node[StateT] | None,
    ) -> _Node[StateT]:
        """A new node with its first bounds."""
        node = _Node(depth, scenarios, states, parent)
        scale = self.powers[depth] / len(self.keys)
        node.default = node.lower = self._rolled_out(node) * scale
        total = 0.0
        for state in states:
            total += self.model.upper_bound(state)
        node.utility_upper = max(total * scale, node.default)
        node.upper = max(node.utility_upper - self.options.regularisation, node.default)
        if depth >= self.options.depth:
            node.upper = node.default
        self.nodes += 1
        return node

    def _rolled_out(self, node: _Node[StateT]) -> float:
        """The sum of the scenarios' returns under the rollout policy.

        The policy acts on what is known: one action for all scenarios that share their history.
        """
        total = 0.0
        groups = [(node.scenarios, node.states)]
        for ahead in range(self.options.rollout):
            following: list[tuple[list[int], list[StateT]]] = []
            for scenarios, states in groups:
                keys = [branch(self.keys[scenario], node.depth + ahead) for scenario in scenarios]
                action = self.model.rollout(states, Stream(branch(keys[0], POLICY_BRANCH)))
                split: dict[Hashable, tuple[list[int], list[StateT]]] = {}
                for scenario, key, state in zip(scenarios, keys, states, strict=True):
                    step = self.model.step(state, action, Stream(key))
                    self.steps += 1
                    total += self.powers[ahead] * step.reward
                    if not step.done:
                        into = split.setdefault(step.observation, ([], []))
                        into[0].append(scenario)
                        into[1].append(cast(StateT, step.state))
                following.extend(split.values())
            groups = following
        for _, states in groups:
            for state in states:
                total += self.powers[self.options.rollout] * self.model.lower_bound(state)
        return total

    def _back_up(self, node: _Node[StateT] | None) -> None:
        """Propagate the bounds of a node to the root."""
        while node is not None:
            self._update(node)
            node = node.parent

    def _update(self, node: _Node[StateT]) -> None:
        """Compute the bounds of a node from those of its children."""
        if not node.actions:
            return
        lower = utility_upper = upper = node.default
        for each in node.actions:
            each.lower = each.upper = each.reward
            each.utility_upper = each.reward + self.options.regularisation
            for child in each.children:
                each.lower += child.lower
                each.upper += child.upper
                each.utility_upper += child.utility_upper
            lower = max(lower, each.lower)
            upper = max(upper, each.upper)
            utility_upper = max(utility_upper, each.utility_upper)
        node.lower = lower
        node.upper = min(node.upper, upper)
        node.utility_upper = min(node.utility_upper, utility_upper)

    def _branch(self) -> tuple[BranchStep, ...]:
        """The best actions from the root, each with its most probable observation."""
        steps: list[BranchStep] = []
        node = self.root
        while True:
            share = len(node.scenarios) / len(self.keys)
            best = _best(node)
            if best is None or best.lower < node.default:
                return tuple(steps)
            value = best.lower / (share * self.powers[node.depth])
            steps.append(BranchStep(best.action, share, value))
            if not best.children:
                return tuple(steps)
            node = max(best.children, key=lambda child: len(child.scenarios))


def _best(node: _Node[StateT]) -> _ActionNode[StateT] | None:
    """The action of the highest lower bound, the first of several."""
    best: _ActionNode[StateT] | None = None
    for each in node.actions:
        if best is None or each.lower > best.lower:
            best = each
    return best
