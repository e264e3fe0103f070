"""Chosen actions against exact solutions."""

from __future__ import annotations

import numpy as np
import pytest

from peephole.planners.kits.belief.search.compiled.despot import CompiledDespot
from peephole.planners.kits.belief.search.compiled.pomcp import CompiledPomcp
from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import DespotOptions, Limits, PomcpOptions

from .plain_despot import Despot
from .plain_pomcp import Pomcp
from .problems import exact_values, random_problem, tiger_optimum
from .tabular import (
    LISTEN,
    OPEN_RIGHT,
    tiger,
    tiger_belief,
)

#: The optimum of tiger at the uniform belief with discount 0.95: SARSOP's bounds, as its authors
#: publish them in examples/POMDPX/Tiger.log of github.com/AdaCompNUS/sarsop.
TIGER_BOUNDS = (19.3711, 19.3721)


def solvers(problem):
    despot = DespotOptions(scenarios=1000, depth=10, rollout=10, regularisation=0.001)
    pomcp = PomcpOptions(depth=10, rollout=10, exploration=10)
    yield CompiledDespot(problem.compiled(), despot), Limits(simulations=300)
    yield CompiledPomcp(problem.compiled(), pomcp), Limits(simulations=20_000)


@pytest.mark.parametrize("seed", range(10))
def test_the_chosen_action_is_within_two_percent_of_the_optimum(seed):
    problem = random_problem(100 + seed, actions=2, observations=2)
    weights = np.random.default_rng(seed).dirichlet(np.ones(3))
    values = exact_values(problem, weights, depth=8)
    for solver, limits in solvers(problem):
        result = solver.search(ParticleBelief(range(3), weights), seed, limits)
        assert values[result.action] >= 0.98 * values.max(), type(solver).__name__


def test_bounds_enclose_the_optimum_of_the_scenarios():
    """The gap closes, and where it does the value is the optimum but for the scenarios drawn."""
    problem = random_problem(7, actions=2, observations=2, discount=0.5)
    options = DespotOptions(scenarios=2000, depth=7, rollout=12, regularisation=0)
    belief = ParticleBelief(range(3))
    solver = CompiledDespot(problem.compiled(), options)
    result = solver.search(belief, 1, Limits(simulations=100_000))
    assert result.ended == "bounds met"
    optimum = exact_values(problem, np.full(3, 1 / 3), depth=9).max()
    assert result.value == pytest.approx(optimum, rel=0.03)


def test_tiger_is_solved():
    """The policy's exact value is within 2 % of the optimum, which is the published one.

    The rollout policy is the best single action for ever, that is listening.
    """
    optimum = tiger_optimum(0.95, 0.85)
    assert TIGER_BOUNDS[0] <= optimum[20] <= TIGER_BOUNDS[1]
    options = DespotOptions(scenarios=500, depth=30, rollout=20)
    solver = CompiledDespot(tiger().compiled(), options)
    actions = []
    for lead in range(-4, 5):
        left = 0.85**lead / (0.85**lead + 0.15**lead)
        belief = ParticleBelief([0, 1], [left, 1 - left])
        actions.append(solver.search(belief, 3, Limits(simulations=2000)).action)
    assert policy_value(actions) >= 0.98 * optimum[20]


def policy_value(actions: list[int]) -> float:
    """The value of tiger at the uniform belief under a policy of the lead heard left, -4 to 4."""
    leads = np.arange(-4, 5)
    left = 0.85**leads / (0.85**leads + 0.15**leads)
    values = np.zeros(9)
    for _ in range(2000):
        heard_left = left * 0.85 + (1 - left) * 0.15
        more, less = np.append(values[1:], values[-1]), np.insert(values[:-1], 0, values[0])
        listen = -1 + 0.95 * (heard_left * more + (1 - heard_left) * less)
        open_left = 10 - 110 * left + 0.95 * values[4]
        open_right = 10 - 110 * (1 - left) + 0.95 * values[4]
        values = np.choose(actions, [open_left, open_right, listen])
    return float(values[4])


def test_the_value_of_a_policy_differs():
    """What the test of tiger stands on: opening at once is bad, and so is listening for ever."""
    assert policy_value([LISTEN] * 9) == pytest.approx(-20, abs=0.1)
    assert policy_value([OPEN_RIGHT] * 9) < -100


def test_same_seed_and_count_same_action():
    options = DespotOptions(scenarios=100, depth=12)
    solver = CompiledDespot(tiger().compiled(), options, threads=2)
    by_time = solver.search(tiger_belief(), 5, Limits(seconds=0.02))
    assert by_time.ended == "seconds"
    solver.search(tiger_belief(), 6, Limits(simulations=50))
    fresh = CompiledDespot(tiger().compiled(), options, threads=2)
    for again in (solver, fresh):
        repeated = again.search(tiger_belief(), 5, by_time.limits())
        assert repeated.by_tree == by_time.by_tree
        assert (repeated.action, repeated.values) == (by_time.action, by_time.values)


@pytest.mark.parametrize(("simulations", "by_tree"), [(1, (1, 1)), (3, (2, 1)), (8, (4, 4))])
def test_trees_share_the_simulations(simulations, by_tree):
    solver = CompiledDespot(tiger().compiled(), DespotOptions(), threads=2)
    assert solver.search(tiger_belief(), 5, Limits(simulations=simulations)).by_tree == by_tree


@pytest.mark.parametrize(
    "solver",
    [
        Despot(tiger(), DespotOptions()),
        CompiledDespot(tiger().compiled(), DespotOptions()),
        CompiledDespot(tiger().compiled(), DespotOptions(), threads=2),
        Pomcp(tiger(), PomcpOptions()),
        CompiledPomcp(tiger().compiled(), PomcpOptions()),
    ],
    ids=["plain despot", "despot", "two trees", "plain pomcp", "pomcp"],
)
def test_a_search_without_time_decides_by_one_simulation(solver):
    late = solver.search(tiger_belief(), 5, Limits(seconds=1e-9))
    assert set(late.by_tree or (late.simulations,)) == {1}
    solver.search(tiger_belief(), 6, Limits(simulations=50))
    again = solver.search(tiger_belief(), 5, late.limits())
    assert (again.action, again.values) == (late.action, late.values)


def test_a_full_pool_ends_the_search():
    options = DespotOptions(scenarios=100, depth=12)
    solver = CompiledDespot(tiger().compiled(), options, megabytes=0.5)
    result = solver.search(tiger_belief(), 5, Limits(simulations=1_000_000))
    assert result.ended == "memory"
    assert result.action == LISTEN


def test_regularisation_makes_policies_smaller():
    """With a high price of nodes the rollout policy is all that pays: the root is blocked."""
    belief = tiger_belief()
    sizes = []
    for price in (0.0, 1000.0):
        options = DespotOptions(scenarios=50, depth=10, regularisation=price)
        result = CompiledDespot(tiger().compiled(), options).search(
            belief, 1, Limits(simulations=200)
        )
        sizes.append(len(result.branch))
    assert sizes[1] == 0 < sizes[0]
