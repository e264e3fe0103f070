"""The evolving graph in an interpreter of its own plays as it does in ours."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from peephole.adapters.registry import connect
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from peephole.adapters.virtualhome.remote import PYTHON_VARIABLE
from peephole.episodes.recording import episode_files, read_events, without_times
from peephole.episodes.runner import results_of
from peephole.errors import Missing
from peephole.skills.actions import go_to
from peephole.skills.dynamics import candidates, legal_actions
from peephole.skills.executor import SimulatorDied

pytestmark = pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> Iterator[EvolvingGraphAdapter]:
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)
    adapter = EvolvingGraphAdapter()
    yield adapter
    adapter.close()


@pytest.mark.parametrize("program", ["1004_2", "180_2", "388_2"])
def test_it_plays_as_in_this_process(play, task, remote, program):
    here = play(program)
    remote.reset(task(f"virtualhome-eval:{program}"), 0)
    chance = random.Random(program)
    for _ in range(20):
        truth = here.graph()
        assert list(remote.graph().nodes()) == list(truth.nodes())
        assert list(remote.graph().edges()) == list(truth.edges())
        pool = legal_actions(truth, here.spec.embodiment)
        if chance.random() < 0.3:
            pool = candidates(truth)
        action = chance.choice([a for a in pool if a.verb in here.spec.actions])
        variation = chance.randrange(2)
        assert remote.attempt(action, variation) == here.attempt(action, variation)
    assert remote.graph() == here.graph()


def test_its_process_serves_one_episode_after_another(task, remote):
    scene = task("virtualhome-eval:1004_2")
    remote.reset(scene, 0)
    start = remote.graph()
    assert remote.attempt(go_to(289), 0).success
    assert remote.graph() != start
    remote.reset(scene, 0)
    assert remote.graph() == start
    remote.close()
    remote.reset(scene, 0)
    assert remote.graph() == start


def test_the_record_tells_by_which_interpreter_it_ran(remote):
    facts = remote.facts()
    assert facts["interpreter"] == ".".join(map(str, sys.version_info[:3]))
    assert "virtualhome-eval" in facts


def test_an_interpreter_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv(PYTHON_VARIABLE, "/nowhere/python3.8")
    sentence = f"{PYTHON_VARIABLE} is /nowhere/python3.8, which is no program"
    assert sentence in str(EvolvingGraphAdapter.missing())
    with pytest.raises(Missing, match="which is no program"):
        connect("virtualhome")


def test_a_python_without_the_simulator_is_reported_with_the_command(monkeypatch, tmp_path, task):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    monkeypatch.setenv(PYTHON_VARIABLE, python)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    for _ in range(2):
        adapter = EvolvingGraphAdapter()
        with pytest.raises(Missing, match=f"{python} cannot import the simulator") as error:
            adapter.reset(task("virtualhome-eval:1004_2"), 0)
        assert f"{python} -m pip install --no-deps virtualhome-eval==" in str(error.value)
        adapter.close()


def test_a_program_that_is_no_simulator_does_not_start(monkeypatch, task):
    monkeypatch.setenv(PYTHON_VARIABLE, "false")
    with pytest.raises(SimulatorDied, match="virtualhome did not start: it exited with code 1"):
        EvolvingGraphAdapter().reset(task("virtualhome-eval:1004_2"), 0)


@pytest.mark.slow
def test_episodes_under_python_3_8_come_out_the_same(python38, tmp_path):
    """With an interpreter made as a user would make it, which takes ten seconds and a network."""
    subprocess.run([python38, "-m", "venv", tmp_path / "venv"], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    for what in (["numpy"], ["--no-deps", "virtualhome-eval==0.1.1"]):
        done = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *what], capture_output=True, text=True
        )
        if done.returncode != 0:
            pytest.skip(f"pip could not install {what[-1]}: {done.stderr.strip()[-200:]}")
    for name, variables in (("here", {}), ("there", {PYTHON_VARIABLE: python})):
        subprocess.run(
            [
                *(sys.executable, "-m", "peephole", "run", "--json", "--suite", "robothow"),
                *("--planner", "expert", "--tasks", "20", "--out", str(tmp_path / name)),
            ],
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            check=True,
        )
    assert len(results_of(tmp_path / "there")) == 20

    def recorded(run: Path) -> dict[str, object]:
        return {path.name: without_times(read_events(path)) for path in episode_files(run)}

    assert recorded(tmp_path / "there") == recorded(tmp_path / "here")
    assert '"interpreter": "3.8' in (tmp_path / "there" / "run.json").read_text()
