"""What an agent has perceived so far, and the gate that hides everything else from it."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ..scene_graph.graph import Outgoing, SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Node, Relation, State
from ..skills.actions import Action, Verb, go_to
from ..skills.dynamics import SIGHT_VERBS
from ..skills.outcomes import Failure, Reason
from .view import Part, View

#: The kinds of nodes that stay where a map has them, if they exist.
_UNMOVED = (Kind.ROOM, Kind.FIXTURE)


class Perception:
    """Everything an agent has perceived in an episode.

    seen: every perceived node by id, as last seen. view: the newest view.

    It decides which actions may be attempted and what a failure may reveal. A thing never perceived
    is treated like one that does not exist. "Enclosed" is reported only for a thing last seen in
    that closed container.
    """

    def __init__(self) -> None:
        self.seen: dict[int, Node] = {}
        self.nameable: Mapping[int, Node] = self.seen  # with things known but not seen
        self._known: dict[int, Node] = {}
        self._edges: dict[int, Outgoing] = {}  # by thing, as last seen
        self.view = View(SceneGraph(), {})
        self._parts: tuple[Part, ...] = ()  # of `view`

    def grant(self, nodes: Iterable[Node]) -> None:
        """Add things that are known from a map or an inventory, and not seen."""
        self._known.update((node.id, node) for node in nodes)
        self.nameable = ChainMap(self.seen, self._known)

    def update(self, view: View) -> list[Node]:
        """Add a view; returns the nodes perceived for the first time."""
        if view is self.view:
            return []
        new: list[Node] = []
        seen, edges, before = self.seen, self._edges, self._parts
        known = seen.keys()
        self._parts = view.parts
        for part in self._parts:
            if part in before:
                continue  # unchanged
            nodes = part.nodes
            if not nodes.keys() <= known:
                new += [node for node in nodes.values() if node.id not in seen]
            seen.update(nodes)
            edges.update(part.outgoing)
        self.view = view
        return new

    def admit(self, action: Action) -> Failure | None:
        """Why an action must not reach the simulator, or None. Reveals nothing unperceived.

        UNKNOWN comes before all other failures, since those may name their things.
        """
        view = self.view
        things = action.things
        for thing in things:
            if view.get(thing) is None:
                break
        else:
            return None
        away = [thing for thing in things if view.get(thing) is None]
        for thing in away:
            if thing not in self.nameable:
                return Failure(Reason.UNKNOWN, thing)
        for thing in away:
            if thing not in self.seen and self._known[thing].kind not in _UNMOVED:
                return Failure(Reason.NOT_SEEN, thing)
        for thing in away:
            container = self._known_closed_around(thing)
            if container is not None:
                return Failure(Reason.ENCLOSED, container)
            if self._is_gone(thing):
                return Failure(Reason.NOT_HERE, thing)
            if action.verb in SIGHT_VERBS or (
                action.verb is not Verb.GO_TO and self._is_at_last_place(thing)
            ):
                return Failure(Reason.NOT_IN_SIGHT, thing)
            if action.verb is not Verb.GO_TO:
                return Failure(Reason.NOT_CLOSE, thing)
        return None

    def remembered(self) -> list[int]:
        """List the things out of sight that one can still go to, by what was perceived of them."""
        away = (thing for thing in self.nameable if self.view.get(thing) is None)
        return [thing for thing in away if self.admit(go_to(thing)) is None]

    def around(self, thing: int) -> list[Node]:
        """A thing and the places around it as last seen, outwards; none if it was never known."""
        node = self.nameable.get(thing)
        return [] if node is None else [node, *(place for _, place in self._outwards(thing))]

    def redacted(self, action: Action, failure: Failure) -> Failure:
        """A failure as the agent may know it."""
        thing = failure.thing
        if failure.reason is Reason.UNKNOWN and thing in self._known and thing not in self.seen:
            return replace(failure, reason=Reason.NOT_SEEN)  # the map is out of date
        if failure.reason is Reason.ENCLOSED and (
            thing is None
            or not any(self._known_closed_around(subject) == thing for subject in action.things)
        ):
            container = self._seen_in(action)
            if container is not None:  # the simulator says so; no door was seen
                return Failure(Reason.ENCLOSED, container)
            return Failure(Reason.NOT_HERE, action.target)
        if thing is not None and thing not in self.seen and thing not in action.things:
            return replace(failure, thing=action.target)
        return failure

    def _seen_in(self, action: Action) -> int | None:
        """The container, other than a room, in which one of an action's things is seen now."""
        for thing in action.things:
            if self.view.get(thing) is None:
                continue
            for relation, place in self._places(thing):
                node = self.seen.get(place)
                if relation is Relation.INSIDE and node is not None and node.kind is not Kind.ROOM:
                    return place
        return None

    def _is_at_last_place(self, thing: int) -> bool:
        """Whether the agent is close to the place where a thing that it does not see was last."""
        graph = self.view.graph
        return any(
            graph.has_edge(agent, Relation.CLOSE, place.id)
            for _, place in self._outwards(thing)
            for agent in graph.agent_ids
            if place.kind is not Kind.ROOM
        )

    def _is_gone(self, thing: int) -> bool:
        """Whether a thing is gone from its last place, since the view covers that place completely.

        A room says nothing about a thing on a table: from afar only free-standing things are seen.
        """
        places = [place for _, place in self._places(thing)]
        closer = [place for place in places if self.seen[place].kind is not Kind.ROOM]
        return any(self.view.covered.get(place, False) for place in closer or places)

    def _known_closed_around(self, thing: int) -> int | None:
        """The nearest closed container around a thing, as last seen."""
        for relation, node in self._outwards(thing):
            if relation is Relation.INSIDE and State.CLOSED in node.states:
                return node.id
        return None

    def _outwards(self, thing: int) -> Iterator[tuple[Relation, Node]]:
        """The places around a thing, as last seen, the nearest first."""
        reached = {thing}
        level = [thing]
        for current in level:  # the list grows
            for relation, place in self._places(current):
                node = self.seen.get(place)
                if node is not None and place not in reached:
                    yield relation, node
                    reached.add(place)
                    level.append(place)

    def _places(self, thing: int) -> list[tuple[Relation, int]]:
        """The places that kept a thing when it was last seen."""
        return [edge for edge in self._edges.get(thing, ()) if edge[0] in PLACEMENTS]
