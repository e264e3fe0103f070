"""Where an agent stands, and what it reaches and sees from there.

The agent is CLOSE to the base it went to, a fixture or a thing standing free in a room, and to the
bases that stand side by side with it. It reaches these and everything they keep at any depth, what
it holds, and its own body with what it wears. Enclosure is a matter of its own.
"""

from __future__ import annotations

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Relation

#: The kinds that an agent stands in, not at.
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
    """Whether the agent reaches a thing; if it approaches by itself, from anywhere in its room."""
    if reaches(graph, agent, thing):
        return True
    return approaches and thing != agent and in_sight(graph, agent, thing)


def reach(graph: SceneGraph, agent: int, *, approaches: bool = False) -> set[int]:
    """Collect everything the agent reaches: all things for which `reachable` holds."""
    found = around(graph, agent)
    found.update(graph.below(agent))
    if approaches:
        found |= all_in_sight(graph, agent)
    found.discard(agent)
    return found


def around(graph: SceneGraph, agent: int) -> set[int]:
    """Collect what the agent holds and is close to, with everything these keep; not its body."""
    found: set[int] = set()
    for relation, base in graph.outgoing(agent):
        if relation is _CLOSE or relation is _HOLDS:
            found.add(base)
            found.update(graph.below(base))
    return found


def bases(graph: SceneGraph, thing: int) -> list[int]:
    """List the bases of a thing, where one stands to reach it: what keeps it, kept only by a room.

    What is on somebody's body has none.
    """
    found = []
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
            found.append(node_id)
    return found


def stands_at(graph: SceneGraph, thing: int) -> list[int]:
    """List the bases the agent is close to after going to a thing: its own and those beside."""
    own = bases(graph, thing)
    outgoing = graph.outgoing_of
    beside = [near for base in own for how, near in outgoing.get(base, ()) if how is _CLOSE]
    return list(dict.fromkeys(own + beside)) if beside else own


def in_sight(graph: SceneGraph, agent: int, thing: int) -> bool:
    """Whether a thing is in the agent's room, or is that room."""
    room = graph.room_of(agent)
    return room is not None and graph.room_of(thing) == room


def all_in_sight(graph: SceneGraph, agent: int) -> set[int]:
    """Collect everything in the agent's room: all things for which `in_sight` holds.

    Only a thing of two rooms, which no well-formed graph has, is here in sight from both.
    """
    room = graph.room_of(agent)
    if room is None:
        return set()
    found = {room, *graph.below(room)}
    for other in graph.agent_ids:
        if other in found:
            for thing in graph.held(other):
                found.add(thing)
                found.update(graph.below(thing))
    return found


def _has(graph: SceneGraph, agent: int, thing: int) -> bool:
    return graph.has_edge(agent, _CLOSE, thing) or graph.has_edge(agent, _HOLDS, thing)
