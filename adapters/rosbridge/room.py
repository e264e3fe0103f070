"""The room as the robot knows it: the furniture of the scene file, and what it has perceived.

The scene file gives rooms, furniture and the names of things. Where things are, the robot has to
see. What was seen at a place and is not seen there any more is somewhere unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ...errors import BadInput
from ...observation_text.view import View
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import OPPOSITE, Affordance, Kind, Node, Relation, State
from ...skills.actions import Action
from ...skills.dynamics import apply, check
from ...skills.embodiment import Embodiment
from ...skills.outcomes import Failure
from ...skills.reach import stands_at
from .perception import SeenThing, Sight


class Room:
    """Rooms, furniture, and things with their last known places."""

    def __init__(self, scene: SceneGraph, body: Embodiment) -> None:
        """Things have no place until they are seen. Raises BadInput for a scene without a robot."""
        if len(scene.agent_ids) != 1:
            raise BadInput(
                f"The scene has {len(scene.agent_ids)} agents; give it one, the robot, in a room."
            )
        me = scene.agent().id
        self._body = body
        self._covered: dict[int, bool] = {}
        self._names: dict[str, int] = {}
        self.restore(scene)
        for node in list(self.graph.nodes(Kind.OBJECT)):
            self.graph.replace_node(replace(node, pose=None, box=None))
            if me not in self.graph.above(node.id):  # of its body
                self.graph.detach(node.id)

    def restore(self, graph: SceneGraph) -> None:
        """Take what was known earlier, from `graph` of a room of the same scene."""
        self.graph = graph.copy()
        for node in self.graph.nodes():
            self._names.setdefault(str(node.native_id), node.id)

    @property
    def me(self) -> int:
        return self.graph.agent().id

    def check(self, action: Action) -> Failure | None:
        """Why an action cannot work by what is known, or None."""
        return check(self.graph, action, self._body)

    def apply(self, action: Action) -> None:
        """Take the effects of an action that the robot did, where the rules tell them."""
        if self.check(action) is None:
            apply(self.graph, action)
            self._covered = {}

    def see(self, sight: Sight) -> list[str]:
        """Take what the robot perceives. Returns the named places that the scene does not have."""
        unknown: list[str] = []
        if sight.location is not None:
            self._stand(sight.location, unknown)
        if sight.holding is not None:
            self._hold(sight.holding)
        covered = self._places(sight, unknown)
        seen = [(self._node(each), each) for each in sight.things]
        for node_id, each in seen:
            self._say_states(node_id, each)
        in_sight = [t for t in self._below(covered) if self.graph.closed_around(t) is None]
        for thing in in_sight:  # what a closed container keeps stays where it was put
            if self.graph[thing].kind is Kind.OBJECT:
                self.graph.detach(thing)
        held = set(self.graph.held(self.me))
        for node_id, each in seen:
            if node_id not in held and self.graph[node_id].kind is Kind.OBJECT:
                self._place(node_id, each, unknown)
        self._covered = {
            place: True for place in covered if State.CLOSED not in self.graph[place].states
        }
        return list(dict.fromkeys(unknown))

    def view(self) -> View:
        """What the robot perceives: its room's furniture, what it holds and where it looked."""
        graph, me = self.graph, self.me
        nodes = {*graph.room_ids, me, *graph.below(me), *self._covered}
        room = graph.room_of(me)
        if room is not None:
            nodes.update(n for n in graph.below(room) if graph[n].kind is Kind.FIXTURE)
        for thing in graph.held(me):
            nodes.update((thing, *graph.below(thing)))
        nodes.update(self._below(self._covered))
        shown = {node for node in nodes if graph.closed_around(node) is None or node == me}
        covered = {place: True for place in self._covered if place in shown}
        return View(graph.part(shown), covered)

    # --- parts of seeing ------------------------------------------------------------------------

    def _stand(self, name: str, unknown: list[str]) -> None:
        place = self._names.get(name)
        if place is None or self.graph[place].kind is Kind.OBJECT:
            unknown.append(name)
            return
        graph, me = self.graph, self.me
        room = place if graph[place].kind is Kind.ROOM else graph.room_of(place)
        assert room is not None
        close = stands_at(graph, place) if graph[place].kind is Kind.FIXTURE else []
        held = [pair for pair in graph.outgoing(me) if pair[0] is Relation.HOLDS]
        near = [(Relation.CLOSE, base) for base in close]
        graph.set_outgoing(me, [*held, (Relation.INSIDE, room), *near])

    def _hold(self, names: Iterable[str]) -> None:
        held = {self._node(SeenThing(name, "")) for name in names}
        for thing in self.graph.held(self.me):
            if thing not in held:
                self.graph.remove_edge(self.me, Relation.HOLDS, thing)
        for thing in held - set(self.graph.held(self.me)):
            self.graph.detach(thing)
            self.graph.add_edge(self.me, Relation.HOLDS, thing)

    def _places(self, sight: Sight, unknown: list[str]) -> list[int]:
        """The places that were looked at: those that are told, or where the robot stands."""
        if sight.covers is not None:
            unknown += [name for name in sight.covers if name not in self._names]
            return [self._names[name] for name in sight.covers if name in self._names]
        close = self.graph.targets(self.me, Relation.CLOSE)
        fixtures = [base for base in close if self.graph[base].kind is Kind.FIXTURE]
        parts = [
            each
            for each in self._below(fixtures)
            if self.graph[each].kind is Kind.FIXTURE and self.graph.closed_around(each) is None
        ]
        return [*fixtures, *parts]

    def _below(self, places: Iterable[int]) -> list[int]:
        return [thing for place in places for thing in self._kept(place)]

    def _kept(self, place: int) -> list[int]:
        """What a place keeps, at any depth; of a room only what stands free in it."""
        if self.graph[place].kind is not Kind.ROOM:
            return self.graph.below(place)
        free = [t for t in self.graph.contents(place) if self.graph[t].kind is Kind.OBJECT]
        return [*free, *self._below(free)]

    def _node(self, seen: SeenThing) -> int:
        """The node of a thing, which a name that is seen first gets."""
        if seen.name in self._names:
            return self._names[seen.name]
        category = seen.category or re.sub(r"[\s_#-]*\d+$", "", seen.name).replace("_", " ")
        category = category.lower() or "thing"
        alike = next((n for n in self.graph.nodes(Kind.OBJECT) if n.category == category), None)
        can = alike.affordances if alike is not None else frozenset({Affordance.GRASPABLE})
        node_id = max(self.graph.by_id) + 1
        self.graph.add_node(Node(node_id, category, Kind.OBJECT, seen.name, frozenset(), can))
        self._names[seen.name] = node_id
        return node_id

    def _say_states(self, node_id: int, seen: SeenThing) -> None:
        for state in sorted(seen.states):
            if OPPOSITE.get(state) not in seen.states:
                self.graph.set_state(node_id, state)

    def _place(self, thing: int, seen: SeenThing, unknown: list[str]) -> None:
        place = self._names.get(seen.place)
        if place is None or place == thing or thing in self.graph.above(place):
            unknown.append(seen.place)
            return
        self.graph.detach(thing)
        self.graph.add_edge(thing, seen.relation or self._usual_relation(place), place)

    def _usual_relation(self, place: int) -> Relation:
        node = self.graph[place]
        inside = node.kind is Kind.ROOM or Affordance.SURFACE not in node.affordances
        return Relation.INSIDE if inside else Relation.ON
