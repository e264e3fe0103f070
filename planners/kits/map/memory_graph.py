"""The scene graph that a planner knows: what it has seen, and a map's data for the rest."""

from __future__ import annotations

from collections.abc import Iterable

from ....observation_text.view import View, is_free_standing
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Relation
from ....skills.actions import Action
from ....skills.dynamics import apply
from ...contract import Percept
from ..detectors.detection import Detection
from ..household.observed_graph import ObservedGraph


class MemoryGraph:
    """The best known state of the world: seen nodes where they were seen, and priors.

    A prior is a node of the map that was not seen yet: it is "known", and may have moved. A view
    replaces priors. A node that is missing from its believed place has no place from then on.

    seen: the ids of nodes that were ever seen. looked_at: the places whose contents were seen
    completely. When a seen thing is gone, somebody moves things, and everything has to be looked at
    again. A wrong map has no such effect.
    """

    def __init__(self, known: SceneGraph | None, percept: Percept | None = None) -> None:
        """known: the granted map. percept: the first one, to be recorded completely.

        Without a percept the graph has no agent until the first `take_in`.
        """
        self._observed = ObservedGraph(known)
        self.looked_at: set[int] = set()
        self.seen: set[int] = set()
        if percept is not None:
            self.update(percept)

    @property
    def graph(self) -> SceneGraph:
        """All that is known, read only. Nodes without a known place are included."""
        return self._observed.graph

    @property
    def observed(self) -> ObservedGraph:
        """The underlying graph, for ranking where to look."""
        return self._observed

    def update(self, percept: Percept) -> None:
        """Record a percept's whole view."""
        self.take_in(percept.view, percept.step)

    def take_in(self, view: View, step: int) -> None:
        """Record a view of the present step, or a part of one (`part_of_view`)."""
        where_known = [node_id for node_id in self.seen if self.is_located(node_id)]
        self._observed.update(view, step)
        if not all(map(self.is_located, where_known)):
            self.looked_at.clear()
        self.looked_at.update(place for place, whole in view.covered.items() if whole)
        self.seen.update(node.id for node in view.graph.nodes())

    def augment(self, detection: Detection, step: int) -> None:
        """Replace what was believed about a place by a detection."""
        things = {thing.id: thing for thing in detection.things}
        seen = self.graph.part(
            node_id for node_id in self._standing_at(detection.place) if node_id not in things
        )
        for thing in things.values():
            seen.add_node(thing.node)
        for thing in things.values():
            place = detection.place if thing.related_to is None else thing.related_to
            if place in seen:
                in_room = seen[place].kind is Kind.ROOM
                usual = Relation.INSIDE if in_room else Relation.ON
                seen.add_edge(thing.id, thing.relation or usual, place)
        covered = {place: True for place in detection.covered if place in seen}
        self.take_in(View(seen, covered), step)

    def _standing_at(self, place: int) -> list[int]:
        """The nodes that a look at a place does not replace.

        They are the place with its furniture, all that keeps them, and agents there with what they
        hold.
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
        """Apply the effects of a successful action, without a look at the result."""
        if all(thing in self.graph for thing in action.things):
            apply(self.graph, action)

    def is_prior(self, node_id: int) -> bool:
        """Whether a node is known from the map only, at a place not looked at since."""
        return node_id not in self.seen and self.is_located(node_id)

    def is_located(self, node_id: int) -> bool:
        """Whether a node's place is known: a place that leads to a room, or a hand."""
        return self._observed.located(node_id)

    def missing(self) -> list[int]:
        """List the objects that were not at their believed places."""
        return [n.id for n in self.graph.nodes(Kind.OBJECT) if not self.is_located(n.id)]

    def forget_place(self, node_id: int) -> None:
        """Remove a node from its believed place: it was not there."""
        self._observed.forget_location(node_id)


def part_of_view(view: View, places: Iterable[int] = (), things: Iterable[int] = ()) -> View:
    """The part of a view for an agent that looks at a few places only.

    It has the rooms, the furniture in sight and things that stand free beside it, and the agent
    with what it holds. It has everything at the places, as far as the view covers them, and single
    things with their keepers. It says nothing about other places.
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
    # in the order of the view, since the order of a set is not fixed
    part = graph.part(node.id for node in graph.nodes() if node.id in kept)
    # only places whose contents the part shows as completely as the view does
    covered = {
        place: whole
        for place, whole in view.covered.items()
        if place in inspected and kept.issuperset(graph.contents(place))
    }
    return View(part, covered, view.arm)


def view_without_looking(view: View) -> View:
    """The part of a view for an agent that sees by a detector, before any detection.

    It has the rooms, the furniture in sight, and the agent with what it holds. It says nothing
    about the contents of any place.
    """
    graph, me = view.graph, view.agent().id
    kept = [n.id for n in graph.nodes() if n.kind is not Kind.OBJECT or n.id in graph.held(me)]
    return View(graph.part(kept), {}, view.arm)
