"""Kills a run with signal 9 at random moments and resumes it.

    .venv/bin/python benchmarks/kill_resume.py --kills 50 --tasks 20

Every trial starts a fresh run, kills its processes at a random moment, checks that what had been
recorded is still there after the run was resumed, and compares the resumed run's recording with
that of an undisturbed one, all but times. Exits with 1 at the first difference.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peephole.episodes.recording import EventData, episode_files, read_events, without_times


def command(folder: Path, options: argparse.Namespace, *, resume: bool) -> list[str]:
    what = ["--suite", options.suite, "--planner", options.planner, "--tasks", str(options.tasks)]
    return [
        *(sys.executable, "-m", "peephole", "run", "--json", "--out", str(folder)),
        *(["--resume"] if resume else what),
        *("--workers", str(options.workers)),
    ]


def recorded(folder: Path) -> dict[str, list[EventData]]:
    """The whole lines of every episode, by file."""
    return {path.name: read_events(path) for path in episode_files(folder)}


def kill_once(folder: Path, options: argparse.Namespace, after_s: float) -> bool:
    """Start a run and kill it with all its workers. Whether it was still running."""
    process = subprocess.Popen(
        command(folder, options, resume=(folder / "run.json").exists()),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(after_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--suite", default="robothow")
    parser.add_argument("--planner", default="explore")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of the moments to kill at")
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        reference = Path(scratch) / "reference"
        began = time.monotonic()
        subprocess.run(
            command(reference, options, resume=False), check=True, stdout=subprocess.DEVNULL
        )
        whole_s = time.monotonic() - began
        expected = {name: without_times(events) for name, events in recorded(reference).items()}
        print(f"{options.tasks} episodes undisturbed: {whole_s:.1f} s", flush=True)
        kept_steps = killed = 0
        while killed < options.kills:
            folder = Path(scratch) / f"trial-{killed}"
            after_s = moments.uniform(0, whole_s)
            if not kill_once(folder, options, after_s):
                continue  # it had ended before; no kill to speak of
            killed += 1
            if not (folder / "run.json").exists():
                continue  # killed before the run began: there is nothing to resume
            before = recorded(folder)
            subprocess.run(
                command(folder, options, resume=True), check=True, stdout=subprocess.DEVNULL
            )
            after = recorded(folder)
            lost = [name for name, old in before.items() if after[name][: len(old)] != old]
            kept_steps += sum(e["event"] == "step" for old in before.values() for e in old)
            if lost:
                print(f"kill {killed} after {after_s:.2f} s: finished steps lost in {lost}")
                return 1
            differing = [
                name for name in expected if without_times(after.get(name, [])) != expected[name]
            ]
            if differing:
                print(f"kill {killed} after {after_s:.2f} s: other results in {differing}")
                return 1
        print(
            f"{killed} kills at random moments: every run resumed to the same recording, "
            f"all {kept_steps} steps finished before a kill kept"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
