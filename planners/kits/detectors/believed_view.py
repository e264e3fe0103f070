"""The view of an agent that sees rooms and furniture itself, and movable things by a detector."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ....observation_text.view import View
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import PLACEMENTS, Affordance, Edge, Kind, Relation, State
from ....skills.actions import Action, Verb
from .detection import DetectedThing, Detection

#: The state of a thing after an action on it.
_STATES_AFTER = {
    Verb.OPEN: State.OPEN,
    Verb.CLOSE: State.CLOSED,
    Verb.TURN_ON: State.ON,
    Verb.TURN_OFF: State.OFF,
}


class BelievedThings:
    """The movable things that an agent believes to be where it is.

    They are the detected things, and those that the agent put down itself. Things elsewhere are
    forgotten; a planner with a memory keeps its own.
    """

    def __init__(self) -> None:
        self._things: dict[int, DetectedThing] = {}
        self._looked_at: set[int] = set()

    def add(self, detection: Detection, view: View) -> None:
        """Replace what was believed about a place by a detection."""
        if detection.problem:
            return
        place = detection.place
        for thing in [each for each in self._things if self._is_at(each, place, view)]:
            del self._things[thing]
        for detected in detection.things:
            known = detected.related_to is not None
            self._things[detected.id] = detected if known else replace(detected, related_to=place)
        self._looked_at.add(place)

    def after(self, action: Action, view: View) -> None:
        """Apply the effect of a successful action on its things."""
        thing = action.target
        if thing is None:
            return
        if action.verb is Verb.PUT and action.relation is not None and action.place is not None:
            node = view.get(thing)
            if node is not None:
                self._things[thing] = DetectedThing.of(node, "", action.relation, action.place)
        state = _STATES_AFTER.get(action.verb)
        detected = self._things.get(thing)
        if state is not None and detected is not None:
            self._things[thing] = replace(detected, states=detected.node.having(state).states)

    def view(self, view: View) -> View:
        """The part of a view that the agent perceives; things out of sight are forgotten."""
        graph = view.graph
        own = {*view.held(), *view.worn()}
        at_hand = _at_hand(view)
        for thing in list(self._things):
            if thing in own or not self._in_sight(thing, view, at_hand):
                del self._things[thing]
        self._looked_at &= at_hand
        kept = [n.id for n in graph.nodes() if n.kind is not Kind.OBJECT or n.id in own]
        seen = graph.part(kept)
        for detected in self._things.values():
            seen.add_node(detected.node)
        for detected in self._things.values():
            for edge in _edges(detected, seen):
                seen.add_edge(*edge)
        for relation, thing in graph.outgoing(view.agent().id):
            if thing in self._things and relation is Relation.CLOSE:
                seen.add_edge(view.agent().id, relation, thing)
        covered = {p: whole for p, whole in view.covered.items() if self._tells_of(p, seen, own)}
        return View(seen, covered, view.arm)

    def _tells_of(self, place: int, seen: SceneGraph, own: Collection[int]) -> bool:
        """Whether a place's contents are known: it, or the place it is a part of, was looked at."""
        if place in own or place in self._looked_at or place in self._things:
            return True
        around = seen.above(place) if place in seen else ()
        return any(p in self._looked_at and seen[p].kind is not Kind.ROOM for p in around)

    def _in_sight(self, thing: int, view: View, at_hand: Collection[int]) -> bool:
        """Whether the believed place of a thing is in sight."""
        place, inside = self._outermost_place(thing)
        node = view.get(place)
        closed = node is not None and State.CLOSED in node.states
        return node is not None and place in at_hand and not (closed and inside)

    def _is_at(self, thing: int, place: int, view: View) -> bool:
        """Whether a thing is believed to be on or in a place, at any depth."""
        graph = view.graph
        kept_by, _ = self._outermost_place(thing)
        if kept_by == place or kept_by not in graph:
            return True
        return graph[place].kind is not Kind.ROOM and place in graph.above(kept_by)

    def _outermost_place(self, thing: int) -> tuple[int, bool]:
        """The furniture or room of a thing, as believed, and whether it is inside of it."""
        followed = set()
        inside = False
        while thing in self._things and thing not in followed:
            followed.add(thing)
            detected = self._things[thing]
            assert detected.related_to is not None, "a believed thing has a place"
            thing, inside = detected.related_to, detected.relation is Relation.INSIDE
        return thing, inside


def _at_hand(view: View) -> set[int]:
    """The agent's room, and the places that the view shows into or that the agent stands at."""
    graph, me = view.graph, view.agent().id
    room = graph.room_of(me)
    at_hand = {*view.covered} | ({room} if room is not None else set())
    for place in graph.targets(me, Relation.CLOSE):
        at_hand.update((place, *graph.below(place)))
    return at_hand


def _edges(detected: DetectedThing, seen: SceneGraph) -> Iterable[Edge]:
    """Yield a thing's edge to its believed place; on or inside where the relation is unknown."""
    place = detected.related_to
    if place is None or place not in seen or place == detected.id:
        return
    relation = detected.relation
    if relation is None:
        surface = Affordance.SURFACE in seen[place].affordances
        relation = Relation.ON if surface else Relation.INSIDE
    if relation in PLACEMENTS and detected.id not in seen.above(place):
        yield Edge(detected.id, relation, place)
