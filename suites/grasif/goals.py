"""Goals of tasks that are given as two graphs, of the start and of the goal.

As in GraSIF's validator (LookPlanGraph, section V), a goal has only nodes that change, and counts
things by category instead of by id. For each thing that moves, its new place has to hold as many of
its category as in the goal graph. A place that can be carried is any of its category; furniture and
rooms are themselves. States are those of opening and switching.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...scene_graph.goals import And, AtLeast, Domain, Exists, Goal, HasState, Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Relation, State

_STATES = (State.OPEN, State.CLOSED, State.ON, State.OFF)
#: Furniture and rooms by id, things by category.
_Place = int | str
_Key = tuple[str, Relation, _Place]


def goal_between(before: SceneGraph, after: SceneGraph) -> Goal | None:
    """The goal that leads from a graph to another with the same ids; None where nothing changes."""
    parts = [*_placed(before, after), *_held(before, after), *_in_states(before, after)]
    return And(tuple(parts)) if parts else None


def _placed(before: SceneGraph, after: SceneGraph) -> Iterator[Goal]:
    there = Counter(key for node in _things(after) for key in _keys(after, node))
    changed = [
        key
        for node in _things(after)
        if node.id in before
        for key in _keys(after, node)
        if key not in _keys(before, before[node.id])
    ]
    for category, relation, place in dict.fromkeys(changed):
        count = there[category, relation, place]
        body: Goal = Related("thing", relation, place)
        if isinstance(place, str):
            body = Exists("place", _of(place), Related("thing", relation, "place"))
        yield AtLeast(count, "thing", _of(category), body)


def _held(before: SceneGraph, after: SceneGraph) -> Iterator[Goal]:
    agent = after.agent().id
    held = Counter(after[i].category for i in after.held(agent))
    changed = [after[i].category for i in after.held(agent) if i not in before.held(agent)]
    for category in dict.fromkeys(changed):
        body = Related(agent, Relation.HOLDS, "thing")
        yield AtLeast(held[category], "thing", _of(category), body)


def _in_states(before: SceneGraph, after: SceneGraph) -> Iterator[Goal]:
    changed = [
        (node, state)
        for node in after.nodes()
        for state in _STATES
        if state in node.states and node.id in before and state not in before[node.id].states
    ]
    for node, state in changed:
        if node.kind is not Kind.OBJECT:
            yield HasState(node.id, state)
    things = [(node.category, state) for node, state in changed if node.kind is Kind.OBJECT]
    for category, state in dict.fromkeys(things):
        alike = [node for node in _things(after) if node.category == category]
        count = sum(state in node.states for node in alike)
        yield AtLeast(count, "thing", _of(category), HasState("thing", state))


def _things(graph: SceneGraph) -> Iterator[Node]:
    return graph.nodes(Kind.OBJECT)


def _keys(graph: SceneGraph, thing: Node) -> set[_Key]:
    """The places of a thing for counting; its room where nothing else holds it."""
    places = graph.places(thing.id)
    near = [(how, place) for how, place in places if graph[place].kind is not Kind.ROOM]
    return {
        (thing.category, how, at.category if (at := graph[place]).kind is Kind.OBJECT else place)
        for how, place in near or places
    }


def _of(category: str) -> Domain:
    return Domain(frozenset({category}))
