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
    PlannedBets,
    SpendingTest,
    confidence_sequence,
    spent,
)
from peephole.results.statistics.stopping import StoppingRule, shuffled

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture(scope="module")
def studies() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("studies")


def rejecting(tasks: int, sizes: list[int], alpha: float) -> float:
    """The share of all sign patterns of differences of these sizes that ever reject."""
    found = 0
    for signs in product((1, -1), repeat=len(sizes)):
        test = SpendingTest(tasks, alpha)
        found += any(test.add(sign * size) for sign, size in zip(signs, sizes, strict=True))
    return found / 2 ** len(sizes)


@pytest.mark.parametrize(
    "sizes",
    [
        [1] * 11,
        [1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1],
        [2, 1, 3] * 3,
    ],
)
def test_the_spent_error_is_exact_over_all_sign_patterns(sizes: list[int]) -> None:
    share = rejecting(len(sizes), sizes, 0.1)
    assert 0.02 < share <= 0.1


def test_all_of_the_error_is_spent_in_the_end_and_none_at_first() -> None:
    assert spent(0.0) == 0.0
    assert spent(1.0) == pytest.approx(1.0)
    assert 0.0 < spent(0.3) < spent(0.6) < 1.0


def test_planned_bets_are_fair_whatever_the_differences() -> None:
    """Of differences with a mean of zero, at most alpha reject: all paths of a skewed coin."""
    chance = 0.25
    for values in ((-1 / 3, 1.0), (1 / 3, -1.0)):  # the second comes with a chance of a quarter
        wrong = 0.0
        for path in product((0, 1), repeat=12):
            test = PlannedBets(12, alpha=0.3)
            if any(test.add(values[each]) for each in path):
                wrong += chance ** sum(path) * (1 - chance) ** (12 - sum(path))
        assert 0 < wrong <= 0.3


def test_planned_bets_worked_by_hand() -> None:
    # The bet of a half of the wanted capital: 2 x the density at 0.6745, over 1/2 and the spread.
    test = PlannedBets(4, alpha=1.0)
    bet = 4 * 0.3177766 / (0.1 * 4) ** 0.5
    assert bet > 0.95  # no more than this is bet
    assert not test.add(1.0)
    first, second = test._shares
    assert (first, second) == pytest.approx((0.5 * 1.95, 0.5 * 0.05))
    assert test.add(0.2)
    assert test.score == 1
    small = PlannedBets(400, alpha=1.0)
    small.add(-0.5)
    stake = 4 * 0.3177766 / (0.1 * 400) ** 0.5
    assert small._shares == pytest.approx([0.5 * (1 - 0.5 * stake), 0.5 * (1 + 0.5 * stake)])


def test_planned_bets_end_with_the_planned_tasks() -> None:
    test = PlannedBets(3)
    assert not any(test.add(0.9) for _ in range(40))
    other = PlannedBets(40)
    assert any(other.add(-0.9) for _ in range(20))
    assert other.score == -1


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


@pytest.mark.parametrize("measure", ["progress", "success"])
def test_equal_means_of_other_shapes_are_seldom_told_apart(measure: str) -> None:
    """A planner that always has 9 of 10 against one that mostly has all; also of repeats."""
    tasks = [str(number) for number in range(30)]
    draw = np.random.default_rng(7)
    told = 0
    for _ in range(60):
        rule = StoppingRule(["steady", "other"], tasks, 10, 0.1, 0.05, measure)  # type: ignore[arg-type]
        for task in tasks:
            solved = float(draw.random() < 0.9)
            for seed in range(10):
                steady = 0.9 if measure == "progress" else float(seed < 9)
                rule.add("steady", task, seed, steady)
                rule.add("other", task, seed, solved)
        told += rule.verdicts[0].outcome in ("first", "second")
    assert told <= 7  # of 60 with a chance of 5 % each; a fair coin was told apart in a third


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
