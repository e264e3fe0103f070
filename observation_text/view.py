"""Views: the part of a scene graph that an agent perceives, and the places it has looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Relation, State

_INSIDE = Relation.INSIDE
_PLACEMENTS = frozenset(PLACEMENTS)


class Visibility(StrEnum):
    """How far an agent perceives; closed containers hide their contents in every profile.

    ROOM: all of the present room. NEAR: the present room's fixtures and what stands free in it;
    what a fixture keeps only from close. CAMERA: what the simulator or a detector says is visible.
    """

    ROOM = "room"
    NEAR = "near"
    CAMERA = "camera"


@dataclass(frozen=True)
class View:
    """What the agent perceives now.

    graph: the perceived nodes with the relations among them. All rooms are always in it.
    covered: the places whose contents the view tells, and whether completely: a covered place
    without contents was seen empty, one that is missing here was not looked at.
    """

    graph: SceneGraph
    covered: Mapping[int, bool]


def visible(truth: SceneGraph, profile: Visibility, agent: int | None = None) -> View:
    """What an agent perceives of a true graph under the profile ROOM or NEAR."""
    if profile is Visibility.CAMERA:
        raise ValueError("under the profile 'camera' the simulator says what is visible")
    me = truth.agent().id if agent is None else agent
    seen = {room.id: None for room in truth.nodes(Kind.ROOM)}
    seen[me] = None
    covered: dict[int, bool] = {}
    for thing in (*truth.held(me), *truth.contents(me)):
        _look_into(truth, thing, seen, covered, everything=True)
    for base in truth.targets(me, Relation.CLOSE):
        if truth.closed_around(base) is None:
            _look_into(truth, base, seen, covered, everything=True)
    room = truth.room_of(me)
    if room is not None:
        _look_into(truth, room, seen, covered, everything=profile is Visibility.ROOM)
    return View(truth.part(seen), covered)


def stands_free(graph: SceneGraph, thing: int) -> bool:
    """Whether a thing stands in a room, and on or in nothing else."""
    places = graph.places(thing)
    return bool(places) and all(graph[place].kind is Kind.ROOM for _, place in places)


def _look_into(
    truth: SceneGraph,
    place: int,
    seen: dict[int, None],
    covered: dict[int, bool],
    *,
    everything: bool,
) -> None:
    """Add a place and what can be seen in it, at any depth.

    Without `everything`, a room shows its fixtures and what stands free in it, and a fixture
    only the fixtures that it keeps. What any container around it hides is not shown.
    """
    nodes, outgoing_of, incoming_of = truth.by_id, truth.outgoing_of, truth.incoming_of
    stack = [place]
    seen[place] = None
    while stack:
        current = stack.pop()
        node = nodes[current]
        shut = State.CLOSED in node.states
        is_room = node.kind is Kind.ROOM
        if not shut and (everything or is_room):
            covered[current] = True
        for relation, thing in incoming_of.get(current, ()):
            if thing in seen or relation not in _PLACEMENTS or (shut and relation is _INSIDE):
                continue
            only_here = True
            for how, other in outgoing_of[thing]:  # also inside what it lies on, in some graphs
                if (other != current or how is not relation) and how in _PLACEMENTS:
                    only_here = False
                    break
            if not only_here and truth.closed_around(thing) is not None:
                continue
            if (
                everything
                or nodes[thing].kind is not Kind.OBJECT
                or (is_room if only_here else stands_free(truth, thing))
            ):
                seen[thing] = None
                if incoming_of.get(thing):
                    stack.append(thing)
                elif everything and State.CLOSED not in nodes[thing].states:
                    covered[thing] = True
