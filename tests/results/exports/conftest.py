"""Runs to export: of a planner without a model, of one with images, and of one with a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import peephole
from peephole.cli.main import app
from peephole.episodes.events import RecordedEvent
from peephole.episodes.recording import episode_files, read_episode
from peephole.models.images import file_name, png_bytes, rgb_of_png
from peephole.planners.contract import (
    Act,
    Brief,
    Decisions,
    GiveUp,
    Note,
    Percept,
    Planner,
    Think,
)

Export = Callable[..., Any]


def _play(folder: Path, *arguments: str) -> Path:
    done = CliRunner().invoke(app, ["run", *arguments, "--out", str(folder)])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two successful episodes of `explore`, with a drawn picture a moment, made small.

    Minari writes the limits of every number of a picture into its description as text.
    """
    folder = tmp_path_factory.mktemp("exports") / "explored"
    arguments = ("--suite", "robothow", "--planner", "explore", "--tasks", "2-3", "--images")
    _play(folder, *arguments)
    smaller = {}
    for path in [*(folder / "images").iterdir()]:
        content = png_bytes(rgb_of_png(path.read_bytes())[::20, ::20])
        path.unlink()
        smaller[path.name] = file_name(content)
        path.with_name(smaller[path.name]).write_bytes(content)
    for path in episode_files(folder):
        text = path.read_text()
        for name, new in smaller.items():
            text = text.replace(name, new)
        path.write_text(text)
    return folder


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three episodes of `reactree`, one of them failed, with a stand-in that errs at times."""
    folder = tmp_path_factory.mktemp("exports") / "asked"
    arguments = ("--suite", "household", "--planner", "reactree", "--tasks", "3")
    return _play(folder, *arguments, "--model", "scripted:malformed=0.6")


@pytest.fixture(scope="session")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One episode of `random` that failed."""
    folder = tmp_path_factory.mktemp("exports") / "failed"
    return _play(folder, "--suite", "household", "--planner", "random", "--tasks", "1")


@pytest.fixture(scope="session")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two episodes of a robot arm."""
    folder = tmp_path_factory.mktemp("exports") / "arm"
    return _play(folder, "--suite", "blocks", "--planner", "expert", "--tasks", "2")


def _note(brief: Brief, percept: Percept) -> Decisions:
    """Two actions, of which one is none, with notes of all kinds that exports know."""
    agent = {"parent": None, "kind": "agent", "state": "running", "decisions": 0}
    yield Note("plan", "look around")
    yield Note("memory", "nothing yet")
    yield Note("tree", "", {"nodes": [{"id": 0, "goal": "everything", **agent}]})
    percept = yield Act(percept.menu()[0][1], thought="the first will do")
    yield Note("plan", "look around")
    yield Note("memory", "something")
    yield Note("tree", "", {"nodes": [{"id": 1, "goal": "a part", **agent, "parent": 0}]})
    yield Act("jump over the moon")
    yield Think("that was nothing")
    percept = yield Act(percept.menu()[1][1])
    yield GiveUp("enough")


@pytest.fixture(scope="session")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An episode of a planner that notes a plan, a memory and a tree of agents."""
    folder = tmp_path_factory.mktemp("exports") / "noted"
    peephole.run(Planner("noter", "Notes.", _note), "robothow", tasks=1, out=folder)
    return folder


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """Exports a run by the command line; gives what it wrote and what it printed."""

    def write(run: Path, to: str, *more: str) -> tuple[Path, str]:
        out = tmp_path / f"{run.name}-{to}"
        done = CliRunner().invoke(app, ["export", str(run), "--to", to, "--out", str(out), *more])
        assert done.exit_code == 0, (done.output, done.exception)
        assert list(tmp_path.iterdir()) == [out]
        return out, done.output

    return write


@pytest.fixture
def recorded() -> Callable[[Path], list[list[RecordedEvent]]]:
    """The events of each episode of a run."""
    return lambda run: [read_episode(path) for path in episode_files(run)]
