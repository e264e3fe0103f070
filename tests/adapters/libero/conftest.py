"""The stand-in of LIBERO's engine, as the user's settings choose it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from peephole.adapters.libero import interpreter, settings
from peephole.adapters.libero.adapter import LiberoAdapter
from peephole.adapters.libero.goals import goal_of
from peephole.adapters.libero.scenes import SceneOfTask
from peephole.adapters.libero.stand_in.tasks import TASKS
from peephole.scene_graph.goals import And
from peephole.scene_graph.task import Task
from peephole.suites.libero import catalogue

Begin = Callable[..., LiberoAdapter]


@pytest.fixture(autouse=True)
def at_stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The settings name the stand-in, and the user's cache is empty."""
    monkeypatch.setenv(interpreter.VARIABLE, interpreter.STAND_IN)
    monkeypatch.delenv(settings.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for each in (catalogue._read, catalogue._kept):
        each.cache_clear()


@pytest.fixture(scope="module")
def adapter() -> Iterator[LiberoAdapter]:
    """One adapter for the tests of a file: its process starts once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(interpreter.VARIABLE, interpreter.STAND_IN)
        made = LiberoAdapter()
        yield made
        made.close()


@pytest.fixture
def unsalted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids by names alone, the same in all tasks."""
    monkeypatch.setattr(SceneOfTask, "salt", "")


@pytest.fixture
def begin(adapter: LiberoAdapter) -> Begin:
    """Begins a task of the stand-in by its number."""

    def begun(number: int, start: int = 0) -> LiberoAdapter:
        adapter.reset(task_of(number, start), 0)
        return adapter

    return begun


def task_of(number: int, start: int = 0) -> Task:
    """A task of the stand-in. One of no number has no goal of the scene graph."""
    goal = And(())
    if number < len(TASKS):
        from peephole.adapters.libero.goals import Conjunct

        goal = goal_of(
            (Conjunct(each[0], each[1:]) for each in TASKS[number].goal),
            SceneOfTask("", number, start).salt,
        )
    return Task(
        id=f"{number}/{start}",
        instruction="",
        goal=goal,
        scene=f"libero:libero_goal/{number}/{start}",
    )
