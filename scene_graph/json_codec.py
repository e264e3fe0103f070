"""Scene graphs as JSON, in Peephole's own schema, and as graphs of networkx.

    {"schema": "peephole.scene_graph/1",
     "nodes": [{"id": 12, "category": "fridge", "kind": "fixture", "native_id": "Fridge|1",
                "states": ["closed"], "affordances": ["container", "openable"],
                "pose": {"position": [x, y, z], "orientation": [x, y, z, w]},
                "box": {"center": [x, y, z], "size": [x, y, z], "more": [{…}]}}, …],
     "edges": [[12, "inside", 1], …]}

Lengths are in metres, orientations unit quaternions. A node needs only `id`, `category` and `kind`;
`native_id` defaults to the id. Nodes and edges are sorted by id, so that equal graphs give equal
documents; only their order is lost.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..data_files import json_data, read_text
from ..errors import BadInput, Missing
from ..installed import Lack
from .fields import Field
from .graph import SceneGraph
from .node import OPPOSITE, Affordance, Box, Kind, Node, Pose, Quaternion, Relation, State, Vector

if TYPE_CHECKING:
    import networkx


SCHEMA = "peephole.scene_graph/1"

_Name = TypeVar("_Name", bound=StrEnum)

_REQUIRED = ("id", "category", "kind")
_OPTIONAL = ("native_id", "states", "affordances", "pose", "box", "number")


def graph_to_data(graph: SceneGraph) -> dict[str, Any]:
    """A graph as JSON data."""
    return {
        "schema": SCHEMA,
        "nodes": [node_to_data(node) for node in sorted(graph.nodes(), key=lambda n: n.id)],
        "edges": [[s, str(relation), t] for s, relation, t in sorted(graph.edges())],
    }


def graph_from_data(data: object, where: str = "the scene graph") -> SceneGraph:
    """The graph from the data of `graph_to_data`.

    where: the name of the document in errors. Raises BadInput naming it and the malformed field,
    and for a graph that no world can be in (`check_well_formed`).
    """
    document = Field(where, "", data)
    schema = document.entries(["schema"], optional=None)["schema"]
    if schema.value != SCHEMA:
        raise schema.wrong(f"this version reads '{SCHEMA}'")
    parts = document.entries(["schema", "nodes", "edges"])
    graph = SceneGraph()
    paths: dict[int, str] = {}
    for item in parts["nodes"].items():
        node = node_from_field(item)
        if node.id in graph:
            repeated = Field(where, f"{item.path}.id", node.id)
            raise repeated.wrong(f"expected another id than that of {paths[node.id]}")
        graph.add_node(node)
        paths[node.id] = item.path
    for item in parts["edges"].items():
        source, relation, target = item.items(count=3)
        ends = []
        for end in (source, target):
            if end.integer() not in graph:
                raise end.wrong("expected the id of a node")
            ends.append(end.integer())
        graph.add_edge(ends[0], relation.name_of(Relation), ends[1])
    check_well_formed(graph, where)
    return graph


def node_to_data(node: Node) -> dict[str, Any]:
    """A node as JSON data, without absent values."""
    data: dict[str, Any] = {
        "id": node.id,
        "category": node.category,
        "kind": str(node.kind),
        "native_id": node.native_id,
    }
    if node.states:
        data["states"] = sorted(map(str, node.states))
    if node.affordances:
        data["affordances"] = sorted(map(str, node.affordances))
    data.update(geometry_to_data(node))
    if node.number is not None:
        data["number"] = node.number
    return data


def node_from_field(field: Field) -> Node:
    """The node from the data of `node_to_data`. Raises BadInput."""
    parts = field.entries(_REQUIRED, _OPTIONAL)
    node_id = parts["id"].integer()
    pose, box = geometry_from_fields(parts)
    return Node(
        node_id,
        parts["category"].text(),
        parts["kind"].name_of(Kind),
        native_id_from_field(parts["native_id"]) if "native_id" in parts else node_id,
        frozenset(_names(parts.get("states"), State)),
        frozenset(_names(parts.get("affordances"), Affordance)),
        pose,
        box,
        parts["number"].integer(0) if "number" in parts else None,
    )


def native_id_from_field(field: Field) -> int | str:
    """The simulator's id of a node: a whole number or text. Raises BadInput."""
    if isinstance(field.value, str):
        return field.value
    if isinstance(field.value, int) and not isinstance(field.value, bool):
        return field.value
    raise field.wrong("expected a whole number or text")


def geometry_to_data(node: Node) -> dict[str, Any]:
    """The pose and the box of a node as JSON data, if it has them."""
    data: dict[str, Any] = {}
    if node.pose is not None:
        data["pose"] = {
            "position": _numbers(node.pose.position),
            "orientation": _numbers(node.pose.orientation),
        }
    if node.box is not None:
        data["box"] = {"center": _numbers(node.box.center), "size": _numbers(node.box.size)}
        if node.box.more:
            parts = [{"center": _numbers(c), "size": _numbers(s)} for c, s in node.box.more]
            data["box"]["more"] = parts
    return data


def geometry_from_fields(parts: Mapping[str, Field]) -> tuple[Pose | None, Box | None]:
    """The pose and the box from the data of `geometry_to_data`. Raises BadInput."""
    pose = box = None
    if "pose" in parts:
        pose_parts = parts["pose"].entries(["position"], ["orientation"])
        pose = Pose(_vector(pose_parts["position"]))
        if "orientation" in pose_parts:
            pose = pose._replace(orientation=_quaternion(pose_parts["orientation"]))
    if "box" in parts:
        box_parts = parts["box"].entries(["center", "size"], ["more"])
        others = box_parts["more"].items() if "more" in box_parts else ()
        center, size = _extent(box_parts)
        box = Box(center, size, tuple(_extent(o.entries(["center", "size"])) for o in others))
    return pose, box


def _extent(parts: Mapping[str, Field]) -> tuple[Vector, Vector]:
    return _vector(parts["center"]), _vector(parts["size"])


def read_graph(path: str | os.PathLike[str]) -> SceneGraph:
    """Read a graph from a JSON file. Raises BadInput naming the file."""
    return graph_from_data(read_json(path), str(path))


def read_json(path: str | os.PathLike[str]) -> Any:
    """The data of a JSON file. Raises BadInput naming the file."""
    try:
        return json_data(read_text(Path(path)), finite=False)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}; give the path of a JSON file.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); give a JSON file.") from error
    except ValueError as error:
        raise BadInput(f"{path} is not JSON ({error}); expected a JSON document.") from error


def write_graph(graph: SceneGraph, path: str | os.PathLike[str]) -> None:
    """Write a graph to a JSON file, one node or edge a line. Raises BadInput."""
    data = graph_to_data(graph)
    nodes, edges = (
        ",\n".join(f"  {json.dumps(item)}" for item in data[part]) for part in ("nodes", "edges")
    )
    text = (
        f'{{\n "schema": {json.dumps(SCHEMA)},\n "nodes": [\n{nodes}\n ],\n'
        f' "edges": [\n{edges}\n ]\n}}\n'
    )
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror}).") from error


def digest(graph: SceneGraph) -> str:
    """The SHA-256 of a graph in hexadecimal; equal graphs have equal digests."""
    text = json.dumps(graph_to_data(graph), separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _names(field: Field | None, names: type[_Name]) -> list[_Name]:
    return [] if field is None else [item.name_of(names) for item in field.items()]


def _numbers(values: Sequence[float]) -> list[float]:
    """Floats without a negative zero, so that equal vectors are written alike."""
    return [float(value) + 0.0 for value in values]


def _vector(field: Field) -> Vector:
    x, y, z = (item.number() for item in field.items(count=3))
    return (x, y, z)


def _quaternion(field: Field) -> Quaternion:
    x, y, z, w = (item.number() for item in field.items(count=4))
    return (x, y, z, w)


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


def to_networkx(graph: SceneGraph) -> networkx.MultiDiGraph:
    """A graph as a MultiDiGraph: its nodes are the ids, its edge keys the relations.

    A node's attributes are its fields as in `json_codec` (plain data), without the id. Nothing is
    lost. Raises Missing without networkx.
    """
    try:
        import networkx
    except ImportError:
        raise Missing(Lack("The package networkx is not installed", "networkx")) from None
    result = networkx.MultiDiGraph()
    for node in graph.nodes():
        data = node_to_data(node)
        result.add_node(data.pop("id"), **data)
    for source, relation, target in graph.edges():
        result.add_edge(source, target, key=str(relation))
    return result


def from_networkx(graph: networkx.MultiDiGraph, where: str = "the networkx graph") -> SceneGraph:
    """The graph from the result of `to_networkx`.

    where: the name of the graph in errors. Raises BadInput naming it and the malformed node or
    edge.
    """
    if not (graph.is_directed() and graph.is_multigraph()):
        raise BadInput(f"In {where}, a {type(graph).__name__} was given; expected a MultiDiGraph.")
    result = SceneGraph()
    for node_id, attributes in graph.nodes(data=True):
        result.add_node(
            node_from_field(Field(where, f"node {node_id!r}", {"id": node_id} | attributes))
        )
    for source, target, key in graph.edges(keys=True):
        relation = Field(where, f"the key of edge {source} to {target}", key)
        result.add_edge(source, relation.name_of(Relation), target)
    check_well_formed(result, where)
    return result
