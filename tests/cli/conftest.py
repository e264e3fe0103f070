"""The command line in a process of its own, and packages with plugins that it finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def command_server() -> Iterator[subprocess.Popen[str]]:
    """A process that runs commands, see `command_server`."""
    command = [sys.executable, Path(__file__).with_name("command_server.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


@pytest.fixture
def peephole(
    tmp_path: Path, command_server: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory
) -> Command:
    """Runs `peephole` in the test's folder, which is where it finds packages too."""
    outputs = tmp_path_factory.mktemp("outputs")
    numbers = count()

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
        number = next(numbers)
        stdout, stderr = outputs / f"{number}.out", outputs / f"{number}.err"
        request = {
            "arguments": list(map(str, arguments)),
            "folder": str(tmp_path),
            "environment": {**kept, "PYTHONPATH": str(tmp_path), **environment},
            "stdout": str(stdout),
            "stderr": str(stderr),
        }
        assert command_server.stdin is not None
        assert command_server.stdout is not None
        print(json.dumps(request), file=command_server.stdin, flush=True)
        code = int(command_server.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, stdout.read_text(), stderr.read_text())

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
