"""The scene graph: nodes and relations with the queries that planners and worlds need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..errors import BadInput
from .node import PLACEMENTS, Edge, Kind, Node, Relation, State

#: (relation, target) of the edges that start at a node.
Outgoing = tuple[tuple[Relation, int], ...]
#: (relation, source) of the edges that end at a node; ordered, so that listings are repeatable.
Incoming = dict[tuple[Relation, int], None]

#: Of a node: every place that keeps it, nearest first; the places that it is inside of, directly or
#: through a support; its room. A room is its own room, other nodes have the nearest one.
_Ancestry = tuple[tuple[int, ...], tuple[int, ...], int | None]

_PLACEMENT_SET = frozenset(PLACEMENTS)
# Module constants: a look-up in the enumeration would double the time of the loops below.
_INSIDE, _HOLDS, _CLOSED, _ROOM = Relation.INSIDE, Relation.HOLDS, State.CLOSED, Kind.ROOM


class UnknownNode(BadInput):
    """A node id that the graph does not hold."""


class SceneGraph:
    """A mutable scene graph.

    A pair of nodes may have several relations, and a node several parents. `copy` is cheap: two
    graphs share what they have in common until one writes. Two graphs are equal if they have equal
    nodes and the same relations, in any order.
    """

    __slots__ = ("_agents", "_ancestry", "_changes", "_in", "_nodes", "_out", "_owned", "_rooms")

    def __init__(self, nodes: Iterable[Node] = (), edges: Iterable[Edge] = ()) -> None:
        self._nodes: dict[int, Node] = {}
        self._rooms: tuple[int, ...] = ()
        self._agents: tuple[int, ...] = ()
        self._out: dict[int, Outgoing] = {}
        self._in: dict[int, Incoming] = {}
        self._owned: set[int] = set()  # ids whose entry in _in is not shared with a copy
        self._changes: set[int] | None = None  # for the watcher
        self._ancestry: dict[int, _Ancestry] = {}  # a cache; see `_find_ancestry`
        for node in nodes:
            self.add_node(node)
        for edge in edges:
            self.add_edge(*edge)

    # --- reading ---------------------------------------------------------------------------

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    def __len__(self) -> int:
        return len(self._nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SceneGraph):
            return NotImplemented
        return self._nodes == other._nodes and set(self.edges()) == set(other.edges())

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"SceneGraph({len(self._nodes)} nodes, {sum(map(len, self._out.values()))} edges)"

    def __getitem__(self, node_id: int) -> Node:
        """The node of an id. Raises UnknownNode."""
        try:
            return self._nodes[node_id]
        except KeyError:
            raise UnknownNode(f"The scene graph has no node {node_id}.") from None

    def get(self, node_id: int) -> Node | None:
        """The node of an id, or None."""
        return self._nodes.get(node_id)

    def nodes(self, kind: Kind | None = None) -> Iterator[Node]:
        """Iterate over all nodes, or those of one kind, in the order they were added."""
        if kind is None:
            return iter(self._nodes.values())
        if kind is Kind.ROOM:
            return map(self._nodes.__getitem__, self._rooms)
        return (node for node in self._nodes.values() if node.kind is kind)

    def edges(self) -> Iterator[Edge]:
        for source, outgoing in self._out.items():
            for relation, target in outgoing:
                yield Edge(source, relation, target)

    def has_edge(self, source: int, relation: Relation, target: int) -> bool:
        incoming = self._in.get(target)
        return incoming is not None and (relation, source) in incoming

    @property
    def room_ids(self) -> tuple[int, ...]:
        return self._rooms

    @property
    def agent_ids(self) -> tuple[int, ...]:
        return self._agents

    @property
    def by_id(self) -> Mapping[int, Node]:
        """All nodes by id; this and the next two serve loops too hot for a call per node."""
        return self._nodes

    @property
    def outgoing_of(self) -> Mapping[int, Outgoing]:
        """(relation, target) of the edges that start at each node."""
        return self._out

    @property
    def incoming_of(self) -> Mapping[int, Incoming]:
        """(relation, source) of the edges that end at a node; nodes without any may be absent."""
        return self._in

    def outgoing(self, node_id: int) -> Outgoing:
        """(relation, target) of every edge that starts here."""
        return self._out.get(node_id, ())

    def incoming(self, node_id: int) -> Iterable[tuple[Relation, int]]:
        """(relation, source) of every edge that ends here."""
        return self._in.get(node_id, {}).keys()

    def targets(self, node_id: int, relation: Relation) -> list[int]:
        return [target for r, target in self._out.get(node_id, ()) if r is relation]

    def sources(self, node_id: int, relation: Relation) -> list[int]:
        return [source for r, source in self._in.get(node_id, ()) if r is relation]

    def agent(self) -> Node:
        """The first agent. Raises UnknownNode if there is none."""
        if self._agents:
            return self._nodes[self._agents[0]]
        raise UnknownNode("The scene graph has no agent.")

    def places(self, node_id: int) -> list[tuple[Relation, int]]:
        """(relation, place) of every place that keeps this node; empty while it is held."""
        return [pair for pair in self._out.get(node_id, ()) if pair[0] in _PLACEMENT_SET]

    def contents(self, place: int) -> list[int]:
        """The nodes that a place keeps directly (inside, on, under or attached), each once."""
        kept = [source for r, source in self._in.get(place, ()) if r in _PLACEMENT_SET]
        return kept if len(kept) < 2 else list(dict.fromkeys(kept))

    def holder(self, node_id: int) -> int | None:
        """The agent that holds this node."""
        return next(iter(self.sources(node_id, _HOLDS)), None)

    def held(self, agent: int) -> list[int]:
        return [target for r, target in self._out.get(agent, ()) if r is _HOLDS]

    def above(self, node_id: int) -> tuple[int, ...]:
        """Every place that keeps this node, directly or through another, nearest first.

        A held thing has no place; follow `holder` for where it is carried.
        """
        return (self._ancestry.get(node_id) or self._find_ancestry(node_id))[0]

    def below(self, place: int) -> list[int]:
        """Everything that a place keeps, directly or through another, nearest first."""
        reached = {place: None}
        level = [place]
        for current in level:  # the list grows
            for relation, source in self._in.get(current, ()):
                if relation in _PLACEMENT_SET and source not in reached:
                    reached[source] = None
                    level.append(source)
        return level[1:]

    def is_inside(self, node_id: int, place: int) -> bool:
        """Whether a node is inside a place; `inside` closes over supports.

        An apple on a plate in the fridge is inside the fridge and inside the kitchen. A coin in a
        box on a table is not inside the table.
        """
        reached = {node_id, *self.above(node_id)}
        return any(r is Relation.INSIDE and s in reached for r, s in self._in.get(place, ()))

    def room_of(self, node_id: int) -> int | None:
        """The room of a node or of its holder; a room is its own. Raises UnknownNode."""
        chain, _, room = self._ancestry.get(node_id) or self._find_ancestry(node_id)
        if room is not None:
            return room
        self[node_id]
        current = node_id
        followed: set[int] = set()  # a broken state may put an agent on a thing that it carries
        while room is None:
            holders = map(self.holder, (current, *chain))
            holder = next((holder for holder in holders if holder is not None), None)
            if holder is None or holder in followed:
                return None
            followed.add(holder)
            current = holder
            chain, _, room = self._ancestry.get(current) or self._find_ancestry(current)
        return room

    def closed_around(self, node_id: int) -> int | None:
        """The nearest closed container around a node, over ALL its places, or None.

        Nested containers and several parents hide alike. A thing on a shelf inside a closed cabinet
        is enclosed; a thing on top of a closed box is not.
        """
        for place in (self._ancestry.get(node_id) or self._find_ancestry(node_id))[1]:
            if _CLOSED in self._nodes[place].states:
                return place
        return None

    def _find_ancestry(self, node_id: int) -> _Ancestry:
        """Compute the ancestry of a node and cache it until the node or one of its places moves."""
        node = self._nodes.get(node_id)
        if node is None:
            return (), (), None
        room = node_id if node.kind is _ROOM else None
        kept = [pair for pair in self._out[node_id] if pair[0] in _PLACEMENT_SET]
        if len(kept) == 1:  # the usual case
            relation, place = kept[0]
            known = self._ancestry.get(place)
            if known is not None and node_id not in known[0]:
                further, closed_in, its_room = known
                ancestry = self._ancestry[node_id] = (
                    (place, *further),
                    (place, *closed_in) if relation is _INSIDE else closed_in,
                    its_room if room is None else room,
                )
                return ancestry
        chain = [node_id]
        inside = []
        for current in chain:  # the list grows, level after level
            for relation, place in self._out[current]:
                if relation not in _PLACEMENT_SET:
                    continue
                if relation is _INSIDE:
                    inside.append(place)
                if place not in chain:
                    chain.append(place)
        if room is None:
            nodes = self._nodes
            room = next((place for place in chain if nodes[place].kind is _ROOM), None)
        ancestry = self._ancestry[node_id] = (tuple(chain[1:]), tuple(inside), room)
        return ancestry

    # --- writing ---------------------------------------------------------------------------

    def copy(self) -> SceneGraph:
        nodes, outgoing, incoming = self._nodes.copy(), self._out.copy(), self._in.copy()
        twin = SceneGraph.from_tables(nodes, outgoing, incoming, self._rooms, self._agents)
        twin._ancestry = self._ancestry.copy()
        self._owned = set()
        return twin

    @classmethod
    def from_tables(
        cls,
        nodes: dict[int, Node],
        outgoing: dict[int, Outgoing],
        incoming: dict[int, Incoming],
        rooms: tuple[int, ...],
        agents: tuple[int, ...],
    ) -> SceneGraph:
        """Make a graph from finished tables, which must be consistent.

        The graph owns the tables from then on; the inner tables of `incoming` may be shared.
        """
        graph = cls.__new__(cls)
        graph._nodes, graph._out, graph._in = nodes, outgoing, incoming
        graph._rooms, graph._agents = rooms, agents
        graph._owned, graph._changes, graph._ancestry = set(), None, {}
        return graph

    def watch(self) -> set[int]:
        """A set that collects the id of every changed node; the caller empties it.

        A node changes with its own data and with the relations that start at it. A graph has one
        watcher, the last; copies have none.
        """
        self._changes = set()
        return self._changes

    def part(self, nodes: Iterable[int]) -> SceneGraph:
        """The subgraph of some nodes, with every relation among them. Raises UnknownNode.

        Its cost depends on the size of the part, not of the whole graph.
        """
        kept = {node_id: self[node_id] for node_id in nodes}
        rooms = tuple(room for room in self._rooms if room in kept)
        agents = tuple(agent for agent in self._agents if agent in kept)
        outgoing_of: dict[int, Outgoing] = {}
        incoming: dict[int, Incoming] = {}
        for node_id in kept:
            outgoing = self._out[node_id]
            for _, target in outgoing:
                if target not in kept:
                    outgoing = tuple(pair for pair in outgoing if pair[1] in kept)
                    break
            outgoing_of[node_id] = outgoing
            for relation, target in outgoing:
                if target in incoming:
                    incoming[target][relation, node_id] = None
                else:
                    incoming[target] = {(relation, node_id): None}
        return SceneGraph.from_tables(kept, outgoing_of, incoming, rooms, agents)

    def add_node(self, node: Node) -> None:
        """Add a node. Raises BadInput when the id is taken."""
        if node.id in self._nodes:
            raise BadInput(f"The scene graph already has a node {node.id}.")
        self._nodes[node.id] = node
        self._out[node.id] = ()
        self._mark_changed(node.id)
        if node.kind is Kind.ROOM:
            self._rooms += (node.id,)
        elif node.kind is Kind.AGENT:
            self._agents += (node.id,)

    def replace_node(self, node: Node) -> None:
        """Replace a node by another version of it. Raises UnknownNode."""
        before = self[node.id]
        self._nodes[node.id] = node
        self._mark_changed(node.id)
        if node.kind is not before.kind:
            self._rooms = tuple(n.id for n in self._nodes.values() if n.kind is Kind.ROOM)
            self._agents = tuple(n.id for n in self._nodes.values() if n.kind is Kind.AGENT)
            self._ancestry.clear()

    def set_state(self, node_id: int, state: State) -> None:
        """Put a node in a state; the opposite state ends."""
        self._nodes[node_id] = self[node_id].having(state)
        self._mark_changed(node_id)

    def remove_node(self, node_id: int) -> None:
        """Remove a node with all its edges. Raises UnknownNode."""
        self[node_id]
        self._ancestry.clear()
        for relation, target in self._out[node_id]:
            self._incoming_of(target).pop((relation, node_id), None)
        for relation, source in list(self._in.get(node_id, ())):
            self._out[source] = tuple(p for p in self._out[source] if p != (relation, node_id))
            self._mark_changed(source)
        self._mark_changed(node_id)
        del self._out[node_id]
        self._in.pop(node_id, None)
        self._owned.discard(node_id)
        self._rooms = tuple(room for room in self._rooms if room != node_id)
        self._agents = tuple(agent for agent in self._agents if agent != node_id)
        del self._nodes[node_id]

    def add_edge(self, source: int, relation: Relation, target: int) -> None:
        """Add a relation, if it is not there yet. Raises UnknownNode."""
        if source not in self._nodes or target not in self._nodes:
            unknown = source if source not in self._nodes else target
            raise UnknownNode(f"The scene graph has no node {unknown}.")
        incoming = self._incoming_of(target)
        if (relation, source) not in incoming:
            incoming[relation, source] = None
            self._out[source] = (*self._out[source], (relation, target))
            self._mark_changed(source)
            if relation in _PLACEMENT_SET:
                self._forget_ancestry(source)

    def remove_edge(self, source: int, relation: Relation, target: int) -> None:
        """Remove a relation, if it is there."""
        incoming = self._in.get(target)
        if incoming is not None and (relation, source) in incoming:
            del self._incoming_of(target)[relation, source]
            pair = (relation, target)
            self._out[source] = tuple(p for p in self._out[source] if p != pair)
            self._mark_changed(source)
            if relation in _PLACEMENT_SET:
                self._forget_ancestry(source)

    def set_outgoing(self, source: int, pairs: Iterable[tuple[Relation, int]]) -> None:
        """Replace all relations that start at a node. Raises UnknownNode."""
        self[source]
        before, after = self._out[source], tuple(dict.fromkeys(pairs))
        for _, target in after:
            if target not in self._nodes:
                self[target]
        for pair in after:
            if pair not in before:
                self._incoming_of(pair[1])[pair[0], source] = None
        for pair in before:
            if pair not in after:
                del self._incoming_of(pair[1])[pair[0], source]
        self._out[source] = after
        self._mark_changed(source)
        self._forget_ancestry(source)

    def detach(self, node_id: int) -> None:
        """Remove a node from every place that keeps it and every hand that holds it."""
        for relation, place in self.places(node_id):
            self.remove_edge(node_id, relation, place)
        for agent in self.sources(node_id, _HOLDS):
            self.remove_edge(agent, _HOLDS, node_id)

    def _mark_changed(self, changed: int) -> None:
        if self._changes is not None:
            self._changes.add(changed)

    def _forget_ancestry(self, node_id: int) -> None:
        """Drop the cached ancestry of a moved node and of everything that it keeps."""
        self._ancestry.pop(node_id, None)
        if self._in.get(node_id):
            for thing in self.below(node_id):
                self._ancestry.pop(thing, None)

    def _incoming_of(self, node_id: int) -> Incoming:
        """The incoming edges of a node, for writing: copied first if they are shared."""
        if node_id not in self._owned:
            self._in[node_id] = dict(self._in.get(node_id, ()))
            self._owned.add(node_id)
        return self._in[node_id]
