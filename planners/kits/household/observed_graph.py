"""The world as an agent has observed it: all it has seen and no later view contradicts."""

from __future__ import annotations

from collections.abc import Iterator

from ....observation_text.view import View
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import PLACEMENTS, Kind, Node
from ....skills.reach import bases


class ObservedGraph:
    """A scene graph that views are merged into over time.

    graph: every thing, with its place and states when it was last seen. A thing that is missing
    from its place at the next inspection has no place from then on.

    inspected: the places whose contents were seen completely, with the step of the last time. When
    somebody else moves a thing, only the places inspected at that step remain.
    """

    def __init__(self, known: SceneGraph | None = None) -> None:
        """known: a map, believed before anything is seen."""
        self.graph = SceneGraph() if known is None else known.copy()
        self.inspected: dict[int, int] = {}

    def update(self, view: View, step: int) -> None:
        """Merge a view of the present step."""
        seen = view.graph
        for node in seen.nodes():
            if node.id in self.graph:
                self.graph.replace_node(node)
            else:
                self.graph.add_node(node)
        for node in seen.nodes():
            if node.kind is Kind.AGENT:
                for relation, target in self.graph.outgoing(node.id):
                    self.graph.remove_edge(node.id, relation, target)
                continue
            if seen.places(node.id) or seen.holder(node.id) is not None:
                self.graph.detach(node.id)
            for relation, target in self.graph.outgoing(node.id):
                if target in seen and not seen.has_edge(node.id, relation, target):
                    self.graph.remove_edge(node.id, relation, target)
        gone = []
        for place, completely in view.covered.items():
            if completely:
                self.inspected[place] = step
                for thing in self.graph.contents(place):
                    self._remove_from(thing, place)
                    gone.append(thing)
        for edge in seen.edges():
            self.graph.add_edge(*edge)
        if not all(map(self.located, gone)):
            # Somebody moves things: they may now be at places inspected earlier.
            self.inspected = {place: at for place, at in self.inspected.items() if at == step}

    def located(self, thing: int) -> bool:
        """Whether a thing's place is known: a place that leads to a room, or a hand."""
        return thing in self.graph and self.graph.room_of(thing) is not None

    def forget_location(self, thing: int) -> None:
        """Remove a thing from its last known place: it was not there."""
        if thing in self.graph:
            self.graph.detach(thing)

    def uninspected_rooms(self) -> list[Node]:
        """List the rooms that were never entered."""
        return [room for room in self.graph.nodes(Kind.ROOM) if room.id not in self.inspected]

    def uninspected_places(self) -> Iterator[Node]:
        """Yield the located fixtures and objects whose contents were never seen completely."""
        for node in self.graph.nodes():
            is_place = node.kind in (Kind.FIXTURE, Kind.OBJECT)
            if is_place and node.id not in self.inspected and self.located(node.id):
                yield node

    def base(self, place: int) -> int | None:
        """The base to go to for looking at a place; None for a thing in hand."""
        return next(iter(bases(self.graph, place)), None)

    def _remove_from(self, thing: int, place: int) -> None:
        for relation in PLACEMENTS:
            self.graph.remove_edge(thing, relation, place)
