"""VirtualHome graphs as scene graphs, in one canonical form for files and running simulators.

A VirtualHome graph is {"nodes": [{"id", "class_name", "category", "properties", "states", …}],
"edges": [{"from_id", "relation_type", "to_id"}]}. It is translated as follows:

- Nodes keep their ids, also as native ids, and are sorted by them. Those without an
  `ontology.kind_of` are left out with all their edges.
- HOLDS_RH and HOLDS_LH become `holds`. A held thing has no place: the simulator keeps stale ones.
- ON becomes `on`. A fixture stands on no object (beds on mats) but in its room. Things on the agent
  are worn. The agent is on something only while it sits or lies: the simulator keeps it on all its
  old seats.
- Body parts are attached to the first agent, wherever the graph puts them.
- INSIDE becomes `inside`. A room counts only for things without another place: the simulator never
  updates the room of moved things. A container is left out if it is implied, since another place of
  the same thing is inside it.
- CLOSE of agents becomes `close` to the bases they stand at, as in `skills.reach`. Held things,
  things implied by a base, and things in another room are left out. CLOSE between fixed things
  (fixtures and free-standing ones) puts their bases side by side.
- FACING counts from agents and seats to things in the same room. BETWEEN is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import BadInput
from ...scene_graph.fields import Field
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import POSTURES, Affordance, Box, Kind, Node, Pose, Relation
from ...scene_graph.well_formed import check_well_formed
from ...skills.dynamics import bases
from .ontology import (
    PROPERTIES,
    RELATIONS,
    STATES,
    affordances_of,
    english,
    is_body_part,
    kind_of,
    states_of,
)

Pair = tuple[int, int]


@dataclass
class Edges:
    """The edges of a VirtualHome graph that count, as (from, to), in any order."""

    on: list[Pair] = field(default_factory=list)
    """ON."""
    inside: list[Pair] = field(default_factory=list)
    """INSIDE."""
    holds: list[Pair] = field(default_factory=list)
    """HOLDS_RH and HOLDS_LH."""
    close: list[Pair] = field(default_factory=list)
    """CLOSE from agents."""
    facing: list[Pair] = field(default_factory=list)
    """FACING."""
    beside: list[Pair] = field(default_factory=list)
    """CLOSE from fixtures and objects."""
    parts: list[int] = field(default_factory=list)
    """Ids of the parts of the body."""


def to_scene_graph(data: object, where: str) -> SceneGraph:
    """The scene graph of a VirtualHome graph's parsed JSON.

    where: the file, for errors. Raises BadInput naming it, the field, and what was expected.
    """
    entries = Field(where, "", data).entries(("nodes", "edges"), None)
    raw_nodes, raw_edges = entries["nodes"], entries["edges"]
    if not isinstance(raw_nodes.value, list):
        raise raw_nodes.wrong("expected a list")
    if not isinstance(raw_edges.value, list):
        raise raw_edges.wrong("expected a list")
    kinds: dict[int, Kind | None] = {}
    for index, raw in enumerate(raw_nodes.value):
        kind = read_kind(raw, where, index)
        if raw["id"] in kinds:
            repeated = Field(where, f"nodes[{index}].id", raw["id"])
            raise repeated.wrong("expected an id that no earlier node has")
        kinds[raw["id"]] = kind
    edges = read_edges(raw_edges.value, kinds, where)
    edges.parts = parts_of_body(raw_nodes.value)
    nodes = {}
    for index, raw in enumerate(raw_nodes.value):
        kind = kinds[raw["id"]]
        if kind is not None:
            node = make_node(raw, kind, raw["states"])
            nodes[node.id] = with_geometry(node, raw, where, index)
    graph = assemble(nodes, edges)
    place_beside(graph, side_by_side(graph, edges.beside))
    check_well_formed(graph, where)
    return graph


def parts_of_body(raw_nodes: Iterable[Mapping[str, Any]]) -> list[int]:
    """The ids of the nodes that are parts of the character's body."""
    return [raw["id"] for raw in raw_nodes if is_body_part(raw["properties"])]


def make_node(raw: Mapping[str, Any], kind: Kind, states: Collection[str]) -> Node:
    """Our node for one of theirs in some states; `kind` is that of `ontology.kind_of`."""
    node_id, class_name, properties = raw["id"], raw["class_name"], raw["properties"]
    ours = states_of(class_name, properties, states)
    if kind is Kind.AGENT:
        return Node(node_id, english(class_name), kind, node_id, POSTURES & ours)
    if kind is Kind.ROOM:
        return Node(node_id, english(class_name), kind, node_id)
    can = affordances_of(class_name, properties, ours)
    return Node(node_id, english(class_name), kind, node_id, frozenset(ours), frozenset(can))


def assemble(nodes: Mapping[int, Node], edges: Edges) -> SceneGraph:
    """The canonical graph of nodes and edges, without relations between bases side by side.

    Edges of missing nodes are left out.
    """
    graph = SceneGraph(nodes[node_id] for node_id in sorted(nodes))
    bound = set()  # held, or a part of the body: no other place
    for agent, thing in sorted(edges.holds):
        if agent in nodes and thing in nodes:
            bound.add(thing)
            graph.add_edge(agent, Relation.HOLDS, thing)
    first = min((i for i, node in nodes.items() if node.kind is Kind.AGENT), default=None)
    if first is not None:
        for part in edges.parts:
            bound.add(part)
            graph.add_edge(part, Relation.ATTACHED, first)
    placed: dict[int, int] = {}  # the number of places of each thing
    for thing, place in sorted(edges.on):
        if _can_be_kept(nodes, bound, thing, place) or _is_worn(nodes, bound, thing, place):
            graph.add_edge(thing, Relation.ON, place)
            placed[thing] = placed.get(thing, 0) + 1
        elif _is_seat(nodes, thing, place):
            graph.add_edge(thing, Relation.ON, place)
    rooms = []
    for thing, place in sorted(edges.inside):
        if place in nodes and nodes[place].kind is Kind.ROOM:
            rooms.append((thing, place))
        elif _can_be_kept(nodes, bound, thing, place):
            graph.add_edge(thing, Relation.INSIDE, place)
            placed[thing] = placed.get(thing, 0) + 1
    for thing, room in rooms:
        movable = thing in nodes and thing not in bound and thing not in placed
        if movable and nodes[thing].kind is not Kind.ROOM:
            graph.add_edge(thing, Relation.INSIDE, room)
    for thing in [thing for thing, count in placed.items() if count > 1]:
        _drop_implied(graph, thing)
    for agent, thing in sorted(edges.close):
        _stand_at(graph, agent, thing)
    for source, target in sorted(edges.facing):
        _turn_to(graph, source, target)
    return graph


def side_by_side(graph: SceneGraph, close: Iterable[Pair]) -> list[Pair]:
    """The bases that stand side by side, by the CLOSE edges between all things.

    An edge counts for the bases of its two things if both are fixed: fixtures, or free-standing
    things. Each pair of bases is listed both ways.
    """
    standing = {
        node.id: own
        for node in graph.nodes()
        if node.kind in (Kind.FIXTURE, Kind.OBJECT)
        if node.id in (own := bases(graph, node.id)) or node.kind is Kind.FIXTURE
    }
    rooms = {thing: graph.room_of(thing) for thing in standing}
    pairs = set()
    for one, other in close:
        if one in standing and other in standing and rooms[one] == rooms[other]:
            for near in standing[one]:
                pairs |= {p for far in standing[other] if near != far for p in _both(near, far)}
    return sorted(pairs)


def place_beside(graph: SceneGraph, pairs: Iterable[Pair]) -> None:
    """Put bases side by side."""
    for one, other in pairs:
        graph.add_edge(one, Relation.CLOSE, other)


def _both(one: int, other: int) -> tuple[Pair, Pair]:
    return (one, other), (other, one)


def _can_be_kept(nodes: Mapping[int, Node], bound: set[int], thing: int, place: int) -> bool:
    """Whether a thing's place, other than a room, counts."""
    if thing not in nodes or place not in nodes or thing in bound or thing == place:
        return False
    kept, keeper = nodes[thing].kind, nodes[place].kind
    if kept is Kind.FIXTURE:
        return keeper is Kind.FIXTURE
    return kept is Kind.OBJECT and keeper in (Kind.FIXTURE, Kind.OBJECT)


def _is_worn(nodes: Mapping[int, Node], bound: set[int], thing: int, agent: int) -> bool:
    worn = agent in nodes and nodes[agent].kind is Kind.AGENT and thing in nodes
    return worn and thing not in bound and nodes[thing].kind is Kind.OBJECT


def _is_seat(nodes: Mapping[int, Node], agent: int, seat: int) -> bool:
    if agent not in nodes or seat not in nodes or nodes[agent].kind is not Kind.AGENT:
        return False
    resting = not POSTURES.isdisjoint(nodes[agent].states)
    return resting and nodes[seat].kind in (Kind.FIXTURE, Kind.OBJECT)


def _drop_implied(graph: SceneGraph, thing: int) -> None:
    """Remove a thing from the containers that its other places are inside of."""
    for relation, place in graph.places(thing):
        if relation is Relation.INSIDE and any(
            other != place and graph.is_inside(other, place) for _, other in graph.places(thing)
        ):
            graph.remove_edge(thing, relation, place)


def _stand_at(graph: SceneGraph, agent: int, thing: int) -> None:
    """Add the meaning of being close to a thing: standing at its bases."""
    if agent not in graph or thing not in graph or graph[thing].kind in (Kind.ROOM, Kind.AGENT):
        return
    room = graph.room_of(agent)
    for base in bases(graph, thing):
        if graph.holder(base) is None and graph.room_of(base) == room:
            graph.add_edge(agent, Relation.CLOSE, base)


def _turn_to(graph: SceneGraph, source: int, target: int) -> None:
    """Add what an agent or a seat faces in the same room."""
    if source not in graph or target not in graph or source == target:
        return
    node = graph[source]
    faces = node.kind is Kind.AGENT or Affordance.SITTABLE in node.affordances
    if faces and graph.room_of(source) == graph.room_of(target):
        graph.add_edge(source, Relation.FACING, target)


# --- reading parsed JSON -------------------------------------------------------------------------
# A graph has hundreds of nodes and thousands of edges. They are read quickly, and examined field by
# field only to describe an error.


def read_kind(raw: Any, where: str, index: int) -> Kind | None:
    try:
        sound = (
            type(raw["id"]) is int
            and isinstance(raw["class_name"], str)
            and raw["class_name"] != ""
            and isinstance(raw["category"], str | None)
            and isinstance(raw["properties"], list)
            and all(value in PROPERTIES for value in raw["properties"])
            and isinstance(raw["states"], list)
            and all(state in STATES for state in raw["states"])
        )
    except (KeyError, TypeError):
        sound = False
    if not sound:
        raise _wrong_node(Field(where, f"nodes[{index}]", raw))
    return kind_of(raw["class_name"], raw["category"] or "", raw["properties"])


def _wrong_node(node: Field) -> BadInput:
    """The error of an unreadable node."""
    fields = node.entries(("id", "class_name", "category", "properties", "states"), None)
    fields["id"].integer()
    fields["class_name"].text()
    for value in fields["properties"].items():
        if value.text() not in PROPERTIES:
            return value.wrong(f"expected one of {', '.join(sorted(PROPERTIES))}")
    for value in fields["states"].items():
        if value.text() not in STATES:
            return value.wrong(f"expected one of {', '.join(STATES)}")
    return fields["category"].wrong("expected text or null")


def read_edges(raw_edges: list[Any], kinds: Mapping[int, Kind | None], where: str) -> Edges:
    """The edges that count. kinds: of every node. Raises BadInput."""
    edges = Edges()
    kept = {
        "INSIDE": edges.inside,
        "ON": edges.on,
        "FACING": edges.facing,
        "HOLDS_RH": edges.holds,
        "HOLDS_LH": edges.holds,
    }
    for index, raw in enumerate(raw_edges):
        try:
            start, relation, end = raw["from_id"], raw["relation_type"], raw["to_id"]
            known = relation in RELATIONS and start in kinds and end in kinds
        except (KeyError, TypeError):
            known = False
        if not known:
            raise _wrong_edge(Field(where, f"edges[{index}]", raw), kinds)
        if relation == "CLOSE":
            (edges.close if kinds[start] is Kind.AGENT else edges.beside).append((start, end))
        elif relation in kept:
            kept[relation].append((start, end))
    return edges


def _wrong_edge(edge: Field, kinds: Collection[int]) -> BadInput:
    """The error of an unreadable edge."""
    fields = edge.entries(("from_id", "relation_type", "to_id"), None)
    for key in ("from_id", "to_id"):
        if fields[key].integer() not in kinds:
            return fields[key].wrong("expected the id of one of the nodes")
    return fields["relation_type"].wrong(f"expected one of {', '.join(sorted(RELATIONS))}")


def with_geometry(node: Node, raw: Mapping[str, Any], where: str, index: int) -> Node:
    """A node with the pose and the box of the Unity scenes, if present."""
    if raw.get("obj_transform") is None and raw.get("bounding_box") is None:
        return node
    fields = Field(where, f"nodes[{index}]", raw).entries((), None)
    pose, box = node.pose, node.box
    if raw.get("obj_transform") is not None:
        transform = fields["obj_transform"].entries(("position", "rotation"), None)
        x, y, z = _numbers(transform["position"], 3)
        a, b, c, d = _numbers(transform["rotation"], 4)
        pose = Pose((x, y, z), (a, b, c, d))
    if raw.get("bounding_box") is not None:
        bounds = fields["bounding_box"].entries(("center", "size"))
        x, y, z = _numbers(bounds["center"], 3)
        width, height, depth = _numbers(bounds["size"], 3)
        box = Box((x, y, z), (width, height, depth))
    return replace(node, pose=pose, box=box)


def _numbers(values: Field, count: int) -> list[float]:
    return [item.number() for item in values.items(count)]
