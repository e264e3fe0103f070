"""The evolving graph in an interpreter of its own.

PEEPHOLE_VIRTUALHOME_PYTHON is that interpreter: Python 3.8 or later with numpy and
virtualhome-eval. If it is unset, the simulator runs in this process.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...skills.executor import RetryPolicy
from ..process.supervisor import Supervisor
from . import server
from .package import simulator

PYTHON_VARIABLE = "PEEPHOLE_VIRTUALHOME_PYTHON"

#: Seconds to build the simulator's graph of a scene: 20 ms on an idle machine.
_RESET_S = 60.0
#: Seconds for one script line: the longest walks take 10 ms.
_DO_S = RetryPolicy().attempt_s
#: Seconds to read the state, which normally takes 0.2 ms.
_READ_S = 10.0


def evolving_graph() -> EvolvingGraphApi:
    """The simulator, in this process or the user's interpreter. Raises Missing."""
    python = os.environ.get(PYTHON_VARIABLE)
    return RemoteEvolvingGraph(python) if python else server.EvolvingGraph(simulator())


def missing() -> str | None:
    """One sentence if the user's interpreter does not exist, or None."""
    python = os.environ.get(PYTHON_VARIABLE)
    if not python or shutil.which(python) is not None:
        return None
    return (
        f"{PYTHON_VARIABLE} is {python}, which is no program; "
        f"set it to a Python of 3.8 or later that has virtualhome-eval, or unset it."
    )


class RemoteEvolvingGraph:
    """`server.EvolvingGraph` in another process, started on demand.

    Calls raise SimulatorDied if the process dies or hangs; `reset` starts a new one.
    """

    def __init__(self, python: str) -> None:
        self._process = Supervisor("virtualhome", [python, str(Path(server.__file__).resolve())])
        self._hello: dict[str, Any] = {}
        self._states: dict[int, list[str]] = {}
        self._pairs: dict[str, set[tuple[int, int]]] = {}

    def reset(self, graph: Mapping[str, Any], things: Sequence[int], agents: Sequence[int]) -> None:
        self._start()
        self._states = {}
        self._pairs = {name: set() for name in server.RELATIONS}
        arguments = {"graph": graph, "things": list(things), "agents": list(agents)}
        self._process.call("reset", arguments, _RESET_S)

    def do(self, command: str, things: Sequence[int]) -> str | None:
        message = self._process.call("do", {"command": command, "things": list(things)}, _DO_S)
        return None if message is None else str(message)

    def read(self) -> dict[str, Any]:
        changes = self._process.call("read", {}, _READ_S)
        try:
            self._states.update((thing, states) for thing, states in changes["states"])
            for name, pairs in self._pairs.items():
                pairs.difference_update((a, b) for a, b in changes[name]["gone"])
                pairs.update((a, b) for a, b in changes[name]["new"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._process.lost(f"sent a state that cannot be read ({error})") from error
        return {
            "states": self._states,
            **{name: sorted(pairs) for name, pairs in self._pairs.items()},
        }

    def correct(
        self, gone: Iterable[tuple[int, str, int]], new: Iterable[tuple[int, str, int]]
    ) -> None:
        self._process.call("correct", {"gone": list(gone), "new": list(new)}, _READ_S)

    def facts(self) -> dict[str, Any]:
        self._start()
        return {**self._hello["facts"], "interpreter": self._hello["python"]}

    def close(self) -> None:
        self._process.stop()

    def _start(self) -> None:
        if not self._process.running:
            self._hello = self._process.start()


#: The simulator in this process or in another.
EvolvingGraphApi = server.EvolvingGraph | RemoteEvolvingGraph
