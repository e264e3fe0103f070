"""The command line as its user meets it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ..commands import command

TASKS = "put_groceries_in_fridge/1004_2,pick_up_phone/149_1"


def peephole(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    wide = {**os.environ, "COLUMNS": "160"}
    return command(*arguments, cwd=cwd, environment=wide)


def document(*arguments: str, cwd: Path | None = None) -> Any:
    done = peephole(*arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_adapters_tell_what_is_ready_and_what_it_was_run_against() -> None:
    rows = {row["name"]: row for row in document("adapters")}
    assert rows["symbolic"]["ready"]
    assert rows["virtualhome"]["ready"]
    assert "Unity" in rows["virtualhome"]["tested_on"]
    assert "virtualhome" in peephole("adapters").stdout


def test_suites_planners_and_tasks_are_listed() -> None:
    suites = {row["name"]: row for row in document("suites")}
    assert suites["robothow"]["tasks"] > 140
    planners = {row["name"]: row for row in document("planners")}
    assert planners["expert"]["grants"] == ["goal", "truth"]
    assert planners["random"]["grants"] == []
    tasks = document("tasks", "robothow")
    assert {"id", "instruction", "scene", "labels", "goal"} <= tasks[0].keys()


def test_a_run_is_played_recorded_and_shown(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    done = document(
        *("run", "--suite", "robothow", "--planner", "expert", "--tasks", TASKS, "--out", run)
    )
    assert done["run"] == run
    assert done["episodes"] == 2
    assert done["results"]["gsr"]["mean"] == 1.0
    assert done["results"]["gsr"]["low"] < 1.0
    shown = peephole("show", run).stdout
    assert "pick_up_phone/149_1" in shown
    assert "success" in shown
    picture = tmp_path / "episode.svg"
    trajectory = peephole("show", run, "1", "--svg", str(picture)).stdout
    assert re.search(r"\d > pick up food \d", trajectory)
    assert "Success after" in trajectory
    assert picture.read_text().startswith("<svg")


def test_watching_prints_every_step(tmp_path: Path) -> None:
    done = peephole(
        *("run", "--suite", "robothow", "--planner", "expert", "--watch"),
        *("--tasks", "pick_up_phone/149_1", "--out", str(tmp_path / "run")),
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"1 > (stand up|go to)", done.stdout)
    assert "You pick up phone" in done.stdout


def test_several_runs_are_compared_in_one_table(tmp_path: Path) -> None:
    for planner in ("expert", "random"):
        document(
            *("run", "--suite", "robothow", "--planner", planner, "--adapter", "symbolic"),
            *("--tasks", "2", "--out", str(tmp_path / planner)),
        )
    table = peephole("show", str(tmp_path / "expert"), str(tmp_path / "random")).stdout
    assert re.search(r"expert +2 +100\.0", table)
    assert re.search(r"random +2 ", table)


def test_workers_give_the_same_results(tmp_path: Path) -> None:
    options = ("run", "--suite", "houses", "--planner", "random", "--tasks", "4")
    one = document(*options, "--out", str(tmp_path / "one"))
    two = document(*options, "--workers", "2", "--out", str(tmp_path / "two"))
    for figure in ("gsr", "ssr", "steps", "failed_actions"):
        assert one["results"][figure] == two["results"][figure]
    assert one["failures"] == two["failures"]


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_ctrl_c_leaves_a_run_that_can_be_continued(
    tmp_path: Path, workers: str, held: tuple[str, Callable[[], None]]
) -> None:
    run = tmp_path / "run"
    planner, let_go = held
    options = ("--suite", "robothow", "--planner", planner, "--tasks", "4")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "peephole", "run", *options),
            *("--out", str(run), "--workers", workers),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background ignores the signal.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not list(run.glob("episodes/*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1, errors
    assert f"peephole run --resume --out {run}" in errors
    assert "Traceback" not in errors
    let_go()
    assert document("run", "--resume", "--out", str(run))["episodes"] == 4


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["run"], 2, "A run needs --suite and --planner"),
        (["run", "--suite", "robothw", "--planner", "random"], 2, "Did you mean robothow"),
        (["run", "--suite", "robothow", "--planner", "exprt"], 2, "Did you mean expert"),
        (
            ["run", "--suite", "robothow", "--planner", "random", "--adapter", "virtualhom"],
            2,
            "Did you mean virtualhome or virtualhome_room or virtualhome_unity?",
        ),
        (
            ["run", "--suite", "robothow", "--planner", "random", "--dialect", "alfwrld"],
            2,
            "There is no dialect 'alfwrld'",
        ),
        (
            ["run", "--suite", "robothow", "--planner", "random", "--tasks", "pick_up_phone/1_1"],
            2,
            "There is no task of robothow 'pick_up_phone/1_1'. Did you mean",
        ),
        (["run", "--resume"], 2, "--resume needs the run's folder"),
        (["run", "--resume", "--out", "nowhere"], 2, "nowhere is no run folder"),
        (["show", "nowhere"], 2, "nowhere is no run folder"),
        (["tasks", "robotho"], 2, "Did you mean robothow"),
        (["tasks"], 2, "Missing argument 'suite'; see `"),
        (["shwo"], 2, "No such command 'shwo'"),
        (["run", "--workers", "0"], 2, "'--workers': Input should be greater than or equal to 1"),
        (["run", "--plannr", "random"], 2, "--planner"),
        (["run", "--suite"], 2, "Option '--suite' requires an argument"),
        (
            ["run", "--suite", "houses", "--planner", "random", "--tasks", ","],
            2,
            "--tasks ',' names no task",
        ),
        (
            ["run", "--suite", "houses", "--planner", "random", "--tasks", "-1"],
            2,
            "--tasks -1 runs nothing",
        ),
        (
            ["run", "--suite", "houses", "--planner", "random", "--tasks", "30-999"],
            2,
            "--tasks 30-999 is no part of houses, which has tasks 1 to 100",
        ),
    ],
)
def test_bad_usage_gets_one_sentence(
    tmp_path: Path, arguments: list[str], code: int, sentence: str
) -> None:
    done = peephole(*arguments, cwd=tmp_path)
    assert done.returncode == code
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_a_finished_run_is_not_overwritten_and_its_config_is_kept(tmp_path: Path) -> None:
    run = str(tmp_path / "run")
    options = ("run", "--suite", "robothow", "--planner", "expert", "--tasks", "1")
    document(*options, "--out", run)
    again = peephole(*options, "--out", run)
    assert again.returncode == 2
    assert "continue it with --resume" in again.stderr
    other = peephole("run", "--resume", "--out", run, "--planner", "random")
    assert other.returncode == 2
    assert "was run with --planner expert" in other.stderr


def test_a_missing_package_names_the_command_that_installs_it(tmp_path: Path) -> None:
    """An interpreter that cannot find virtualhome-eval, as on a machine without it."""
    hide = (
        "import importlib.util, runpy, sys\n"
        "real = importlib.util.find_spec\n"
        "def find_spec(name, package=None):\n"
        "    return None if name.startswith('virtualhome_eval') else real(name, package)\n"
        "importlib.util.find_spec = find_spec\n"
        "sys.argv = ['peephole', 'run', '--suite', 'robothow', '--planner', 'expert']\n"
        "runpy.run_module('peephole', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", hide], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 3
    assert "pip install --no-deps virtualhome-eval==0.1.1" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_core_imports_nothing_heavy() -> None:
    """Slow imports are what would break the start-up time; they belong inside functions."""
    heavy = ("numpy", "openai", "wordllama", "networkx", "virtualhome_eval", "rich.progress")
    code = "import sys, peephole, peephole.cli.main; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & set(heavy)
