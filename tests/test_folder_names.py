"""Tests run in a clone of any folder name, such as that of a downloaded archive."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["peephole-main", "peephole.1", "peephole"])
def test_a_clone_may_have_any_name(tmp_path: Path, name: str) -> None:
    clone = tmp_path / name
    (clone / "tests" / "room").mkdir(parents=True)
    for file in [*ROOT.glob("*.py"), ROOT / "pyproject.toml"]:
        shutil.copy(file, clone)
    shutil.copy(ROOT / "tests" / "conftest.py", clone / "tests")
    (clone / "tests" / "room" / "test_it.py").write_text("def test_it(): pass\n")
    for where in (clone, clone / "tests" / "room"):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=where, capture_output=True, text=True)
        assert "1 passed" in done.stdout, done.stdout
