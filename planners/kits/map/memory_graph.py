"""The scene graph that a planner knows: what it has seen, and what a map says of the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ....observation_text.view import View, is_free_standing
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Relation
from ....skills.actions import Action
from ....skills.dynamics import apply
from ...contract import Percept
from ..detectors.detection import Detection
from ..household.observed_graph import ObservedGraph


class MemoryGraph:
    """The best that is known of the world: seen nodes where they were seen, and priors.

    A prior is a node of the map that was not seen yet: it is "known", and may have moved. What a
    view shows replaces the prior. A node that is missing from where it was believed to be, when
    that is looked at, has no place from then on.

    seen: the nodes that were seen, be they still there or not.
    """

    def __init__(self, known: SceneGraph | None, percept: Percept | None = None) -> None:
        """known: the map that was granted. percept: the first, where all of it is to be taken in.

        Without a percept the graph has no agent of its own until the first `take_in`.
        """
        self._observed = ObservedGraph(known)
        self._looked_at: set[int] = set()
        self.seen: set[int] = set()
        if percept is not None:
            self.update(percept)

    @property
    def graph(self) -> SceneGraph:
        """All that is known, to be read only. Nodes whose place nobody knows are in it, too."""
        return self._observed.graph

    @property
    def observed(self) -> ObservedGraph:
        """What the graph is kept in, for ranking where to look."""
        return self._observed

    @property
    def looked_at(self) -> Collection[int]:
        """The places whose contents were seen completely.

        When something that was seen is gone, somebody moves things: then all is to be looked at
        again. That a map was wrong says nothing of the kind.
        """
        return self._looked_at

    def update(self, percept: Percept) -> None:
        """Take in a percept's whole view."""
        self.take_in(percept.view, percept.step)

    def take_in(self, view: View, step: int) -> None:
        """Take in a view of the present step, or a part of one (`part_of_view`)."""
        where_known = [node_id for node_id in self.seen if self.is_located(node_id)]
        self._observed.update(view, step)
        if not all(map(self.is_located, where_known)):
            self._looked_at.clear()
        self._looked_at.update(place for place, whole in view.covered.items() if whole)
        self.seen.update(node.id for node in view.graph.nodes())

    def augment(self, detection: Detection, step: int) -> None:
        """Take in what a detector found at a place, in the place of what was believed there."""
        found = {thing.id: thing for thing in detection.found}
        seen = self.graph.part(
            node_id for node_id in self._standing_at(detection.place) if node_id not in found
        )
        for thing in found.values():
            seen.add_node(thing.node)
        for thing in found.values():
            place = detection.place if thing.related_to is None else thing.related_to
            if place in seen:
                in_room = seen[place].kind is Kind.ROOM
                usual = Relation.INSIDE if in_room else Relation.ON
                seen.add_edge(thing.id, thing.relation or usual, place)
        covered = {place: True for place in detection.covered if place in seen}
        self.take_in(View(seen, covered), step)

    def _standing_at(self, place: int) -> list[int]:
        """What a look at a place leaves as it is known.

        That is the place with its furniture, all that they are in, and whoever is there with what
        it holds.
        """
        graph = self.graph
        stay = [place]
        for node_id in graph.below(place):
            kind = graph[node_id].kind
            if kind is not Kind.OBJECT:
                stay.append(node_id)
            if kind is Kind.AGENT:
                stay += [*graph.held(node_id), *graph.targets(node_id, Relation.CLOSE)]
        return list(dict.fromkeys(n for each in stay for n in (each, *graph.above(each))))

    def acted(self, action: Action) -> None:
        """Take in what an action that succeeded does by itself, without a look at the result."""
        if all(thing in self.graph for thing in action.things):
            apply(self.graph, action)

    def is_prior(self, node_id: int) -> bool:
        """Whether a node is known from the map only, at a place where nobody looked since."""
        return node_id not in self.seen and self.is_located(node_id)

    def is_located(self, node_id: int) -> bool:
        """Whether it is known where a node is: at a place that leads to a room, or in a hand."""
        return self._observed.located(node_id)

    def missing(self) -> list[int]:
        """List the objects that were not found where they were believed to be."""
        return [n.id for n in self.graph.nodes(Kind.OBJECT) if not self.is_located(n.id)]

    def forget_place(self, node_id: int) -> None:
        """Take a node from where it was believed to be: it was not found there."""
        self._observed.forget_location(node_id)


def part_of_view(view: View, places: Iterable[int] = (), things: Iterable[int] = ()) -> View:
    """The part of a view that somebody takes in who looks at a few places only.

    It has the rooms, the furniture in sight and what stands free beside it, the agent with what it
    holds, everything at the places as far as the view covers them, and single things with what
    they are kept by. Of no other place does it say what is there.
    """
    graph, me = view.graph, view.agent().id
    places = [place for place in places if place in graph]
    own = [me, *graph.held(me), *graph.contents(me)]
    inspected = {*places, *graph.room_ids}
    for place in (*places, *own):
        inspected.update({place, *graph.below(place)} - {*graph.room_ids})
    kept = {*inspected, *own}
    for node in graph.nodes():
        free = node.kind is Kind.OBJECT and is_free_standing(graph, node.id)
        if free or node.kind is not Kind.OBJECT:
            kept.add(node.id)
    for thing in things:
        if thing in graph:
            kept.update((thing, *graph.above(thing)))
    # in the order of the view, so that nothing depends on that of a set
    part = graph.part(node.id for node in graph.nodes() if node.id in kept)
    covered = {place: whole for place, whole in view.covered.items() if place in inspected}
    return View(part, _without_hidden(covered, graph, kept), view.arm)


def view_without_looking(view: View) -> View:
    """The part of a view that an agent has whose eyes are a detector, before that has looked.

    It has the rooms, the furniture in sight, and the agent with what it holds. What is at any
    place it does not say.
    """
    graph, me = view.graph, view.agent().id
    kept = [n.id for n in graph.nodes() if n.kind is not Kind.OBJECT or n.id in graph.held(me)]
    return View(graph.part(kept), {}, view.arm)


def _without_hidden(
    covered: dict[int, bool], graph: SceneGraph, kept: Collection[int]
) -> dict[int, bool]:
    """The places of which the part shows everything that the view does."""
    return {
        place: whole
        for place, whole in covered.items()
        if all(thing in kept for thing in graph.contents(place))
    }
