"""Comparisons on the page: who is set against whom, and by which figures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.episodes.runner import results_of
from peephole.results.pairing import paired
from peephole.results.report.comparison import (
    contenders,
    costs,
    differences,
    failure_classes,
    rate_of,
)
from peephole.results.report.curves import charts
from peephole.results.report.page import write_report
from peephole.results.report.runs import Pictures, ReportedRun, reported_runs
from peephole.results.statistics.estimates import wilson

from ...opened_page import OpenedPage


@pytest.fixture(scope="module")
def runs(houses: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> list[ReportedRun]:
    return reported_runs(list(houses.values()), Pictures(tmp_path_factory.mktemp("p") / "page"))


def test_a_planner_is_one_row_over_its_suites_and_seeds(runs: list[ReportedRun]) -> None:
    explore, random = contenders(runs)
    assert (explore.label, random.label) == ("explore", "random")
    assert {suite: len(own) for suite, own in explore.episodes.items()} == {
        "houses": 3,
        "robothow": 3,
    }


def test_runs_of_the_same_episodes_are_not_put_together(
    runs: list[ReportedRun], houses: Mapping[str, Path]
) -> None:
    folders = [houses["explore"], houses["explore"], houses["random"]]
    twice = reported_runs(folders, Pictures(houses["explore"] / "page"))
    labels = [contender.label for contender in contenders(twice)]
    assert labels == [f"explore ({houses['explore']})"] * 2 + ["random"]


def test_rates_and_differences_are_those_of_show(
    runs: list[ReportedRun], houses: Mapping[str, Path]
) -> None:
    everyone = contenders(runs)
    results = results_of(houses["random"])
    successes = sum(bool(result.success) for result in results)
    assert rate_of(everyone[1].episodes["houses"]) == (wilson(successes, 3), 3)
    (difference,) = differences(everyone, "houses")
    assert (difference.first, difference.second) == ("explore", "random")
    assert difference.comparison == paired(houses["explore"], houses["random"])
    assert differences(everyone, "robothow") == []


def test_failures_and_costs_are_counted_by_planner(
    runs: list[ReportedRun], houses: Mapping[str, Path]
) -> None:
    everyone = contenders(runs)
    results = {"random": results_of(houses["random"])}
    results["explore"] = [*results_of(houses["explore"]), *results_of(houses["robothow"])]
    for label, own in results.items():
        failed = sum(not result.success for result in own)
        assert sum(each.counts[label] for each in failure_classes(everyone)) == failed
    for cost in costs(everyone):
        own = results[cost.label]
        assert cost.successes == sum(bool(result.success) for result in own)
        assert cost.planning_s == pytest.approx(sum(result.planning_s for result in own))
        assert cost.per_episode(6.0) == 6.0 / len(own)
        assert (cost.per_success(1.0) is None) == (cost.successes == 0)


def test_curves_are_drawn_as_long_as_they_can_be_told_apart(runs: list[ReportedRun]) -> None:
    one = next(each for each in contenders(runs) if each.label == "explore")
    many = [replace(one, label=f"planner {number}") for number in range(25)]
    (chart, *_) = charts(many[:24], [*one.episodes])
    assert len({curve.label for curve in chart.curves}) == 24
    assert charts(many, [*one.episodes]) == []


def test_curves_rise_with_each_success_to_the_success_rate(
    runs: list[ReportedRun], houses: Mapping[str, Path]
) -> None:
    everyone = contenders(runs)
    found = charts(everyone, ["houses", "robothow"])
    assert [chart.title for chart in found] == [
        "Success within so many steps on houses",
        "Success within so many steps on robothow",
    ], "planners that played different suites are not drawn in one chart"
    ticks = {text: y for y, text in found[0].y_ticks}
    explore = next(curve for curve in found[0].curves if curve.label == "explore")
    steps = sorted(r.steps for r in results_of(houses["explore"]) if r.success)
    stairs = re.findall(r"H([\d.]+)V([\d.]+)", explore.path)
    assert len(stairs) == len(set(steps))
    share = len(steps) / 3
    top = ticks["0"] + (ticks["100"] - ticks["0"]) * share
    assert float(stairs[-1][1]) == pytest.approx(top, abs=0.06)
    last = max(int(text) for _, text in found[0].x_ticks)
    width = found[0].right - found[0].left
    places = [found[0].left + width * step / last for step in sorted(set(steps))]
    assert [float(x) for x, _ in stairs] == pytest.approx(places, abs=0.06)


def test_the_page_has_a_section_for_each(houses: Mapping[str, Path], tmp_path: Path) -> None:
    write_report(list(houses.values()), tmp_path / "page.html")
    page = OpenedPage(tmp_path / "page.html")
    for name in ("rates", "paired", "results", "curves", "failures", "cost", "tasks", "episodes"):
        assert name in page.ids
        assert f"#{name}" in page.links
    told = " ".join(page.text.split())
    assert "exact McNemar" in told
    assert "Assumed: paired by task and seed" in told
    assert "n = 3" in told
    write_report([houses["explore"]], tmp_path / "one.html")
    assert not {"rates", "paired", "tasks"} & set(OpenedPage(tmp_path / "one.html").ids)


GRID = """
title: Table 9
source: a paper, table 9, with its model
suites: [houses]
tasks: "1"
figures: [gsr, steps]
planners:
  - planner: explore
    label: Exploring
    paper: {houses: {gsr: 61.5}}
  - planner: random
"""


def test_a_grid_s_page_has_the_paper_s_figures(tmp_path: Path) -> None:
    grid = tmp_path / "grid.yaml"
    grid.write_text(GRID)
    folder = tmp_path / "runs"
    peephole.run("explore", "houses", tasks=1, out=folder / "houses" / "01-Exploring-0")
    arguments = ["report", str(folder), "--grid", str(grid), "--out", str(tmp_path / "page.html")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    page = OpenedPage(tmp_path / "page.html")
    assert "#paper" in page.links
    text = " ".join(page.text.split())
    assert "Table 9; the paper's figures are of a paper, table 9, with its model." in text
    assert re.search(r"Exploring 1 100\.0 20\.7 – 100\.0 61\.5 \d+\.0 ", text)
    assert "random 0 – – – –" in text
    assert not {"paper"} & set(OpenedPage(_without_grid(folder, tmp_path)).ids)


def _without_grid(folder: Path, tmp_path: Path) -> Path:
    done = CliRunner().invoke(app, ["report", str(folder), "--out", str(tmp_path / "plain.html")])
    assert done.exit_code == 0, done.output
    return tmp_path / "plain.html"
