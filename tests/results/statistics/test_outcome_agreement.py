"""Cohen's kappa with its interval, against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from peephole.results.statistics.agreement import outcome_agreement


def test_kappa_and_its_error_are_those_of_statsmodels() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    draw = np.random.default_rng(0)
    for _ in range(20):
        x = draw.binomial(1, 0.6, size=400)
        y = np.where(draw.random(400) < 0.6, x, draw.binomial(1, 0.3, size=400))
        found = outcome_agreement(x, y, range(400))
        table = [[found.both, found.only_first], [found.only_second, found.neither]]
        right = cohens_kappa(np.array(table))
        assert found.kappa is not None
        assert found.kappa.low is not None
        assert found.kappa.high is not None
        assert found.kappa.value == pytest.approx(right.kappa)
        half = (found.kappa.high - found.kappa.low) / 2
        assert half == pytest.approx(1.966 * right.std_kappa, rel=0.01)


def test_counts_worked_by_hand() -> None:
    found = outcome_agreement([1, 1, 0, 0, 1], [1, 0, 0, 1, 1], "abcde")
    assert (found.both, found.only_first, found.only_second, found.neither) == (2, 1, 1, 1)
    # They agree in 3 of 5, and would by chance in 0.6 x 0.6 + 0.4 x 0.4 = 0.52.
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx((0.6 - 0.52) / 0.48)


def test_repeats_of_a_task_tell_no_more_than_the_task() -> None:
    draw = np.random.default_rng(1)
    x, y = draw.binomial(1, 0.5, size=(2, 30))
    once = outcome_agreement(x, y, range(30)).kappa
    thrice = outcome_agreement(np.repeat(x, 3), np.repeat(y, 3), np.repeat(range(30), 3)).kappa
    assert once is not None
    assert thrice is not None
    assert (thrice.value, thrice.low, thrice.high) == pytest.approx(
        (once.value, once.low, once.high)
    )


def test_what_cannot_be_told() -> None:
    assert outcome_agreement([1, 1, 1], [1, 1, 1], "abc").kappa is None
    constant = outcome_agreement([1, 1, 1, 1], [1, 0, 1, 0], "abcd").kappa
    assert constant is not None
    assert constant.value == 0
    with pytest.raises(ValueError, match="0 or 1"):
        outcome_agreement([0.5], [1], "a")
    with pytest.raises(ValueError, match="0 or 1"):
        outcome_agreement([], [], "")
