"""The planner `mcp`: agent programs of all habits, each of which costs its episode at most."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.episodes.events import Decided
from peephole.episodes.recording import episode_files, read_episode
from peephole.episodes.result import EpisodeResult
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.planners.contract import Brief, Decisions, GiveUp, Note, Percept, Planner
from peephole.planners.external.program import Ended, Program, isolation

pytest.importorskip("mcp", reason="agents outside Peephole need the package mcp")

AGENT = Path(__file__).parent / "scripted_agent.py"


def command(*words: str) -> str:
    return "mcp:" + shlex.join([sys.executable, "-S", str(AGENT), *words])


def played(folder: Path, *words: str, **options: Any) -> tuple[EpisodeResult, Note]:
    """The result of one episode of a scripted agent, and the note on its program."""
    planner = command(*words)
    run = peephole.run(planner, "houses", tasks=1, options=options, out=folder / "run")
    return run.results[0], note_of(run.folder)


def note_of(run: Path) -> Note:
    (path,) = episode_files(run)
    decisions = [event.decision for event in read_episode(path) if isinstance(event, Decided)]
    (note,) = [each for each in decisions if isinstance(each, Note) and each.name == "program"]
    return note


def test_a_program_plays_and_is_recorded_as_any_planner(tmp_path: Path) -> None:
    result, note = played(tmp_path, "acts", "go to table 1", "fly")
    assert (result.ended, result.steps, result.success) == ("done", 1, False)
    assert note.data["calls"] == {"task": 1, "act": 2, "done": 1}
    assert "You go to table 1." in note.data["output"]
    assert "The episode is over: you said" in note.data["output"]
    stored = read_run(tmp_path / "run")
    assert (stored.config.planner, stored.planner["isolated"]) == ("mcp", bool(isolation()))
    words = f"{Path(sys.executable).name} -S {AGENT.name} acts 'go to table 1' fly"
    assert stored.config.label == f"mcp(command={words})"
    again = peephole.replay_replies(tmp_path / "run", out=tmp_path / "again")  # starts nothing
    assert again.results[0].steps == 1


def test_a_run_that_was_cut_off_goes_on_where_the_agent_was(tmp_path: Path) -> None:
    played(tmp_path, "acts", "go to table 1", "go to fridge 1")
    (path,) = episode_files(tmp_path / "run")
    lines = path.read_text().splitlines(keepends=True)
    kept = next(n for n, line in enumerate(lines) if '"go to fridge 1"' in line)
    path.write_text("".join(lines[:kept]))
    result = peephole.resume(tmp_path / "run").results[0]
    assert (result.ended, result.steps) == ("done", 3)  # the program begins again, in that place
    assert note_of(tmp_path / "run").data["calls"] == {"task": 1, "act": 2, "done": 1}


def test_a_program_that_crashes_costs_its_episode_and_tells_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-0123456789")
    result, note = played(tmp_path, "crashes", "go to table 1")
    assert (result.ended, result.steps) == ("gave_up", 1)
    assert result.detail.startswith("The agent program ended with status 1, after ")
    assert note.data["output"].startswith("Traceback: no model at https://x/?key=")
    assert "sk-0123" not in (tmp_path / "run/episodes").glob("*").__next__().read_text()


def test_a_program_that_leaves_has_read_the_task_on_its_standard_input(tmp_path: Path) -> None:
    result, note = played(tmp_path, "leaves")
    assert (result.ended, result.detail) == ("gave_up", "The agent program ended with status 0.")
    assert "Your task: Put two drinking glasses on table 1." in note.data["output"]


def test_a_program_finds_its_server_by_placeholders_in_a_folder_of_its_own(tmp_path: Path) -> None:
    _, note = played(tmp_path, "surroundings", "{config}", "{prompt}")
    folder, config, prompt = note.data["output"].splitlines()[:3]
    assert folder == "['mcp.json']"
    entry = json.loads(config)["mcpServers"]["peephole"]
    assert entry["type"] == "http"
    assert entry["headers"]["Authorization"] == "Bearer [key]"
    assert prompt.startswith("You control a robot.")


@pytest.mark.slow
def test_a_program_that_cannot_send_a_token_has_a_bridge(tmp_path: Path) -> None:
    result, note = played(tmp_path, "bridge", "{stdio}")
    assert (result.ended, note.data["output"]) == (
        "done",
        "The episode is over: you said that the task is fulfilled.\n",
    )


@pytest.mark.slow
def test_a_silent_program_is_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    result, note = played(tmp_path, "silent", silence_s=0.5)
    assert (result.ended, result.detail) == ("gave_up", "The agent was silent for 0.5 s.")
    assert note.text == "The agent program was ended."
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_the_seconds_of_a_program_are_bounded(tmp_path: Path) -> None:
    result, _ = played(tmp_path, "silent", seconds=0.5)
    assert (result.ended, result.detail) == ("gave_up", "The agent's time is used.")


@pytest.mark.slow
def test_what_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    mark = f"left behind by {os.getpid()}"
    result, _ = played(tmp_path, "forks", mark)
    assert result.ended == "done"
    listed = subprocess.run(["ps", "-ef"], capture_output=True, text=True, check=True).stdout
    assert mark not in listed


@pytest.mark.slow
def test_a_program_that_stays_is_ended(tmp_path: Path) -> None:
    result, note = played(tmp_path, "stays")
    assert (result.ended, note.text) == ("done", "The agent program was ended.")


@pytest.mark.slow
def test_the_output_that_is_kept_is_bounded(tmp_path: Path) -> None:
    _, note = played(tmp_path, "floods")
    assert len(note.data["output"]) < 33_000
    assert "characters are left out" in note.data["output"]
    assert note.data["output"].rstrip().endswith("you said that the task is fulfilled.")


@pytest.mark.slow
def test_a_program_sees_neither_recordings_nor_goals(tmp_path: Path) -> None:
    if not isolation():
        pytest.skip("this system has no user namespaces")
    peephole.run("expert", "houses", tasks=1, out=tmp_path / "other")
    seen = [tmp_path / "run", tmp_path / "other", Path(peephole.__file__).parent / "suites"]
    _, note = played(tmp_path, "looks", *map(str, [*seen, tmp_path]))
    *hidden, beside = note.data["output"].splitlines()[:4]
    assert [line.rpartition(" ")[2] for line in hidden] == ["[]"] * 3
    assert beside.endswith("['other', 'run']")


def test_a_program_sees_its_own_folder_and_no_other_agents(tmp_path: Path) -> None:
    if not isolation():
        pytest.skip("this system has no user namespaces")
    goals, agents = tmp_path / "goals.yaml", tmp_path / "agents"
    goals.write_text("a goal")
    for name in ("own", "other"):
        (agents / name).mkdir(parents=True)
        (agents / name / "mcp.json").write_text(name)
    looks = (
        f"cat mcp.json {agents}/own/mcp.json; ls {agents}; pwd; wc -c < {goals};"
        f"echo no > /proc/1/fd/$1; echo > {agents}/own/made; ls /proc/1/fd"
    )
    program = Program(
        ["sh", "-c", looks], folder=agents / "own", hide=[agents, goals], mode=isolation()
    )
    assert program.wait(30)
    program.end()
    lines = program.output.text.splitlines()
    assert lines[:4] == ["ownownown", str(agents / "own"), "0", lines[3]]
    assert lines[-3:] == ["0", "1", "2"]  # the first process there has no pipe to us
    assert program.ended == Ended(0)
    assert (agents / "own" / "made").exists()


def test_the_data_of_tasks_is_hidden_too(tmp_path: Path) -> None:
    hidden = []

    def plan(brief: Brief, percept: Percept) -> Decisions:
        hidden.extend(brief.hidden)
        yield GiveUp()

    lab = Path(__file__).parents[2] / "lab.yaml"
    peephole.run(
        Planner("asks", "asks what is hidden", plan),
        "room",
        data=lab,
        adapter="symbolic",
        tasks=1,
        out=tmp_path / "run",
    )
    assert {lab, tmp_path / "run"} <= set(hidden)


def test_what_is_to_be_hidden_has_to_exist(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"There is no .*nowhere to hide from the program"):
        played(tmp_path, "leaves", hide=(tmp_path / "nowhere",))


@pytest.mark.parametrize(
    ("planner", "told"),
    [
        ("mcp", "The planner mcp starts a program of yours; give --planner"),
        ("mcp:no-such-agent --fast", "There is no program no-such-agent to start; correct"),
        ("mcp:agent 'x", "The option command of mcp cannot be 'agent 'x': it is no command line"),
        ("explore:fast", "The planner explore takes nothing behind a colon; give --planner"),
    ],
)
def test_a_command_that_is_none_is_one_sentence(tmp_path: Path, planner: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        peephole.run(planner, "houses", tasks=1, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_killed_run_leaves_no_program_behind(tmp_path: Path) -> None:
    seconds = str(1000 + os.getpid() / 1e6)  # the mark of this test's processes
    planner = f"mcp:sh -c 'setsid sleep {seconds} & sleep {seconds}'"
    command = [sys.executable, "-m", "peephole", "run", "--suite", "houses", "--tasks", "1"]
    run = subprocess.Popen(
        [*command, "--planner", planner, "--out", tmp_path / "run"], stdout=subprocess.DEVNULL
    )
    try:
        assert _soon(lambda: len(_sleeping(seconds)) == 2)
    finally:
        run.kill()
        run.wait()
    assert _soon(lambda: not _sleeping(seconds))


def _sleeping(seconds: str) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if line == f"sleep {seconds}"]


def _soon(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        time.sleep(0.2)
    return holds()
