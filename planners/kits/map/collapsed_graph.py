"""The collapsed graph of semantic search: rooms, of which some are expanded.

After SayPlan (Rana et al., 2023): the model sees all rooms, and what is in a room only while it has
that room expanded.
"""

from __future__ import annotations

from ....models.contract import Unusable
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind
from .names import NodeNames


class CollapsedGraph:
    """A graph of which the model sees the rooms, itself, and what expanded rooms hold.

    expanded: the rooms that are, in the order in which they were.
    """

    def __init__(self, graph: SceneGraph, names: NodeNames) -> None:
        self.expanded: list[int] = []
        self._graph = graph
        self._names = names

    @property
    def shown(self) -> SceneGraph:
        """What the model sees now."""
        graph, me = self._graph, self._graph.agent().id
        shown = dict.fromkeys(graph.room_ids)
        for room in self.expanded:
            shown.update(dict.fromkeys(graph.below(room)))
        shown.update(dict.fromkeys((me, *graph.below(me), *graph.held(me))))
        for thing in graph.held(me):
            shown.update(dict.fromkeys(graph.below(thing)))
        return graph.part(shown)

    def told(self) -> str:
        """The names of the expanded rooms."""
        return ", ".join(map(self._names.name, self.expanded)) or "none"

    def expand(self, name: str) -> str:
        """Expand a room; what came of it, for the model. Raises Unusable with a sentence."""
        room = self._room(name)
        called = self._names.name(room)
        if room in self.expanded:
            raise Unusable(f"{called} is expanded already.")
        self.expanded.append(room)
        number = sum(
            self._graph[thing].kind in (Kind.FIXTURE, Kind.OBJECT)
            for thing in self._graph.below(room)
        )
        nodes = "1 node" if number == 1 else f"{number} nodes"
        return f"{called} has {nodes}, shown now" if number else f"{called} is empty"

    def contract(self, name: str) -> str:
        """Contract a room; what came of it, for the model. Raises Unusable with a sentence."""
        room = self._room(name)
        called = self._names.name(room)
        if room not in self.expanded:
            raise Unusable(f"{called} is not expanded.")
        self.expanded.remove(room)
        return f"the nodes of {called} are hidden"

    def _room(self, name: str) -> int:
        node = self._names.id(name)
        if node not in self._graph or self._graph[node].kind is not Kind.ROOM:
            raise Unusable(f"{self._names.name(node)} is no room; only rooms are expanded.")
        return node
