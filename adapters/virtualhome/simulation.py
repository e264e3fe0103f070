"""One running evolving graph as a scene graph: VirtualHome's own simulator behind `do` and `graph`.

The simulator runs in this process or, for an interpreter of its own, in another (`remote`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node
from .graph_import import Edges, assemble, make_node
from .ontology import kind_of
from .package import simulator
from .server import EvolvingGraph


class World(Protocol):
    """What a simulation needs of the simulator; see `server.EvolvingGraph`."""

    def reset(
        self, graph: Mapping[str, Any], things: Sequence[int], agents: Sequence[int]
    ) -> None: ...

    def do(self, command: str, things: Sequence[int]) -> str | None: ...

    def read(self) -> dict[str, Any]: ...

    def move(self, moves: Iterable[tuple[int, Sequence[int], int]]) -> None: ...

    def facts(self) -> dict[str, Any]: ...

    def close(self) -> None: ...


class Simulation:
    """The simulator on one graph, with its first character as the agent."""

    def __init__(self, data: Mapping[str, Any], world: World | None = None) -> None:
        """data: a graph as VirtualHome writes it. world: a simulator in this process by default.

        Raises Missing.
        """
        self._world = EvolvingGraph(simulator()) if world is None else world
        self._raw = {node["id"]: node for node in data["nodes"]}
        self._kinds: dict[int, Kind] = {}
        for node_id, raw in self._raw.items():
            kind = kind_of(raw["class_name"], raw["category"] or "", raw["properties"])
            if kind is not None:
                self._kinds[node_id] = kind
        self._agents = sorted(i for i, kind in self._kinds.items() if kind is Kind.AGENT)
        self._world.reset(data, list(self._kinds), self._agents)
        self._state = self._world.read()
        self._filled = {to for _, to in self._state["inside"]}
        self._nodes: dict[int, tuple[list[str], Node]] = {}  # their states, and ours made of them
        self._graph: SceneGraph | None = None  # as read since the last change

    def do(self, command: str, *things: int) -> str | None:
        """Execute one script line, such as `do("PUTIN", 1000, 289)`.

        None when it succeeded, else the simulator's own words.
        """
        message = self._world.do(command, things)
        self._changed()
        return message

    def graph(self) -> SceneGraph:
        """The state now, read afresh after every change. Not to be changed by the caller.

        Only what the scene graph keeps is read, in 0.4 ms; importing the simulator's full dump
        takes ten times as long.
        """
        if self._graph is None:
            state = self._state
            nodes = {i: self._node(i, states) for i, states in state["states"].items()}
            edges = Edges(state["on"], state["inside"], state["holds"], state["close"])
            self._graph = assemble(nodes, edges)
        return self._graph

    def stand_up(self) -> None:
        """Have the agent stand, if it sits or lies: it could not walk, and has no such action."""
        states = {state for i in self._agents[:1] for state in self._state["states"][i]}
        if not states.isdisjoint({"SITTING", "LYING"}):
            self.do("STANDUP")

    def correct_rooms(self, things: Iterable[int]) -> None:
        """Set the rooms of things that were moved: the simulator leaves them in their old ones.

        A walk to such a thing would otherwise lead into the room where it was before.
        """
        graph = self.graph()
        moves = []
        for thing in things:
            room = graph.room_of(thing)
            if room is not None:
                rooms = [b for a, b in self._state["inside"] if a == thing and self._is_room(b)]
                if rooms != [room]:
                    moves.append((thing, [other for other in rooms if other != room], room))
        if moves:
            self._world.move(moves)
            self._changed()

    def _changed(self) -> None:
        self._state = self._world.read()
        self._graph = None

    def _is_room(self, node_id: int) -> bool:
        return self._kinds.get(node_id) is Kind.ROOM

    def _node(self, node_id: int, states: list[str]) -> Node:
        """Our node for one of theirs: the same list stands for the same states."""
        known = self._nodes.get(node_id)
        if known is not None and known[0] is states:
            return known[1]
        raw = self._raw[node_id]
        node = make_node(
            node_id,
            raw["class_name"],
            self._kinds[node_id],
            raw["properties"],
            states,
            holds_things=node_id in self._filled,
        )
        self._nodes[node_id] = (states, node)
        return node
