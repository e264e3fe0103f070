"""A decision: the compiled search of the present belief."""

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
    """A search."""

    DESPOT = "despot"
    POMCP = "pomcp"
    ONE_HYPOTHESIS = "one_hypothesis"  # UCT on the likeliest hypothesis


_REWARDS = KitchenRewards()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How decisions are searched for; the defaults are those of Tru-POMDP.

    exploration: of UCB1, on the scale of rewards. threads: trees that grow side by side.
    policy: of rollouts, in place of the kitchen's own.
    """

    solver: Solver = Solver.DESPOT
    scenarios: int = 30
    depth: int = 20
    rollout: int = 10
    discount: float = 0.95
    regularisation: float = 0.01
    exploration: float = 200.0
    threads: int = 1
    rewards: KitchenRewards = _REWARDS
    policy: RolloutPolicy | None = None


@dataclass(frozen=True)
class SearchChoice:
    """A decision. action: None where the search found nothing better than to wait.

    value, lower, upper: the return that is expected, and its bounds. branch: the best moves with
    what is expected to be observed. result: of the search.
    """

    action: Move
    value: float
    lower: float
    upper: float
    simulations: int
    nodes: int
    seconds: float
    branch: tuple[tuple[str, str], ...]
    result: SearchResult

    def limits(self) -> Limits:
        """The limits by which the same search decides the same."""
        return self.result.limits()


def choose(
    tracker: BeliefTracker, options: SearchOptions, seed: int, limits: Limits
) -> SearchChoice:
    """Search the belief for the best move. Raises EmptyBelief where there is none."""
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
