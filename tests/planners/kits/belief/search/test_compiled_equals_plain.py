"""The compiled searches do what the plain ones do: the same numbers, to the last bit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.planners.kits.belief.search.compiled.despot import CompiledDespot
from peephole.planners.kits.belief.search.compiled.pomcp import CompiledPomcp
from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import DespotOptions, Limits, PomcpOptions

from .plain_despot import Despot
from .plain_pomcp import Pomcp
from .problems import random_problem


@pytest.mark.parametrize("seed", range(12))
def test_despot(seed):
    problem = random_problem(
        seed,
        states=2 + seed % 4,
        actions=2 + seed % 3,
        observations=1 + seed % 4,
        terminal=seed % 2 == 1,
        random_rollouts=seed % 3 == 0,
    )
    belief = ParticleBelief(range(2 + seed % 4), [1 + number for number in range(2 + seed % 4)])
    options = DespotOptions(
        scenarios=40, depth=6, rollout=seed % 5, regularisation=[0, 0.05, 0.5][seed % 3]
    )
    plain, compiled = Despot(problem, options), CompiledDespot(problem.compiled(), options)
    for simulations in (1, 7, 40):
        limits = Limits(simulations=simulations)
        expected = plain.search(belief, seed, limits)
        result = compiled.search(belief, seed, limits)
        assert replace(result, seconds=0) == replace(expected, seconds=0)


@pytest.mark.parametrize("seed", range(8))
def test_pomcp(seed):
    problem = random_problem(
        seed, states=3, actions=2 + seed % 3, observations=3, terminal=seed % 2 == 1
    )
    belief = ParticleBelief(range(3), [1, 2, 3])
    options = PomcpOptions(depth=8, rollout=seed % 6, exploration=5, random_rollouts=seed % 3 == 0)
    plain, compiled = Pomcp(problem, options), CompiledPomcp(problem.compiled(), options)
    for simulations in (1, 30, 400):
        limits = Limits(simulations=simulations)
        expected = plain.search(belief, seed, limits)
        result = compiled.search(belief, seed, limits)
        assert replace(result, seconds=0) == replace(expected, seconds=0)
