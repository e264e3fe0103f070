"""The view of an agent that sees its rooms and furniture, and of movable things what was found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ....observation_text.view import View
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import PLACEMENTS, Affordance, Edge, Kind, Relation, State
from ....skills.actions import Action, Verb
from .detection import Detection, Found

#: What an action does to the state of what it is done to.
_STATES_AFTER = {
    Verb.OPEN: State.OPEN,
    Verb.CLOSE: State.CLOSED,
    Verb.TURN_ON: State.ON,
    Verb.TURN_OFF: State.OFF,
}


class BelievedThings:
    """The movable things that an agent believes to be where it is.

    They are those that were found there, and what it put down itself. What lies elsewhere is
    forgotten: who keeps a memory keeps it by itself.
    """

    def __init__(self) -> None:
        self._things: dict[int, Found] = {}
        self._looked_at: set[int] = set()

    def add(self, detection: Detection, view: View) -> None:
        """Take in what a look gave, in place of what was believed to be there."""
        if detection.problem:
            return
        place = detection.place
        for thing in [each for each in self._things if self._is_at(each, place, view)]:
            del self._things[thing]
        for found in detection.found:
            known = found.related_to is not None
            self._things[found.id] = found if known else replace(found, related_to=place)
        self._looked_at.add(place)

    def after(self, action: Action, view: View) -> None:
        """Take in what an action that succeeded did to what it was done to."""
        thing = action.target
        if thing is None:
            return
        if action.verb is Verb.PUT and action.relation is not None and action.place is not None:
            node = view.get(thing)
            if node is not None:
                self._things[thing] = Found(
                    thing,
                    "",
                    node.category,
                    action.relation,
                    action.place,
                    node.states,
                    node.affordances,
                )
        state = _STATES_AFTER.get(action.verb)
        found = self._things.get(thing)
        if state is not None and found is not None:
            self._things[thing] = replace(found, states=found.node.having(state).states)

    def view(self, view: View) -> View:
        """What of a view the agent perceives in this way; what is out of sight is forgotten."""
        graph = view.graph
        own = {*view.held(), *view.worn()}
        at_hand = _at_hand(view)
        for thing in list(self._things):
            if thing in own or not self._in_sight(thing, view, at_hand):
                del self._things[thing]
        self._looked_at &= at_hand
        kept = [n.id for n in graph.nodes() if n.kind is not Kind.OBJECT or n.id in own]
        seen = graph.part(kept)
        for found in self._things.values():
            seen.add_node(found.node)
        for found in self._things.values():
            for edge in _edges(found, seen):
                seen.add_edge(*edge)
        for relation, thing in graph.outgoing(view.agent().id):
            if thing in self._things and relation is Relation.CLOSE:
                seen.add_edge(view.agent().id, relation, thing)
        covered = {p: whole for p, whole in view.covered.items() if self._tells_of(p, seen, own)}
        return View(seen, covered, view.arm)

    def _tells_of(self, place: int, seen: SceneGraph, own: Collection[int]) -> bool:
        """Whether it is known what a place keeps: it was looked at, or is a part of what was."""
        if place in own or place in self._looked_at or place in self._things:
            return True
        around = seen.above(place) if place in seen else ()
        return any(p in self._looked_at and seen[p].kind is not Kind.ROOM for p in around)

    def _in_sight(self, thing: int, view: View, at_hand: Collection[int]) -> bool:
        """Whether the place where a thing is believed to be shows it."""
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
        """The furniture or room where a thing is believed to be, and whether it is inside of it."""
        followed = set()
        inside = False
        while thing in self._things and thing not in followed:
            followed.add(thing)
            found = self._things[thing]
            assert found.related_to is not None, "what is taken in has a place"
            thing, inside = found.related_to, found.relation is Relation.INSIDE
        return thing, inside


def _at_hand(view: View) -> set[int]:
    """The agent's room, and all that the view shows into or that the agent stands at."""
    graph, me = view.graph, view.agent().id
    room = graph.room_of(me)
    at_hand = {*view.covered} | ({room} if room is not None else set())
    for place in graph.targets(me, Relation.CLOSE):
        at_hand.update((place, *graph.below(place)))
    return at_hand


def _edges(found: Found, seen: SceneGraph) -> Iterable[Edge]:
    """Where a thing is believed to be; on what it is at, where nothing is said of how."""
    place = found.related_to
    if place is None or place not in seen or place == found.id:
        return
    relation = found.relation
    if relation is None:
        surface = Affordance.SURFACE in seen[place].affordances
        relation = Relation.ON if surface else Relation.INSIDE
    if relation in PLACEMENTS and found.id not in seen.above(place):
        yield Edge(found.id, relation, place)
