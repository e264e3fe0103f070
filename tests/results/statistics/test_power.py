"""How many tasks a difference needs, and blinded orders."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from peephole.errors import BadInput
from peephole.results.statistics.paired_tests import mcnemar
from peephole.results.statistics.power import (
    Discordance,
    blinded_order,
    discordance,
    key_csv,
    mcnemar_power,
    order_csv,
    sequential_plan,
    tasks_needed,
    with_repeats,
)


def test_the_chances_have_the_rates_and_the_correlation() -> None:
    chances = discordance(0.5, 0.2, 0.3)
    both = 0.7 - chances.only_first
    assert both == pytest.approx(0.5 - chances.only_second)
    assert (both - 0.35) / np.sqrt(0.7 * 0.3 * 0.5 * 0.5) == pytest.approx(0.3)


def test_the_power_is_that_of_the_test_on_drawn_studies() -> None:
    chances = discordance(0.5, 0.2, 0.3)
    drawn = np.random.default_rng(0).multinomial(
        60, [chances.only_first, chances.only_second, 1 - sum(vars(chances).values())], size=4000
    )
    share = np.mean([mcnemar(int(one), int(other)) <= 0.05 for one, other, _ in drawn])
    assert mcnemar_power(60, chances) == pytest.approx(share, abs=0.025)


def test_the_power_of_a_case_worked_by_hand() -> None:
    # Six tasks that all tell the planners apart reject where one planner alone solves all.
    certain = Discordance(0.9, 0.1)
    assert mcnemar_power(6, certain) == pytest.approx(0.9**6 + 0.1**6)
    assert mcnemar_power(5, certain) == 0


def test_the_needed_tasks_are_near_the_normal_formula() -> None:
    import scipy.stats

    for difference in (0.1, 0.2, 0.3):
        chances = discordance(0.4, difference, 0.2)
        apart = chances.only_first + chances.only_second
        z = scipy.stats.norm.ppf
        root = z(0.975) * np.sqrt(apart) + z(0.8) * np.sqrt(apart - difference**2)
        needed = tasks_needed(chances)
        assert (root / difference) ** 2 <= needed <= 1.2 * (root / difference) ** 2 + 8
        assert mcnemar_power(needed, chances) >= 0.8 > mcnemar_power(needed - 1, chances)


def test_a_sequential_plan_has_the_power_and_takes_fewer() -> None:
    chances = discordance(0.4, 0.3, 0.2)
    plan = sequential_plan(chances)
    assert plan.power >= 0.8
    assert plan.tasks < tasks_needed(chances) < plan.most


def test_repeats_save_tasks_as_far_as_they_tell_something_new() -> None:
    assert with_repeats(90, 3, 1.0) == 90
    assert with_repeats(90, 3, 0.0) == 30
    assert with_repeats(90, 3, 0.4) == 54


@pytest.mark.parametrize(
    ("rate", "difference", "correlation", "said"),
    [
        (0.5, 0.6, 0.0, "are impossible"),
        (0.5, -0.1, 0.0, "are impossible"),
        (0.5, 0.1, 0.99, "is from -0.82 to 0.82"),
    ],
)
def test_what_cannot_be_is_refused(
    rate: float, difference: float, correlation: float, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        discordance(rate, difference, correlation)
    with pytest.raises(BadInput, match="more than 20000 tasks"):
        tasks_needed(discordance(0.5, 0.001, 0.0))


def test_an_order_tells_no_planner_and_its_key_tells_all() -> None:
    order = blinded_order(["a", "b", "c"], ["react", "zsp"], repeats=2, seed=1)
    told = list(csv.DictReader(io.StringIO(order_csv(order))))
    key = {row["code"]: row["planner"] for row in csv.DictReader(io.StringIO(key_csv(order)))}
    assert "react" not in order_csv(order)
    assert len(key) == len(told) == 12
    many = blinded_order([str(n) for n in range(3000)], ["a", "b"], repeats=1, seed=1)
    assert len({each.code for each in many}) == 6000, "a code names one episode"
    assert [row["number"] for row in told] == [str(number) for number in range(1, 13)]
    found = [(row["task"], row["repeat"], key[row["code"]]) for row in told]
    assert sorted(found) == sorted(
        (task, repeat, name) for task in "abc" for repeat in "01" for name in ("react", "zsp")
    )
    # Pairs stand together, so that the study can be ended after any of them.
    assert all(one[:2] == other[:2] for one, other in zip(found[::2], found[1::2], strict=True))
    assert list(key) == sorted(key)


def test_orders_differ_by_seed_in_tasks_and_in_who_comes_first() -> None:
    tasks = [str(number) for number in range(40)]
    order = blinded_order(tasks, ["react", "zsp"], repeats=1, seed=2)
    assert order == blinded_order(tasks, ["react", "zsp"], repeats=1, seed=2)
    assert order != blinded_order(tasks, ["react", "zsp"], repeats=1, seed=3)
    assert 8 < sum(each.planner == "react" for each in order[::2]) < 32
    assert [each.task for each in order[::2]] != tasks


def test_names_twice_or_one_planner_are_refused() -> None:
    with pytest.raises(BadInput, match="The planner 'a' is named twice"):
        blinded_order(["t"], ["a", "a"], 1, 0)
    with pytest.raises(BadInput, match="at least two planners"):
        blinded_order(["t"], ["a"], 1, 0)
