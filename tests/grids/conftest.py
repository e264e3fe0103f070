"""Grids played in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peephole.episodes.engines.contract import Engine, Played
from peephole.episodes.engines.player import SerialEngine
from peephole.grids.session import GridSession, GridSettings
from peephole.models.config import ModelConfig
from peephole.results.papers import Grid, config_of

FILE: dict[str, Any] = {
    "title": "Table 1",
    "suites": ["robothow", "houses"],
    "tasks": "2",
    "adapter": "symbolic",
}

#: Is done at once, whatever the task.
IDLE = """
from peephole.planners.contract import Done, Planner


def plan(brief, percept):
    yield Done("nothing to do")


PLANNER = Planner("idle", "is done at once", plan)
"""

Open = Callable[..., GridSession]


@pytest.fixture
def idle(tmp_path: Path) -> str:
    path = tmp_path / "idle.py"
    path.write_text(IDLE)
    return f"{path}:PLANNER"


@pytest.fixture
def session(tmp_path: Path, idle: str) -> Open:
    """A session of FILE with changes, in the test's folder `out`."""
    planners = [{"planner": "explore"}, {"planner": idle, "label": "idle"}]

    def make(
        engine: Engine | None = None,
        asked: dict[str, ModelConfig] | None = None,
        **changes: Any,
    ) -> GridSession:
        grid = Grid.model_validate({**FILE, "planners": planners, **changes})
        settings = GridSettings(lambda run: config_of(grid, run, asked or {}))
        return GridSession(grid, tmp_path / "out", engine or SerialEngine(), settings)

    return make


def play(opened: GridSession, count: int | None = None) -> list[Played]:
    """Play a session to its end, or so many episodes of it."""
    found = []
    with opened:
        for played in opened.play() if count != 0 else ():
            found.append(played)
            if len(found) == count:
                break
    return found


@pytest.fixture(name="play")
def _play() -> Callable[..., list[Played]]:
    return play
