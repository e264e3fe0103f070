"""VirtualHome's evolving graph behind plain data, in this process or in one of its own.

`EvolvingGraph` drives the simulator through its public API, one script line at a time. Run as a
file it serves one over the protocol of `adapters/serving.py`, by an interpreter of its own:
Python 3.8 or later with virtualhome-eval and numpy, and nothing of Peephole.
"""

from __future__ import annotations

import importlib
import logging
import os
import random
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Raised by the simulator's executors on lines that they do not expect.
_STUMBLES = (AssertionError, AttributeError, KeyError, TypeError)


class EvolvingGraph:
    """The simulator on one graph after another, with its first character as the agent.

    Its state is changed in place: copying it, the simulator's default, takes four times as long
    after some hundred steps.
    """

    def __init__(self, modules: Mapping[str, Any] | None = None) -> None:
        """modules: those of `import_simulator`, which is called without. Raises ImportError."""
        modules = import_simulator() if modules is None else modules
        self._environment, self._execution = modules["environment"], modules["execution"]
        self._scripts, self._common = modules["scripts"], modules["common"]

    def reset(
        self, graph: Mapping[str, Any], things: Sequence[int], agents: Sequence[int]
    ) -> None:
        """Begin with a graph as VirtualHome writes it.

        things: the ids that `read` is to tell of. agents: those among them that hold and reach.
        """
        self._graph = self._environment.EnvironmentGraph(graph)
        self._state = self._environment.EnvironmentState(self._graph, {}, instance_selection=True)
        self._things, self._agents = list(things), list(agents)
        self._states: dict[int, tuple[object, list[str]]] = {}  # their node, and what we told

    def do(self, command: str, things: Sequence[int]) -> str | None:
        """Execute one script line, such as `do("PUTIN", [1000, 289])`.

        None when it succeeded, else the simulator's own words. The class names of the line are
        looked up, since the simulator takes any name with any id.
        """
        self._common.TimeMeasurement.reset_all()  # they pile up otherwise
        executor = self._execution.ScriptExecutor(self._graph, {}, char_index=0)
        words = [f"[{command}]"]
        words += [f"<{self._state.get_node(i).class_name}> ({i})" for i in things]
        try:
            script = self._scripts.Script([self._scripts.parse_script_line(" ".join(words), 0)])
            done, self._state = executor.execute_one_step(script, self._state, in_place=True)
        except (self._common.Error, *_STUMBLES) as error:
            return f"{type(error).__name__}: {error}"
        return None if done else executor.info.get_error_string() or "refused without a word"

    def read(self) -> dict[str, Any]:
        """The state now: {"states": {id: [state]}, "on", "inside", "holds", "close": [(a, b)]}.

        The same list stands for the same states of a node. It takes 0.2 ms; the simulator's full
        dump takes 7 ms.
        """
        relation = self._environment.Relation
        return {
            "states": {thing: self._states_of(thing) for thing in self._things},
            "on": self._pairs(self._things, relation.ON),
            "inside": self._pairs(self._things, relation.INSIDE),
            "holds": self._pairs(self._agents, relation.HOLDS_RH)
            + self._pairs(self._agents, relation.HOLDS_LH),
            "close": self._pairs(self._agents, relation.CLOSE),
        }

    def move(self, moves: Iterable[tuple[int, Sequence[int], int]]) -> None:
        """Take things out of places and into another: (thing, out of, into)."""
        inside = self._environment.Relation.INSIDE
        node = self._state.get_node
        for thing, out_of, into in moves:
            for place in out_of:
                self._state.delete_edge(node(thing), inside, node(place))
            self._state.add_edge(node(thing), inside, node(into))

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


def import_simulator() -> dict[str, Any]:
    """The simulator's modules by name. Raises ImportError.

    Importing them seeds Python's global random generator, which is put back as it was, and they
    log every refusal at level INFO, which is turned off.
    """
    logging.getLogger("virtualhome_eval").setLevel(logging.WARNING)
    before = random.getstate()
    try:
        return {
            name: importlib.import_module(f"virtualhome_eval.simulation.evolving_graph.{name}")
            for name in ("environment", "execution", "scripts", "common")
        }
    finally:
        random.setstate(before)


class Served:
    """The calls of a session. `read` tells only what has changed since it was called last."""

    def __init__(self, world: EvolvingGraph) -> None:
        self._world = world
        self._told: dict[str, Any] = {}

    def reset(self, graph: dict[str, Any], things: list[int], agents: list[int]) -> None:
        self._told = {}
        self._world.reset(graph, things, agents)

    def do(self, command: str, things: list[int]) -> str | None:
        return self._world.do(command, things)

    def move(self, moves: list[tuple[int, list[int], int]]) -> None:
        self._world.move(moves)

    def read(self) -> dict[str, Any]:
        """{"states": [[id, [state]], …], "on": {"new": [[a, b], …], "gone": […]}, …}"""
        now = self._world.read()
        before = self._told.get("states", {})
        states = [
            pair for pair in now.pop("states").items() if before.get(pair[0]) is not pair[1]
        ]
        told: dict[str, Any] = {"states": states}
        self._told["states"] = {**before, **dict(states)}
        for name, pairs in now.items():
            current, earlier = set(pairs), self._told.get(name, set())
            told[name] = {"new": sorted(current - earlier), "gone": sorted(earlier - current)}
            self._told[name] = current
        return told


def main() -> None:
    adapters = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, adapters)
    serving = importlib.import_module("serving")
    sys.path.remove(adapters)
    channel = serving.Channel()
    try:
        served = Served(EvolvingGraph())
    except ImportError as error:
        told = (
            f"{sys.executable} cannot import the simulator of virtualhome-eval ({error}); run: "
            f"{sys.executable} -m pip install numpy && "
            f"{sys.executable} -m pip install --no-deps virtualhome-eval==0.1.1"
        )

        def missing() -> dict[str, Any]:
            raise serving.CallError(serving.MISSING, told)

        serving.serve(channel, {}, missing)
        return
    calls = (served.reset, served.do, served.move, served.read)
    serving.serve(channel, {call.__name__: call for call in calls})


if __name__ == "__main__":
    main()
