"""Searches that are repeated: as many simulations as recorded give the same decision."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.errors import BadInput
from peephole.planners.kits.belief.decide import Searches, SearchOptions, Solver, choose
from peephole.planners.kits.belief.search.protocol import Limits
from peephole.planners.kits.belief.tracker import BeliefTracker
from peephole.planners.kits.belief.world import Hypothesis

from .kitchens import kitchen


def believed(world):
    closed = world.closed()
    return BeliefTracker(
        world,
        [
            Hypothesis(
                {"dinner_plate": "prep_surface", "fork_set": closed[3]},
                {"dinner_plate": closed[n], "fork_set": closed[-n]},
                1 + n,
            )
            for n in range(1, 9)
        ],
    )


@pytest.mark.slow
@pytest.mark.parametrize("solver", list(Solver))
@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_ended_by_the_clock_is_repeated_by_its_simulations(solver, threads):
    with kitchen() as (environment, world):
        options = SearchOptions(solver=solver, threads=threads)
        first, note = Searches(environment.brief(), options, Limits(seconds=0.02)).choose(
            believed(world), seed=5
        )
        brief = replace(environment.brief(), searches=(note.data,))
        again, noted = Searches(brief, options, Limits(seconds=1e-9)).choose(
            believed(world), seed=5
        )
        assert noted == note
        assert again.action == first.action
        assert again.result.simulations == first.result.simulations


def test_a_choice_gives_its_own_limits():
    with kitchen() as (_, world):
        first = choose(believed(world), SearchOptions(), 3, Limits(seconds=0.02))
        again = choose(believed(world), SearchOptions(), 3, first.result.limits())
        assert (again.action, again.result.value) == (first.action, first.result.value)


def test_a_recording_without_simulations_is_refused_in_one_sentence():
    with kitchen() as (environment, world):
        brief = replace(environment.brief(), searches=({"seconds": 1.0},))
        searches = Searches(brief, SearchOptions(), Limits(simulations=1))
        with pytest.raises(BadInput, match="cannot be repeated"):
            searches.choose(believed(world), seed=0)
