"""Kills a run with signal 9 at random moments and resumes it.

    .venv/bin/python benchmarks/kill_resume.py --kills 50 --tasks 20

Every trial starts a fresh run, kills its processes at a random moment, checks that what had been
recorded is still there after the run was resumed, and compares the resumed run's recording with
that of an undisturbed one, all but times. Exits with 1 at the first difference.

With --model the planner asks a stand-in endpoint (tests/endpoint_stand_in.py), some of whose
replies cannot be used, and that counts the requests: a resumed run must ask for what was not
recorded yet, and for nothing else.

    .venv/bin/python benchmarks/kill_resume.py --kills 30 --tasks 4 --planner react --model
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from peephole.episodes.events import RecordedEvent, Stepped
from peephole.episodes.preparation import preparation_path
from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.models.events import ModelEvent


def command(folder: Path, options: argparse.Namespace, *, resume: bool) -> list[str]:
    what = ["--suite", options.suite, "--planner", options.planner, "--tasks", str(options.tasks)]
    what += ["--model", "stand-in"] if options.model else []
    return [
        *(sys.executable, "-m", "peephole", "run", "--json", "--out", str(folder)),
        *(["--resume"] if resume else what),
        *("--workers", str(options.workers)),
        *(["--engine", options.engine] if options.engine else []),
    ]


@contextmanager
def endpoint(options: argparse.Namespace, log: Path) -> Iterator[None]:
    """With --model: a stand-in endpoint in the environment of all that is started meanwhile.

    Its bad replies are settled by the messages, so that a run that is resumed meets the same.
    """
    if not options.model:
        yield
        return
    script = Path(__file__).parents[1] / "tests" / "endpoint_stand_in.py"
    faults = ["--by-message", "--rates", "free_text=0.1,wrong_enum=0.1", "--log", str(log)]
    process = subprocess.Popen(
        [sys.executable, str(script), *faults],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    os.environ["OPENAI_BASE_URL"] = process.stdout.readline().strip()
    try:
        yield
    finally:
        process.communicate()


def asked(log: Path) -> int:
    """How many requests the stand-in endpoint has had."""
    return len(log.read_text().splitlines()) if log.exists() else 0


def replies(run: dict[str, list[RecordedEvent]]) -> int:
    """How many replies of a model a run has recorded, those over HTTP errors included."""
    return sum(isinstance(event, ModelEvent) for events in run.values() for event in events)


def prepared_replies(folder: Path) -> int:
    """How many replies were recorded before the first episode."""
    path = preparation_path(folder)
    events = read_events(path) if path.exists() else []
    return sum(isinstance(event, ModelEvent) for event in events)


def recorded(folder: Path) -> dict[str, list[RecordedEvent]]:
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
    parser.add_argument("--engine", default="", help="what runs the workers")
    parser.add_argument("--seed", type=int, default=0, help="of the moments to kill at")
    parser.add_argument("--model", action="store_true", help="the planner asks a model")
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch, endpoint(options, Path(scratch) / "log"):
        log = Path(scratch) / "log"
        reference = Path(scratch) / "reference"
        began = time.monotonic()
        subprocess.run(
            command(reference, options, resume=False), check=True, stdout=subprocess.DEVNULL
        )
        whole_s = time.monotonic() - began
        expected = {name: without_times(events) for name, events in recorded(reference).items()}
        print(f"{options.tasks} episodes undisturbed: {whole_s:.1f} s", flush=True)
        kept_steps = kept_replies = killed = 0
        while killed < options.kills:
            folder = Path(scratch) / f"trial-{killed}"
            after_s = moments.uniform(0, whole_s)
            if not kill_once(folder, options, after_s):
                continue  # it had ended before; no kill to speak of
            killed += 1
            if not (folder / "run.json").exists():
                continue  # killed before the run began: there is nothing to resume
            before, prepared = recorded(folder), prepared_replies(folder)
            time.sleep(0.2 if options.model else 0)  # the request in flight may still arrive
            asked_before = asked(log)
            subprocess.run(
                command(folder, options, resume=True), check=True, stdout=subprocess.DEVNULL
            )
            after = recorded(folder)
            lost = [name for name, old in before.items() if after[name][: len(old)] != old]
            kept_steps += sum(isinstance(e, Stepped) for old in before.values() for e in old)
            kept_replies += replies(before)
            paid = asked(log) - asked_before
            wanted = replies(after) - replies(before) + prepared_replies(folder) - prepared
            if options.model and paid != wanted:
                print(f"kill {killed} after {after_s:.2f} s: asked {paid} times, not {wanted}")
                return 1
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
        if options.model:
            print(f"{kept_replies} replies recorded before a kill, none asked for again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
