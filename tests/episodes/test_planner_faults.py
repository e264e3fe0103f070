"""A planner that breaks: a sentence with its file and line, the traceback in the recording."""

from __future__ import annotations

import asyncio
import functools
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.events import PlannerFailed
from peephole.episodes.recording import episode_files, read_events
from peephole.errors import BadInput, PeepholeError
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner, Preparation

from ..commands import command
from ..opened_page import OpenedPage

FILE = """
import json

from peephole.planners.contract import Act, Planner


def words():
    return json.loads("{nonsense")


def plan(brief, percept):
    yield Act("look around")
    words()


PLANNER = Planner("broken", "breaks", plan)


def killed(brief, percept):
    import os

    yield Act("look around")
    os.kill(os.getpid(), 9)


KILLED = Planner("killed", "takes its process with it", killed)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "broken.py"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize("workers", [1, 2])
def test_the_sentence_names_the_planners_own_file_and_line(
    tmp_path: Path, file: Path, workers: int
) -> None:
    """Not that of the library that it called."""
    run = tmp_path / "run"
    done = command(
        *("run", "--suite", "houses", "--planner", file, "--tasks", 2, "--out", run),
        *("--workers", workers),
    )
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    line = FILE.splitlines().index('    return json.loads("{nonsense")') + 1
    assert sentence.startswith("peephole: The planner failed in gather/house-1-1 and 1 other")
    assert "JSONDecodeError: Expecting property name" in sentence
    assert f"(in {file}, line {line})" in sentence
    assert sentence.endswith(f"See the traceback with: peephole show {run} 1")
    assert "Traceback" not in done.stdout + done.stderr
    shown = command("show", run, "1")
    assert "Traceback (most recent call last)" in shown.stdout
    assert 'return json.loads("{nonsense")' in shown.stdout
    for path in episode_files(run):
        (failed,) = (event for event in read_events(path) if isinstance(event, PlannerFailed))
        assert failed.traceback.rstrip().splitlines()[-1].startswith("json.decoder.JSONDecodeError")
    report = command("report", run, "--out", tmp_path / "page.html")
    assert report.returncode == 0
    assert "most recent call last" in OpenedPage(tmp_path / "page.html").told


def no_generator(brief: Brief, percept: Percept) -> Any:
    return None


def no_decision(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")
    yield from inner()


def inner() -> Any:
    yield 7


def leaves(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")
    sys.exit(3)


def cancelled(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")
    raise asyncio.CancelledError  # a class beside Exception, as of libraries in Rust


class Wordless(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def wordless(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")
    raise Wordless


def at_once(brief: Brief, percept: Percept) -> Any:
    raise ValueError("two\nlines")


class PlanObject:
    def __call__(self, brief: Brief, percept: Percept) -> Any:
        raise ValueError("of an object")


@pytest.mark.parametrize(
    ("plan", "told", "line"),
    [
        (no_generator, "BadInput: a planner's plan is a generator, not None", "def no_generator("),
        (no_decision, "BadInput: a planner yields decisions, not 7", "    yield 7"),
        (leaves, "SystemExit: 3", "    sys.exit(3)"),
        (cancelled, "CancelledError", "    raise asyncio.CancelledError"),
        (wordless, "Wordless", "    raise Wordless"),
        (at_once, "ValueError: two", '    raise ValueError("two'),
        (functools.partial(at_once), "ValueError: two", '    raise ValueError("two'),
        (PlanObject(), "ValueError: of an object", '        raise ValueError("of an object'),
    ],
)
def test_whatever_breaks_ends_the_episode_and_not_the_run(
    tmp_path: Path, plan: Callable[..., Any], told: str, line: str
) -> None:
    played = peephole.run(Planner("mine", "breaks", plan), "houses", tasks=2, out=tmp_path / "run")
    own = Path(__file__).read_text().splitlines()
    number = next(i for i, text in enumerate(own, start=1) if text.startswith(line))
    for result in played.results:
        assert result.ended == "planner_error"
        assert result.detail == f"{told} (in {__file__}, line {number})"


def test_a_planner_that_breaks_over_its_preparation_is_told_alike(tmp_path: Path) -> None:
    def prepare(given: Preparation) -> dict[str, Any]:
        raise KeyError("domain")

    planner = Planner("mine", "breaks", leaves, prepare=prepare)
    with pytest.raises(
        PeepholeError, match=r"KeyError: 'domain' \(in .*\.py, line \d+\); correct it"
    ):
        peephole.run(planner, "houses", tasks=1, out=tmp_path / "run")
    (failed,) = read_events(tmp_path / "run" / "prepared.jsonl")
    assert isinstance(failed, PlannerFailed)
    assert 'raise KeyError("domain")' in failed.traceback


@pytest.mark.slow
def test_a_worker_that_is_killed_ends_the_run_in_a_sentence_and_it_can_be_continued(
    tmp_path: Path, file: Path
) -> None:
    run = tmp_path / "run"
    done = command(
        *("run", "--suite", "houses", "--planner", f"{file}:KILLED", "--tasks", 2),
        *("--workers", 2, "--out", run),
    )
    assert done.returncode == 1
    assert re.fullmatch(
        r"peephole: The process that played the task \S+ was killed 3 times, perhaps for lack of "
        r"memory; free some memory or use fewer --workers; "
        f"then continue with: peephole run --resume --out {run}",
        done.stderr.strip(),
    )
    with pytest.raises(PeepholeError, match="was killed 3 times, perhaps for lack of memory"):
        peephole.resume(run, workers=2)
    file.write_text(FILE.replace("os.kill(os.getpid(), 9)", "return"))
    assert command("run", "--resume", "--out", run, "--workers", 2).returncode == 0


def test_a_simulator_that_is_killed_is_restored_and_the_run_goes_on(tmp_path: Path) -> None:
    killed: list[int] = []

    def plan(brief: Brief, percept: Percept) -> Decisions:
        for _ in brief.rooms:
            yield Act("look around")
            if not killed:
                killed.extend(_children("isolated_server"))
                for process in killed:
                    os.kill(process, signal.SIGKILL)
        assert brief.rooms

    planner = Planner("kills", "kills its simulator", plan)
    played = peephole.run(planner, "houses", tasks=1, isolate=True, out=tmp_path / "run")
    assert len(killed) == 1
    (result,) = played.results
    assert (result.ended, result.voided, result.failures) == ("done", 0, {})
    assert result.retries == 1


def _children(module: str) -> list[int]:
    """Our child processes that run a module."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            command = (path / "cmdline").read_text()
        except OSError:
            continue
        if parent == os.getpid() and module in command:
            found.append(int(path.name))
    return found


# --- threads -------------------------------------------------------------------------------------


class MayHang(SymbolicAdapter):
    from dataclasses import replace as _replace

    spec = _replace(SymbolicAdapter.spec, name="may_hang", bounded=False)


def _in_a_thread(body: Callable[[], object]) -> BaseException | None:
    raised: list[BaseException] = []

    def caught() -> None:
        try:
            body()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=caught)
    thread.start()
    thread.join()
    return raised[0] if raised else None


def test_a_simulator_that_may_hang_is_refused_where_it_could_not_be_interrupted() -> None:
    def begin(adapter: str | SymbolicAdapter) -> None:
        with peephole.make("houses", adapter=adapter) as environment:
            environment.step(environment.reset().menu()[0][0])

    error = _in_a_thread(lambda: begin(MayHang()))
    assert isinstance(error, BadInput)
    assert str(error) == (
        "The adapter may_hang may hang and can be interrupted in a process's main thread only; "
        "play it there, or in a process of its own: connect('may_hang', isolated=True)."
    )
    began = time.monotonic()
    assert _in_a_thread(lambda: begin("symbolic")) is None
    assert time.monotonic() - began < 30
    begin(MayHang())
