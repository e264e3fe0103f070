"""Runs that are killed and resumed: every search comes out as it was recorded."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

#: Searches that the clock ends, so that each has its own number of simulations.
RUN = (
    *("--suite", "kitchens_hard", "--planner", "belief", "--tasks", "3"),
    *("--set", "seconds=0.02", "--set", "simulations=100000"),
)


def begin(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "peephole", "run", *options, "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def lines(folder: Path) -> list[str]:
    found: list[str] = []
    for path in sorted(folder.glob("episodes/*.jsonl")):
        found += path.read_text(errors="replace").splitlines()
    return found


def killed_once_it_went_on(folder: Path, process: subprocess.Popen[bytes], more: int) -> bool:
    """Kill a run as soon as it has recorded so many more lines; False where it ended before."""
    before = len(lines(folder))
    deadline = time.monotonic() + 300
    while process.poll() is None:
        assert time.monotonic() < deadline
        if len(lines(folder)) >= before + more:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        time.sleep(0.005)
    output, _ = process.communicate()
    assert process.returncode == 0, output.decode()
    return False


def play_with_kills(folder: Path, kills: int) -> int:
    """Play the run to its end, killed as often as asked for, if it is long enough. The kills."""
    done = 0
    options: tuple[str, ...] = RUN
    while True:
        process = begin(folder, *options)
        more = 7 + 5 * (done % 4) if done < kills else 1_000_000
        if not killed_once_it_went_on(folder, process, more):
            return done
        done += 1
        options = (*RUN[:4], "--resume")
        if not (folder / "run.json").exists():
            options = RUN


def check(folder: Path) -> None:
    """Nothing came out otherwise than recorded: no start of an episode was voided."""
    events = [json.loads(line) for line in lines(folder)]
    assert not [event for event in events if event["event"] == "voided"]
    ended = [event["result"] for event in events if event["event"] == "ended"]
    assert len(ended) == 3
    assert all(result["voided"] == 0 for result in ended)
    counts = {
        event["decision"]["data"]["simulations"]
        for event in events
        if event["event"] == "decided" and event["decision"].get("name") == "search"
    }
    assert len(counts) > 5, "the clock ended no search, so nothing was put to the test"


def test_a_killed_run_goes_on_with_the_same_decisions(tmp_path):
    assert play_with_kills(tmp_path / "run", kills=3) == 3
    check(tmp_path / "run")


@pytest.mark.slow
def test_two_hundred_kills(tmp_path):
    kills = 0
    for number in range(100):
        folder = tmp_path / f"run{number}"
        kills += play_with_kills(folder, kills=min(20, 200 - kills))
        check(folder)
        if kills >= 200:
            return
    pytest.fail(f"the runs were over after {kills} kills")
