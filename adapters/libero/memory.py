"""What the robot knows of the table: what its camera saw, where it saw it last.

Nobody else moves things, so a thing stays where it was seen until it is seen elsewhere, or what it
is in is shut. Fixtures with their states are known throughout.
"""

from __future__ import annotations

from collections.abc import Collection

from ...observation_text.view import View
from ...scene_graph.graph import Outgoing, SceneGraph
from ...scene_graph.node import Affordance, Kind, Node, Relation, State
from .names import AGENT_ID, ROOM_ID

#: The fewest pixels of the camera's image that show a thing.
PIXELS = 20


class Memory:
    """What is known in one episode. Call `look` at the start and after every try."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, Outgoing]] = {}
        self._view: View | None = None

    @property
    def view(self) -> View:
        """What is known now."""
        assert self._view is not None, "look comes first"
        return self._view

    def copy(self) -> Memory:
        """The same knowledge, which changes by itself."""
        other = Memory()
        other._known, other._view = dict(self._known), self._view
        return other

    def look(self, truth: SceneGraph, seen: Collection[int]) -> None:
        """Take in a state. seen: the objects that the camera shows now."""
        held = set(truth.held(truth.agent().id))
        for number, (_, outgoing) in list(self._known.items()):
            shut = any(
                State.CLOSED in truth[place].states for _, place in outgoing if place in truth
            )
            if shut or number in held:
                del self._known[number]
        for number in seen:
            if number in truth and number not in held and truth.closed_around(number) is None:
                self._known[number] = (truth[number], tuple(truth.outgoing(number)))
        self._view = self._made(truth, held)

    def _made(self, truth: SceneGraph, held: set[int]) -> View:
        nodes: dict[int, Node] = {}
        for node in truth.nodes():
            if node.kind is not Kind.OBJECT or node.id in held:
                nodes[node.id] = node
            elif node.id in self._known:
                nodes[node.id] = self._known[node.id][0]
        graph = SceneGraph(nodes.values())
        for number, node in nodes.items():
            known = self._known.get(number)
            for relation, target in truth.outgoing(number) if known is None else known[1]:
                if target in nodes and number not in graph.above(target):
                    graph.add_edge(number, relation, target)
            if node.kind is Kind.OBJECT and number not in held and not graph.places(number):
                graph.add_edge(number, Relation.INSIDE, ROOM_ID)  # what it is on is not seen
                graph.add_edge(AGENT_ID, Relation.CLOSE, number)
        covered = {node.id: _is_seen_whole(node) for node in nodes.values() if _is_seen(node)}
        return View(graph, {**covered, ROOM_ID: True})


def _is_seen(node: Node) -> bool:
    """Whether the camera sees what is on or in a node at all."""
    keeps = not node.affordances.isdisjoint({Affordance.SURFACE, Affordance.CONTAINER})
    return keeps and State.CLOSED not in node.states


def _is_seen_whole(node: Node) -> bool:
    """Whether nothing on or in a node can be out of the camera's sight.

    It looks down on the table. It sees into open drawers and what movable things keep; what has a
    roof, such as a microwave or a shelf, may hide something.
    """
    if node.kind is Kind.OBJECT or Affordance.CONTAINER not in node.affordances:
        return True
    return State.OPEN in node.states and Affordance.SURFACE not in node.affordances
