"""A kitchen with the agent at a table, for tests to lay things out in."""

from __future__ import annotations

from collections.abc import Iterable

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation

ROOM, ME, TABLE = range(1, 4)


def table_room(
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    affordances: frozenset[Affordance] = frozenset(),
) -> SceneGraph:
    """The kitchen with more nodes and edges. affordances: of the table."""
    return SceneGraph(
        [
            Node(ROOM, "kitchen", Kind.ROOM, ROOM),
            Node(ME, "character", Kind.AGENT, ME),
            Node(TABLE, "table", Kind.FIXTURE, TABLE, affordances=affordances),
            *nodes,
        ],
        [
            Edge(ME, Relation.INSIDE, ROOM),
            Edge(ME, Relation.CLOSE, TABLE),
            Edge(TABLE, Relation.INSIDE, ROOM),
            *edges,
        ],
    )
