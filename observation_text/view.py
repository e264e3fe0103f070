"""Views: the part of a scene graph that an agent perceives, and the places it has looked at."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..scene_graph.graph import Outgoing, SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Node, Relation, State
from ..skills.actions import Action
from ..skills.arm.blocks.world import ArmReading
from ..skills.reach import around

# Module constants: a look-up in the enumeration would double the time of the loop below.
_INSIDE, _CLOSED, _ROOM, _OBJECT = Relation.INSIDE, State.CLOSED, Kind.ROOM, Kind.OBJECT
_PLACEMENTS = frozenset(PLACEMENTS)
#: The kinds of nodes that an agent can handle.
HANDLED_KINDS = (Kind.FIXTURE, Kind.OBJECT)


class Visibility(StrEnum):
    """How far an agent perceives; closed containers hide their contents in every profile.

    ROOM: the whole present room. NEAR: fixtures and free-standing things of the present room;
    contents of a fixture only from close. CAMERA: decided by the simulator or a detector.
    """

    ROOM = "room"
    NEAR = "near"
    CAMERA = "camera"


@dataclass(slots=True, eq=False)  # frozen dataclasses are slow to make
class Part:
    """Some nodes of a view with the relations that start at each. Never modified.

    Views share a part until something in it changes; the parts of a view may overlap.
    """

    nodes: Mapping[int, Node]
    outgoing: Mapping[int, Outgoing]


@dataclass(frozen=True, slots=True)
class Said:
    """What a text game says itself, in its own words."""

    text: str
    """The text after the last command, or the first one."""
    offers: tuple[tuple[str, Action], ...]
    """Its admissible commands, in its order."""


class View:
    """What the agent perceives now.

    graph: the perceived nodes with their relations, including all rooms. covered: the places whose
    contents are known, and whether completely. A covered place without contents was seen empty; a
    place that is absent was not looked at. arm: the sensor readings of an arm (pose, fingers, force
    in N), or None. said: the words of a text game, or None; dialects word all other worlds.
    """

    __slots__ = ("_covered", "_graph", "_notes", "arm", "said")

    def __init__(
        self,
        graph: SceneGraph,
        covered: Mapping[int, bool],
        arm: ArmReading | None = None,
        said: Said | None = None,
    ) -> None:
        self._graph: SceneGraph | None = graph
        self._covered: Mapping[int, bool] | None = covered
        self._notes: dict[Hashable, str] | None = None
        self.arm = arm
        self.said = said

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        same = (self.covered, self.arm, self.said) == (other.covered, other.arm, other.said)
        return same and self.graph == other.graph

    __hash__ = None  # type: ignore[assignment]  # like its graph

    def __repr__(self) -> str:
        return f"View({self.graph!r}, {dict(self.covered)!r}, {self.arm!r})"

    @property
    def graph(self) -> SceneGraph:
        assert self._graph is not None
        return self._graph

    @property
    def covered(self) -> Mapping[int, bool]:
        assert self._covered is not None
        return self._covered

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts that together have all nodes, and every relation to a place."""
        return (Part(self.graph.by_id, self.graph.outgoing_of),)

    @property
    def notes(self) -> dict[Hashable, str]:
        """Texts that were made of this view, by whatever else they depend on."""
        if self._notes is None:
            self._notes = {}
        return self._notes

    # Excerpts are smaller views that are kept while nothing in them changes; they have neither the
    # agent nor what is close to it.

    def room_alone(self) -> View | None:
        """An excerpt with the present room as seen from afar; None if more of it is seen."""
        return None

    def places_alone(self) -> View | None:
        """An excerpt with the places where the agent stands; None where there is none."""
        return None

    def hands_alone(self) -> View | None:
        """An excerpt with what the agent holds; None where there is none."""
        return None

    def around(self, thing: int) -> View:
        """An excerpt with a thing and all that it keeps, or this view."""
        return self

    def get(self, node_id: int) -> Node | None:
        """A node of the view, or None."""
        return self.graph.get(node_id)

    def agent(self) -> Node:
        """The agent. Raises UnknownNode if there is none."""
        return self.graph.agent()

    def room(self) -> int | None:
        """The room of the agent."""
        return self.graph.room_of(self.agent().id)

    def held(self) -> list[int]:
        """List what the agent holds."""
        return self.graph.held(self.agent().id)

    def worn(self) -> list[int]:
        """List what the agent wears."""
        return self.graph.sources(self.agent().id, Relation.ON)

    def within_reach(self) -> list[int]:
        """List the fixtures and objects that the agent can handle from where it stands.

        Held things are included; its body and its clothes are not.
        """
        graph, me = self.graph, self.agent().id
        nodes = graph.by_id
        things = around(graph, me).difference(graph.below(me))
        return [thing for thing in things if nodes[thing].kind in HANDLED_KINDS]

    def visible_from_afar(self, room: int) -> list[int]:
        """List what is seen of a room from anywhere in it: fixtures and free-standing objects."""
        graph = self.graph
        fixture, obj = HANDLED_KINDS
        free = {
            t for t in graph.contents(room) if graph[t].kind is obj and is_free_standing(graph, t)
        }
        return [t for t in graph.below(room) if t in free or graph[t].kind is fixture]


def visible(truth: SceneGraph, profile: Visibility, agent: int | None = None) -> View:
    """What an agent perceives of a true graph under the profile ROOM or NEAR."""
    if profile is Visibility.CAMERA:
        raise ValueError("under the profile 'camera' the simulator decides what is visible")
    me = truth.agent().id if agent is None else agent
    seen: dict[int, None] = {**dict.fromkeys(truth.room_ids), me: None}
    close: dict[int, None] = {me: None}
    covered: dict[int, bool] = {}
    room = truth.room_of(me)
    if room is not None:
        look_into(truth, room, seen, covered, everything=profile is Visibility.ROOM)
    for place in (*truth.held(me), *truth.contents(me), *places_stood_at(truth, me)):
        look_into(truth, place, close, covered, everything=True)
    del seen[me], close[me]
    return View(truth.part({**seen, **close, me: None}), covered)


def places_stood_at(truth: SceneGraph, me: int) -> list[int]:
    """List the places where an agent stands and looks into from close."""
    return [t for t in truth.targets(me, Relation.CLOSE) if truth.closed_around(t) is None]


def innermost_place(graph: SceneGraph, thing: int) -> tuple[Relation, int] | None:
    """The place that keeps a thing; of several, the innermost; None if there is none.

    A mouse on a mousepad on a desk is on the mousepad.
    """
    places = graph.places(thing)
    if len(places) < 2:
        return places[0] if places else None
    outer = {above for _, place in places for above in graph.above(place)}
    return next((pair for pair in places if pair[1] not in outer), places[0])


def is_free_standing(graph: SceneGraph, thing: int) -> bool:
    """Whether a thing stands in a room, and on or in nothing else."""
    places = graph.places(thing)
    return bool(places) and all(graph[place].kind is Kind.ROOM for _, place in places)


def look_into(
    truth: SceneGraph,
    place: int,
    seen: dict[int, None],
    covered: dict[int, bool],
    *,
    everything: bool,
) -> set[int]:
    """Add a place and its visible contents, at any depth, to `seen` and `covered`.

    Without `everything`, a room shows its fixtures and free-standing things, and a fixture only its
    own fixtures. Contents of closed containers are not shown, and rooms within a place are skipped.

    Returns the further nodes that visibility depends on: the places around things with several
    places. Visibility changes only if a seen node or one of these changes, or something is placed
    in one of them.
    """
    dependencies: set[int] = set()
    nodes, outgoing_of, incoming_of = truth.by_id, truth.outgoing_of, truth.incoming_of
    stack = [place]
    seen[place] = None
    base = nodes[place]
    if _CLOSED not in base.states and (everything or base.kind is _ROOM):
        covered[place] = True
    while stack:
        current = stack.pop()
        node = nodes[current]
        closed = _CLOSED in node.states
        hides_objects = not everything and node.kind is not _ROOM
        for relation, thing in incoming_of.get(current, ()):
            if thing in seen or relation not in _PLACEMENTS or (closed and relation is _INSIDE):
                continue
            node = nodes[thing]
            kind = node.kind
            if kind is _ROOM or (hides_objects and kind is _OBJECT):
                continue
            if len(outgoing_of[thing]) > 1 and len(truth.places(thing)) > 1:
                dependencies.update(truth.above(thing))
                if truth.closed_around(thing) is not None:
                    continue
                if not everything and kind is _OBJECT and not is_free_standing(truth, thing):
                    continue
            seen[thing] = None
            if everything and _CLOSED not in node.states:
                covered[thing] = True
            if incoming_of.get(thing):
                stack.append(thing)
    return dependencies
