"""The kitchen: the effects of its actions, and the same world in compiled form."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from peephole.errors import BadInput
from peephole.planners.kits.belief.search.compiled.despot import CompiledDespot
from peephole.planners.kits.belief.search.kitchen import (
    NULL,
    OPEN,
    PICK,
    PLACE,
    Arrangement,
    Kitchen,
    KitchenRewards,
)
from peephole.planners.kits.belief.search.particles import ParticleBelief
from peephole.planners.kits.belief.search.protocol import DespotOptions, Limits

from .kitchens import one_step, random_kitchen
from .plain_despot import Despot
from .plain_kitchen import PlainKitchen

TABLE, DRAWER, SHELF = 0, 1, 2
CUP, SPOON = 0, 1
RNG = random.Random(0)


def small_kitchen(**options) -> PlainKitchen:
    """A table and a shelf, both open, and a closed drawer at distance 7.

    The goals: the cup to the shelf, or the spoon to the table.
    """
    return PlainKitchen(
        standing=[0, 1, 0],
        travel=[[0, 7], [7, 0]],
        objects=2,
        goals=[{CUP: SHELF}, {SPOON: TABLE}],
        **options,
    )


def state(cup=TABLE, spoon=DRAWER, opened=0b101, robot=0, goal=0) -> Arrangement:
    return Arrangement((cup, spoon), opened, robot, goal)


def test_opening_costs_the_way_and_shows_what_is_inside():
    kitchen = small_kitchen()
    step = kitchen.step(state(), kitchen.number(OPEN, DRAWER), RNG)
    assert step.reward == -12
    assert step.state == state(opened=0b111, robot=1)
    assert step.observation == ("contents", (SPOON,))


def test_the_goal_of_the_particle_pays():
    kitchen = small_kitchen(discount=1.0)
    held = kitchen.step(state(), kitchen.number(PICK, CUP), RNG)
    assert held.reward == -5
    placed = kitchen.step(held.state, kitchen.number(PLACE, SHELF), RNG)
    assert (placed.reward, placed.done) == (395, True)
    other = kitchen.step(held.state._replace(goal=1), kitchen.number(PLACE, SHELF), RNG)
    assert (other.reward, other.done) == (-5, False)
    already = kitchen.step(state(cup=SHELF), kitchen.number(PICK, CUP), RNG)
    assert (already.reward, already.done) == (0, True)


def test_taking_away_what_was_right_costs_more_than_bringing_it_pays():
    kitchen = small_kitchen()
    kitchen.goals[0][SPOON] = TABLE
    undone = kitchen.step(state(cup=SHELF), kitchen.number(PICK, CUP), RNG)
    assert undone.reward == -255


@pytest.mark.parametrize(
    ("verb", "which", "where"),
    [
        (OPEN, TABLE, state()),
        (PICK, SPOON, state()),
        (PLACE, SHELF, state()),
        (PLACE, DRAWER, state(cup=3)),
        (PICK, SPOON, state(cup=3, opened=0b111)),
    ],
)
def test_what_is_infeasible_changes_nothing(verb, which, where):
    kitchen = small_kitchen()
    step = kitchen.step(where, kitchen.number(verb, which), RNG)
    assert (step.state, step.reward, step.done) == (where, -100, False)


def test_only_actions_that_some_particle_has_a_use_for_are_offered():
    kitchen = small_kitchen()
    offered = kitchen.actions([state(), state(goal=1)])
    assert [kitchen.action(number) for number in offered] == [
        (OPEN, DRAWER),
        (PICK, CUP),
        (NULL, 0),
    ]
    everything = small_kitchen(offered="all").actions([state(cup=3)])
    assert len(everything) == 4


def test_feedback_is_observed_where_it_is_given():
    for feedback, told in ((False, {1}), (True, {1, 2})):
        kitchen = small_kitchen(feedback=feedback)
        kitchen.goals[0][SPOON] = TABLE
        place = kitchen.number(PLACE, SHELF)
        states = [state(cup=3, goal=goal) for goal in (0, 1)]
        assert {kitchen.step(each, place, RNG).observation for each in states} == told


def test_bad_kitchens_are_refused():
    with pytest.raises(BadInput, match="wants object 0 in area 9, but there are 2 objects and 1"):
        Kitchen(standing=[0], travel=[[0]], objects=2, goals=[{0: 9}])
    with pytest.raises(BadInput, match="at least its reward of 200"):
        KitchenRewards(undo=100)


@pytest.mark.parametrize(
    "areas", [12, *(pytest.param(many, marks=pytest.mark.slow) for many in (40, 300))]
)
def test_a_hundred_thousand_random_steps_agree(areas):
    """State, observation, reward and end of the compiled kitchen, whatever is done."""
    count = {12: 20_000, 40: 70_000, 300: 10_000}[areas]
    kitchen, belief = random_kitchen(areas, areas=areas, closed=areas * 2 // 3, feedback=True)
    model = kitchen.compiled()
    rng = random.Random(areas)
    key = np.uint64(0)
    seen: dict[int, object] = {}
    ends = 0
    current = belief.states[0]
    for _ in range(count):
        if rng.random() < 0.9:
            action = rng.choice(kitchen.feasible(current))
        else:
            action = rng.randrange(model.max_actions)
        if rng.random() < 0.3:
            action = kitchen.rollout([current], rng)
        row = model.rows([current])
        observation, reward, done = one_step(model.data, row, action, key)
        step = kitchen.step(current, action, rng)
        assert (row == model.rows([step.state])).all()
        assert (reward, done) == (step.reward, step.done)
        assert seen.setdefault(int(observation), step.observation) == step.observation
        ends += done
        current = rng.choice(belief.states) if done else step.state
    assert ends > 10


@pytest.mark.parametrize("offered", ["relevant", "all"])
def test_the_compiled_search_is_the_plain_one(offered):
    for seed in range(3):
        kitchen, belief = random_kitchen(
            seed, areas=12, closed=8, objects=6, offered=offered, feedback=seed == 1
        )
        options = DespotOptions(scenarios=20, depth=8, regularisation=[0, 1, 10][seed])
        limits = Limits(simulations=6)
        expected = Despot(kitchen, options).search(belief, seed, limits)
        result = CompiledDespot(kitchen.compiled(), options).search(belief, seed, limits)
        assert replace(result, seconds=0) == replace(expected, seconds=0)


def test_no_rollout_exceeds_the_upper_bound():
    for seed in range(30):
        kitchen, belief = random_kitchen(seed, areas=10, closed=6, objects=5, goals=2)
        for start in belief.states:
            bound, current, won, weight = kitchen.upper_bound(start), start, 0.0, 1.0
            for _ in range(30):
                step = kitchen.step(current, kitchen.rollout([current], RNG), RNG)
                won, weight = won + weight * step.reward, weight * kitchen.discount
                current = step.state
                if step.done:
                    break
            assert step.done
            assert won <= bound + 1e-9


def test_a_certain_belief_is_played_to_the_end():
    """With one particle the search brings everything home, on the way that it foresaw."""
    kitchen, belief = random_kitchen(5)
    solver = CompiledDespot(kitchen.compiled())
    current = belief.states[0]
    for number in range(12):
        result = solver.search(ParticleBelief([current]), number, Limits(simulations=20))
        step = kitchen.step(current, result.action, RNG)
        current = step.state
        if step.done:
            break
    assert step.done


def test_hypotheses_are_weighed_against_each_other():
    """The object is in one of two areas: the nearer is opened first, unless it is unlikely."""
    kitchen = Kitchen(
        standing=[0, 1, 2],
        travel=[[0, 2, 10], [2, 0, 8], [10, 8, 0]],
        objects=1,
        goals=[{0: 0}],
    )
    near, far = Arrangement((1,), 0b001, 0, 0), Arrangement((2,), 0b001, 0, 0)
    solver = CompiledDespot(kitchen.compiled(), DespotOptions(scenarios=200))
    for weights, first in (([1, 1], 1), ([1, 99], 2)):
        result = solver.search(ParticleBelief([near, far], weights), 1, Limits(simulations=50))
        assert kitchen.action(result.action) == (OPEN, first)
        assert result.ended == "bounds met"
