"""Approval by a person in the terminal: questions, answers, and that nothing is asked twice."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.cli.main import app
from peephole.cli.options import PERSON as OF_COMMAND
from peephole.cli.options import with_person
from peephole.episodes.approval.choice import PERSON
from peephole.episodes.approval.person import Unanswered
from peephole.episodes.environment import Environment
from peephole.episodes.events import ApprovalGiven, Stepped
from peephole.episodes.recording import episode_files, read_episode, without_times
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput
from peephole.observation_text.dialects.reactree.dialect import DIALECT
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.results.replay import replay_run
from peephole.results.wording import failure_text
from peephole.scene_graph.task import Task
from peephole.skills.outcomes import Reason
from peephole.suites.contract import Suite

WORDS = ("go to fridge 1", "open fridge 1", "open fridge 1", "pick up apple 1")
ANSWERS = "y\nn  it is   hot.\nmaybe\nyes\nY\n"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a person types from now on."""

    def type_(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))

    return type_


def test_a_person_is_asked_for_the_action_alone_and_its_denial_is_a_failure(
    task: Task, typed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = peephole.make(
        Suite("one", "one task", (task,), "symbolic"), dialect="reactree", approve="person"
    )
    environment.reset()
    typed(ANSWERS)
    percepts = [environment.step(text) for text in WORDS]
    shown = capsys.readouterr()
    assert shown.out == ""
    asked = "Allow it? Type y, or n and the reason: "
    assert shown.err == (
        f"Step 1: go to fridge 1\n{asked}Step 2: open fridge 1\n{asked}Step 3: open fridge 1\n"
        f"{asked}Please type y to allow it, or n and the reason, such as: n the pan is hot\n"
        f"{asked}Step 4: pick up apple 1\n{asked}"
    )
    reasons = [p.outcome.failure and p.outcome.failure.reason for p in percepts if p.outcome]
    assert reasons == [None, Reason.DENIED, None, None]
    assert percepts[1].text.startswith("You are not allowed to do that: it is hot. ")
    environment.step("pick up banana 1")  # is no action: nobody is asked


def test_where_nobody_can_be_asked_nothing_is_done(task: Task, typed: Any) -> None:
    environment = peephole.make(
        Suite("one", "one task", (task,), "symbolic"), dialect="reactree", approve="person"
    )
    environment.reset()
    typed("")
    with pytest.raises(Unanswered, match="standard input has ended; continue the run"):
        environment.step("go to fridge 1")


def planner(words: Sequence[str]) -> Planner:
    def plan(brief: Brief, percept: Percept) -> Decisions:
        for text in words:
            yield Act(text)

    return Planner("scripted", "follows a script", plan)


def test_a_run_cut_off_anywhere_asks_only_what_was_not_answered(
    task: Task, typed: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = Suite("one", "one task", (task,), "symbolic")
    whole = tmp_path / "whole"
    typed(ANSWERS)
    peephole.run(planner(WORDS), suite, approve="person", out=whole)
    (path,) = episode_files(whole)
    lines = path.read_bytes().splitlines(keepends=True)
    assert read_run(whole).label == "scripted, approved by a person"
    answers = ["y\n", "n it is hot.\n", "y\n", "y\n"]
    given = 0
    for kept in range(1, len(lines)):
        given += json.loads(lines[kept - 1])["event"] == "approval_given"
        cut = tmp_path / f"{kept}"
        (cut / "episodes").mkdir(parents=True)
        (cut / "run.json").write_bytes((whole / "run.json").read_bytes())
        other = cut / "episodes" / path.name
        other.write_bytes(b"".join(lines[:kept]) + lines[kept][:9])
        typed("".join(answers[given:]))  # not one more
        peephole.resume(cut, planner=planner(WORDS), suite=suite)
        assert without_times(read_episode(other)) == without_times(read_episode(path)), kept
    assert given == len(WORDS)
    events = read_episode(path)
    spoken = [(e.allowed, e.reason) for e in events if isinstance(e, ApprovalGiven)]
    assert spoken == [(True, ""), (False, "it is hot."), (True, ""), (True, "")]
    steps = [event for event in events if isinstance(event, Stepped)]
    assert failure_text(steps[1].outcome) == "denied: it is hot"


def test_a_replay_takes_the_recorded_answers(typed: Any, tmp_path: Path) -> None:
    typed("y\nn not now\n" + 60 * "y\n")
    peephole.run(
        "explore", "robothow", tasks=1, adapter="symbolic", approve="person", out=tmp_path / "run"
    )
    typed("")
    assert [each.difference for each in replay_run(tmp_path / "run")] == [None]


@pytest.mark.parametrize("engine", [{"workers": 2}])
def test_a_person_approves_one_episode_at_a_time(tmp_path: Path, engine: Any) -> None:
    with pytest.raises(BadInput, match="one episode at a time; use --workers 1"):
        peephole.run(
            "expert", "robothow", tasks=2, approve="person", out=tmp_path / "run", **engine
        )
    assert not (tmp_path / "run").exists()


def test_an_option_without_a_file_asks_a_person(tmp_path: Path) -> None:
    assert OF_COMMAND == PERSON
    for given, meant in (
        (["--approve"], ["--approve=person"]),
        (["--approve", "--tasks", "1"], ["--approve=person", "--tasks", "1"]),
        (["--approve", "rules.yaml"], ["--approve", "rules.yaml"]),
        (["--tasks", "1"], ["--tasks", "1"]),
    ):
        assert with_person(given) == meant
    out, rules = tmp_path / "run", tmp_path / "rules.yaml"
    run = [
        "run",
        "--suite",
        "robothow",
        "--planner",
        "expert",
        "--tasks",
        "1",
        "--approve",
        "--json",
        "--out",
    ]
    assert isinstance(error_of(*run, str(out)), Unanswered)
    assert read_run(out).config.asks_person
    rules.write_text("version: 1\nrules:\n- {verbs: [open], reason: x}\n")
    resumed = error_of("run", "--resume", "--out", str(out), "--approve", str(rules))
    assert str(resumed) == f"{out} was run approved by a person; leave --approve out."
    grid = error_of("run", "--grid", "reactree_table1", "--out", str(out), "--approve")
    assert "--grid plays many episodes" in str(grid)


def error_of(*arguments: str) -> BaseException | None:
    return CliRunner().invoke(app, arguments).exception


def test_who_approves_is_asked_only_what_could_be_tried(task: Task) -> None:
    """A thing never seen is unknown, whoever approves."""

    class Denies:
        repeatable = False
        asked = 0

        def answer(self, proposal: Any) -> Any:
            self.asked += 1
            return peephole.episodes.approval.approver.Answer(False)

    approver = Denies()
    environment = Environment(SymbolicAdapter(), task, DIALECT, approver=approver)
    environment.reset()
    percept = environment.step(peephole.skills.actions.pick_up(99))
    assert percept.outcome is not None
    assert percept.outcome.failure is not None
    assert percept.outcome.failure.reason is Reason.UNKNOWN
    assert approver.asked == 0
    percept = environment.step("go to fridge 1")
    assert percept.text.startswith("You are not allowed to do that.")
    assert approver.asked == 1
