"""The figures that a user publishes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.episodes.result import EpisodeResult
from peephole.results.metrics import (
    FIGURES,
    KindFigures,
    Outcomes,
    by_kind,
    run_data,
    summarize,
    value_of,
)
from peephole.results.wording import unknown_text


def result(task: str, *, success: bool, progress: float, **failures: int) -> EpisodeResult:
    return EpisodeResult(
        task=task,
        success=success,
        progress=progress,
        ended="goal_reached" if success else "steps",
        steps=10,
        decisions=12,
        planning_s=0.5,
        duration_s=0.1,
        failures=failures,
    )


def test_rates_and_failures_of_a_run_are_summed_up() -> None:
    results = [
        result("a", success=True, progress=1.0, not_close=2),
        result("b", success=False, progress=0.5, not_close=1, enclosed=1),
    ]
    figures = summarize(results)
    assert figures["gsr"].mean == 0.5
    assert figures["ssr"].mean == 0.75
    assert figures["failed_actions"].mean == 2.0
    document = run_data("runs/x", results)
    assert document["episodes"] == 2
    assert document["failures"] == {"not_close": 3, "enclosed": 1}
    assert document["ended"] == {"goal_reached": 1, "steps": 1}


def test_shares_are_shown_in_per_cent_and_all_else_as_it_is() -> None:
    for head, times in FIGURES.values():
        assert times == (100.0 if head.endswith(" %") else 1.0), head


def test_a_run_without_results_has_no_figures() -> None:
    assert summarize([]) == {}
    assert run_data("runs/x", [])["results"] == {}


def test_episodes_that_say_nothing_of_the_planner_are_counted_beside_the_figures() -> None:
    done = [result("a/1", success=True, progress=1.0), result("b/1", success=False, progress=0.0)]
    voided = replace(
        result("c/1", success=False, progress=0.0, not_close=9), success=None, ended="voided"
    )
    unscored = replace(done[0], task="d/1", success=None, progress=None, ended="done")
    results = [*done, voided, voided, unscored]
    assert summarize(results) == summarize(done)
    assert by_kind([results]) == by_kind([done])
    document = run_data("runs/x", results)
    assert [document[name] for name in ("episodes", "scored", "voided", "unscored")] == [5, 2, 2, 1]
    assert document["results"]["gsr"]["mean"] == 0.5
    assert document["failures"] == {}
    assert Outcomes.of(results).text == "2 scored episodes, 2 voided, 1 not scored"
    assert Outcomes.of(done[:1]).text == "1 scored episode"


def test_plan_precision_is_the_mean_share_of_the_nodes_to_change_that_are_right() -> None:
    some = [
        replace(result("a", success=True, progress=1.0), changed_nodes=4, correct_nodes=4),
        replace(result("b", success=False, progress=0.9), changed_nodes=4, correct_nodes=1),
        replace(result("c", success=False, progress=0.9), changed_nodes=1, correct_nodes=0),
    ]
    nothing_to_do = replace(some[0], changed_nodes=0, correct_nodes=0)
    unknown = result("e", success=True, progress=1.0)
    assert summarize(some)["app"].mean == pytest.approx((1 + 0.25 + 0) / 3)
    assert summarize([*some, nothing_to_do, unknown])["app"] == summarize(some)["app"]
    assert "app" not in summarize([nothing_to_do, unknown])


def test_tokens_per_action_are_those_of_planning_in_successful_episodes() -> None:
    results = [
        replace(
            result("a", success=True, progress=1),
            calls=9,
            tokens_in=900,
            tokens_out=100,
            planning_tokens=1000,
        ),
        replace(
            result("b", success=True, progress=1),
            calls=9,
            tokens_in=2900,
            tokens_out=100,
            planning_tokens=2000,
        ),
        replace(
            result("c", success=False, progress=0),
            calls=9,
            tokens_in=9000,
            planning_tokens=9000,
            usd=0.3,
        ),
    ]
    figures = summarize(results)
    assert figures["tpa"].mean == pytest.approx((1000 / 10 + 2000 / 10) / 2)
    assert figures["tokens"].mean == pytest.approx(13000 / 3)
    assert figures["usd"].mean == pytest.approx(0.1)
    assert "tpa" not in summarize(results[2:])
    assert "tokens" not in summarize([result("d", success=True, progress=1)])


def test_each_kind_of_task_has_its_own_figures_in_every_run() -> None:
    stack = result("stack/1", success=True, progress=1.0)
    lucky = replace(result("heavier/1", success=True, progress=1.0), informed=False, steps=1)
    known = replace(result("heavier/2", success=True, progress=1.0), informed=True, steps=4)
    kinds = by_kind([[stack, lucky, known], [lucky]])
    assert list(kinds) == ["stack", "heavier"]
    assert kinds["stack"] == [KindFigures(1, 1, None, 10.0), None]
    assert kinds["heavier"] == [KindFigures(2, 2, 1, 2.5), KindFigures(1, 1, 0, 1.0)]
    assert run_data("run", [stack, lucky])["kinds"]["heavier"]["informed"] == 0
    without_kind = result("bag_groceries", success=True, progress=1.0)
    assert list(by_kind([[stack, without_kind]])) == ["stack", "other"]


def test_tasks_of_one_kind_and_tasks_of_a_kind_each_need_no_such_table() -> None:
    assert by_kind([[result(f"stack/{i}", success=True, progress=1.0) for i in range(3)]]) == {}
    many = [result(f"k{i}/1", success=True, progress=1.0) for i in range(25)]
    assert by_kind([many]) == {}
    assert len(by_kind([many[:24]])) == 24


def test_repeats_of_tasks_that_always_end_alike_say_no_more_than_the_tasks() -> None:
    once = [result(str(i), success=i < 6, progress=float(i < 6)) for i in range(10)]
    often = [each for each in once for _ in range(5)]
    assert summarize(often)["gsr"].mean == summarize(once)["gsr"].mean
    few, many = summarize(once), summarize(often)
    assert many["gsr"].high - many["gsr"].low == pytest.approx(
        few["gsr"].high - few["gsr"].low, rel=0.1
    )
    assert many["ssr"] == few["ssr"]
    assert summarize(often[:5])["gsr"] == summarize(once[:1])["gsr"]


def test_an_unknown_value_is_in_no_mean_and_counted() -> None:
    done = [result(f"a/{n}", success=bool(n % 2), progress=n / 4) for n in range(4)]
    unknown = replace(done[3], task="b/1", progress=None, reward=float("inf"))
    figures = summarize([*done, unknown])
    assert figures["ssr"] == summarize(done)["ssr"], "as a paired comparison leaves it out"
    assert figures["reward"] == summarize(done)["reward"]
    assert figures["gsr"].mean == 0.6
    assert run_data("runs/x", [*done, unknown])["unknown"] == {"ssr": 1, "reward": 1}
    assert "ssr" not in summarize([unknown])
    assert unknown_text([*done, unknown]) == (
        "SSR % of 1 of 5 episodes, which are left out of its mean; "
        "reward of 1 of 5 episodes, which are left out of its mean"
    )
    assert value_of("ssr", unknown) is None
