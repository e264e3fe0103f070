"""A decision: the compiled search of the current belief."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .search.models.kitchen import Kitchen, KitchenRewards, RolloutPolicy
from .search.options import DespotOptions, PomcpOptions
from .search.particles import ParticleBelief
from .search.protocol import Limits, SearchResult
from .tracker import BeliefTracker
from .world import Move


class Solver(StrEnum):
    """The search algorithm."""

    DESPOT = "despot"
    POMCP = "pomcp"
    ONE_HYPOTHESIS = "one_hypothesis"  # UCT on the likeliest hypothesis


_REWARDS = KitchenRewards()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of the search for decisions; the defaults are those of Tru-POMDP."""

    solver: Solver = Solver.DESPOT
    """The search algorithm."""
    scenarios: int = 30
    """Futures that DESPOT follows."""
    depth: int = 20
    """Steps of the search tree."""
    rollout: int = 10
    """Steps of the rollout policy from a new node."""
    discount: float = 0.95
    """The weight of a reward one step later."""
    regularisation: float = 0.01
    """The cost of every node of a DESPOT policy."""
    exploration: float = 200.0
    """The constant of UCB1, on the scale of rewards."""
    threads: int = 1
    """Trees that grow side by side."""
    rewards: KitchenRewards = _REWARDS
    """Rewards and costs of the kitchen."""
    policy: RolloutPolicy | None = None
    """The rollout policy; None for the kitchen's own."""


@dataclass(frozen=True)
class SearchChoice:
    """A decision."""

    action: Move
    """The move; to wait where nothing better is known."""
    value: float
    """The expected return."""
    lower: float
    """A lower bound on the return."""
    upper: float
    """An upper bound on the return."""
    simulations: int
    """Descents through the tree."""
    nodes: int
    """Nodes of the tree."""
    seconds: float
    """Wall time."""
    branch: tuple[tuple[str, str], ...]
    """The best moves, each with its expected observation."""
    result: SearchResult
    """The result of the search."""

    def limits(self) -> Limits:
        """The limits with which the same search decides the same."""
        return self.result.limits()


def choose(
    tracker: BeliefTracker, options: SearchOptions, seed: int, limits: Limits
) -> SearchChoice:
    """Search the belief for the best move. Raises EmptyBelief for an empty belief."""
    belief = tracker.states()
    kitchen = tracker.kitchen(
        rewards=options.rewards,
        discount=options.discount,
        offered="all" if options.solver is Solver.POMCP else "relevant",
        policy=options.policy,
    )
    if options.solver is Solver.ONE_HYPOTHESIS:
        belief = ParticleBelief([belief.most_likely()])
    result = searched(kitchen, belief, options, seed, limits)
    rows = tracker.rows()
    return SearchChoice(
        action=tracker.world.move_of(kitchen, rows, result.action),
        value=result.value,
        lower=result.value,
        upper=result.value if result.upper_bound is None else result.upper_bound,
        simulations=result.simulations,
        nodes=result.nodes,
        seconds=result.seconds,
        branch=tuple(
            (str(tracker.world.move_of(kitchen, rows, step.action)), f"{step.probability:.0%}")
            for step in result.branch
        ),
        result=result,
    )


def searched(
    kitchen: Kitchen, belief: ParticleBelief[Any], options: SearchOptions, seed: int, limits: Limits
) -> SearchResult:
    """Search a belief in an array model. Raises Missing without numba."""
    from .search.compiled.despot import CompiledDespot
    from .search.compiled.pomcp import CompiledPomcp

    despot = DespotOptions(
        scenarios=options.scenarios,
        depth=options.depth,
        rollout=options.rollout,
        regularisation=options.regularisation,
    )
    pomcp = PomcpOptions(
        depth=options.depth, rollout=options.rollout, exploration=options.exploration
    )
    model = kitchen.compiled()
    solver: CompiledDespot[Any] | CompiledPomcp[Any]
    if options.solver is Solver.DESPOT:
        solver = CompiledDespot(model, despot, threads=options.threads)
    else:
        solver = CompiledPomcp(model, pomcp, threads=options.threads)
    return solver.search(belief, seed, limits)
