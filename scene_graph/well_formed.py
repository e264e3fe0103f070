"""Checks that every scene graph from outside must pass."""

from __future__ import annotations

from ..errors import BadInput
from .graph import SceneGraph
from .node import OPPOSITE, Kind, Relation

_Keeper = tuple[str, int]  # (relation, the node that keeps or holds)


def check_well_formed(graph: SceneGraph, where: str) -> None:
    """Refuse a graph that no world can be in. Raises BadInput naming `where` and the things.

    Only agents hold, at most one agent holds a thing, and no chain of places and holders is a
    circle. No thing is in two opposite states.
    """

    def word(node_id: int) -> str:
        return f"{graph[node_id].category} {node_id}"

    for node in graph.nodes():
        for state in node.states:
            if OPPOSITE.get(state) in node.states:
                raise BadInput(
                    f"In {where}, {word(node.id)} is {' and '.join(sorted(node.states))}; "
                    f"expected only one of {' and '.join(sorted((state, OPPOSITE[state])))}."
                )
        holders = graph.sources(node.id, Relation.HOLDS)
        for holder in holders:
            if graph[holder].kind is not Kind.AGENT:
                raise BadInput(
                    f"In {where}, {word(holder)} holds {word(node.id)}; expected an agent to."
                )
        if len(holders) > 1:
            raise BadInput(
                f"In {where}, {word(node.id)} is held by {' and '.join(map(word, holders))}; "
                f"expected one agent at most."
            )
    circle = _circle(graph)
    if circle:
        chain = ", which".join(f" is {how} {word(keeper)}" for how, keeper in circle)
        raise BadInput(
            f"In {where}, {word(circle[-1][1])}{chain}; remove a relation of this circle."
        )


def _circle(graph: SceneGraph) -> list[_Keeper]:
    """The steps of one circle of keepers, from the last keeper back to it; [] if there is none."""
    kept = {node.id: _keepers(graph, node.id) for node in graph.nodes()}
    while True:
        grounded = [
            node_id
            for node_id, keepers in kept.items()
            if not any(keeper in kept for _, keeper in keepers)
        ]
        if not grounded:
            break
        for node_id in grounded:
            del kept[node_id]
    if not kept:
        return []
    # Every node left is kept by another one left, so any walk upwards ends in a circle.
    walk: dict[int, _Keeper] = {}
    current = next(iter(kept))
    while current not in walk:
        walk[current] = next(step for step in kept[current] if step[1] in kept)
        current = walk[current][1]
    passed = list(walk)
    return [walk[node_id] for node_id in passed[passed.index(current) :]]


def _keepers(graph: SceneGraph, node_id: int) -> list[_Keeper]:
    return [
        *((str(relation), place) for relation, place in graph.places(node_id)),
        *(("held by", agent) for agent in graph.sources(node_id, Relation.HOLDS)),
    ]
