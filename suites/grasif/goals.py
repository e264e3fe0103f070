"""Goals of tasks that are given as two graphs, of the start and of the goal.

As in GraSIF's validator (LookPlanGraph, section V), a goal has only nodes that change, and counts
things by category instead of by id. For each thing that moves, its new place has to hold as many of
its category as in the goal graph. Furniture and rooms are themselves. A place that can be carried
is any of its category, but as many of them have the same contents as in the goal graph. States are
those of opening and switching.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from itertools import chain, combinations

from ...scene_graph.goals import And, AtLeast, Domain, Goal, HasState, Or, Related
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind, Node, Relation, State

_INSIDE = Relation.INSIDE
_STATES = (State.OPEN, State.CLOSED, State.ON, State.OFF)
#: Furniture and rooms by id, things by category.
_Place = int | str
_Key = tuple[str, Relation, _Place]
#: How many things of which category are in which relation to one place.
_Contents = frozenset[tuple[tuple[str, Relation], int]]
#: Of more different contents only each one and all together are compared.
_MOST_KINDS = 4


def goal_between(before: SceneGraph, after: SceneGraph) -> Goal | None:
    """The goal that leads from a graph to another with the same ids; None where nothing changes."""
    parts = [*_placed(before, after), *_held(before, after), *_in_states(before, after)]
    return And(tuple(parts)) if parts else None


def _placed(before: SceneGraph, after: SceneGraph) -> Iterator[Goal]:
    there = Counter(key for node in _things(after) for key in _keys(after, node))
    changed = dict.fromkeys(
        key
        for node in _things(after)
        if node.id in before
        for key in _keys(after, node)
        if key not in _keys(before, before[node.id])
    )
    for category, relation, place in changed:
        if not isinstance(place, str):
            body = Related("thing", relation, place)
            yield AtLeast(there[category, relation, place], "thing", _of(category), body)
    for place in dict.fromkeys(place for _, _, place in changed if isinstance(place, str)):
        yield from _in_carried(_contents(after, place, changed), place)


def _contents(after: SceneGraph, category: str, changed: Container[_Key]) -> Counter[_Contents]:
    """How many places of a category have which of the things that change."""
    places = [node.id for node in _things(after) if node.category == category]
    return Counter(
        frozenset(contents.items())
        for place in places
        if (
            contents := Counter(
                (thing.category, how)
                for thing in _things(after)
                for how, where in after.places(thing.id)
                if where == place and (thing.category, how, category) in changed
            )
        )
    )


def _in_carried(contents: Counter[_Contents], category: str) -> Iterator[Goal]:
    """So many places of a category have these contents each, whichever they are.

    Each place counts for one of the contents only. So for any choice of contents as many places
    together have one of them (Hall's theorem).
    """
    kinds = [*contents]
    sizes = range(1, len(kinds) + 1) if len(kinds) <= _MOST_KINDS else (1, len(kinds))
    for chosen in chain.from_iterable(combinations(kinds, size) for size in sizes):
        each = tuple(_holds(kind) for kind in chosen)
        body = each[0] if len(each) == 1 else Or(each)
        yield AtLeast(sum(contents[kind] for kind in chosen), "place", _of(category), body)


def _holds(contents: _Contents) -> Goal:
    """A place holds these things itself: a basket in a basket does not count for both."""
    parts = tuple(
        AtLeast(count, "thing", _of(category), Related("thing", how, "place", how is _INSIDE))
        for (category, how), count in sorted(contents)
    )
    return parts[0] if len(parts) == 1 else And(parts)


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
