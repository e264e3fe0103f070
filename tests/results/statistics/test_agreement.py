"""Agreement of simulation with reality, and prediction-powered means."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from peephole.results.statistics.agreement import (
    Agreement,
    agreement,
    leave_one_out,
    mmrv,
    mmrv_interval,
    pearson,
    ranks,
)
from peephole.results.statistics.predictions import PredictionPowered, prediction_powered_mean

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def studies() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("studies")


def sides(planners: int = 6, seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    draw = np.random.default_rng(seed)
    chances = np.linspace(0.2, 0.8, planners)
    return tuple(  # type: ignore[return-value]
        {
            str(k): draw.binomial(1, chance, size=60).astype(float)
            for k, chance in enumerate(chances)
        }
        for _ in range(2)
    )


def test_correlations_and_their_intervals_are_those_of_scipy() -> None:
    import scipy.stats

    simulated, real = sides()
    found = agreement(simulated, real)
    assert isinstance(found, Agreement)
    x, y = ([float(v.mean()) for v in side.values()] for side in (simulated, real))
    right = scipy.stats.pearsonr(x, y)
    assert found.srcc is not None
    assert found.spearman is not None
    assert found.srcc.value == pytest.approx(right.statistic)
    bounds = right.confidence_interval(0.95)
    assert (found.srcc.low, found.srcc.high) == pytest.approx((bounds.low, bounds.high))
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(x, y).statistic)


def test_ranks_share_ties_as_in_scipy() -> None:
    import scipy.stats

    values = np.random.default_rng(1).integers(0, 4, size=20)
    assert ranks(values).tolist() == scipy.stats.rankdata(values).tolist()


def test_rank_violations_worked_by_hand() -> None:
    real = np.array([0.2, 0.5, 0.9])
    assert mmrv(np.array([0.1, 0.2, 0.3]), real) == 0
    # The second and the third swapped: 0.4 for each of them, 0 for the first.
    assert mmrv(np.array([0.1, 0.3, 0.2]), real) == pytest.approx((0 + 0.4 + 0.4) / 3)
    # Simulation ties what reality tells apart: out of order by 0.3 for the better one, or for both.
    tied = np.array([0.1, 0.1, 0.3])
    assert mmrv(tied, real) == pytest.approx((0 + 0.3 + 0) / 3)
    assert mmrv(tied, real, ties_of_both=True) == pytest.approx((0.3 + 0.3 + 0) / 3)
    # Reality ties: no violation.
    assert mmrv(np.array([0.1, 0.3, 0.4]), np.array([0.5, 0.5, 0.9])) == 0


def test_rank_violations_are_those_of_simplers_code() -> None:
    """With ties on either side, in a loop over planners as SIMPLER has it."""
    draw = np.random.default_rng(4)
    for _ in range(100):
        x, y = draw.integers(0, 4, size=(2, 6)) / 4
        largest = [
            max(abs(y[i] - y[j]) * ((x[i] > x[j]) != (y[i] > y[j])) for j in range(6))
            for i in range(6)
        ]
        assert mmrv(x, y) == pytest.approx(np.mean(largest))
        assert mmrv(x, y, ties_of_both=True) >= mmrv(x, y) - 1e-12


def test_constant_figures_cannot_be_told() -> None:
    simulated, real = sides()
    found = agreement({name: np.ones(60) for name in simulated}, real)
    assert isinstance(found, Agreement)
    assert (found.srcc, found.spearman) == (None, None)
    (note,) = found.notes
    assert "same figure in simulation: correlations are undefined" in note
    assert "nan" not in str(found)
    assert pearson(np.ones(3), np.arange(3.0)) is None
    assert isinstance(agreement({"a": np.ones(3)}, {"a": np.ones(3)}), str)


def test_three_planners_have_no_interval() -> None:
    found = agreement(*sides(3))
    assert isinstance(found, Agreement)
    assert found.srcc is not None
    assert found.srcc.low is None
    assert found.notes == ("intervals of correlations need four planners",)


def test_each_planner_is_left_out_in_turn() -> None:
    simulated, real = sides()
    without = leave_one_out(simulated, real)
    assert list(without) == list(simulated)
    assert without["2"].planners == ("0", "1", "3", "4", "5")
    rest = agreement({k: v for k, v in simulated.items() if k != "2"}, real)
    assert without["2"] == rest
    assert leave_one_out(*sides(2)) == {}


def test_a_prediction_powered_mean_is_the_regression_estimate_of_statsmodels() -> None:
    import scipy.stats
    import statsmodels.api

    # With very many further results the tuned weight is the slope of least squares.
    draw = np.random.default_rng(2)
    simulated = draw.normal(size=50)
    real = 0.7 * simulated + draw.normal(0, 0.5, size=50)
    further = draw.normal(size=200_000)
    found = prediction_powered_mean(real, simulated, further)
    assert isinstance(found, PredictionPowered)
    fitted = statsmodels.api.OLS(real, statsmodels.api.add_constant(simulated)).fit()
    ratio = float(np.var(simulated, ddof=1))  # further results have a variance of 1
    assert found.weight == pytest.approx(fitted.params[1] * ratio, rel=0.01)
    value = real.mean() + found.weight * (further.mean() - simulated.mean())
    assert found.interval.value == pytest.approx(value)
    low, high = scipy.stats.t.interval(0.95, 49, real.mean(), scipy.stats.sem(real))
    assert (found.alone.low, found.alone.high) == pytest.approx((low, high), rel=1e-4)


def test_simulation_that_tells_nothing_is_not_trusted() -> None:
    draw = np.random.default_rng(3)
    real = draw.binomial(1, 0.5, size=40)
    found = prediction_powered_mean(real, np.ones(40), np.ones(400))
    assert isinstance(found, PredictionPowered)
    assert (found.weight, found.saved) == (0.0, 0)
    assert found.interval.value == pytest.approx(real.mean())


def test_what_cannot_be_told_is_a_sentence() -> None:
    assert "the same" in str(prediction_powered_mean([1, 1, 1, 1], [1, 0, 1, 0], [1, 0, 1]))
    assert "play more" in str(prediction_powered_mean([1, 0], [1, 0], [1, 0, 1]))


def test_prediction_powered_intervals_are_a_fifth_narrower(studies: ModuleType) -> None:
    share, fewer = studies.narrower(60, 0.9)
    assert share >= 0.2
    assert fewer >= 30


def test_intervals_cover(studies: ModuleType) -> None:
    for name in (
        "difference of success, 20 tasks",
        "difference of success, 30 tasks, 3 repeats",
        "prediction-powered, 20 real and 100 simulated",
    ):
        study = studies._COVERED[name]
        held = sum(studies._holds(*study(np.random.default_rng([9, n]), 60)) for n in range(250))
        assert 0.91 <= held / 250 <= 0.99, name


def test_a_prediction_powered_interval_worked_by_hand() -> None:
    import scipy.stats

    # Ten real tasks; simulation is right in eight of them, and solves half of ten further ones.
    real = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0]
    simulated = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    found = prediction_powered_mean(real, simulated, [1, 0] * 5)
    assert isinstance(found, PredictionPowered)
    covariance, spread = (4 - 10 * 0.25) / 9, 20 * 0.25 / 19
    weight = covariance / ((1 + 10 / 10) * spread)
    assert found.weight == pytest.approx(weight)
    # Residuals: 1 - w in four tasks, 0 in four, 1 and -w in one each; their mean is (1 - w) / 2.
    residuals = [1 - weight] * 4 + [0] * 4 + [1, -weight]
    squares = sum((each - (1 - weight) / 2) ** 2 for each in residuals)
    error = (squares / 8 / 10 + weight**2 * (10 * 0.25 / 9) / 10) ** 0.5
    half = scipy.stats.t.ppf(0.975, 8) * error
    assert found.interval.low == pytest.approx(0.5 - half, rel=1e-4)
    assert found.interval.high == pytest.approx(0.5 + half, rel=1e-4)


def test_an_interval_of_ranks_is_wider_than_fishers() -> None:
    """Bonett and Wright's, for the ranks 1 to 6 with two neighbours exchanged."""
    simulated = {str(n): np.full(3, n / 10) for n in range(6)}
    real = simulated | {"2": simulated["3"], "3": simulated["2"]}
    found = agreement(simulated, real)
    assert isinstance(found, Agreement)
    assert found.spearman is not None
    value = 1 - 6 * 2 / (6 * 35)
    half = 1.959964 * ((1 + value**2 / 2) / 3) ** 0.5
    assert found.spearman.value == pytest.approx(value)
    assert found.spearman.low == pytest.approx(np.tanh(np.arctanh(value) - half), rel=1e-5)


def test_the_interval_of_rank_violations_holds_a_small_one() -> None:
    # Five planners that simulation has in the right order: chance alone measures violations.
    held = 0
    for seed in range(20):
        simulated, real = sides(seed=seed)
        found = agreement(simulated, real)
        assert isinstance(found, Agreement)
        assert found.mmrv.low is not None
        assert found.mmrv.high is not None
        assert found.mmrv.low <= found.mmrv.value <= found.mmrv.high
        held += found.mmrv.low < 0.005
    assert held >= 15


def test_rank_violations_of_few_planners_and_tasks_have_an_interval() -> None:
    for planners, tasks in ((2, 2), (3, 5), (8, 6)):
        draw = np.random.default_rng(planners)
        sim, real = draw.binomial(1, 0.5, size=(2, planners, tasks)).astype(float)
        found = mmrv_interval(sim, real)
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.high <= 1.5
    assert mmrv_interval(np.ones((3, 4)), np.ones((3, 4))).value == 0
    assert mmrv_interval(np.ones((3, 1)), np.ones((3, 1))).low is None


@pytest.mark.slow
@pytest.mark.parametrize(("planners", "correlation"), [(5, 0.5), (10, 0.5), (10, 0.9)])
def test_intervals_of_agreement_cover(
    studies: ModuleType, planners: int, correlation: float
) -> None:
    for name, share in studies.agreement_coverage(300, planners, correlation).items():
        assert 0.91 <= share <= 0.99, (name, share)
