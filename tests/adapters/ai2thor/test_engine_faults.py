"""Engines that do not start, end, hang or answer late: episodes come out as without."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.ai2thor.adapter import ThorAdapter
from peephole.errors import Missing
from peephole.scene_graph.goals import Domain, Exists, Related
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.skills.actions import go_to
from peephole.skills.outcomes import FailureClass, Reason

#: Short, so that nobody waits long for what hangs; long enough for a busy machine.
WITHIN = {"start_s": 30.0, "scene_s": 10.0, "step_s": 2.0}

APPLE_IN_FRIDGE = Exists(
    "apple",
    Domain(frozenset({"apple"})),
    Exists("fridge", Domain(frozenset({"fridge"})), Related("apple", Relation.INSIDE, "fridge")),
)
TASK = Task("chill", "", APPLE_IN_FRIDGE, "ithor:FloorPlan10#1")


def told(tell: Any, adapter: ThorAdapter, path: Path) -> list[dict[str, Any]]:
    """What is recorded of an episode with the expert, but for times and restarts."""
    story: list[dict[str, Any]] = tell(adapter, TASK, path, budgets=Budgets(steps=30))
    result = story[-1]["result"]
    assert result["success"]
    assert result["failures"] == {}, "nothing is counted against the planner"
    return story


@pytest.fixture(scope="module")
def sound(tell: Any, shared_adapter: ThorAdapter, tmp_path_factory: Any) -> list[dict[str, Any]]:
    return told(tell, shared_adapter, tmp_path_factory.mktemp("sound") / "episode.jsonl")


@pytest.mark.parametrize(
    "fault",
    [
        "crash@4",
        "die@6",
        "hang@7",
        pytest.param("late@5:3.0", marks=pytest.mark.slow),
        pytest.param("crash@2,crash@12,die@20", marks=pytest.mark.slow),
        "nostart=1",
    ],
)
def test_an_episode_comes_out_as_without_faults(
    fault: str, tell: Any, adapter_at: Any, sound: Any, tmp_path: Path
) -> None:
    log = tmp_path / "happened"
    adapter = adapter_at(f"--faults {fault} --log {log}", **WITHIN)
    found = told(tell, adapter, tmp_path / "faulty.jsonl")
    injected = log.read_text().split()
    assert all(part.split("@")[0].split("=")[0] in injected for part in fault.split(","))
    assert found == sound


@pytest.mark.parametrize(
    ("fault", "reason"), [("crash@3", "exited with code 134"), ("hang@3", "not answer within 2 s")]
)
def test_a_lost_engine_is_reported_with_what_befell_it(
    fault: str, reason: str, begun: Any, tmp_path: Path
) -> None:
    played = begun(f"--faults {fault} --log {tmp_path / 'happened'}", **WITHIN)
    fridge = played.first("fridge")
    outcome = played.executor.execute(go_to(fridge))
    assert outcome.success
    lost = outcome.attempts[0]
    assert lost.failure is not None
    assert lost.failure.reason is Reason.CRASHED
    assert lost.failure.kind is FailureClass.INFRASTRUCTURE
    assert reason in lost.message


def test_an_engine_that_ends_before_it_opens_its_pipe_is_noticed_at_once(
    home: pytest.MonkeyPatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Controller alone would wait for ever."""
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", f"{sys.executable} -c 'exit(7)'")
    adapter = ThorAdapter(start_s=60.0)
    began = time.monotonic()
    with pytest.raises(
        Missing, match=r"exited with code 7 in .start.\. It never ran: correct PEEP"
    ):
        adapter.reset(TASK, 0)
    assert time.monotonic() - began < 30.0


def test_an_engine_that_never_opens_its_pipe_is_late(
    home: pytest.MonkeyPatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeping = f"{sys.executable} -c 'import time; time.sleep(600)'"
    monkeypatch.setenv("PEEPHOLE_AI2THOR_EXECUTABLE", sleeping)
    with pytest.raises(Missing, match="did not answer within 1 s in 'start'"):
        ThorAdapter(start_s=1.0).reset(TASK, 0)


def test_an_engine_ends_with_the_adapter_and_what_it_started_with_it(
    adapter_at: Any, tmp_path: Path
) -> None:
    log = tmp_path / "mine"
    adapter = adapter_at(f"--log {log}")
    adapter.reset(TASK, 0)
    assert running_with(str(log))
    adapter.close()
    assert not running_with(str(log))
    adapter.reset(TASK, 0)  # and it can be started again
    assert running_with(str(log))


@pytest.mark.parametrize(
    "options", ["", "--faults crash@1", "--faults die@1", "--faults nostart=1"]
)
def test_nothing_is_left_open_however_an_engine_ends(
    options: str, adapter_at: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs begin thousands of engines: no pipe, folder or thread may stay until they end."""
    pipes = tmp_path / "pipes"
    pipes.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(pipes))
    adapter = adapter_at(f"{options} --log {tmp_path / 'happened'}", **WITHIN)
    before = held_open()
    adapter.reset(TASK, 0)
    adapter.close()
    assert held_open() == before
    assert list(pipes.iterdir()) == []


def held_open() -> tuple[int, int]:
    """How many files and threads this process has."""
    gc.collect()
    files = len(list(Path("/dev/fd").iterdir()))
    return files, threading.active_count()


def test_a_killed_run_leaves_no_engine(home: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "mine"
    script = (
        "import time\n"
        "from peephole.adapters.ai2thor.adapter import ThorAdapter\n"
        "from peephole.scene_graph.goals import And\n"
        "from peephole.scene_graph.task import Task\n"
        "ThorAdapter().reset(Task('any', '', And(()), 'ithor:FloorPlan10#1'), 0)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PEEPHOLE_AI2THOR_EXECUTABLE": f"stand_in --log {log}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    assert running_with(str(log))
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    ends = time.monotonic() + 20
    while running_with(str(log)):
        assert time.monotonic() < ends, "it outlived the run"
        time.sleep(0.05)


def running_with(log: str) -> list[str]:
    """The living stand-ins that keep a log there."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "stat=,args="], capture_output=True, text=True, check=True
    )
    return [
        line
        for line in listed.stdout.splitlines()
        if f"--log {log}" in line and "stand_in" in line and not line.startswith("Z")
    ]
