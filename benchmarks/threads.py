"""Many episodes in flight in one process: speed, memory, equality, limits and budgets.

    .venv/bin/python benchmarks/threads.py speed --workers 64,256
    .venv/bin/python benchmarks/threads.py equal --workers 16
    .venv/bin/python benchmarks/threads.py limits --per-second 20
    .venv/bin/python benchmarks/threads.py budget --tokens 60000

All ask an endpoint on this machine that answers after `--latency` seconds (`slow_endpoint.py`).
`speed` counts its replies in a window while all workers play, and says what share of a core the run
had and how many milliseconds of it a reply took: 1000 / that is the rate of a whole core. `equal`
plays the same tasks one after the other and in threads; recordings must be equal but for times.
`limits` asks an endpoint that refuses what comes too fast. `budget` counts the tokens that were
spent when a budget was used up.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.models.events import ModelReplied

ENDPOINT = Path(__file__).with_name("slow_endpoint.py")
#: Seconds between the moment when all workers ask and the window in which replies are counted.
_SETTLE_S = 3.0


@contextmanager
def endpoint(*options: str) -> Iterator[str]:
    """The URL of an endpoint with these options."""
    process = subprocess.Popen(
        [sys.executable, str(ENDPOINT), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def counted(url: str) -> dict[str, Any]:
    """What the endpoint has counted."""
    with urllib.request.urlopen(url.replace("/v1", "/count")) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def start(url: str, out: Path, *options: str) -> subprocess.Popen[bytes]:
    """A run that asks the endpoint."""
    environment = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
    command = [sys.executable, "-m", "peephole", "run", "--model", "slow", "--out", str(out)]
    return subprocess.Popen(
        [*command, *options],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def what(options: argparse.Namespace) -> list[str]:
    """The options of a run for what is played."""
    task = ["--suite", options.suite, "--planner", options.planner, "--tasks", str(options.tasks)]
    return [*task, *(["--repeats", str(options.repeats)] if options.repeats > 1 else [])]


def cpu_s(pid: int) -> float:
    """Seconds of the processor that a process has had."""
    fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid: int) -> float:
    """The most memory that a process has held."""
    lines = Path("/proc", str(pid), "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def speed(options: argparse.Namespace) -> None:
    for workers in map(int, options.workers.split(",")):
        with (
            tempfile.TemporaryDirectory() as scratch,
            endpoint("--latency", str(options.latency)) as url,
        ):
            began = time.time()
            run = start(url, Path(scratch, "run"), *what(options), "--workers", str(workers))
            while counted(url)["answered"] < workers:
                assert run.poll() is None, run.communicate()
                time.sleep(0.1)
            time.sleep(_SETTLE_S)
            before, at, had_s = counted(url)["answered"], time.time(), cpu_s(run.pid)
            time.sleep(options.seconds)
            found, seconds = counted(url), time.time() - at
            replies, took_s = found["answered"] - before, cpu_s(run.pid) - had_s
            print(
                f"{workers} workers: {replies / seconds:.1f} replies a second with "
                f"{took_s / seconds:.2f} of a core, {1000 * took_s / replies:.2f} ms a reply, "
                f"{peak_mb(run.pid):.0f} MB, first request after {found['first'] - began:.1f} s, "
                f"{found['most']} at the same time at most",
                flush=True,
            )
            at = time.time()
            run.send_signal(signal.SIGINT)
            run.communicate()
            print(f"Ctrl-C ended it in {time.time() - at:.1f} s", flush=True)


def recorded(folder: Path) -> dict[str, Any]:
    """The recordings of a run without times, by file."""
    paths = sorted([*episode_files(folder), *folder.glob("prepared.jsonl")])
    return {path.name: without_times(read_events(path)) for path in paths}


def equal(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as scratch, endpoint("--latency", "0.02") as url:
        for planner in options.planner.split(","):
            for suite in options.suite.split(","):
                options_of = argparse.Namespace(**{**vars(options), "suite": suite})
                options_of.planner = planner
                recordings = []
                engines = [("--workers", "1"), ("--workers", options.workers)]
                for number, engine in enumerate(engines):
                    out = Path(scratch, f"{planner}-{suite}-{number}".replace(":", "_"))
                    run = start(url, out, *what(options_of), *engine)
                    _, said = run.communicate()
                    if not out.exists():
                        sys.exit(said.decode())
                    recordings.append(recorded(out))
                alone, together = recordings
                differing = [name for name in alone if alone[name] != together.get(name)]
                events = sum(map(len, alone.values()))
                if differing or len(alone) != len(together):
                    sys.exit(f"{planner} in {suite} differs in {', '.join(differing)}")
                print(f"{planner} in {suite}: {events} events are equal", flush=True)


def limits(options: argparse.Namespace) -> None:
    more = ("--latency", str(options.latency), "--per-second", str(options.per_second))
    with tempfile.TemporaryDirectory() as scratch, endpoint(*more) as url:
        run = start(url, Path(scratch, "run"), *what(options), "--workers", options.workers)
        while counted(url)["answered"] < options.per_second:
            time.sleep(0.1)
        before, at = counted(url), time.time()
        time.sleep(options.seconds)
        after, seconds = counted(url), time.time() - at
        run.send_signal(signal.SIGINT)
        run.communicate()
    answered, refused = (after[name] - before[name] for name in ("answered", "refused"))
    print(
        f"{answered / seconds:.1f} replies a second of {options.per_second} allowed; "
        f"{refused} of {answered + refused} requests were refused"
    )


def budget(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as scratch, endpoint("--latency", "0.2") as url:
        out = Path(scratch, "run")
        limit = ("--model-tokens", str(options.tokens))
        run = start(url, out, *what(options), *limit, "--workers", options.workers)
        _, said = run.communicate()
        asked = counted(url)["answered"]
        paths = [*episode_files(out), *out.glob("prepared.jsonl")]
        events = [event for path in paths for event in read_events(path)]
        replies = [event.usage.tokens for event in events if isinstance(event, ModelReplied)]
    print(said.decode().splitlines()[-1])
    print(
        f"{sum(replies)} tokens of {options.tokens} in {len(replies)} recorded replies of {asked}; "
        f"the longest took {max(replies)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("speed", "equal", "limits", "budget"))
    parser.add_argument("--suite", default="houses")
    parser.add_argument("--planner", default="react")
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--workers", default="64")
    parser.add_argument("--latency", type=float, default=1.0, help="seconds until a reply")
    parser.add_argument("--seconds", type=float, default=20.0, help="in which replies are counted")
    parser.add_argument("--per-second", type=int, default=20, help="requests that are not refused")
    parser.add_argument("--tokens", type=int, default=60_000, help="the budget")
    options = parser.parse_args()
    {"speed": speed, "equal": equal, "limits": limits, "budget": budget}[options.what](options)


if __name__ == "__main__":
    main()
