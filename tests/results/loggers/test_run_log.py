"""Loggers get the results of a run, and cannot end it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import peephole
from peephole.episodes.events import Ended
from peephole.errors import BadInput, Missing, PeepholeError
from peephole.planners.contract import Act, Brief, Decisions, Percept, Planner
from peephole.results.loggers.contract import LoggedRun, RunLogger, Table
from peephole.scene_graph.rules import Budgets
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite


def look(brief: Brief, percept: Percept) -> Decisions:
    yield Act("look around")


LOOK = Planner("look", "looks around", look)


class Kept(RunLogger):
    """Keeps what it is told."""

    def __init__(self, fails: str = "") -> None:
        super().__init__()
        self.fails = fails
        self.run: LoggedRun | None = None
        self.episodes: dict[int, Mapping[str, float]] = {}
        self.shown: dict[str, object] = {}
        self.finished: bool | None = None

    def begin(self, run: LoggedRun) -> str:
        self._fail("begin")
        self.run = run
        return "memory"

    def episode(self, number: int, values: Mapping[str, float]) -> None:
        self._fail("episode")
        self.episodes[number] = values

    def figures(self, values: Mapping[str, float]) -> None:
        self.shown |= values

    def table(self, table: Table) -> None:
        self.shown["table"] = table

    def picture(self, name: str, path: Path) -> None:
        self.shown[name] = path.read_bytes()[:4]

    def film(self, name: str, path: Path) -> None:
        self.shown[name] = path.name

    def end(self, *, finished: bool) -> None:
        self.finished = finished

    def _fail(self, what: str) -> None:
        if what == self.fails:
            raise ConnectionError("the tracker is away\nand more")


@pytest.fixture(autouse=True)
def _no_plot(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests draw nothing, which takes matplotlib half a second."""

    def write_plot(*given: object) -> None:
        raise Missing("no plot here")

    if "plots" not in request.node.name:
        monkeypatch.setattr("peephole.results.loggers.run_log.write_plot", write_plot)


@pytest.fixture
def suite(task: Task) -> Suite:
    tasks = (task, Task("second", task.instruction, task.goal, task.scene))
    return Suite("apples", "two tasks", tasks, "symbolic", budgets=Budgets(steps=2))


def test_a_logger_is_told_of_settings_episodes_figures_and_tables(tmp_path, suite):
    logger = Kept()
    run = peephole.run(LOOK, suite, out=tmp_path / "run", log=logger)
    assert logger.run is not None
    assert logger.run.name == "look on apples"
    assert logger.run.settings["made_with.packages.numpy"]
    assert list(logger.episodes) == [1, 2]
    last = logger.episodes[2]
    assert (last["episode/success"], last["run/gsr"]) == (0.0, 0.0)
    assert last["episode/steps"] == run.results[1].steps
    assert logger.shown["gsr"] == run.figures["gsr"].mean
    assert logger.shown["gsr_high"] == run.figures["gsr"].high
    table = logger.shown["table"]
    assert isinstance(table, Table)
    assert [row[table.columns.index("task")] for row in table.rows] == [t.id for t in suite.tasks]
    assert logger.finished


def test_a_run_that_goes_on_has_the_same_key_and_numbers(tmp_path, suite):
    first, second = Kept(), Kept()
    peephole.run(LOOK, suite, tasks=1, out=tmp_path / "run", log=first)
    peephole.resume(tmp_path / "run", tasks=2, planner=LOOK, suite=suite, log=[second])
    assert first.run is not None
    assert second.run is not None
    assert first.run.key == second.run.key
    assert second.episodes[1] == first.episodes[1]
    assert list(second.episodes) == [1, 2]
    peephole.run(LOOK, suite, tasks=1, out=tmp_path / "other", log=(other := Kept()))
    assert other.run is not None
    assert other.run.key != first.run.key


def test_a_recorded_run_is_logged_with_its_films_and_plots(tmp_path, suite):
    peephole.run(LOOK, suite, out=tmp_path / "run")
    (tmp_path / "run" / "films").mkdir()
    (tmp_path / "run" / "films" / "0001-first.mp4").write_bytes(b"")
    peephole.log_run(tmp_path / "run", logger := Kept())
    assert list(logger.episodes) == [1, 2]
    assert logger.shown["0001-first"] == "0001-first.mp4"
    pytest.importorskip("matplotlib")
    assert logger.shown["figures"] == b"\x89PNG"


def test_a_logger_that_fails_costs_its_log_only(tmp_path, suite):
    good, bad = Kept(), Kept(fails="episode")
    with pytest.warns(UserWarning, match=r"The logger Kept failed \(the tracker is away\); the"):
        run = peephole.run(LOOK, suite, out=tmp_path / "run", log=[bad, good])
    assert len(run.results) == len(good.episodes) == 2
    with pytest.raises(PeepholeError, match="the tracker is away"):
        peephole.log_run(tmp_path / "run", Kept(fails="episode"))


def test_a_logger_that_ends_the_process_costs_its_log_only(tmp_path, suite, monkeypatch):
    monkeypatch.setattr(Kept, "figures", lambda *given: sys.exit("no disk"))
    with pytest.warns(UserWarning, match=r"failed \(no disk\).*: peephole\.log_run\('.*', Kept"):
        run = peephole.run(LOOK, suite, out=tmp_path / "run", log=Kept())
    assert len(run.results) == 2


def test_an_interrupted_run_ends_its_log_at_once(tmp_path, suite):
    logger = Kept()

    def interrupt(event: object) -> None:
        if isinstance(event, Ended):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        peephole.run(LOOK, suite, out=tmp_path / "run", log=logger, watch=interrupt)
    assert (logger.finished, logger.shown) == (False, {})


def test_a_logger_that_cannot_start_is_told_before_anything_is_played(tmp_path, suite):
    good = Kept()
    with pytest.raises(BadInput, match=r"cannot start \(the tracker is away\)"):
        peephole.run(LOOK, suite, out=tmp_path / "run", log=[good, Kept(fails="begin")])
    assert not (tmp_path / "run").exists()
    assert good.finished is False
    with pytest.raises(BadInput, match=r"There is no logger 'wandbb'\. Did you mean wandb"):
        peephole.run(LOOK, suite, out=tmp_path / "run", log="wandbb")
