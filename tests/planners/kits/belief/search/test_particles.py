"""A belief is a distribution, whatever is done to it."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.errors import BadInput
from peephole.planners.kits.belief.search.particles import EmptyBelief, ParticleBelief

from .tabular import (
    LISTEN,
    TIGER_LEFT,
    TIGER_RIGHT,
    tiger,
)

WEIGHTS = st.lists(
    st.floats(0, 1e300, allow_nan=False) | st.floats(0, 1e-300) | st.just(0.0),
    min_size=1,
    max_size=30,
).filter(any)


def is_distribution(belief: ParticleBelief) -> bool:
    total = math.fsum(belief.weights)
    return all(0 < weight <= 1 for weight in belief.weights) and total == pytest.approx(1)


@given(WEIGHTS)
def test_weights_are_a_distribution(weights):
    belief = ParticleBelief(range(len(weights)), weights)
    assert is_distribution(belief)
    heaviest = weights.index(max(weights))
    assert heaviest in belief.states


@given(WEIGHTS, st.lists(st.floats(0, 1e6), min_size=30, max_size=30), st.integers(0, 5))
def test_they_stay_one_after_an_observation(weights, likelihoods, apart):
    belief = ParticleBelief([number % (apart + 1) for number in range(len(weights))], weights)
    likelihood = dict(enumerate(likelihoods))
    try:
        filtered = belief.reweighted(lambda state: likelihood[state])
    except EmptyBelief:
        assert all(
            w * likelihood[s] == 0 for s, w in zip(belief.states, belief.weights, strict=True)
        )
        return
    assert is_distribution(filtered.belief)
    assert is_distribution(filtered.belief.merged())
    assert filtered.survived == pytest.approx(
        sum(w * likelihood[s] for s, w in zip(belief.states, belief.weights, strict=True))
    )


@given(WEIGHTS, WEIGHTS, st.floats(0, 1))
def test_a_mixture_is_a_distribution(one, other, share):
    first = ParticleBelief(["first"] * len(one), one)
    mixed = first.mixed(ParticleBelief(["second"] * len(other), other), share)
    assert is_distribution(mixed)
    assert mixed.probability(lambda state: state == "second") == pytest.approx(share, abs=1e-9)


@given(WEIGHTS, st.integers(1, 400), st.integers())
def test_scenarios_are_drawn_by_their_weights(weights, count, key):
    belief = ParticleBelief(range(len(weights)), weights)
    drawn = belief.scenarios(count, key)
    assert len(drawn) == count
    for state, weight in zip(belief.states, belief.weights, strict=True):
        expected = weight * count
        assert math.floor(expected - 1e-6) <= drawn.count(state) <= math.ceil(expected + 1e-6)


def test_elimination_and_what_survived():
    belief = ParticleBelief(["shelf", "drawer", "fridge"], [0.5, 0.3, 0.2])
    filtered = belief.reweighted(lambda place: float(place != "shelf"))
    assert filtered.belief.states == ("drawer", "fridge")
    assert filtered.belief.weights == pytest.approx((0.6, 0.4))
    assert filtered.survived == pytest.approx(0.5)


def test_an_empty_belief_is_refused():
    belief = ParticleBelief(["shelf"])
    with pytest.raises(EmptyBelief, match=r"None of the 1 particles agrees .* form a new belief"):
        belief.reweighted(lambda place: 0.0)
    with pytest.raises(EmptyBelief, match="at least one particle"):
        ParticleBelief([])


@pytest.mark.parametrize("weights", [[1, -1], [math.nan, 1], [math.inf, 1], [1]])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(BadInput, match=r"[Ww]eights"):
        ParticleBelief(["a", "b"], weights)


def test_bayes_rule_with_a_noise_model():
    model = tiger()
    belief = ParticleBelief([TIGER_LEFT, TIGER_RIGHT])
    rng = random.Random(0)
    for _ in range(2):
        filtered = belief.updated(model, LISTEN, TIGER_LEFT, rng, model.likelihood)
        belief = filtered.belief
    odds = (0.85 / 0.15) ** 2
    assert belief.probability(lambda state: state == TIGER_LEFT) == pytest.approx(odds / (1 + odds))


def test_without_a_noise_model_particles_are_eliminated():
    model = tiger(accuracy=1.0)
    belief = ParticleBelief([TIGER_LEFT, TIGER_RIGHT], [1, 3])
    filtered = belief.updated(model, LISTEN, TIGER_LEFT, random.Random(0))
    assert filtered.belief.states == (TIGER_LEFT,)
    assert filtered.survived == pytest.approx(0.25)
    assert belief.most_likely() == TIGER_RIGHT
