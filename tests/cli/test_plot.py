"""`peephole plot`: figures of runs and of grids as pictures."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.episodes.metrics import summarize
from peephole.episodes.runner import results_of
from peephole.errors import BadInput

_SVG = "{http://www.w3.org/2000/svg}"
GRID: dict[str, Any] = {
    "title": "Figure <2>",
    "suites": ["kitchens_easy", "kitchens_medium"],
    "tasks": "2",
    "planners": [
        {"planner": "expert", "label": "Ours & theirs"},
        {"planner": "random"},
        {"planner": "explore", "label": "not played"},
    ],
    "figures": ["reward", "gsr", "limit_steps"],
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a grid's runs, but for the last planner's, with the grid beside."""
    folder = tmp_path_factory.mktemp("plot")
    (folder / "grid.yaml").write_text(yaml.safe_dump(GRID))
    for suite in GRID["suites"]:
        peephole.run("expert", suite, tasks=2, out=folder / suite / "01-Ours-theirs-0")
        peephole.run("random", suite, tasks=2, out=folder / suite / "02-random-0")
    return folder


def plot(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["plot", *map(str, arguments)], catch_exceptions=False)


def drawn(path: Path) -> ET.Element:
    return ET.fromstring(path.read_text())


def told(picture: ET.Element, tag: str) -> list[str]:
    """What stands in the titles of bars or points."""
    return [e.findtext(f"{_SVG}title", "") for e in picture.iter(_SVG + tag) if len(e)]


def test_a_grid_is_drawn_with_a_panel_a_figure_and_a_bar_a_planner(
    played: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "figure.svg"
    done = plot(played, "--grid", played / "grid.yaml", "--out", out)
    assert done.exit_code == 0
    assert "not played yet: not played" in done.stderr
    picture = drawn(out)
    texts = [element.text for element in picture.iter(_SVG + "text")]
    assert {"Figure <2>", "Ours & theirs", "random", "easy", "medium"} <= set(texts)
    assert [t for t in texts if t in ("reward", "GSR %", "steps, failures at the limit")]
    bars = told(picture, "rect")
    assert len(bars) == 3 * 2 * 2
    reward = summarize(results_of(played / "kitchens_medium" / "02-random-0"))["reward"]
    expected = f"{reward.mean:,.1f} [{reward.low:,.1f}, {reward.high:,.1f}]"
    assert f"random, kitchens_medium: {expected}" in bars


def test_bars_are_as_high_as_their_figures_and_stand_on_zero(played: Path, tmp_path: Path) -> None:
    plot(played, "--grid", played / "grid.yaml", "--out", tmp_path / "f.svg", "--figure", "reward")
    found = {}
    for bar in drawn(tmp_path / "f.svg").iter(_SVG + "rect"):
        name = bar.findtext(f"{_SVG}title", "")
        if name:
            mean = float(name.partition(": ")[2].split()[0].replace(",", ""))
            top = float(bar.get("y", "nan"))
            found[mean] = (top, top + float(bar.get("height", "nan")))
    (low, high) = (min(found), max(found))
    assert low < 0 < high
    zero = found[high][1]
    assert all(
        abs((bottom if mean > 0 else top) - zero) < 0.11 for mean, (top, bottom) in found.items()
    )
    per_unit = (zero - found[high][0]) / high
    assert (found[low][1] - zero) / -low == pytest.approx(per_unit, rel=0.02)


def test_the_limit_of_steps_is_drawn_and_each_bar_has_its_whisker(
    played: Path, tmp_path: Path
) -> None:
    out = tmp_path / "f.svg"
    plot(played, "--grid", played / "grid.yaml", "--out", out, "--figure", "limit_steps")
    lines = list(drawn(out).iter(_SVG + "line"))
    dashed = [float(line.get("y1", "nan")) for line in lines if line.get("stroke-dasharray")]
    assert len(dashed) == 2
    assert dashed[0] > dashed[1], "medium tasks allow more steps than easy ones"
    tops = [
        float(bar.get("y", "nan"))
        for bar in drawn(out).iter(_SVG + "rect")
        if bar.findtext(f"{_SVG}title", "").startswith("random")
    ]
    assert tops == pytest.approx(dashed), "random fails, so that its steps are all there are"
    assert sum(line.get("x1") == line.get("x2") for line in lines) == 4


def test_runs_are_drawn_as_lines_from_suite_to_suite(played: Path, tmp_path: Path) -> None:
    runs = sorted(path.parent for path in played.rglob("run.json"))
    out = tmp_path / "f.svg"
    done = plot(*runs, "--lines", "--out", out, "--json")
    document = json.loads(done.stdout)
    assert document["groups"] == GRID["suites"]
    assert [series["name"] for series in document["series"]] == ["expert", "random"]
    picture = drawn(out)
    lines = [line.get("points", "").split() for line in picture.iter(_SVG + "polyline")]
    assert [len(points) for points in lines] == [2] * 4  # two planners in gsr and steps
    assert len(told(picture, "circle")) == 8


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--out", "x.pdf"], "call it FILE.svg"),
        (["--out", "x.svg", "--figure", "luck"], "There is no figure 'luck'; there are gsr"),
        (["--out", "x.svg", "TWICE"], "there are two runs; leave"),
        (["--out", "x.svg", "--grid", "GRID"], "has no run of this grid"),
        (["--out", "x.svg", "--grid", "GRID", "--lines"], "the file itself says whether lines"),
    ],
)
def test_what_cannot_be_drawn_is_said(played: Path, more: list[str], sentence: str) -> None:
    run = played / "kitchens_easy" / "01-Ours-theirs-0"
    known = {"TWICE": run, "GRID": played / "grid.yaml"}
    with pytest.raises(BadInput, match=re.escape(sentence)):
        plot(run, *(known.get(word, word) for word in more))
