"""A run with a broken plugin ends with one sentence."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Two plugins that work, which name the broken one of another kind.
NEEDY = """
from peephole.planners.contract import Planner
from peephole.suites.contract import Suite
from peephole.scene_graph.goals import HasState
from peephole.scene_graph.node import State
from peephole.scene_graph.task import Task


def plan(brief, percept):
    yield


def suite(data):
    task = Task("task", "Open it.", HasState(3, State.OPEN), "strange:1")
    return Suite("needy", "a suite", (task,), "symbolic")


SPEAKER = Planner("speaker", "a planner", plan, dialects=("strange",))
"""
#: What a module of a broken plugin may be, and the sentence about it.
WRONG = {
    "import nothing_of_that_name": "ModuleNotFoundError: No module named 'nothing_of_that_name'",
    "THING = 5": " 5",
    "raise SystemExit(1)": "SystemExit: 1",
    "def THING(": "SyntaxError",
    "OTHER = 5": "has no attribute 'THING'",
}
#: How a run comes to use a plugin of each kind.
USED = {
    "suites": ("--suite", "strange", "--planner", "random"),
    "planners": ("--suite", "houses", "--planner", "strange"),
    "adapters": ("--suite", "houses", "--planner", "random", "--adapter", "strange"),
    "dialects": ("--suite", "houses", "--planner", "needy.py:SPEAKER"),
    "models": ("--suite", "houses", "--planner", "react", "--model", "strange"),
}


@pytest.mark.parametrize(
    ("group", "code"),
    [
        *((group, "THING = 5") for group in USED),
        *((group, "import nothing_of_that_name") for group in USED),
        ("dialects", "raise SystemExit(1)"),
        ("models", "def THING("),
        ("planners", "OTHER = 5"),
    ],
)
def test_a_run_with_one_is_refused_in_a_sentence(tmp_path, peephole, package, group, code):
    package(code, {group: "THING"})
    (tmp_path / "needy.py").write_text(NEEDY)
    done = peephole("run", *USED[group], "--tasks", "1", "--out", "run")
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert f"The {group[:-1]} 'strange'" in done.stderr
    assert WRONG[code] in done.stderr or "'int' object is not callable" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("code", ["import nothing_of_that_name", "THING = 5", "THING = str"])
def test_so_is_one_whose_scenes_cannot_be_loaded(tmp_path, package, code):
    package(code, {"scenes": "THING"})
    (tmp_path / "needy.py").write_text(NEEDY)
    info = tmp_path / "needy-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: needy\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[peephole.suites]\nneedy = needy:suite\n")
    # Not a fork: the built-in world reads the names of all loaders when it is imported.
    command = ["-m", "peephole", "run", "--suite", "needy", "--planner", "random", "--out", "run"]
    done = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "'strange'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_strangers_broken_dialect_is_no_hindrance_to_listings(peephole, package):
    package("import nothing_of_that_name", {"dialects": "THING"})
    for command in ("planners", "adapters"):
        listed = peephole(command)
        assert (listed.returncode, listed.stderr) == (0, "")
