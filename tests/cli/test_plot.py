"""`peephole plot`: figures of runs and of grids as pictures."""

from __future__ import annotations

import json
import re
import shutil
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.episodes.runner import results_of
from peephole.errors import BadInput, Missing
from peephole.results.metrics import summarize

_SVG = "{http://www.w3.org/2000/svg}"
GRID: dict[str, Any] = {
    "title": "Figure <2>",
    "suites": ["kitchens:easy", "kitchens:medium"],
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
        peephole.run(
            "expert", suite, tasks=2, out=folder / suite.replace(":", "_") / "01-Ours-theirs-0"
        )
        peephole.run("random", suite, tasks=2, out=folder / suite.replace(":", "_") / "02-random-0")
    return folder


def plot(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["plot", *map(str, arguments)], catch_exceptions=False)


def drawn(path: Path) -> dict[str, list[tuple[float, float]]]:
    """The corners of each bar, or the points of each line, by what it is of."""
    found = {}
    for group in ET.parse(path).iter(_SVG + "g"):
        if " " in group.get("id", ""):
            line = next(group.iter(_SVG + "path")).get("d", "")
            numbers = [float(word) for word in re.findall(r"-?[0-9.]+", line)]
            found[group.get("id", "")] = list(zip(numbers[::2], numbers[1::2], strict=True))
    return found


def ends(corners: list[tuple[float, float]]) -> tuple[float, float]:
    """The top and the bottom of a bar, downwards."""
    heights = [y for _, y in corners]
    return min(heights), max(heights)


def texts(path: Path) -> set[str | None]:
    return {element.text for element in ET.parse(path).iter(_SVG + "text")}


def test_a_grid_is_drawn_with_a_panel_a_figure_and_a_bar_a_planner(
    played: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "figure.svg"
    done = plot(played, "--grid", played / "grid.yaml", "--out", out)
    assert done.exit_code == 0
    assert "not played yet: not played" in done.stderr
    assert "Figure <2>. Means of 2 episodes" in done.stdout, "the title is for the caption"
    shown = {"Ours & theirs", "random", "easy", "medium", "reward", "GSR (%)"}
    assert shown <= texts(out)
    assert "Figure <2>" not in texts(out)
    assert set(drawn(out)) == {
        f"{figure} {suite} {planner}"
        for figure in GRID["figures"]
        for suite in GRID["suites"]
        for planner in (0, 1)
    }


def test_bars_are_as_high_as_their_figures_and_stand_on_zero(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "f.svg"
    plot(played, "--grid", played / "grid.yaml", "--out", out, "--figure", "reward")
    folders = {0: "01-Ours-theirs-0", 1: "02-random-0"}
    units = []
    zeros = []
    for name, corners in drawn(out).items():
        _, suite, planner = name.split()
        mean = summarize(results_of(played / suite.replace(":", "_") / folders[int(planner)]))[
            "reward"
        ].mean
        top, bottom = ends(corners)
        units.append((bottom - top) / abs(mean))
        zeros.append(bottom if mean > 0 else top)
    assert zeros == pytest.approx([zeros[0]] * 4, abs=0.01)
    assert units == pytest.approx([units[0]] * 4, rel=0.001)


def test_the_limit_of_steps_is_drawn(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "f.svg"
    plot(played, "--grid", played / "grid.yaml", "--out", out, "--figure", "limit_steps")
    dashed = [
        float(re.findall(r"-?[0-9.]+", path.get("d", ""))[1])
        for path in ET.parse(out).iter(_SVG + "path")
        if "stroke-dasharray" in path.get("style", "")
    ]
    assert len(dashed) == 2
    assert dashed[0] > dashed[1], "medium tasks allow more steps than easy ones"
    bars = drawn(out)
    tops = [ends(bars[f"limit_steps {suite} 1"])[0] for suite in GRID["suites"]]
    assert tops == pytest.approx(dashed), "random fails, so that its steps are all there are"


def test_the_folder_of_a_grid_is_drawn_as_lines_from_suite_to_suite(
    played: Path, tmp_path: Path
) -> None:
    out = tmp_path / "f.svg"
    done = plot(played, "--lines", "--out", out, "--title", "Mine", "--json")
    document = json.loads(done.stdout)
    assert document["groups"] == GRID["suites"]
    assert [series["name"] for series in document["series"]] == ["expert", "random"]
    assert {name: len(points) for name, points in drawn(out).items()} == {
        f"{figure} {planner}": 2 for figure in ("gsr", "steps") for planner in (0, 1)
    }
    assert "Mine" in texts(out)


def test_runs_of_other_seeds_are_drawn_together(played: Path, tmp_path: Path) -> None:
    peephole.run("random", "kitchens:easy", tasks=2, seed=7, out=tmp_path / "seven")
    run = played / "kitchens_easy" / "02-random-0"
    done = plot(run, tmp_path / "seven", "--out", tmp_path / "f.svg", "--json")
    assert "Means of 4 episodes" in json.loads(done.stdout)["caption"]


@pytest.mark.parametrize(("width", "points"), [("column", 237.6), ("page", 496.8)])
def test_a_pdf_is_as_wide_as_the_text_with_its_font_inside(
    played: Path, tmp_path: Path, width: str, points: float
) -> None:
    out, again = tmp_path / "f.pdf", tmp_path / "again.pdf"
    for path in (out, again):
        plot(played, "--out", path, "--width", width)
    content = out.read_bytes()
    box = re.search(rb"/MediaBox \[([-0-9. ]+)\]", content)
    assert box is not None
    assert float(box[1].split()[2]) == pytest.approx(points, abs=0.1)
    assert b"/FontFile2" in content
    assert b"/Type3" not in content
    assert content == again.read_bytes()


def test_a_png_has_300_dots_an_inch(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "f.png"
    plot(played, "--out", out, "--width", "column")
    content = out.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20]) == 990


def test_without_matplotlib_it_says_what_to_install(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Missing, match=r"pip install 'matplotlib<"):
        plot(played, "--out", tmp_path / "f.pdf")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--out", "x.jpeg"], "use one of .pdf, .svg, .png"),
        (["--out", "x.svg", "--figure", "luck"], "There is no figure 'luck'; choose among gsr"),
        (["--out", "x.svg", "TWICE"], "have the same tasks and seeds; leave"),
        (["--out", "x.svg", "nowhere"], "nowhere is no run folder"),
        (["--out", "x.svg", "--grid", "GRID"], "has no run of this grid"),
        (["--out", "x.svg", "--grid", "GRID", "--lines"], "its file sets whether lines"),
        (["--out", "GRID/x.pdf"], "cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_said(played: Path, more: list[str], sentence: str) -> None:
    run = played / "kitchens_easy" / "01-Ours-theirs-0"
    known = {"TWICE": str(run), "GRID": str(played / "grid.yaml")}
    given = [re.sub("^(TWICE|GRID)", lambda name: known[name[0]], word) for word in more]
    with pytest.raises(BadInput, match=re.escape(sentence)):
        plot(run, *given)


def test_a_run_without_results_is_not_drawn(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "kitchens_easy" / "02-random-0", tmp_path / "empty")
    shutil.rmtree(tmp_path / "empty" / "episodes")
    with pytest.raises(BadInput, match="No episode of these runs has finished"):
        plot(tmp_path / "empty", "--out", tmp_path / "f.pdf")
