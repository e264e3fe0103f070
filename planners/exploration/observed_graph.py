"""What an agent believes of its surroundings: all it has seen, as far as nothing gainsays it."""

from __future__ import annotations

from collections.abc import Iterator

from ...observation_text.view import View
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import PLACEMENTS, Kind, Node
from ...skills.dynamics import bases


class ObservedGraph:
    """A believed graph made of views over time.

    graph: everything seen, where and how it was seen last. A thing missing from a place looked at
    since has no place in it any more. looked: the places looked at completely, with the step at
    which that was last so; emptied when something turns out to have been moved.
    """

    def __init__(self) -> None:
        self.graph = SceneGraph()
        self.looked: dict[int, int] = {}

    def update(self, view: View, step: int) -> None:
        """Take in what is seen now."""
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
                self.looked[place] = step
                for thing in self.graph.contents(place):
                    self._forget(thing, place)
                    gone.append(thing)
        for edge in seen.edges():
            self.graph.add_edge(*edge)
        if not all(map(self.located, gone)):
            # Somebody moves things: what was looked at earlier may hold them by now.
            self.looked = {place: at for place, at in self.looked.items() if at == step}

    def located(self, thing: int) -> bool:
        """Whether it is believed to be somewhere that leads to a room, or in a hand."""
        return thing in self.graph and self.graph.room_of(thing) is not None

    def lose(self, thing: int) -> None:
        """Give up where a thing was believed to be."""
        if thing in self.graph:
            self.graph.detach(thing)

    def unseen_rooms(self) -> list[Node]:
        return [room for room in self.graph.nodes(Kind.ROOM) if room.id not in self.looked]

    def unseen_places(self) -> Iterator[Node]:
        """Fixtures and things known to be somewhere whose contents were never seen in full."""
        for node in self.graph.nodes():
            is_place = node.kind in (Kind.FIXTURE, Kind.OBJECT)
            if is_place and node.id not in self.looked and self.located(node.id):
                yield node

    def base(self, place: int) -> int | None:
        """Where one stands to look at a place; None for what is in hand."""
        return next(iter(bases(self.graph, place)), None)

    def _forget(self, thing: int, place: int) -> None:
        for relation in PLACEMENTS:
            self.graph.remove_edge(thing, relation, place)
