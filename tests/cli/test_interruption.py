"""Runs that are cut off from outside: one sentence, the right exit code, and nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from peephole.cli import main

TASKS = 4


@pytest.fixture
def begin(
    tmp_path: Path, held: tuple[str, Callable[[], None]]
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a run in `run`, and waits until it has recorded something.

    It goes on no further until the test has done with it.
    """
    started = []
    planner, _ = held

    def start(*options: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "peephole", "run", "--suite", "robothow"),
                *("--planner", planner, "--adapter", "symbolic", "--tasks", str(TASKS)),
                *("--out", "run", *options),
            ],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        wait_for(lambda: events(tmp_path) > 0)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=60)


def wait_for(what: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes that a run's episodes are played in."""
    found = []
    with suppress(OSError):  # of one that has just ended
        for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


def events(tmp_path: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in tmp_path.glob("run/episodes/*.jsonl"))


@pytest.mark.parametrize(
    ("workers", "to_all"),
    [
        pytest.param("1", False, marks=pytest.mark.slow),
        pytest.param("2", False, marks=pytest.mark.slow),
        ("2", True),
    ],
)
def test_sigterm_leaves_a_run_that_can_be_continued(
    tmp_path, begin, held, peephole, workers, to_all
):
    process = begin("--workers", workers)
    if to_all:  # as a machine that is shut down, or a batch system, does
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.terminate()
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 1, errors
    assert "Interrupted. Continue with: peephole run --resume --out run" in errors
    assert "Traceback" not in errors + output
    *notes, _ = errors.splitlines()
    assert all(note.startswith("peephole: robothow: ") for note in notes)
    done = events(tmp_path)
    _, let_go = held
    let_go()
    continued = peephole("run", "--resume", "--out", "run", "--json")
    assert continued.returncode == 0, continued.stderr
    assert json.loads(continued.stdout)["episodes"] == TASKS
    assert events(tmp_path) >= done


def test_another_worker_goes_on_for_one_that_is_killed(begin, held):
    process = begin("--workers", "2", "--json")
    os.kill(workers_of(process)[0], signal.SIGKILL)
    _, let_go = held
    let_go()
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert json.loads(output)["episodes"] == TASKS


def test_an_episode_whose_workers_are_killed_again_and_again_ends_the_run(begin, held, peephole):
    process = begin("--workers", "2")
    while process.poll() is None:
        for pid in workers_of(process):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 1, errors
    assert "was killed 3 times, perhaps for lack of memory" in errors
    assert "continue with: peephole run --resume --out run" in errors
    assert "Traceback" not in errors + output
    _, let_go = held
    let_go()
    continued = peephole("run", "--resume", "--out", "run", "--json")
    assert json.loads(continued.stdout)["episodes"] == TASKS


def test_sigterm_ends_any_other_command_with_a_word(tmp_path, package):
    package(
        "import pathlib, time\n\n\ndef suite(data):\n"
        "    pathlib.Path('begun').touch()\n    time.sleep(60)\n",
        {"suites": "suite"},
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "peephole", "tasks", "strange"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    wait_for((tmp_path / "begun").exists)
    process.terminate()
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "peephole: Interrupted.\n")


def test_two_processes_do_not_continue_the_same_run(begin, peephole):
    os.kill(begin().pid, signal.SIGSTOP)  # it has not ended, however slow the second one is
    second = peephole("run", "--resume", "--out", "run")
    assert second.returncode == 2
    assert "Another process is writing run" in second.stderr
    assert len(second.stderr.splitlines()) == 1


def test_ctrl_c_before_a_command_begins_is_one_sentence(monkeypatch, capsys):
    def interrupted(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "app", interrupted)
    monkeypatch.setattr(main.signal, "signal", lambda *given: None)
    with pytest.raises(SystemExit) as end:
        main.main()
    assert (end.value.code, capsys.readouterr().err) == (1, "peephole: Interrupted.\n")
