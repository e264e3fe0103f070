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
    assert "2 kills at random moments" in kill("--kills", "2", "--tasks", "6")


MODEL = ("--planner", "react", "--model")


@pytest.mark.slow
def test_a_killed_run_with_a_model_pays_no_call_twice() -> None:
    output = kill("--kills", "5", "--tasks", "1", *MODEL)
    assert "5 kills at random moments" in output
    assert "none asked for again" in output


@pytest.mark.slow
def test_a_run_with_a_model_killed_thirty_times_pays_no_call_twice() -> None:
    assert "none asked for again" in kill("--kills", "30", "--tasks", "4", *MODEL)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_killed_fifty_times_resumes_each_time(workers: str) -> None:
    output = kill("--kills", "50", "--tasks", "20", "--workers", workers)
    assert "50 kills at random moments" in output


@pytest.mark.slow
def test_a_run_with_many_episodes_in_flight_pays_no_call_twice() -> None:
    planner = f"{BENCHMARK.with_name('choosing_planner.py')}:PLANNER"
    played = ("--suite", "houses", "--tasks", "8", "--workers", "8", "--engine", "threads")
    output = kill("--kills", "5", *played, "--model", "--planner", planner)
    assert "none asked for again" in output
