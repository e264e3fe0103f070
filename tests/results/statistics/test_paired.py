"""Pairs, paired tests and intervals, against scipy, statsmodels and cases worked by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from peephole.results.statistics.intervals import (
    VarianceSplit,
    expanded_shares,
    mean_interval,
    student_quantile,
    variance_split,
)
from peephole.results.statistics.paired_tests import (
    Pairs,
    compare_pairs,
    holm,
    mcnemar,
    pair_up,
    sign_flip,
)


def pairs_of(first: list[float], second: list[float], tasks: list[str] | None = None) -> Pairs:
    names = tasks or [str(number) for number in range(len(first))]
    return Pairs(tuple(names), np.array(first, dtype=float), np.array(second, dtype=float), "given")


def test_mcnemar_is_that_of_scipy_and_statsmodels() -> None:
    import scipy.stats
    from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

    for one, other in product(range(0, 30, 3), range(0, 25, 4)):
        p = mcnemar(one, other)
        table = [[5, one], [other, 7]]
        assert p == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue)
        if one + other:
            assert p == pytest.approx(scipy.stats.binomtest(one, one + other).pvalue)


def test_sign_flips_of_single_episodes_are_mcnemar() -> None:
    draw = np.random.default_rng(0)
    for _ in range(30):
        differences = draw.choice([-1, 0, 1], size=25)
        counts = int((differences > 0).sum()), int((differences < 0).sum())
        assert sign_flip(differences) == pytest.approx(mcnemar(*counts))


def test_sign_flips_are_the_permutation_test_of_scipy() -> None:
    import scipy.stats

    draw = np.random.default_rng(1)
    for sums in (draw.integers(-3, 4, size=9), draw.normal(0.3, 1, size=9)):
        found = scipy.stats.permutation_test(
            (sums.astype(float),), np.sum, permutation_type="samples", n_resamples=np.inf
        )
        assert sign_flip(sums) == pytest.approx(found.pvalue)
    many = draw.normal(0.25, 1, size=60)
    drawn = scipy.stats.permutation_test(
        (many,), np.sum, permutation_type="samples", n_resamples=20_000, rng=draw
    )
    assert sign_flip(many) == pytest.approx(drawn.pvalue, abs=0.012)


def test_repeats_of_a_task_are_one_cluster() -> None:
    # Worked by hand: the sums +3, +3, +3 are as far out as all minus, 2 of 8 flips.
    tasks = [task for task in "abc" for _ in range(3)]
    found = compare_pairs(pairs_of([1] * 9, [0] * 9, tasks))
    assert (found.tasks, found.pairs, found.test) == (3, 9, "sign-flip over tasks")
    assert found.p == pytest.approx(2 / 8)
    assert mcnemar(9, 0) < 0.01  # what the repeats would pretend, taken as tasks


def test_ties_are_counted_as_ties() -> None:
    found = compare_pairs(pairs_of([1, 1, 0, 1, 0], [1, 0, 0, 0, 1]))
    assert (found.first_better, found.second_better, found.ties) == (2, 1, 2)
    assert found.test == "exact McNemar"
    same = compare_pairs(pairs_of([1, 0, 1], [1, 0, 1]))
    assert (same.ties, same.p, same.difference.value) == (3, 1.0, 0.0)


def test_pairs_are_by_task_and_seed_and_else_by_task() -> None:
    first = {("a", 0): 1.0, ("a", 1): 0.0, ("b", 0): 1.0}
    second = {("a", 1): 1.0, ("a", 0): 0.0, ("c", 0): 1.0}
    pairs = pair_up(first, second)
    assert isinstance(pairs, Pairs)
    assert pairs.tasks == ("a", "a")
    assert pairs.differences.tolist() == [1.0, -1.0]
    assert "leaving out 2" in pairs.sentence
    other = pair_up(first, {("a", 7): 1.0})
    assert isinstance(other, Pairs)
    assert (other.first.tolist(), other.second.tolist()) == ([0.5], [1.0])
    assert "by task alone" in other.sentence
    assert pair_up(first, {("d", 0): 1.0}) == (
        "no task was scored in both, so they cannot be paired; run both on the same tasks"
    )


def test_holm_is_that_of_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    ps = [0.04, 0.001, 0.3, 0.02]
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])


def test_students_quantiles_are_those_of_scipy() -> None:
    import scipy.stats

    for freedom in (1, 2, 3, 7, 30, 400):
        for share in (0.6, 0.9, 0.975, 0.995):
            right = scipy.stats.t.ppf(share, freedom)
            assert student_quantile(share, freedom) == pytest.approx(right, rel=1e-4)


def test_the_bootstrap_is_as_wide_as_students_interval() -> None:
    import scipy.stats

    values = np.random.default_rng(2).normal(size=20)
    found = mean_interval(values, range(20))
    low, high = scipy.stats.t.interval(0.95, 19, values.mean(), scipy.stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.06)
    plain = scipy.stats.bootstrap((values,), np.mean, method="percentile", rng=1)
    assert found.high is not None
    assert found.low is not None
    assert found.high - found.low > 1.03 * np.ptp(plain.confidence_interval)
    assert expanded_shares(10**6) == pytest.approx((0.025, 0.975), abs=1e-5)


def test_a_mean_of_one_task_cannot_be_bounded() -> None:
    found = mean_interval([0, 1, 1], ["a", "a", "a"])
    assert (found.low, found.high) == (None, None)
    assert found.text() == "0.67 (no interval)"
    with pytest.raises(ValueError, match="no values"):
        mean_interval([], [])


def test_clusters_widen_the_interval() -> None:
    values = np.repeat(np.random.default_rng(3).integers(0, 2, size=20), 4)
    tasks = np.repeat(range(20), 4).tolist()
    clustered, alone = mean_interval(values, tasks), mean_interval(values, range(80))
    assert clustered.value == alone.value
    assert clustered.low is not None
    assert alone.low is not None
    assert alone.value - alone.low < 0.6 * (clustered.value - clustered.low)


def test_the_variance_is_split_as_by_a_mixed_model() -> None:
    import pandas as pd
    import statsmodels.formula.api as formulas

    draw = np.random.default_rng(4)
    tasks = np.repeat(range(40), 5)
    values = draw.normal(0, 2, size=40)[tasks] + draw.normal(0, 1, size=200)
    found = variance_split(values, tasks.tolist())
    assert isinstance(found, VarianceSplit)
    frame = pd.DataFrame({"value": values, "task": tasks})
    fitted = formulas.mixedlm("value ~ 1", frame, groups="task").fit()
    assert found.task == pytest.approx(float(fitted.cov_re.iloc[0, 0]), rel=1e-3)
    assert found.model == pytest.approx(fitted.scale, rel=1e-3)
    assert found.standard_error(40, 5) == pytest.approx(fitted.bse["Intercept"], rel=1e-3)


def test_a_variance_worked_by_hand() -> None:
    # Task means 0.5 and 1: within (0.5 + 0) / 2, between 2 * 2 * 0.25^2 = 0.25.
    found = variance_split([0, 1, 1, 1], ["a", "a", "b", "b"])
    assert isinstance(found, VarianceSplit)
    assert (found.task, found.model) == (0.0, 0.25)
    same = variance_split([1, 1, 1, 1], ["a", "a", "b", "b"])
    assert isinstance(same, VarianceSplit)
    assert same.task_share is None
    assert "cannot be split" in same.sentence
    assert isinstance(variance_split([1, 0], ["a", "b"]), str)


def test_a_corrected_p_is_never_below_that_of_a_smaller_one() -> None:
    assert holm([0.021, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])


def test_drawn_flips_never_give_a_p_of_nothing() -> None:
    """Of 2**25 flips none that was drawn is as extreme; the observed one counts."""
    assert sign_flip(np.linspace(0.1, 0.9, 25)) == pytest.approx(1 / 20_001)


def test_a_variance_of_tasks_played_more_and_less_often_worked_by_hand() -> None:
    split = variance_split([1, 0, 1, 0, 0, 1], ["a", "a", "a", "b", "b", "c"])
    assert isinstance(split, VarianceSplit)
    assert split.model == pytest.approx((2 / 3) / 3)  # squares within tasks, 6 - 3 of freedom
    repeats = (6 - (9 + 4 + 1) / 6) / 2
    assert split.repeats == pytest.approx(repeats)
    assert split.task == pytest.approx(((5 / 6) / 2 - 2 / 9) / repeats)
