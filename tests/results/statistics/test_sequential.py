"""Tests that are looked at after every task, and the rule that ends a study."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from peephole.results.statistics.sequential import (
    BettingTest,
    Spending,
    SpendingTest,
    confidence_sequence,
    parts_of,
    spent_early,
    spent_late,
)
from peephole.results.statistics.stopping import StoppingRule, shuffled

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def studies() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("studies")


def rejecting(tasks: int, sizes: list[int], alpha: float, spending: Spending) -> float:
    """The share of all sign patterns of differences of these sizes that ever reject."""
    found = 0
    for signs in product((1, -1), repeat=len(sizes)):
        test = SpendingTest(tasks, alpha, spending)
        found += any(test.add(sign * size) for sign, size in zip(signs, sizes, strict=True))
    return found / 2 ** len(sizes)


@pytest.mark.parametrize("spending", [spent_early, spent_late])
@pytest.mark.parametrize(
    "sizes",
    [
        [1] * 11,
        [1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1],
        [2, 1, 3] * 3,
        [parts_of(each) for each in (0.25, 0.5, 1 / 3, 0, 1, 0.2, 0.75, 0.25, 0.6)],
    ],
)
def test_the_spent_error_is_exact_over_all_sign_patterns(
    sizes: list[int], spending: Spending
) -> None:
    share = rejecting(len(sizes), sizes, 0.1, spending)
    assert 0.02 < share <= 0.1


@pytest.mark.parametrize("spending", [spent_early, spent_late])
def test_all_of_the_error_is_spent_in_the_end_and_none_at_first(spending: Spending) -> None:
    assert spending(0.0) == 0.0
    assert spending(1.0) == pytest.approx(1.0)
    assert 0.0 < spending(0.3) < spending(0.6) < 1.0


@pytest.mark.parametrize("parts", range(1, 7))
def test_differences_of_up_to_six_subgoals_are_told_exactly(parts: int) -> None:
    assert [parts_of(n / parts) * parts for n in range(parts + 1)] == [
        120 * n for n in range(parts + 1)
    ]
    assert parts_of(-1 / parts) == -parts_of(1 / parts)


def test_a_spending_test_rejects_no_more_after_the_planned_tasks() -> None:
    test = SpendingTest(3)
    assert not any(test.add(1) for _ in range(40))
    late = SpendingTest(40)
    assert [late.add(1) for _ in range(12)][-1]
    assert late.looks < 12


def test_capital_worked_by_hand() -> None:
    # Shares 0.0125, ..., 0.9875 on both sides: their mean gain of +1 and of 0 is none.
    test = BettingTest()
    test.add(0.0)
    test.add(1.0)
    assert test.log_capital == pytest.approx(0)
    test.add(1.0)
    shares = (np.arange(40) + 0.5) / 40
    assert np.exp(test.log_capital) == pytest.approx(np.mean(1 + shares**2))
    assert test.p == pytest.approx(1 / np.mean(1 + shares**2))


def test_one_sided_bets_never_gain_from_the_other_side() -> None:
    above = BettingTest(0.1, side=1)
    for _ in range(200):
        above.add(0.05)
    assert above.p == 1.0
    for _ in range(300):
        above.add(0.6)
    assert above.rejects(0.001)


def test_one_planner_against_itself_is_seldom_told_apart(studies: ModuleType) -> None:
    for name, share in studies.alike(150, tasks=60).items():
        assert share <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 150), name


def test_fewer_tasks_than_a_fixed_sample(studies: ModuleType) -> None:
    fixed, most, mean = studies.saved(0.9, 40, (0.7, 0.5, 0.3))
    assert mean <= 0.7 * fixed
    assert most < 1.25 * fixed


def test_a_confidence_sequence_holds_the_mean_and_narrows() -> None:
    values = np.random.default_rng(5).choice([-1, 0, 1], p=[0.1, 0.6, 0.3], size=400)
    few, many = confidence_sequence(values[:40]), confidence_sequence(values)
    assert few[0] <= 0.2 <= few[1]
    assert many[0] <= 0.2 <= many[1]
    assert many[1] - many[0] < 0.6 * (few[1] - few[0])
    assert confidence_sequence([]) == (-1.0, 1.0)


def fed(rule: StoppingRule, tasks: list[str], values: dict[str, list[float]]) -> int:
    """Give the rule an episode of each row a task until it is decided; how many tasks it took."""
    for number, task in enumerate(tasks):
        for row, found in values.items():
            rule.add(row, task, 0, found[number])
        if rule.decided:
            return number + 1
    return len(tasks)


def test_a_clear_difference_is_decided_early() -> None:
    tasks = [str(number) for number in range(60)]
    rule = StoppingRule(["good", "bad"], tasks)
    assert fed(rule, tasks, {"good": [1] * 60, "bad": [0] * 60}) < 15
    (verdict,) = rule.verdicts
    assert verdict.outcome == "first"
    assert not rule.needs("bad")
    assert "good is better than bad after" in verdict.sentence
    other = StoppingRule(["bad", "good"], tasks)
    fed(other, tasks, {"good": [1] * 60, "bad": [0] * 60})
    assert other.verdicts[0].outcome == "second"


def test_planners_that_hardly_differ_are_told_to_be_alike() -> None:
    tasks = [str(number) for number in range(400)]
    rule = StoppingRule(["one", "other"], tasks, wanted=0.2)
    successes = [float(number % 2) for number in range(400)]
    assert fed(rule, tasks, {"one": successes, "other": successes}) < 200
    assert rule.verdicts[0].outcome == "alike"
    assert "differ by less than 0.2" in rule.verdicts[0].sentence


def test_progress_is_decided_early_where_it_differs_clearly() -> None:
    tasks = [str(number) for number in range(200)]
    rule = StoppingRule(["one", "other"], tasks, measure="progress")
    draw = np.random.default_rng(6)
    values = {
        "one": draw.uniform(0.4, 1, 200).tolist(),
        "other": draw.uniform(0, 0.6, 200).tolist(),
    }
    assert fed(rule, tasks, values) < 60
    assert rule.verdicts[0].outcome == "first"
    other = StoppingRule(["other", "one"], tasks, measure="progress")
    assert fed(other, tasks, values) < 60
    assert other.verdicts[0].outcome == "second"


def test_tasks_count_in_their_planned_order_whichever_ends_first() -> None:
    tasks = [str(number) for number in range(30)]
    rule = StoppingRule(["good", "bad"], tasks, repeats=2)
    for task in reversed(tasks):  # the first planned task ends last
        for row, value in (("bad", 0.0), ("good", 1.0)):
            for seed in (0, 1):
                assert not rule.decided
                rule.add(row, task, seed, value)
    assert rule.decided
    assert rule.verdicts[0].tasks < 15


def test_episodes_that_nobody_could_score_are_left_out() -> None:
    rule = StoppingRule(["one", "other"], ["a", "b"], repeats=2)
    for row in ("one", "other"):
        rule.add(row, "a", 0, None)
        rule.add(row, "a", 1, 1.0)
        rule.add(row, "b", 0, 1.0)
        rule.add(row, "b", 1, None if row == "one" else 0.0)
    (verdict,) = rule.verdicts
    assert (verdict.tasks, verdict.outcome) == (2, "open")
    assert verdict.difference is not None
    assert verdict.difference.value == 0.0


def test_comparisons_share_the_error() -> None:
    tasks = [str(number) for number in range(40)]

    def took(rows: list[str]) -> int:
        rule = StoppingRule(rows, tasks)
        return fed(rule, tasks, {r: [float(r == "a")] * 40 for r in rows})

    assert took(["a", "b", "c", "d", "e"]) > took(["a", "b"])


def test_a_shuffled_order_follows_from_the_seed() -> None:
    tasks = [str(number) for number in range(20)]
    assert shuffled(tasks, 3) == shuffled(tasks, 3) != shuffled(tasks, 4)
    assert sorted(shuffled(tasks, 3)) == sorted(tasks)
