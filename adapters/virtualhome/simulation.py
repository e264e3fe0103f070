"""One running evolving graph as a scene graph: VirtualHome's own simulator behind `do` and `graph`.

The simulator runs in this process or in another interpreter (`remote`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, State
from .graph_files import kinds_of
from .graph_import import (
    Edges,
    assemble,
    make_node,
    parts_of_body,
    place_beside,
    read_edges,
    side_by_side,
)
from .package import simulator
from .remote import EvolvingGraphApi
from .server import EvolvingGraph


class Simulation:
    """The simulator on one graph, with its first character as the agent."""

    def __init__(self, data: Mapping[str, Any], world: EvolvingGraphApi | None = None) -> None:
        """data: a VirtualHome graph. world: by default a simulator in this process.

        Raises Missing.
        """
        self._world = EvolvingGraph(simulator()) if world is None else world
        self._raw = {node["id"]: node for node in data["nodes"]}
        kinds = kinds_of(data["nodes"])
        self._kinds = {node_id: kind for node_id, kind in kinds.items() if kind is not None}
        self._agents = sorted(i for i, kind in self._kinds.items() if kind is Kind.AGENT)
        self._world.reset(data, list(self._kinds), self._agents)
        self._state = self._world.read()
        self._nodes: dict[int, tuple[list[str], Node]] = {}  # their states and our node
        self._cut: set[int] = set()  # cut things, for which the simulator has no state
        self._beside: list[tuple[int, int]] = []
        self._graph: SceneGraph | None = None  # the present one; None after a change
        fixed = read_edges(data["edges"], kinds, "the scene")
        self._parts = parts_of_body(data["nodes"])
        self._views = [pair for pair in fixed.facing if pair[0] not in self._agents]
        self._beside = side_by_side(self.graph(), fixed.beside)
        self._graph = None

    def do(self, command: str, *things: int) -> str | None:
        """Execute one script line, such as `do("PUTIN", 1000, 289)`.

        None after a success, else the simulator's message.
        """
        message = self._world.do(command, things)
        if message is None and command == "GRAB":
            self._beside = [pair for pair in self._beside if things[0] not in pair]
            self._views = [pair for pair in self._views if things[0] not in pair]
        if message is None and command == "CUT":
            self._cut.update(things)
        self._changed()
        return message

    def graph(self) -> SceneGraph:
        """The present state, read again after every change; must not be modified.

        Reading only what the scene graph needs takes 0.4 ms; the simulator's full dump takes ten
        times as long.
        """
        if self._graph is None:
            state = self._state
            nodes = {i: self._node(i, states) for i, states in state["states"].items()}
            edges = Edges(
                on=state["on"],
                inside=state["inside"],
                holds=state["holds"],
                close=state["close"],
                facing=[*self._views, *state["facing"]],
                parts=self._parts,
            )
            self._graph = assemble(nodes, edges)
            place_beside(self._graph, self._beside)
        return self._graph

    # --- faults of the simulator ---------------------------------------------------------------

    def correct_rooms(self, things: Iterable[int]) -> None:
        """Set the rooms of moved things: the simulator keeps the old ones.

        Otherwise a walk to such a thing would lead into its old room.
        """
        graph = self.graph()
        rooms_of: dict[int, list[int]] = {}
        for thing, place in self._state["inside"]:
            if self._is_room(place):
                rooms_of.setdefault(thing, []).append(place)
        gone, new = [], []
        for thing in things:
            room = graph.room_of(thing)
            if room is not None:
                rooms = rooms_of.get(thing, [])
                gone += [(thing, "INSIDE", other) for other in rooms if other != room]
                new += [(thing, "INSIDE", room)] * (room not in rooms)
        self._correct(gone, new)

    def come_close(self, things: Iterable[int]) -> None:
        """Make the agent close to things: the simulator makes it close to its target only."""
        me = self._agents[0]
        close = {target for source, target in self._state["close"] if source == me}
        far = [thing for thing in things if thing not in close]
        self._correct((), [e for i in far for e in ((me, "CLOSE", i), (i, "CLOSE", me))])

    def leave_seats(self) -> list[int]:
        """Remove the agent from all its seats and return them: the simulator keeps all old ones."""
        me = self._agents[0]
        seats = [place for agent, place in self._state["on"] if agent == me]
        self._correct([(me, "ON", seat) for seat in seats], ())
        return seats

    def keep_seats(self, seats: Iterable[int]) -> None:
        """Put the agent back on seats that it left too early."""
        self._correct((), [(self._agents[0], "ON", seat) for seat in seats])

    def take_out(self, thing: int, place: int) -> None:
        """Remove a thing from its recipient if it is still in the hand."""
        self._correct([(thing, "INSIDE", place)], ())

    def _correct(
        self, gone: Collection[tuple[int, str, int]], new: Collection[tuple[int, str, int]]
    ) -> None:
        if gone or new:
            self._world.correct(gone, new)
            self._changed()

    # --- reading -------------------------------------------------------------------------------

    def _changed(self) -> None:
        self._state = self._world.read()
        self._graph = None

    def _is_room(self, node_id: int) -> bool:
        return self._kinds.get(node_id) is Kind.ROOM

    def _node(self, node_id: int, states: list[str]) -> Node:
        """Our node for one of theirs; equal states are the same list."""
        cut = node_id in self._cut
        known = self._nodes.get(node_id)
        if known is not None and known[0] is states and (State.SLICED in known[1].states) == cut:
            return known[1]
        node = make_node(self._raw[node_id], self._kinds[node_id], states)
        if cut:
            node = node.having(State.SLICED)
        self._nodes[node_id] = (states, node)
        return node
