"""The change from one scene graph to the next, as a value and as JSON data.

    {"whole": false, "nodes": [node, …], "removed": [id, …],
     "out": [[id, [["on", 4], …]], …], "in": [[id, [["on", 9], …]], …]}

The order of nodes and relations is kept, so that a planner walks a rebuilt graph in the order of
the original. `in` is null if the order of incoming relations does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import compress, islice
from operator import is_not
from typing import Any

from ..errors import BadInput
from .fields import Field
from .graph import Outgoing, SceneGraph
from .json_codec import node_from_field, node_to_data
from .node import Edge, Kind, Node, Relation

#: For some nodes, the relations that start (or end) there.
Listings = tuple[tuple[int, Outgoing], ...]


@dataclass(frozen=True, slots=True)
class GraphChange:
    """The difference between two scene graphs, `before` and `after`."""

    whole: bool = False
    """Whether `before` is empty."""
    nodes: tuple[Node, ...] = ()
    """Nodes that are new or changed."""
    removed: tuple[int, ...] = ()
    """Ids of the nodes that are gone."""
    outgoing: Listings = ()
    """All relations that start at a node, for each node where they changed."""
    incoming: Listings | None = ()
    """All relations that end at a node, for each node where they changed; None if their order is
    not kept.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """The JSON form, for pydantic models with such a field."""
        from pydantic_core import PydanticCustomError, core_schema

        def read(data: Any) -> GraphChange:
            try:
                return data if isinstance(data, cls) else change_from_data(data, "the change")
            except BadInput as error:
                context = {"reason": str(error).rstrip(".")}
                raise PydanticCustomError("damaged", "{reason}", context) from None

        return core_schema.no_info_plain_validator_function(
            read, serialization=core_schema.plain_serializer_function_ser_schema(change_to_data)
        )


def difference(
    before: SceneGraph | None, after: SceneGraph, *, ordered: bool = True
) -> GraphChange | None:
    """The change from `before` (None: an empty graph) to `after`, or None if nothing changed.

    ordered: whether the order of incoming relations is kept too.
    """
    if before is None:
        return _whole(after, ordered)
    nodes, removed = _changed_nodes(before, after)
    if nodes is None:
        return _whole(after, ordered)
    outgoing = _changed_outgoing(before, after)
    incoming = _changed_incoming(before, after) if ordered else None
    if not (nodes or removed or outgoing or incoming):
        return None
    return GraphChange(False, nodes, removed, outgoing, incoming)


def _whole(graph: SceneGraph, ordered: bool) -> GraphChange:
    incoming = None
    if ordered:
        incoming = tuple((i, tuple(pairs)) for i, pairs in graph.incoming_of.items() if pairs)
    return GraphChange(
        True,
        tuple(graph.nodes()),
        (),
        tuple((i, pairs) for i, pairs in graph.outgoing_of.items() if pairs),
        incoming,
    )


def _changed_nodes(
    before: SceneGraph, after: SceneGraph
) -> tuple[tuple[Node, ...] | None, tuple[int, ...]]:
    """Nodes that are new or changed, and ids that are gone; None if the order changed."""
    old, new = before.by_id, after.by_id
    if list(old) == list(new):  # the usual case
        others = compress(new, map(is_not, old.values(), new.values()))
        return tuple([new[i] for i in others if old[i] != new[i]]), ()
    kept = [node_id for node_id in old if node_id in new]
    if kept != list(islice(new, len(kept))):
        return None, ()
    nodes = tuple(node for i, node in new.items() if old.get(i) is not node and old.get(i) != node)
    return nodes, tuple(node_id for node_id in old if node_id not in new)


def _changed_outgoing(before: SceneGraph, after: SceneGraph) -> Listings:
    old, new = before.outgoing_of, after.outgoing_of
    if list(old) == list(new):
        others = compress(new, map(is_not, old.values(), new.values()))
        return tuple([(i, new[i]) for i in others if old[i] != new[i]])
    return tuple((i, pairs) for i, pairs in new.items() if pairs != old.get(i, ()))


def _changed_incoming(before: SceneGraph, after: SceneGraph) -> Listings:
    old, new = before.incoming_of, after.incoming_of
    changed = []
    for node_id in dict.fromkeys((*new, *old)):
        pairs, was = new.get(node_id, {}), old.get(node_id, {})
        if pairs is not was and node_id in after and tuple(pairs) != tuple(was):
            changed.append((node_id, tuple(pairs)))
    return tuple(changed)


def applied(before: SceneGraph, change: GraphChange, where: str) -> SceneGraph:
    """The graph that a change makes of `before`, which is not modified.

    where: the source of the change, for errors. Raises BadInput if the change does not fit.
    """
    if not change.whole:
        return _updated(before, change, where)
    nodes = {node.id: node for node in change.nodes}
    out: dict[int, Outgoing] = {}
    into: dict[int, Outgoing] = {}
    for listings, changed in ((out, change.outgoing), (into, change.incoming or ())):
        for node_id, pairs in changed:
            if node_id not in nodes:
                raise BadInput(f"In {where}, {node_id} has relations but is no node.")
            listings[node_id] = pairs
    graph = SceneGraph(nodes.values())
    if change.incoming is None:
        for source, pairs in out.items():
            for relation, target in pairs:
                graph.add_edge(source, relation, target)
        return graph
    count = 0
    for edge in _in_order(out, into):
        if edge.target not in nodes:
            break
        graph.add_edge(*edge)
        count += 1
    if count != sum(map(len, out.values())) or count != sum(map(len, into.values())):
        raise BadInput(f"In {where}, the relations from and to the nodes do not fit together.")
    return graph


def _updated(before: SceneGraph, change: GraphChange, where: str) -> SceneGraph:
    """What `applied` gives for a change of a part, in time that depends on the part alone."""
    old = before.copy()  # from now on nobody writes into its inner tables
    nodes, out, into = dict(old.by_id), dict(old.outgoing_of), dict(old.incoming_of)
    for node_id in change.removed:
        for table in (nodes, out, into):
            table.pop(node_id, None)
    for node in change.nodes:
        nodes[node.id] = node
        out.setdefault(node.id, ())
    for node_id, _ in (*change.outgoing, *(change.incoming or ())):
        if node_id not in nodes:
            raise BadInput(f"In {where}, {node_id} has relations but is no node.")
    out.update(change.outgoing)
    changed_in = change.incoming
    if changed_in is None:
        changed_in = tuple(_incoming_by_source(old, change, out))
    into.update((node_id, dict.fromkeys(pairs)) for node_id, pairs in changed_in)
    sources = (*change.removed, *(node_id for node_id, _ in change.outgoing))
    targets = (*change.removed, *(node_id for node_id, _ in changed_in))
    edges = {
        *(Edge(s, relation, t) for s in sources for relation, t in old.outgoing(s)),
        *(Edge(s, relation, t) for s in sources for relation, t in out.get(s, ())),
        *(Edge(s, relation, t) for t in targets for relation, s in old.incoming(t)),
        *(Edge(s, relation, t) for t in targets for relation, s in into.get(t, ())),
    }
    if any(
        ((e.relation, e.target) in out.get(e.source, ()))
        != ((e.relation, e.source) in into.get(e.target, ()))
        for e in edges
    ) or any(len(set(pairs)) < len(pairs) for _, pairs in (*change.outgoing, *changed_in)):
        raise BadInput(f"In {where}, the relations from and to the nodes do not fit together.")
    rooms, agents = old.room_ids, old.agent_ids
    if change.removed or change.nodes:
        rooms = tuple(i for i, node in nodes.items() if node.kind is Kind.ROOM)
        agents = tuple(i for i, node in nodes.items() if node.kind is Kind.AGENT)
    return SceneGraph.from_tables(nodes, out, into, rooms, agents)


def _incoming_by_source(
    old: SceneGraph, change: GraphChange, out: Mapping[int, Outgoing]
) -> Iterator[tuple[int, Outgoing]]:
    """The relations that end at each node where they change, in the order of their sources."""
    changed = {node_id for node_id, _ in change.outgoing} | set(change.removed)
    places = {node_id: place for place, node_id in enumerate(out)}
    for target in {t for s in changed for _, t in (*old.outgoing(s), *out.get(s, ()))} & set(out):
        sources = {s for _, s in old.incoming(target)} | changed
        yield (
            target,
            tuple(
                (relation, source)
                for source in sorted(sources & out.keys(), key=places.__getitem__)
                for relation, other in out[source]
                if other == target
            ),
        )


def change_to_data(change: GraphChange) -> dict[str, Any]:
    """A change as JSON data."""
    return {
        "whole": change.whole,
        "nodes": [node_to_data(node) for node in change.nodes],
        "removed": list(change.removed),
        "out": change.outgoing,
        "in": change.incoming,
    }


def change_from_data(data: object, where: str) -> GraphChange:
    """The change from the data of `change_to_data`. Raises BadInput naming the wrong field."""
    parts = Field(where, "", data).entries(("whole", "nodes", "removed", "out", "in"))
    return GraphChange(
        bool(parts["whole"].value),
        tuple(node_from_field(item) for item in parts["nodes"].items()),
        tuple(item.integer() for item in parts["removed"].items()),
        _listings_from(parts["out"]),
        None if parts["in"].value is None else _listings_from(parts["in"]),
    )


def _listings_from(data: Field) -> Listings:
    listings = []
    for item in data.items():
        node_id, pairs = item.items(2)
        listing = []
        for pair in pairs.items():
            relation, other = pair.items(2)
            listing.append((relation.name_of(Relation), other.integer()))
        listings.append((node_id.integer(), tuple(listing)))
    return tuple(listings)


def _in_order(out: Mapping[int, Outgoing], into: Mapping[int, Outgoing]) -> Iterator[Edge]:
    """The edges in an order that gives every listing its own order when they are added.

    Such an order exists: that of the original graph. An edge is next if it is the first one left in
    both its listings.
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
                break  # another edge comes first there; this source is tried again after it
            yield Edge(source, relation, target)
            mine.pop()
            theirs.pop()
            if theirs:
                waiting.append(theirs[-1][1])
