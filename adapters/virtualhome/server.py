"""VirtualHome's evolving graph behind plain data, in this process or in its own.

`EvolvingGraph` drives the simulator through its public API, one script line at a time. Run as a
file, this module serves one over the protocol of `adapters/process/serving.py`. The interpreter
needs Python 3.8 or later with virtualhome-eval and numpy, but not Peephole.
"""

from __future__ import annotations

import importlib
import logging
import os
import random
import sys
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PACKAGE = "virtualhome_eval.simulation.evolving_graph"
#: The relations in `EvolvingGraph.read`; holds, close and facing from agents only.
RELATIONS = ("on", "inside", "holds", "close", "facing")
#: Errors of the simulator's executors on unexpected lines.
_EXECUTOR_ERRORS = (AssertionError, AttributeError, KeyError, TypeError)
_NO_MESSAGE = "refused without a word"


class SimulatorModules(NamedTuple):
    """The modules of the evolving-graph simulator."""

    environment: ModuleType
    execution: ModuleType
    scripts: ModuleType
    common: ModuleType


class EvolvingGraph:
    """The simulator on one graph after another, with its first character as the agent.

    Its state is changed in place. Copying it, the simulator's default, takes four times as long
    after some hundred steps.
    """

    def __init__(self, modules: SimulatorModules) -> None:
        self._modules = modules

    def reset(self, graph: Mapping[str, Any], things: Sequence[int], agents: Sequence[int]) -> None:
        """Start with a VirtualHome graph.

        things: the ids that `read` reports. agents: those among them that hold and reach.
        """
        environment = self._modules.environment
        self._graph = environment.EnvironmentGraph(graph)
        self._state = environment.EnvironmentState(self._graph, {}, instance_selection=True)
        self._things, self._agents = list(things), list(agents)
        # The simulator's node of each thing, and its last states from `read`.
        self._states: dict[int, tuple[object, list[str]]] = {}

    def do(self, command: str, things: Sequence[int]) -> str | None:
        """Execute one script line, such as `do("PUTIN", [1000, 289])`.

        None after a success, else the simulator's message. Class names are looked up, since the
        simulator takes any name with any id.
        """
        if command == "GRAB":
            self._forget_grabbed(things)
        executor = self._executor()
        try:
            line = self._line(command, things)
            done, self._state = executor.execute_one_step(line, self._state, in_place=True)
        except (self._modules.common.Error, *_EXECUTOR_ERRORS) as error:
            return f"{type(error).__name__}: {error}"
        return None if done else executor.info.get_error_string() or _NO_MESSAGE

    def read(self) -> dict[str, Any]:
        """The present state: {"states": {id: [state]}, RELATION: [(a, b)]}, for each of
        `RELATIONS`.

        Unchanged states of a node are the same list. It takes 0.2 ms, the simulator's full dump 7
        ms.
        """
        relation = self._modules.environment.Relation
        return {
            "states": {thing: self._states_of(thing) for thing in self._things},
            "on": self._pairs(self._things, relation.ON),
            "inside": self._pairs(self._things, relation.INSIDE),
            "holds": self._pairs(self._agents, relation.HOLDS_RH)
            + self._pairs(self._agents, relation.HOLDS_LH),
            "close": self._pairs(self._agents, relation.CLOSE),
            "facing": self._pairs(self._agents, relation.FACING),
        }

    def correct(
        self, gone: Iterable[tuple[int, str, int]], new: Iterable[tuple[int, str, int]]
    ) -> None:
        """Remove and add edges of the state: (from, relation, to)."""
        relation, node = self._modules.environment.Relation, self._state.get_node
        for source, name, target in gone:
            self._state.delete_edge(node(source), relation[name], node(target))
        for source, name, target in new:
            self._state.add_edge(node(source), relation[name], node(target))

    def close(self) -> None:
        """Do nothing: the simulator ends with this object."""

    def facts(self) -> dict[str, Any]:
        """The version of the simulator's package."""
        try:
            installed = version("virtualhome-eval")
        except PackageNotFoundError:  # its folder is on the path, but not installed
            installed = "unknown"
        return {"virtualhome-eval": installed}

    def _executor(self) -> Any:
        self._modules.common.TimeMeasurement.reset_all()  # otherwise they accumulate
        return self._modules.execution.ScriptExecutor(self._graph, {}, char_index=0)

    def _line(self, command: str, things: Sequence[int]) -> Any:
        """A script of one line."""
        scripts = self._modules.scripts
        words = [f"[{command}]"]
        words += [f"<{self._state.get_node(i).class_name}> ({i})" for i in things]
        return scripts.Script([scripts.parse_script_line(" ".join(words), 0)])

    def _forget_grabbed(self, things: Sequence[int]) -> None:
        """Let things that are in no hand be grabbed again, even if poured out or put on since."""
        relation, state = self._modules.environment.Relation, self._state
        held = [i for _, i in self._pairs(self._agents, relation.HOLDS_RH)]
        held += [i for _, i in self._pairs(self._agents, relation.HOLDS_LH)]
        for thing in things:
            if thing not in held:
                state.executor_data.pop((self._modules.scripts.Action.GRAB, thing), None)

    def _states_of(self, thing: int) -> list[str]:
        """The states of a node. Executors change copies of nodes, never a node itself."""
        native = self._state.get_node(thing)
        known = self._states.get(thing)
        if known is None or known[0] is not native:
            known = (native, sorted(state.name for state in native.states))
            self._states[thing] = known
        return known[1]

    def _pairs(self, sources: Iterable[int], relation: Any) -> list[tuple[int, int]]:
        find = self._state.get_node_ids_from
        return [(source, target) for source in sources for target in find(source, relation)]


def import_simulator() -> SimulatorModules:
    """The simulator's modules. Raises ImportError.

    The import seeds Python's global random generator, whose state is restored here. Its log of
    refusals at level INFO is turned off.
    """
    logging.getLogger("virtualhome_eval").setLevel(logging.WARNING)
    before = random.getstate()
    try:
        return SimulatorModules(
            *(importlib.import_module(f"{_PACKAGE}.{name}") for name in SimulatorModules._fields)
        )
    finally:
        random.setstate(before)


class EvolvingGraphCalls:
    """The calls of a session. `read` returns the changes since its last call."""

    def __init__(self, world: EvolvingGraph) -> None:
        self._world = world
        self._sent: dict[str, Any] = {}

    def reset(self, graph: dict[str, Any], things: list[int], agents: list[int]) -> None:
        self._sent = {}
        self._world.reset(graph, things, agents)

    def do(self, command: str, things: list[int]) -> str | None:
        return self._world.do(command, things)

    def correct(self, gone: list[tuple[int, str, int]], new: list[tuple[int, str, int]]) -> None:
        self._world.correct(gone, new)

    def read(self) -> dict[str, Any]:
        """{"states": [[id, [state]], …], "on": {"new": [[a, b], …], "gone": […]}, …}"""
        now = self._world.read()
        before, self._sent = self._sent, now
        states, known = now["states"], before.get("states", {})
        changes: dict[str, Any] = {
            "states": [pair for pair in states.items() if known.get(pair[0]) is not pair[1]]
        }
        for name in RELATIONS:
            current, earlier = set(now[name]), set(before.get(name, ()))
            changes[name] = {"new": sorted(current - earlier), "gone": sorted(earlier - current)}
        return changes


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [os.path.join(os.path.dirname(here), "process")] + [
        folder for folder in sys.path if folder != here
    ]
    serving = importlib.import_module("serving")
    del sys.path[0]  # hide our modules from the simulator
    channel = serving.Channel()
    try:
        world = EvolvingGraph(import_simulator())
    except ImportError as error:
        message = (
            f"{sys.executable} cannot import the simulator of virtualhome-eval ({error}); run: "
            f"{sys.executable} -m pip install numpy && "
            f"{sys.executable} -m pip install --no-deps virtualhome-eval==0.1.1"
        )
        serving.serve_missing(channel, message)
        return
    session = EvolvingGraphCalls(world)
    calls = (session.reset, session.do, session.correct, session.read)
    serving.serve(channel, {call.__name__: call for call in calls}, world.facts)


if __name__ == "__main__":
    main()
