"""The number of actions it takes to get within reach of a thing."""

from __future__ import annotations

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Relation, State
from ....skills.actions import Verb
from ....skills.reach import reaches
from .goal_alternatives import Unplannable


def access_cost(graph: SceneGraph, actions: frozenset[Verb], agent: int, thing: int) -> int:
    """Count the actions of going to a thing and opening every container around it.

    Raises Unplannable where a closed container cannot be opened.
    """
    containers = closed_containers(graph, thing)
    for container in containers:
        openable = Affordance.OPENABLE in graph[container].affordances
        if not openable or Verb.OPEN not in actions:
            raise Unplannable(
                f"{node_label(graph, thing)} is inside {node_label(graph, container)}, "
                f"which does not open"
            )
    return len(containers) + (not reaches(graph, agent, thing))


def closed_containers(graph: SceneGraph, thing: int) -> list[int]:
    """List every closed container around a thing, over all its places, nearest first."""
    return [
        place
        for node_id in (thing, *graph.above(thing))
        for relation, place in graph.places(node_id)
        if relation is Relation.INSIDE and State.CLOSED in graph[place].states
    ]


def node_label(graph: SceneGraph, node_id: int) -> str:
    """A node's category and id, "the fridge (12)", for reasons why there is no plan."""
    return f"the {graph[node_id].category} ({node_id})"
