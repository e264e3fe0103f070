"""The graphs of a running Unity simulator as scene graphs, read after every action.

They are VirtualHome graphs of either ontology, translated by `graph_import`. A graph of RobotHow's
size has thousands of edges, of which an action changes a few, so only differences from the previous
graph are read.

Poses and boxes are left out: their last digits differ between runs, but a restored episode must
reach the same state.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from ....errors import BadInput
from ....scene_graph.graph import SceneGraph
from ....scene_graph.json_codec import check_well_formed
from ....scene_graph.node import Kind, Node, State
from ....skills.executor import SimulatorDied
from ..graph_files import spurious_supports
from ..graph_import import (
    Edges,
    Pair,
    assemble,
    make_node,
    parts_of_body,
    place_beside,
    read_edges,
    read_kind,
    side_by_side,
    with_geometry,
)

_Triple = tuple[int, str, int]
_ENDS = itemgetter("from_id", "relation_type", "to_id")


class UnityGraphReader:
    """Reads the successive graphs of one episode.

    where: the source of the graphs, for errors. agent: the id of the first character in the task;
    the simulator has another one.
    """

    def __init__(self, where: str, agent: int | None = None) -> None:
        self._where = where
        self._wanted = agent
        self._ours: dict[int, int] = {}  # our ids by the simulator's
        self._raw: dict[int, dict[str, Any]] = {}
        self._kinds: dict[int, Kind | None] = {}
        self._nodes: dict[int, Node] = {}
        self._boxed: dict[int, Node] = {}  # the nodes with their boxes, if any
        self._raw_edges: list[Any] = []  # the previous edges, unprocessed
        self._edges: set[_Triple] = set()
        self._pairs: dict[str, set[Pair]] = {}
        self._parts: list[int] = []
        self._first = True  # before the first reading
        self._spurious: set[Pair] = set()
        self._beside: list[Pair] = []
        self._cut: set[int] = set()
        self._taken: set[int] = set()

    def took(self, thing: int) -> None:
        """Count a thing as taken from now on: the simulator reported that its line succeeded."""
        self._taken.add(thing)

    def let_go(self, thing: int) -> None:
        """Count a thing as no longer taken."""
        self._taken.discard(thing)

    def cut(self, thing: int) -> None:
        """Show a thing as sliced from now on: the simulator has no such state."""
        self._cut.add(thing)
        self._raw.pop(thing, None)

    def word(self, node_id: int) -> str:
        """A node in script lines: its class, and the simulator's id."""
        theirs = next((i for i, ours in self._ours.items() if ours == node_id), node_id)
        return f"<{self._raw[node_id]['class_name']}> ({theirs})"

    def read(self, data: Mapping[str, Any]) -> SceneGraph:
        """The scene graph of a graph. Raises SimulatorDied if it is malformed or has no agent."""
        try:
            return self._read(data)
        except (BadInput, KeyError, TypeError) as error:
            raise SimulatorDied(
                f"{self._where} sent a graph that cannot be read: {error}"
            ) from None

    def _read(self, data: Mapping[str, Any]) -> SceneGraph:
        first, self._first = self._first, False
        gone, new = self._difference(data["edges"])
        nodes = self._renamed(data["nodes"])
        known = self._raw.keys() == {raw["id"] for raw in nodes}
        self._read_nodes(nodes)
        if not known:  # the kind of a node decides which edges count
            self._pairs = {}
            gone, new = set(), self._edges
        changed = self._read_edges(gone, new)
        edges = self._counted()
        if self._boxed and "on" in changed:
            boxed = assemble({**self._nodes, **self._boxed}, edges)
            self._spurious = {(a, b) for a, _, b in spurious_supports(boxed, self._where)}
        if self._spurious:
            edges.on = [pair for pair in edges.on if pair not in self._spurious]
        graph = assemble(self._nodes, edges)
        if "beside" in changed:
            self._beside = side_by_side(graph, edges.beside)
        place_beside(graph, self._beside)
        if first:
            check_well_formed(graph, self._where)
        if next(graph.nodes(Kind.AGENT), None) is None:
            raise BadInput("there is no character in it")
        return graph

    def _renamed(self, nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The nodes, with the first character under its id in the task."""
        if self._wanted is not None and not self._ours:
            characters = sorted(raw["id"] for raw in nodes if raw["class_name"] == "character")
            free = all(raw["id"] != self._wanted for raw in nodes)
            # The agent is the character with the lowest id in script lines and scene graphs.
            if characters and free and all(self._wanted < other for other in characters[1:]):
                self._ours = {characters[0]: self._wanted}
        if not self._ours:
            return nodes
        ours = self._ours
        return [{**raw, "id": ours[raw["id"]]} if raw["id"] in ours else raw for raw in nodes]

    def _read_nodes(self, raw_nodes: list[dict[str, Any]]) -> None:
        seen = set()
        for index, raw in enumerate(raw_nodes):
            node_id = raw["id"]
            seen.add(node_id)
            if self._raw.get(node_id) != raw:
                self._read_node(raw, index)
        for gone in self._raw.keys() - seen:
            for known in (self._raw, self._kinds, self._nodes, self._boxed):
                known.pop(gone, None)
        if len(seen) != len(raw_nodes):
            raise BadInput("two of its nodes have one id")
        self._parts = parts_of_body(raw_nodes)

    def _read_node(self, raw: dict[str, Any], index: int) -> None:
        kind = read_kind(raw, self._where, index)
        node_id = raw["id"]
        self._raw[node_id], self._kinds[node_id] = raw, kind
        self._nodes.pop(node_id, None)
        self._boxed.pop(node_id, None)
        if kind is None:
            return
        node = make_node(raw, kind, raw["states"])
        if node_id in self._cut:
            node = node.having(State.SLICED)
        self._nodes[node_id] = node
        if raw.get("bounding_box") is not None:
            self._boxed[node_id] = with_geometry(node, raw, self._where, index)

    def _difference(self, raw_edges: list[Any]) -> tuple[set[_Triple], set[_Triple]]:
        """The removed and the new edges.

        Equal edges at both ends are skipped: comparing is fast, and fastest for identical objects.
        """
        before, self._raw_edges = self._raw_edges, raw_edges
        most = min(len(before), len(raw_edges))
        head = 0
        for one, other in zip(before, raw_edges, strict=False):
            if one is not other and one != other:
                break
            head += 1
        tail = 0
        for one, other in zip(reversed(before), reversed(raw_edges), strict=False):
            if tail >= most - head or (one is not other and one != other):
                break
            tail += 1
        old = set(map(_ENDS, before[head : len(before) - tail]))
        now = set(map(_ENDS, raw_edges[head : len(raw_edges) - tail]))
        gone, new = old - now, now - old
        edges = (self._edges - gone) | new
        if len(edges) != len(raw_edges) or len(self._edges) != len(before):  # duplicates
            edges = set(map(_ENDS, raw_edges))
            gone, new = self._edges - edges, edges - self._edges
        self._edges = edges
        return gone, new

    def _read_edges(self, gone: set[_Triple], new: set[_Triple]) -> set[str]:
        """Take in the changed edges; the lists of `Edges` that changed."""
        changed = set()
        for some in (gone, new):
            if not some:
                continue
            ours = self._ours
            present = [
                {"from_id": ours.get(a, a), "relation_type": relation, "to_id": ours.get(b, b)}
                for a, relation, b in some
            ]
            edges = read_edges(present, self._kinds, self._where)
            edges.beside = [p for p in edges.beside if self._kinds[p[1]] is not Kind.AGENT]
            for name, pairs in vars(edges).items():
                if pairs and name != "parts":
                    changed.add(name)
                    known = self._pairs.setdefault(name, set())
                    known.update(pairs) if some is new else known.difference_update(pairs)
        return changed

    def _counted(self) -> Edges:
        edges = Edges(parts=self._parts)
        for name, pairs in self._pairs.items():
            setattr(edges, name, list(pairs))
        edges.holds = self._in_hand(edges)
        return edges

    def _in_hand(self, edges: Edges) -> list[Pair]:
        """The held things: the taken one where the graph names another of its class instead.

        The executable does so (xavierpuigf/virtualhome, issue 132). The graph is believed only
        where it moves the other one away and leaves the taken one where it lay.
        """
        lying = {
            thing
            for thing, place in (*edges.on, *edges.inside)
            if self._kinds.get(place) is not Kind.ROOM
        }
        missing = sorted(self._taken - {thing for _, thing in edges.holds})
        found = []
        for agent, thing in sorted(edges.holds):
            name = self._raw[thing]["class_name"]
            alike = [
                each
                for each in missing
                if thing not in self._taken
                and (thing in lying or each not in lying)
                and self._raw.get(each, {}).get("class_name") == name
            ]
            if alike:
                missing.remove(alike[0])
            found.append((agent, alike[0] if alike else thing))
        return found
