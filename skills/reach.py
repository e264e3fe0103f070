"""Where an agent stands, and what it reaches and sees from there.

The agent is CLOSE to the base it went to and to the bases side by side with it. A base is a fixture
or a free-standing thing. The agent reaches these with everything they keep, its held things, its
body and its clothes. Enclosure is checked separately.
"""

from __future__ import annotations

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Relation

#: The kinds of nodes that an agent stands in, not at.
_AREAS = frozenset({Kind.ROOM, Kind.SCENE})
_PLACEMENTS = frozenset(PLACEMENTS)
_CLOSE, _HOLDS, _AGENT = Relation.CLOSE, Relation.HOLDS, Kind.AGENT


def reaches(graph: SceneGraph, agent: int, thing: int) -> bool:
    """Whether the agent reaches a thing from where it stands."""
    if thing == agent:
        return False
    if _has(graph, agent, thing):
        return True
    return any(place == agent or _has(graph, agent, place) for place in graph.above(thing))


def reachable(graph: SceneGraph, agent: int, thing: int, *, approaches: bool) -> bool:
    """Whether the agent reaches a thing; with `approaches`, from anywhere in the room."""
    if reaches(graph, agent, thing):
        return True
    return approaches and thing != agent and in_sight(graph, agent, thing)


def reach(graph: SceneGraph, agent: int, *, approaches: bool = False) -> set[int]:
    """Collect all things for which `reachable` holds."""
    reached = around(graph, agent)
    reached.update(graph.below(agent))
    if approaches:
        reached |= all_in_sight(graph, agent)
    reached.discard(agent)
    return reached


def around(graph: SceneGraph, agent: int) -> set[int]:
    """Collect what the agent holds and is close to, with everything these keep; not its body."""
    nearby: set[int] = set()
    for relation, base in graph.outgoing(agent):
        if relation is _CLOSE or relation is _HOLDS:
            nearby.add(base)
            nearby.update(graph.below(base))
    return nearby


def bases(graph: SceneGraph, thing: int) -> list[int]:
    """List the bases of a thing: the places that keep it and that only a room keeps.

    Things on somebody's body have none.
    """
    standing = []
    nodes, outgoing = graph.by_id, graph.outgoing_of
    for node_id in (thing, *graph.above(thing)):
        kind = nodes[node_id].kind
        if kind in _AREAS:
            continue
        if kind is _AGENT and node_id != thing:
            return []
        for relation, place in outgoing.get(node_id, ()):
            if relation in _PLACEMENTS and nodes[place].kind not in _AREAS:
                break
        else:
            standing.append(node_id)
    return standing


def stands_at(graph: SceneGraph, thing: int) -> list[int]:
    """List the bases that the agent is close to after going to a thing: its own and those beside
    it.
    """
    own = bases(graph, thing)
    outgoing = graph.outgoing_of
    beside = [near for base in own for how, near in outgoing.get(base, ()) if how is _CLOSE]
    return list(dict.fromkeys(own + beside)) if beside else own


def in_sight(graph: SceneGraph, agent: int, thing: int) -> bool:
    """Whether a thing is in the agent's room, or is that room."""
    room = graph.room_of(agent)
    return room is not None and graph.room_of(thing) == room


def all_in_sight(graph: SceneGraph, agent: int) -> set[int]:
    """Collect all things for which `in_sight` holds.

    A thing of two rooms, which no well-formed graph has, counts here in both.
    """
    room = graph.room_of(agent)
    if room is None:
        return set()
    seen = {room, *graph.below(room)}
    for other in graph.agent_ids:
        if other in seen:
            for thing in graph.held(other):
                seen.add(thing)
                seen.update(graph.below(thing))
    return seen


def _has(graph: SceneGraph, agent: int, thing: int) -> bool:
    return graph.has_edge(agent, _CLOSE, thing) or graph.has_edge(agent, _HOLDS, thing)
