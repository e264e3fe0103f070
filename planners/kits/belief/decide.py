"""Decisions: the compiled search of the current belief, and its repetition on resumption."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from ....errors import BadInput
from ...contract import Brief, Note
from .search.kitchen import Arrangement, Kitchen, KitchenRewards, RolloutPolicy
from .search.particles import ParticleBelief
from .search.protocol import DespotOptions, Limits, PomcpOptions, SearchResult
from .tracker import BeliefTracker
from .world import Move

_LOG = logging.getLogger(__name__)


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
    """A decision: the move, and the best branch, each move with its expected observation."""

    action: Move
    branch: tuple[tuple[str, str], ...]
    result: SearchResult

    def note(self, seconds: float | None = None) -> Note:
        """A note on the search. seconds: of the recorded search that this one repeats."""
        result = self.result
        upper = result.value if result.upper_bound is None else result.upper_bound
        data: dict[str, Any] = {
            "action": str(self.action),
            "value": round(result.value, 3),
            "lower": round(result.value, 3),
            "upper": round(upper, 3),
            "simulations": result.simulations,
            "nodes": result.nodes,
            "seconds": round(result.seconds, 6) if seconds is None else seconds,
            "branch": [{"action": action, "observation": seen} for action, seen in self.branch],
        }
        if result.by_tree:
            data["by_tree"] = list(result.by_tree)
        text = f"{self.action}, worth {result.value:.0f}, by {result.simulations} simulations"
        return Note("search", text, data)


class Searches:
    """The searches of an episode, one per decision.

    A search recorded before the interruption is repeated with the same number of simulations,
    however long it takes, so it decides the same. Its note has the recorded seconds.
    """

    def __init__(self, brief: Brief, options: SearchOptions, limits: Limits) -> None:
        """limits: of new searches."""
        self.options = options
        self._limits = limits
        self._recorded = deque(brief.searches)

    def choose(self, tracker: BeliefTracker, seed: int) -> tuple[SearchChoice, Note]:
        """The next decision and its note. Raises EmptyBelief for an empty belief."""
        recorded = self._recorded.popleft() if self._recorded else None
        if recorded is None:
            choice = choose(tracker, self.options, seed, self._limits)
            return choice, choice.note()
        choice = choose(tracker, self.options, seed, _limits_of(recorded))
        return choice, choice.note(float(recorded["seconds"]))


def _limits_of(recorded: Any) -> Limits:
    """The limits that repeat a recorded search."""
    try:
        by_tree = tuple(int(count) for count in recorded.get("by_tree", ()))
        return Limits(simulations=max(1, int(recorded["simulations"])), by_tree=by_tree)
    except (KeyError, TypeError, ValueError):
        raise BadInput(
            "A recorded search lacks its number of simulations, so it cannot be repeated; "
            "run the episode from its start."
        ) from None


def choose(
    tracker: BeliefTracker, options: SearchOptions, seed: int, limits: Limits
) -> SearchChoice:
    """Search the belief for the best move. Raises EmptyBelief for an empty belief."""
    belief = tracker.states()
    rows = tracker.rows()
    kitchen = tracker.world.kitchen(
        rows,
        tracker.goal_rows(),
        rewards=options.rewards,
        discount=options.discount,
        offered="all" if options.solver is Solver.POMCP else "relevant",
        policy=options.policy,
    )
    if options.solver is Solver.ONE_HYPOTHESIS:
        belief = ParticleBelief([belief.most_likely()])
    result = _searched(kitchen, belief, options, seed, limits)
    branch = [
        (str(tracker.world.move_of(kitchen, rows, step.action)), f"{step.probability:.0%}")
        for step in result.branch
    ]
    return SearchChoice(tracker.world.move_of(kitchen, rows, result.action), tuple(branch), result)


def _searched(
    kitchen: Kitchen, belief: ParticleBelief[Any], options: SearchOptions, seed: int, limits: Limits
) -> SearchResult:
    """Search a belief in an array model. Raises Missing without numba."""
    from .search.compiled.despot import CompiledDespot
    from .search.compiled.pomcp import CompiledPomcp

    depth, rollout = options.depth, options.rollout
    model = kitchen.compiled()
    solver: CompiledDespot[Any] | CompiledPomcp[Any]
    if options.solver is Solver.DESPOT:
        despot = DespotOptions(options.scenarios, depth, rollout, options.regularisation)
        solver = CompiledDespot(model, despot, threads=options.threads)
    else:
        pomcp = PomcpOptions(depth, rollout, options.exploration)
        solver = CompiledPomcp(model, pomcp, threads=options.threads)
    return solver.search(belief, seed, limits)


# --- compilation before the first decision, so that no decision waits for it ---------------------


@cache
def make_ready(solver: Solver, policy: RolloutPolicy | None = None) -> None:
    """Compile or load a search, once per process; a slow compilation is logged.

    policy: the rollout policy; None for the kitchen's own. Raises Missing without numba.
    """
    if not _is_kept(solver, policy):
        _LOG.warning(
            "Compiling the belief search, once on this machine; this can take a minute or two."
        )
    options = SearchOptions(solver=solver, scenarios=1, depth=1, rollout=1, policy=policy)
    kitchen = Kitchen(standing=[0, 0], travel=[[0.0]], objects=1, goals=[{0: 1}], policy=policy)
    belief = ParticleBelief([Arrangement((0,), 0b11, 0, 0)])
    _searched(kitchen, belief, options, 0, Limits(simulations=1))


def _is_kept(solver: Solver, policy: RolloutPolicy | None) -> bool:
    """Whether the compiled search is on disk. Raises Missing without numba."""
    from .search import kitchen_kernels
    from .search.compiled.model import instantiated

    template = "despot_template" if solver is Solver.DESPOT else "pomcp_template"
    kernels = kitchen_kernels if policy is None else policy.kernels(kitchen_kernels)
    module = instantiated(template, kernels)
    folder = Path(module.search.stats.cache_path)
    return any(folder.glob(f"{template}.search_{module.DIGEST}*.nbc"))
