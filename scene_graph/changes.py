"""What changed between two readings of a scene graph, as JSON data.

    {"whole": false, "nodes": [node, …], "removed": [id, …],
     "out": [[id, [["on", 4], …]], …], "in": [[id, [["on", 9], …]], …]}

`nodes` are new or other than before, in the schema of `scene_graph.json_codec`. `out` and `in` give
the relations that start and end at a node, for the nodes whose listing changed. Where `whole` is
true, the changes are from an empty graph.

The order of nodes and of every listing is kept, so that whoever walks through the graph that was
made of the changes, such as a planner, meets all in the same order as in the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from ..errors import BadInput
from .fields import Field
from .graph import SceneGraph
from .json_codec import node_from_field, node_to_data
from .node import Edge, Node, Relation

_Listing = tuple[tuple[Relation, int], ...]


def changes(before: SceneGraph | None, after: SceneGraph) -> dict[str, Any] | None:
    """What makes `after` of `before`, or of nothing; None where nothing changed."""
    whole = before is None or not _begins_like(after, before)
    if before is None or whole:
        before = SceneGraph()
    nodes, out, into = [], [], []
    for node in after.nodes():
        known = before.get(node.id)
        if known is not node and known != node:
            nodes.append(node_to_data(node))
        outgoing = after.outgoing(node.id)
        if outgoing != before.outgoing(node.id):
            out.append([node.id, outgoing])
        incoming = tuple(after.incoming(node.id))
        if incoming != tuple(before.incoming(node.id)):
            into.append([node.id, incoming])
    removed = [node.id for node in before.nodes() if node.id not in after]
    if not (whole or nodes or out or into or removed):
        return None
    return {"whole": whole, "nodes": nodes, "removed": removed, "out": out, "in": into}


def applied(before: SceneGraph, data: object, where: str) -> SceneGraph:
    """The graph that changes make of `before`, which stays as it is.

    where: whose changes they are, for errors. Raises BadInput where they fit no graph.
    """
    parts = Field(where, "", data).entries(("whole", "nodes", "removed", "out", "in"))
    nodes: dict[int, Node] = {}
    if not parts["whole"].value:
        nodes = {node.id: node for node in before.nodes()}
    for item in parts["removed"].items():
        nodes.pop(item.integer(), None)
    out = {node_id: tuple(before.outgoing(node_id)) for node_id in nodes}
    into = {node_id: tuple(before.incoming(node_id)) for node_id in nodes}
    for item in parts["nodes"].items():
        node = node_from_field(item)
        nodes[node.id] = node
    _update(out, nodes, parts["out"])
    _update(into, nodes, parts["in"])
    graph = SceneGraph(nodes.values())
    count = 0
    for edge in _in_order(out, into):
        graph.add_edge(*edge)
        count += 1
    if count != sum(map(len, out.values())) or count != sum(map(len, into.values())):
        raise BadInput(f"In {where}, the relations from and to the nodes do not fit together.")
    return graph


def _begins_like(after: SceneGraph, before: SceneGraph) -> bool:
    """Whether the nodes that both have are the first of `after`, in the order of `before`."""
    kept = [node.id for node in before.nodes() if node.id in after]
    return kept == [node.id for node in islice(after.nodes(), len(kept))]


def _update(listings: dict[int, _Listing], nodes: Mapping[int, Node], changed: Field) -> None:
    for item in changed.items():
        node_id, pairs = item.items(2)
        if node_id.integer() not in nodes:
            raise node_id.wrong("expected the id of a node")
        listing = []
        for pair in pairs.items():
            relation, other = pair.items(2)
            listing.append((relation.name_of(Relation), other.integer()))
        listings[node_id.integer()] = tuple(listing)


def _in_order(out: Mapping[int, _Listing], into: Mapping[int, _Listing]) -> Iterator[Edge]:
    """The edges in an order in which adding them gives every listing its own order.

    There is one, that in which they were added: an edge is next when it is the first that is left
    of both its listings.
    """
    outgoing = {source: list(reversed(listing)) for source, listing in out.items() if listing}
    incoming = {target: list(reversed(listing)) for target, listing in into.items() if listing}
    waiting = list(reversed(outgoing))
    while waiting:
        source = waiting.pop()
        mine = outgoing.get(source)
        while mine:
            relation, target = mine[-1]
            theirs = incoming.get(target)
            if not theirs or theirs[-1] != (relation, source):
                break  # another comes first there; after it, this source is tried again
            yield Edge(source, relation, target)
            mine.pop()
            theirs.pop()
            if theirs:
                waiting.append(theirs[-1][1])
