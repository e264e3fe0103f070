"""Recorded runs that pages are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.episodes.events import Started, Stepped, from_line, to_line
from peephole.episodes.recording import episode_files
from peephole.episodes.run_file import read_run, write_run
from peephole.scene_graph.changes import GraphChange

Spoil = Callable[[Path, str], Path]


@pytest.fixture(scope="session")
def houses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two planners on three tasks of a suite, and one of them on another suite."""
    folder = tmp_path_factory.mktemp("page")
    for name, planner, suite in (
        ("explore", "explore", "houses"),
        ("random", "random", "houses"),
        ("robothow", "explore", "robothow"),
    ):
        peephole.run(planner, suite, tasks=3, out=folder / name)
    return {name: folder / name for name in ("explore", "random", "robothow")}


@pytest.fixture(scope="session")
def spoiled(houses: Mapping[str, Path]) -> Spoil:
    """Copies a run with a text in all places of its recording where there is one."""

    def spoil(folder: Path, text: str) -> Path:
        content = read_run(houses["explore"])
        tasks = content.config.tasks[:1]
        write_run(folder, replace(content, config=replace(content.config, tasks=tasks)))
        path = next(episode_files(houses["explore"]))
        events = [_spoiled(from_line(line), text) for line in path.read_bytes().splitlines()]
        (folder / "episodes").mkdir(exist_ok=True)
        (folder / "episodes" / path.name).write_bytes(b"".join(map(to_line, events)))
        return folder

    return spoil


def _spoiled(event: Any, text: str) -> Any:
    if isinstance(event, Started):
        event = replace(event, instruction=text, labels={"kind": text, "other": "a"})
    if isinstance(event, Stepped):
        event = replace(event, wording=text)
    if isinstance(event, Started | Stepped):
        event = replace(event, observation=text)
        if isinstance(event.world, GraphChange):
            nodes = tuple(replace(node, category=text or "thing") for node in event.world.nodes)
            event = replace(event, world=replace(event.world, nodes=nodes))
    return event
