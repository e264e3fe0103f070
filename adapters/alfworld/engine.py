"""ALFWorld's engine in a process of its own, which `server` runs.

PEEPHOLE_ALFWORLD_PYTHON is an interpreter that has textworld, fast-downward-textworld and alfworld;
if it is unset, this one. The engine changes `sys.argv` and `sys.stdout` while it reads a game, and
loads a copy of a library for each, so it never runs in our process.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from ...installed import Lack
from ...scene_graph.fields import Field
from ..process.supervisor import Supervisor
from .game import Told
from .game_file import GameFile
from .names import Name
from .pddl import Fact

VARIABLE = "PEEPHOLE_ALFWORLD_PYTHON"
#: Seconds to read a game; a kitchen takes 2 s on an idle machine.
_BEGIN_S = 120.0
#: Seconds for a command, which takes 0.1 s on an idle machine.
_STEP_S = 30.0
_PACKAGES = ("textworld", "fast_downward", "alfworld")
_WHERE = "an answer of ALFWorld's engine"


def missing() -> str | None:
    """One sentence on what is not installed and how to get it, or None."""
    python = os.environ.get(VARIABLE)
    if python:
        if shutil.which(python) is not None:
            return None
        return (
            f"{VARIABLE} is {python}, which is no program; set it to a Python that has textworld, "
            f"fast-downward-textworld and alfworld, or unset it."
        )
    lacking = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if not lacking:
        return None
    what = f"The adapter alfworld needs {', '.join(lacking).replace('_', '-')}"
    return Lack(what, "textworld", "alfworld")


class Engine:
    """The engine's process, with one game at a time. Its calls raise SimulatorDied."""

    def __init__(self) -> None:
        python = os.environ.get(VARIABLE) or sys.executable
        server = Path(__file__).with_name("server.py").resolve()
        self._process = Supervisor("alfworld", [python, str(server)], _BEGIN_S)
        self.versions: dict[str, Any] = {}
        self.names: dict[str, Name] = {}
        self._facts: frozenset[Fact] = frozenset()

    def begin(self, game: GameFile) -> Told:
        """Begin a game. Raises BadInput, naming the file, for one that the engine cannot read."""
        if not self._process.running:
            self.versions = dict(self._process.start().get("facts", {}))
        arguments = {"game": game.to_data(), "where": game.where}
        answer = self._process.call("begin", arguments, _BEGIN_S)
        parts = Field(_WHERE, "", answer).entries(("told", "names"))
        self.names = {}
        for item in parts["names"].items():
            thing, kind, number = item.items(3)
            self.names[thing.text()] = Name(kind.text(), number.integer(0))
        return self._understood(parts["told"])

    def step(self, command: str) -> Told:
        """Play a command."""
        answer = self._process.call("step", {"command": command}, _STEP_S)
        return self._understood(Field(_WHERE, "", answer))

    def facts(self) -> frozenset[Fact]:
        """All facts that hold now."""
        return self._facts

    def close(self) -> None:
        """End the process."""
        self._process.stop()

    def _understood(self, answer: Field) -> Told:
        parts = answer.entries(("feedback", "commands", "won", "facts"))
        commands = tuple(each.text() for each in parts["commands"].items())
        self._facts = frozenset(
            tuple(word.text() for word in fact.items()) for fact in parts["facts"].items()
        )
        return Told(parts["feedback"].text(), commands, bool(parts["won"].value))
