"""A run killed with signal 9 goes on where it stopped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "kill_resume.py"


def kill(*options: str) -> str:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_killed_run_resumes_to_the_same_recording() -> None:
    assert "3 kills at random moments" in kill("--kills", "3", "--tasks", "6")


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_killed_fifty_times_resumes_each_time(workers: str) -> None:
    output = kill("--kills", "50", "--tasks", "20", "--workers", workers)
    assert "50 kills at random moments" in output
