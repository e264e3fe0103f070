"""`peephole run --grid`: the runs of a table as a file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from peephole.cli.completion import GRIDS as GRIDS_FOLDER
from peephole.cli.completion import found_grid, grid_names
from peephole.cli.main import app
from peephole.errors import BadInput
from peephole.grids.printed import grid_table
from peephole.models.config import ModelConfig
from peephole.results.papers import Grid, config_of, read_grid, rows_of, runs_of

GRIDS = sorted(Path(__file__).parents[2].glob("grids/*.yaml"))
FILE: dict[str, Any] = {
    "title": "Table 1",
    "suites": ["robothow"],
    "tasks": "2",
    "planners": [
        {"planner": "explore", "paper": {"robothow": {"gsr": 12.5}}},
        {"planner": "react", "label": "ReAct", "options": {"menu": "none"}},
    ],
    "seeds": [0, 1],
}


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    path = tmp_path / "grid.yaml"
    path.write_text(yaml.safe_dump(FILE))
    return path


def test_a_grid_is_played_and_goes_on_where_it_was_left(
    grid: Path, tmp_path: Path, peephole: Any
) -> None:
    out = tmp_path / "out"
    command = ["run", "--grid", str(grid), "--model", "scripted", "--out", str(out)]
    done = peephole(*command)
    assert done.returncode == 0, done.stderr
    assert "Table 1: 1 suite × 2 rows × 2 seeds, 8 episodes, 1 worker" in done.stdout
    assert "paper: 12.5" in done.stdout
    assert f"Every episode is a row of {out}/episodes.parquet." in done.stdout
    folders = sorted(path.parent.relative_to(out).as_posix() for path in out.rglob("run.json"))
    assert folders == [
        f"robothow/{name}-{seed}" for name in ("01-explore", "02-ReAct") for seed in (0, 1)
    ]
    files = {path: path.read_bytes() for path in out.rglob("*.jsonl")}
    lost = next(path for path in files if "02-ReAct-1" in str(path) and path.name[:4] == "0002")
    lost.unlink()
    again = peephole(*command, "--json")
    assert "7 episodes have ended already; 1 is left." in again.stderr
    document = json.loads(again.stdout)
    assert [(row["planner"], row["stand_in"], row["episodes"]) for row in document["rows"]] == [
        ("explore", "", 4),
        ("ReAct", "model", 4),
    ]
    kept = {path: path.read_bytes() for path in out.rglob("*.jsonl")}
    assert kept.keys() == files.keys()
    assert all(kept[path] == files[path] for path in files if path != lost)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"planers": []}, "There is no field 'planers'. Did you mean planners"),
        ({"suites": []}, "'suites' is wrong"),
        ({"figures": ["gsr", "luck"]}, "names the figure 'luck'"),
        ({"models": ["small", {"model": "x", "label": "small"}]}, "has the model 'small' twice"),
        ({"planners": [{"planner": "react", "models": ["big"]}]}, "its models are: none"),
        ({"seeds": [0, 1], "repeats": 2}, "would play the seed 1 twice"),
        ({"budget": {"money": -1}}, "'budget.money' is wrong"),
        ({"stop_when": "soon"}, "'stop_when' is wrong"),
        ({"planners": [{"planner": "react", "paper": {"wah/x": {}}}]}, "the suite 'wah/x'"),
        ({"planners": [{"planner": "react"}] * 2}, "has the label 'react' twice"),
        (
            {"planners": [{"planner": "react", "options": {"menu": [1]}}]},
            "'planners.0.options.menu",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    grid: Path, change: dict[str, Any], sentence: str
) -> None:
    grid.write_text(yaml.safe_dump({**FILE, **change}))
    with pytest.raises(BadInput, match="The grid") as caught:
        read_grid(grid)
    assert sentence in str(caught.value)


def test_peepholes_own_grids_go_by_their_names(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert found_grid(Path("reactree_table1")) == GRIDS_FOLDER / "reactree_table1.yaml"
    assert found_grid(Path("reactree_table1.yaml")) == GRIDS_FOLDER / "reactree_table1.yaml"
    Path("reactree_table1.yaml").write_text("")
    assert found_grid(Path("reactree_table1.yaml")) == Path("reactree_table1.yaml")
    with pytest.raises(BadInput, match="Did you mean reactree_table1"):
        found_grid(Path("reactre_table1"))
    with pytest.raises(BadInput, match=r"The grid there/reactree_table1\.yaml does not exist"):
        found_grid(Path("there/reactree_table1.yaml"))
    assert grid_names("tru_") == [f"tru_pomdp_figure{number}" for number in (2, 3, 4, 5)]


def test_what_says_twice_what_is_run_is_refused(grid: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    for options, sentence in (
        (["--out", out, "--suite", "wah"], "leave --suite"),
        ([], "--out DIR"),
        (["--out", str(grid)], "choose a new folder as --out"),
        (["--out", out, "--engine", "serial", "--workers", "2"], "plays in one process"),
        (["--out", out, "--engine", "processes", "--watch"], "--watch needs"),
    ):
        with pytest.raises(BadInput, match=sentence):
            app(["run", "--grid", str(grid), *options], standalone_mode=False)
    with pytest.raises(BadInput, match="add --grid"):
        app(["run", "--stop-when", "decided"], standalone_mode=False)
    grid.write_text(yaml.safe_dump({**FILE, "models": ["small"]}))
    with pytest.raises(BadInput, match="names its models; leave --model out"):
        app(["run", "--grid", str(grid), "--out", out, "--model", "x"], standalone_mode=False)
    assert not (tmp_path / "x").exists()


def test_what_is_no_yaml_is_said(grid: Path, peephole: Any) -> None:
    grid.write_text("title: [")
    done = peephole("run", "--grid", str(grid), "--out", "x")
    assert (done.returncode, "is not YAML" in done.stderr) == (2, True)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("path", GRIDS, ids=[path.stem for path in GRIDS])
def test_the_grids_here_can_be_played(path: Path) -> None:
    from peephole.planners.options import parse_options
    from peephole.planners.registry import load_planner
    from peephole.suites.registry import load_suite

    grid = read_grid(path)
    assert grid.source or grid.note, "of a paper, or it says what it is for"
    for suite in grid.suites:
        if suite != "alfred":  # whose tasks the user has
            load_suite(suite)
    for row in grid.planners:
        of_memory = {"memory", "seen_scenes"}  # whose files are made first
        given = {key: value for key, value in row.options.items() if key not in of_memory}
        options = {key: str(value).lower() for key, value in given.items()}
        parse_options(load_planner(row.planner), options)
    assert isinstance(grid, Grid)
    assert grid_table(grid, grid.suites[0], {}, {}).row_count == len(rows_of(grid))


def test_each_planner_gets_the_models_of_the_roles_that_its_options_ask(tmp_path: Path) -> None:
    planners = [
        {"planner": "explore"},
        {"planner": "react"},
        {"planner": "react", "label": "eyes", "options": {"augmentation": "vision"}},
    ]
    grid = Grid.model_validate({**FILE, "planners": planners, "seeds": [0]})
    models = {role: ModelConfig("scripted") for role in ("planner", "vision")}
    runs = runs_of(grid, tmp_path)
    asked = [set(config_of(grid, run, models).models) for run in runs]
    assert asked == [set(), {"planner"}, {"planner", "vision"}]
