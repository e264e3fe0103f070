"""Rates and means with their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.results.statistics.estimates import mean_over_tasks, rate_over_tasks, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # from Newcombe (1998), Statistics in Medicine 17, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(
    successes: int, trials: int, low: float, high: float
) -> None:
    figure = wilson(successes, trials)
    assert figure.mean == successes / trials
    assert (figure.low, figure.high) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 5000), st.data())
def test_an_interval_ends_at_the_rate_itself_only_where_all_or_none_succeeded(
    trials: int, data: st.DataObject
) -> None:
    assert wilson(0, trials).low == 0.0
    assert wilson(trials, trials).high == 1.0
    figure = wilson(data.draw(st.integers(0, trials)), trials)
    assert 0.0 <= figure.low <= figure.mean <= figure.high <= 1.0
    assert (figure.low == 0.0) == (figure.mean == 0.0)
    assert (figure.high == 1.0) == (figure.mean == 1.0)


def test_a_rate_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="0 successes of 0 trials"):
        wilson(0, 0)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30))
def test_a_bootstrap_interval_holds_the_mean_and_is_repeatable(values: list[float]) -> None:
    tasks = [str(place) for place in range(len(values))]
    figure = mean_over_tasks(values, tasks)
    assert figure == mean_over_tasks(values, tasks)
    if figure.low is None:
        assert max(values) - min(values) <= 1e-6
        assert figure.text() == f"{figure.mean:.1f} (no interval)"
    else:
        assert min(values) - 1e-9 <= figure.low <= figure.high <= max(values) + 1e-9
        assert figure.low < figure.high


def test_one_task_or_equal_ones_have_no_interval() -> None:
    """One of no width would be certain of what one value, or many equal ones, cannot tell."""
    alike = [0.1] * 30
    for values, tasks in (([1.0], "a"), (alike, map(str, range(30))), ([1, 0, 1], "aaa")):
        figure = mean_over_tasks(values, list(tasks))
        assert figure.mean == pytest.approx(sum(values) / len(values))
        assert (figure.low, figure.high) == (None, None)


def test_many_tasks_give_the_interval_of_resampling(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).gamma(2, 10, size=4000)
    tasks = [str(n // 2) for n in range(4000)]
    quick = mean_over_tasks(values.tolist(), tasks)
    monkeypatch.setattr("peephole.results.statistics.intervals._MANY_TASKS", 10**9)
    resampled = mean_over_tasks(values.tolist(), tasks)
    assert (quick.low, quick.high) == pytest.approx((resampled.low, resampled.high), rel=2e-3)


def test_a_bootstrap_interval_is_of_95_percent() -> None:
    """Of many values it reaches as far to either side as that of the normal distribution."""
    below, above = [], []
    for seed in range(60):
        values = np.random.default_rng(seed).normal(size=400)
        figure = mean_over_tasks(values.tolist(), [str(place) for place in range(400)])
        reach = 1.96 * values.std() / np.sqrt(len(values))
        below.append((figure.mean - figure.low) / reach)
        above.append((figure.high - figure.mean) / reach)
    assert np.mean(below) == pytest.approx(1.0, abs=0.01)
    assert np.mean(above) == pytest.approx(1.0, abs=0.01)


def test_the_interval_of_repeated_tasks_holds_the_true_rate() -> None:
    """In 95 of 100 studies of tasks that differ in difficulty, near enough."""
    held = 0
    for seed in range(300):
        dice = np.random.default_rng(seed)
        chances = dice.beta(1.0, 1.0, size=40)
        outcomes = [(str(i), bool(dice.random() < p)) for i, p in enumerate(chances) for _ in "abc"]
        figure = rate_over_tasks(outcomes)
        held += figure.low <= 0.5 <= figure.high
    assert 0.92 <= held / 300 <= 0.98
