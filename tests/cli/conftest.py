"""The command line in a process of its own, and packages with plugins that it finds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from ..commands import command

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def peephole(tmp_path: Path) -> Command:
    """Runs `peephole` in the test's folder, which is where it finds packages too."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
        here = {"PYTHONPATH": str(tmp_path)}
        return command(*arguments, cwd=tmp_path, environment=kept | here | environment)

    return run


@pytest.fixture
def package(tmp_path: Path) -> Callable[[str, Mapping[str, str | Sequence[str]]], Path]:
    """Makes a package `strange` with this code.

    entry points: group to what it names in it, which is the plugin `strange`, or to several of
    those, which are the plugins `strange_` and the name.
    """

    def make(code: str, entry_points: Mapping[str, str | Sequence[str]]) -> Path:
        (tmp_path / "strange.py").write_text(code)
        info = tmp_path / "strange-0.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 0.1\n")
        lines = []
        for group, named in entry_points.items():
            plugins = (
                {"strange": named} if isinstance(named, str) else {f"strange_{n}": n for n in named}
            )
            lines += [f"[peephole.{group}]", *(f"{n} = strange:{of}" for n, of in plugins.items())]
        (info / "entry_points.txt").write_text("\n".join(lines))
        return tmp_path / "strange.py"

    return make


#: Does what `random` does, but for a wait until it is let go.
_HELD = """
import time
from dataclasses import replace
from pathlib import Path

from peephole.planners.random import PLANNER as RANDOM


def plan(brief, percept):
    while not Path(__file__).with_name("go").exists():
        time.sleep(0.01)
    yield from RANDOM.plan(brief, percept)


PLANNER = replace(RANDOM, plan=plan)
"""


@pytest.fixture
def held(tmp_path: Path) -> tuple[str, Callable[[], None]]:
    """A planner that waits, so that its run is under way until it is let go; and what does that."""
    path = tmp_path / "held.py"
    path.write_text(_HELD)
    return f"{path}:PLANNER", (tmp_path / "go").touch
