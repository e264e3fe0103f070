"""What it takes to get at a thing."""

from __future__ import annotations

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Affordance, Relation, State
from ...skills.actions import Verb
from ...skills.dynamics import reaches
from .goal_alternatives import Unplannable


def access(graph: SceneGraph, actions: frozenset[Verb], agent: int, thing: int) -> int:
    """The actions of going there and opening what encloses it. Raises Unplannable."""
    closed = shut_around(graph, thing)
    for container in closed:
        openable = Affordance.OPENABLE in graph[container].affordances
        if not openable or Verb.OPEN not in actions:
            raise Unplannable(
                f"{named(graph, thing)} is inside {named(graph, container)}, which does not open"
            )
    return len(closed) + (not reaches(graph, agent, thing))


def shut_around(graph: SceneGraph, thing: int) -> list[int]:
    """Every closed container around a thing, over all its places."""
    return [
        place
        for node_id in (thing, *graph.above(thing))
        for relation, place in graph.places(node_id)
        if relation is Relation.INSIDE and State.CLOSED in graph[place].states
    ]


def named(graph: SceneGraph, node_id: int) -> str:
    return f"the {graph[node_id].category} ({node_id})"
