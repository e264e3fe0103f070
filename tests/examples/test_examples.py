"""The scripts and the notebook of examples/ run as they stand."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
#: What the last line of each script begins with.
LAST_LINES = {
    "ask_a_model.py": "react:  goal_reached after 10 steps and 10 questions",
    "compare_two_planners.py": "Difference of success: 1.00 (no interval)",
    "drive_a_robot.py": "Compare them with: peephole compare runs/room-",
    "read_a_recording.py": "Ended: goal_reached, success: True",
    "step_a_world.py": "Success: False, progress: 0%, steps: 2",
    "write_a_planner.py": "Read them with: peephole show runs/houses-switch-",
}


def test_every_script_is_tested() -> None:
    assert sorted(LAST_LINES) == sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", LAST_LINES)
def test_a_script_runs(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / name)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith(LAST_LINES[name]), done.stdout


def test_the_notebook_shows_runs_as_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads((FOLDER / "results_as_a_table.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    shown = [
        shown_by("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"
    ]
    table = shown[0]._repr_html_()
    assert "gather/house-1-1" in table
    assert "success" in table
    assert shown[1]["gsr"].startswith("1.00 [")
    assert shown[3].success.first_better == 4


def shown_by(code: str, names: dict[str, Any]) -> Any:
    """The value of the last expression of a cell, which a notebook shows."""
    *statements, last = ast.parse(code).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
