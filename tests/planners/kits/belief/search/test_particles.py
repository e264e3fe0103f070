"""A belief is a distribution, whatever is done to it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.errors import BadInput
from peephole.planners.kits.belief.search.particles import EmptyBelief, ParticleBelief

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


@given(WEIGHTS, WEIGHTS, st.floats(0, 1))
def test_a_mixture_is_a_distribution(one, other, share):
    first = ParticleBelief(["first"] * len(one), one)
    mixed = first.mixed(ParticleBelief(["second"] * len(other), other), share)
    assert is_distribution(mixed)
    pairs = zip(mixed.states, mixed.weights, strict=True)
    second = math.fsum(weight for state, weight in pairs if state == "second")
    assert second == pytest.approx(share, abs=1e-9)


@given(WEIGHTS, st.integers(1, 400), st.integers())
def test_scenarios_are_drawn_by_their_weights(weights, count, key):
    belief = ParticleBelief(range(len(weights)), weights)
    drawn = belief.scenarios(count, key)
    assert len(drawn) == count
    for state, weight in zip(belief.states, belief.weights, strict=True):
        expected = weight * count
        assert math.floor(expected - 1e-6) <= drawn.count(state) <= math.ceil(expected + 1e-6)


def test_an_empty_belief_is_refused():
    with pytest.raises(EmptyBelief, match="at least one particle"):
        ParticleBelief([])


@pytest.mark.parametrize("weights", [[1, -1], [math.nan, 1], [math.inf, 1], [1]])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(BadInput, match=r"[Ww]eights"):
        ParticleBelief(["a", "b"], weights)


def test_the_likeliest_state_has_the_largest_total_weight():
    belief = ParticleBelief(["shelf", "drawer", "shelf"], [0.3, 0.4, 0.3])
    assert belief.most_likely() == "shelf"
    assert belief.merged().states == ("shelf", "drawer")
