"""`peephole.make`, `peephole.run` and `peephole.resume`: what they take, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest
from pydantic import create_model

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.events import Ended, RecordedEvent, Started
from peephole.episodes.run_file import read_run
from peephole.errors import BadInput, PeepholeError
from peephole.models.contract import Request
from peephole.observation_text.dialects.alfworld.dialect import DIALECT as ALFWORLD
from peephole.planners.contract import Act, Brief, Decisions, Grant, Percept, Planner
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite


def look(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")


LOOK = Planner("look", "looks around", look)


@pytest.fixture
def suite(task: Task) -> Suite:
    rules = Rules(ends=Ends.PLANNER_DONE)
    return Suite("apples", "one task", (task,), "symbolic", rules, Budgets(steps=3))


def test_a_world_is_made_of_objects_too(suite: Suite, task: Task) -> None:
    with peephole.make(
        suite, task=task, adapter=SymbolicAdapter(), dialect=ALFWORLD, grants=["inventory"], seed=3
    ) as environment:
        percept = environment.reset()
        assert percept.text.startswith("You are in the middle of the ")  # in ALFWorld's words
        brief = environment.brief()
        assert (brief.budgets, brief.rules) == (suite.budgets, suite.rules)
        assert brief.inventory is not None
        assert brief.goal is None
        assert environment.seed == 3


def test_a_world_is_of_the_first_task_and_the_suites_adapter_by_default() -> None:
    with peephole.make("houses") as environment:
        environment.reset()
        assert environment.task.id == "gather/house-1-1"
        assert environment.brief().dialect == "reactree_plain"
    with peephole.make("houses", adapter="symbolic", dialect="alfworld") as environment:
        assert environment.adapter.spec.name == "symbolic"
        environment.reset()
        assert environment.brief().dialect == "alfworld"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"suite": "hauses"}, "There is no suite 'hauses'. Did you mean houses"),
        ({"task": "gather/house-1"}, "There is no task of houses 'gather/house-1'. Did you mean"),
        ({"adapter": "unity"}, "There is no adapter 'unity'."),
        ({"dialect": "reactre"}, "There is no dialect 'reactre'. Did you mean reactree"),
        ({"grants": ["goals"]}, "There is no grant 'goals'. Did you mean goal?"),
    ],
)
def test_a_name_that_does_not_exist_is_told(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        peephole.make(**{"suite": "houses", **wrong})
    assert str(caught.value).startswith(told)


def test_a_bare_name_is_one_name_wherever_a_sequence_of_names_is_wanted(
    suite: Suite, tmp_path: Path
) -> None:
    with peephole.make(suite, grants="goal") as environment:
        environment.reset()
        assert environment.brief().goal is not None
    with pytest.raises(BadInput, match=r"no grant 'goals'\. Did you mean goal"):
        peephole.make(suite, grants="goals")
    one: Any = {"grants": "goal", "models": "planner", "dialects": "alfworld", "sources": "alfred"}
    planner = Planner("one", "declares one of each", look, **one)
    assert planner.grants == {Grant.GOAL}
    assert (planner.models, planner.dialects) == (("planner",), ("alfworld",))
    assert planner.sources == {"alfred"}
    with pytest.raises(BadInput, match=r"no grant 'maps'\. Did you mean map"):
        Planner("wrong", "wants what is not there", look, grants=frozenset({"maps"}))  # type: ignore[arg-type]
    late: dict[str, Any] = {"more_grants": lambda options: "truth", "more_models": lambda _: "eye"}
    later = Planner("later", "wants more by its options", look, **late).granted_by(
        create_model("O")()
    )
    assert (later.grants, later.models) == ({Grant.TRUTH}, ("eye",))
    request = Request([], permitted="yes", stop="END", choices={"act": "wait"})
    assert (request.permitted, request.stop, request.choices) == (
        ("yes",),
        ("END",),
        {"act": ("wait",)},
    )
    run = peephole.run(LOOK, suite, tasks="1", out=tmp_path / "run")
    again = peephole.replay_replies(
        run.folder, planner=LOOK, suite=suite, tasks=suite.tasks[0].id, out=tmp_path / "again"
    )
    assert len(again.results) == 1


def test_more_tasks_than_there_are_is_said(suite: Suite, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="The number of tasks in apples is 1; all are played"):
        peephole.run(LOOK, suite, tasks=9999, out=tmp_path / "run")


def test_a_run_is_watched_and_its_results_read(suite: Suite, tmp_path: Path) -> None:
    seen: list[RecordedEvent] = []
    run = peephole.run(LOOK, suite, out=tmp_path / "run", watch=seen.append)
    assert isinstance(seen[0], Started)
    assert isinstance(seen[-1], Ended)
    assert run.results == (seen[-1].result,)
    assert run.figures["gsr"].mean == 0.0
    assert read_run(run.folder).config.label == "look"
    assert peephole.resume(run.folder, planner=LOOK, suite=suite) == run  # nothing was left


def test_a_run_shows_its_progress_when_asked_and_as_a_table_in_a_notebook(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peephole.run(LOOK, suite, out=tmp_path / "silent")
    assert capsys.readouterr() == ("", "")
    run = peephole.run(LOOK, suite, out=tmp_path / "run", progress=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "1/1 episodes" in printed.err
    table = run._repr_html_()
    assert table.startswith("<pre")
    assert "failure" in table


def test_a_planner_is_told_what_the_suite_is_made_of(suite: Suite, tmp_path: Path) -> None:
    """So that no prior counts the data that it is played on."""
    told: list[frozenset[str]] = []

    def ask(brief: Brief, percept: Percept) -> Decisions:
        told.append(brief.sources)
        yield Act("look around")

    for sources in (frozenset({"procthor"}), frozenset()):
        made = replace(suite, sources=sources)
        peephole.run(Planner("ask", "asks", ask), made, out=tmp_path / str(len(told)))
        assert told[-1] == sources


def test_runs_of_the_same_second_have_folders_of_their_own(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Midnight(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Midnight:
            return cls(2026, 1, 1, tzinfo=tz)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("peephole.episodes.run_file.datetime", Midnight)
    folders = [peephole.run("random", suite).folder for _ in range(3)]
    assert len(set(folders)) == 3


@pytest.mark.parametrize(
    ("begin", "told"),
    [
        (lambda suite: peephole.run(LOOK, suite, engine="processes"), "is played in one process"),
        (lambda suite: peephole.run("explore", "houses", options={"x": 1}), "explore"),
        (lambda suite: peephole.run("explore", "houses", tasks=0), "--tasks 0 runs nothing"),
        (lambda suite: peephole.run(LOOK, suite, tasks=["pear"]), "no task of apples 'pear'"),
        (lambda suite: peephole.run(LOOK, suite, model="gpt"), "asks no model"),
        (lambda suite: peephole.run(LOOK, suite, dialect="alfworld"), "does not speak the dialect"),
        (lambda suite: peephole.resume("nowhere"), "is no run folder"),
        (lambda suite: peephole.resume("nowhere", workers=2), "is no run folder"),
    ],
)
def test_what_does_not_fit_is_refused_and_leaves_no_folder(
    suite: Suite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    begin: Callable[[Suite], object],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PeepholeError, match=told) as caught:
        begin(suite)
    assert len(str(caught.value).splitlines()) == 1
    assert not list(tmp_path.rglob("run.json"))


def test_the_package_lists_its_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("peephole.suites.registry.suite_names", lambda: ["houses", "office"])
    found = {each.name: each.tasks for each in peephole.suites()}
    assert found == {"houses": 100, "office": 29}
    code = (
        "import peephole as p; before = p.suites; import peephole.suites.registry; "
        "print(before is p.suites, callable(before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"True True\n", b"")


def test_a_recorded_run_is_read_as_a_table(suite: Suite, tmp_path: Path) -> None:
    run = peephole.run(LOOK, suite, out=tmp_path / "run")
    again = peephole.read(tmp_path / "run")
    assert again.results == run.results
    frame = again.frame()
    assert list(frame.task) == [suite.tasks[0].id]
    assert frame.steps.mean() == run.figures["steps"].mean
    with pytest.raises(BadInput, match="is no run folder"):
        peephole.read(tmp_path)
