"""Unity simulators that fail: episodes come out as without, and nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.unity.adapter import UnityAdapter
from peephole.errors import BadInput, Missing
from peephole.skills.actions import go_to
from peephole.skills.executor import Executor, SimulatorDied
from peephole.skills.outcomes import Reason
from peephole.suites.registry import load_suite

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))

SCENE = "virtualhome-eval:1004_2"
FREEZER, CUPBOARD = 289, 229
COMMAND = f"{sys.executable} -m peephole.adapters.virtualhome.unity.stand_in --port {{port}}"

#: How often each comes: in a few episodes at least once, and what hangs not too often.
RATES = {
    "timeout": 0.02,
    "http500": 0.06,
    "unchanged": 0.2,
    "stale": 0.3,
    "refuse": 0.05,
    "die": 0.03,
}
#: Played with every other test.
QUICK = ("stale", "die")


def told(
    tell: Any, adapter: UnityAdapter, tasks: list[Any], folder: Path
) -> list[list[dict[str, Any]]]:
    """What is recorded of episodes with the expert, but for times and single tries."""
    budgets = load_suite("robothow").budgets
    folder.mkdir()
    stories = [
        tell(adapter, task, folder / f"{number}.jsonl", budgets=budgets)
        for number, task in enumerate(tasks)
    ]
    adapter.close()
    return stories


@pytest.fixture(scope="module")
def tasks() -> list[Any]:
    return list(load_suite("robothow").tasks[1:5])


@pytest.fixture(scope="module")
def sound(tell: Any, tasks: list[Any], tmp_path_factory: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PEEPHOLE_UNITY_COMMAND", COMMAND)
        return told(tell, UnityAdapter(), tasks, tmp_path_factory.mktemp("sound") / "run")


@pytest.mark.parametrize(
    "fault",
    [fault if fault in QUICK else pytest.param(fault, marks=pytest.mark.slow) for fault in RATES],
)
def test_episodes_come_out_as_without_faults(fault, tell, tasks, sound, tmp_path, monkeypatch):
    log = tmp_path / "calls"
    options = f"--faults {fault}={RATES[fault]} --seed 5 --log {log}"
    monkeypatch.setenv("PEEPHOLE_UNITY_COMMAND", f"{COMMAND} {options}")
    found = told(tell, UnityAdapter(call_s=1.5, load_s=3.0), tasks, tmp_path / "run")
    assert log.read_text().count(f"\t{fault}\n") > 0, "a rate at which none comes proves nothing"
    assert found == sound


# --- who starts and ends it ----------------------------------------------------------------------


def test_a_simulator_that_we_started_ends_with_the_adapter(task, monkeypatch):
    monkeypatch.setenv("PEEPHOLE_UNITY_COMMAND", COMMAND)
    adapter = UnityAdapter()
    adapter.reset(task(SCENE), 0)
    port = port_of(adapter)
    assert running_with(port)
    adapter.close()
    assert not running_with(port)
    adapter.reset(task(SCENE), 0)
    assert adapter.attempt(go_to(FREEZER), 0).success
    adapter.close()


def test_a_killed_run_leaves_no_simulator(tmp_path):
    script = (
        "import sys, time\n"
        "from peephole.adapters.virtualhome.unity.adapter import UnityAdapter\n"
        "from peephole.scene_graph.goals import And\n"
        "from peephole.scene_graph.task import Task\n"
        "adapter = UnityAdapter()\n"
        f"adapter.reset(Task('any', '', And(()), '{SCENE}'), 0)\n"
        "print(adapter._process.url, flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PEEPHOLE_UNITY_COMMAND": COMMAND},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    port = process.stdout.readline().strip().rsplit(":", 1)[1]
    assert running_with(port)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    ends = time.monotonic() + 20
    while running_with(port):
        assert time.monotonic() < ends, "it outlived the run"
        time.sleep(0.05)


def test_an_episode_goes_on_at_a_simulator_that_somebody_else_started_anew(
    task, run_stand_in, monkeypatch
):
    monkeypatch.delenv("PEEPHOLE_UNITY_COMMAND", raising=False)
    with run_stand_in() as url:
        monkeypatch.setenv("PEEPHOLE_UNITY_URL", url)
        adapter = UnityAdapter(patience_s=30)
        adapter.reset(task(SCENE), 0)

        def restart() -> None:
            adapter.close()
            adapter.reset(task(SCENE), 0)

        executor = Executor(adapter, restart, state=adapter.graph())
        assert executor.execute(go_to(FREEZER)).success
    again = threading.Event()
    keep = threading.Thread(target=later, args=(run_stand_in, int(url.rsplit(":", 1)[1]), again))
    keep.start()
    try:
        outcome = executor.execute(go_to(CUPBOARD))
    finally:
        again.set()
        keep.join()
    adapter.close()
    assert outcome.success
    assert [a.failure and a.failure.reason for a in outcome.attempts] == [Reason.CRASHED, None]


def later(run_stand_in: Callable[..., Any], port: int, until: threading.Event) -> None:
    time.sleep(0.5)
    with run_stand_in(port=port):
        until.wait(60)


def test_a_simulator_that_does_not_come_back_in_time_is_lost(task, monkeypatch):
    monkeypatch.delenv("PEEPHOLE_UNITY_COMMAND", raising=False)
    monkeypatch.setenv("PEEPHOLE_UNITY_URL", "http://127.0.0.1:9")
    with pytest.raises(SimulatorDied, match=r"Nothing answered at http://127.0.0.1:9 within 0.1 s"):
        UnityAdapter(patience_s=0.1).reset(task(SCENE), 0)


def test_a_command_that_does_not_last_is_reported_with_its_exit(task, monkeypatch):
    monkeypatch.setenv("PEEPHOLE_UNITY_COMMAND", f"{sys.executable} -c 'exit(7)' {{port}}")
    with pytest.raises(SimulatorDied, match=r"within 2 s; .*python.* exited with code 7\."):
        UnityAdapter(patience_s=2).reset(task(SCENE), 0)


def test_a_command_that_only_ends_is_given_up_and_named(task, monkeypatch):
    monkeypatch.setattr("peephole.adapters.virtualhome.unity.process._LASTS_S", 0.1)
    monkeypatch.setenv("PEEPHOLE_UNITY_COMMAND", f"{sys.executable} -c 'exit(7)' {{port}}")
    with pytest.raises(Missing, match=r"UNITY_COMMAND starts .*python.* ended 5 times .*code 7"):
        UnityAdapter().reset(task(SCENE), 0)


@pytest.mark.parametrize(
    ("command", "error", "told_as"),
    [
        ("no-such-unity -batchmode", Missing, "starts no-such-unity, which is no program"),
        ("'unfinished", BadInput, "is no command line"),
    ],
)
def test_a_command_that_cannot_be_run_gets_one_sentence(command, error, told_as, monkeypatch):
    monkeypatch.setenv("PEEPHOLE_UNITY_COMMAND", command)
    from peephole.adapters.registry import connect

    with pytest.raises(error, match=told_as):
        connect("virtualhome_unity")


@pytest.mark.slow
def test_workers_start_a_simulator_each(tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "peephole", "run", "--suite", "robothow", "--planner"),
            *("expert", "--adapter", "virtualhome_unity", "--tasks", "4", "--workers", "2"),
            *("--out", str(tmp_path / "run"), "--json"),
        ],
        env={**os.environ, "PEEPHOLE_UNITY_COMMAND": COMMAND},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert '"gsr": {"mean": 1.0' in done.stdout.replace("\n", "").replace("  ", "")


def port_of(adapter: UnityAdapter) -> str:
    return adapter._process.url.rsplit(":", 1)[1]


def running_with(port: str) -> list[str]:
    """The living stand-ins at a port."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "stat=,args="], capture_output=True, text=True, check=True
    )
    wanted = f"-m peephole.adapters.virtualhome.unity.stand_in --port {port}"
    return [
        line
        for line in listed.stdout.splitlines()
        if line.rstrip().endswith(wanted) and "Z" not in line[:3]
    ]
