"""A run that is refused leaves nothing of its own, and touches nothing of anybody's."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.episodes.recording import run_lock
from peephole.episodes.resolve import Run, resolve
from peephole.episodes.run_file import RunConfig
from peephole.episodes.runner import new_run, play, start_run
from peephole.errors import BadInput, Missing
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner, Preparation
from peephole.scene_graph.rules import Budgets, Ends, Rules
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite


@pytest.fixture
def suite(task: Task) -> Suite:
    rules = Rules(ends=Ends.PLANNER_DONE)
    return Suite("apples", "one task", (task,), "symbolic", rules, Budgets(steps=3))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def _look(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")


LOOK = Planner("look", "looks around", _look)


def refused(meanwhile: Callable[[], object] = str, error: type[Exception] = BadInput) -> Planner:
    """A planner that refuses the run before it begins. meanwhile: what happens before."""

    def prepare(given: Preparation) -> dict[str, str]:
        meanwhile()
        raise error("Not today.")

    return replace(LOOK, prepare=prepare)


def content(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, None for a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("error", [BadInput, Missing])
def test_a_refused_run_leaves_no_folder(suite: Suite, out: Path, error: type[Exception]) -> None:
    seen: list[set[str]] = []
    planner = refused(lambda: seen.append(set(content(out))), error)
    with pytest.raises(error, match="Not today"):
        peephole.run(planner, suite, out=out)
    assert seen == [{"run.json", ".lock", "prepared.jsonl"}]
    assert not out.exists()
    assert peephole.run(LOOK, suite, out=out).results


def test_an_empty_folder_that_was_there_stays(suite: Suite, out: Path) -> None:
    out.mkdir()
    with pytest.raises(BadInput, match="Not today"):
        peephole.run(refused(), suite, out=out)
    assert out.is_dir()
    assert content(out) == {}
    assert peephole.run(LOOK, suite, out=out).results


@pytest.mark.parametrize("name", ["notes.txt", "episodes/0001-mine.jsonl", "prepared.jsonl", ".me"])
def test_a_folder_with_something_in_it_is_left_as_it_is(suite: Suite, out: Path, name: str) -> None:
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine")
    before = content(out)
    with pytest.raises(BadInput, match="is not empty and is no run"):
        peephole.run(refused(), suite, out=out)
    assert content(out) == before


def test_another_run_in_the_folder_is_left_as_it_is(suite: Suite, out: Path) -> None:
    peephole.run(LOOK, suite, out=out)
    before = content(out)
    with pytest.raises(BadInput, match="holds a run already"):
        peephole.run(refused(), suite, out=out)
    assert content(out) == before


@pytest.mark.parametrize("name", ["notes.txt", "episodes/notes.txt", "episodes/0001-a.jsonl"])
def test_what_was_put_there_meanwhile_stays(suite: Suite, out: Path, name: str) -> None:
    def put() -> None:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")

    with pytest.raises(BadInput, match="Not today"):
        peephole.run(refused(put), suite, out=out)
    assert (out / name).read_text() == "mine"
    assert (out / "run.json").exists()


def test_what_was_asked_before_the_refusal_stays(suite: Suite, out: Path) -> None:
    def ask() -> None:
        (out / "prepared.jsonl").write_text("paid for\n")

    with pytest.raises(BadInput, match="Not today"):
        peephole.run(refused(ask), suite, out=out)
    assert (out / "prepared.jsonl").read_text() == "paid for\n"
    assert (out / "run.json").exists()


def test_a_run_that_is_refused_when_it_is_continued_stays(suite: Suite, out: Path) -> None:
    """Even one that was cut off before its first episode."""

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        peephole.run(refused(stop), suite, out=out)
    before = content(out)
    with pytest.raises(BadInput, match="Not today"):
        peephole.resume(out, planner=refused(), suite=suite)
    assert content(out) == before
    assert peephole.resume(out, planner=LOOK, suite=suite).results


@pytest.fixture
def run(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run whose processes do not wait long for each other."""
    monkeypatch.setattr("peephole.episodes.recording._LOCK_PATIENCE_S", 0.1)
    return resolve(RunConfig("apples", "look"), planner=LOOK, suite=suite)


def test_a_run_that_another_process_has_taken_over_stays(run: Run, out: Path) -> None:
    in_use = pytest.raises(BadInput, match="Another process is writing")
    with in_use, new_run(run, out), run_lock(out):
        list(play(run, out))
    assert (out / "run.json").exists()


def test_a_refused_run_that_another_process_goes_on_with_stays(run: Run, out: Path) -> None:
    with ExitStack() as other:

        def refuse() -> None:
            other.enter_context(run_lock(out))
            raise BadInput("Not today.")

        with pytest.raises(BadInput, match="Not today"), new_run(run, out):
            refuse()
        assert (out / "run.json").exists()


def test_of_two_runs_that_begin_in_one_folder_the_second_is_refused(run: Run, out: Path) -> None:
    """The second looked when the folder was still empty."""

    def facts() -> dict[str, str]:
        start_run(run, out)
        return run.adapter.facts()

    late = SymbolicAdapter()
    late.facts = facts  # type: ignore[method-assign, assignment]
    with pytest.raises(BadInput, match="holds a run already"):
        start_run(replace(run, adapter=late), out)
