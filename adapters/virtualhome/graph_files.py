"""The scene loader "virtualhome": the user's own VirtualHome graphs, of both ontologies.

"virtualhome:PATH" names a JSON file with a graph from Unity's `environment_graph` or from the
evolving graph, alone or as the `init_graph` or `graph` of a larger document. Contradictions and
gaps are resolved here, so that the built-in world and the simulator play the same house:

- The character with the lowest id acts, the others stand idle. If there is none, as in Unity before
  `add_character`, one is put into the room with the lowest id.
- A thing is in the room of its place. RobotHow graphs also name rooms that things have left, and
  other files name none.
- A thing may be on several things that stand on each other (the mouse on the mousepad on the desk).
  Unity also puts it on things nearby, up to a room away: with bounding boxes the nearest support
  counts, otherwise the file is refused.
- A class may be unknown: its properties define its affordances, and without any its category
  defines what it is. A node with neither is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from ...errors import BadInput
from ...scene_graph.fields import Field
from ...scene_graph.graph import SceneGraph
from ...scene_graph.json_codec import read_json
from ...scene_graph.node import Box, Kind, Node, Relation
from .graph_import import to_scene_graph
from .ontology import CATEGORIES, kind_of

#: The keys of the graph in a larger document.
_WRAPPERS = ("init_graph", "graph")

_RawEdges = list[dict[str, Any]]


def load(reference: str) -> SceneGraph:
    """The scene graph of a file. Raises BadInput naming the file, what is wrong, and where."""
    return to_scene_graph(read(reference), reference)


@lru_cache(maxsize=8)
def read(reference: str) -> dict[str, Any]:
    """The VirtualHome graph of a file. Cached and shared: must not be modified."""
    data = read_json(reference)
    if isinstance(data, dict) and "nodes" not in data:
        data = next((data[key] for key in _WRAPPERS if key in data), data)
    return settled(data, reference)


def settled(data: Any, reference: str) -> dict[str, Any]:
    """A parsed graph with its contradictions and gaps resolved.

    reference: the file, for errors. Raises BadInput.
    """
    graph = to_scene_graph(data, reference)
    nodes, edges = data["nodes"], data["edges"]
    _check_classes(nodes, graph, reference)
    rooms = sorted(node.id for node in graph.nodes(Kind.ROOM))
    if not rooms:
        raise BadInput(f"In {reference}, there is no room; expected a node of category 'Rooms'.")
    if next(graph.nodes(Kind.AGENT), None) is None:
        data, _ = with_character(data, rooms[0])
        nodes, edges = data["nodes"], data["edges"]
    spurious = spurious_supports(graph, reference)
    edges = [e for e in edges if (e["from_id"], e["relation_type"], e["to_id"]) not in spurious]
    placed = to_scene_graph({"nodes": nodes, "edges": edges}, reference)
    for agent in placed.nodes(Kind.AGENT):
        if placed.room_of(agent.id) is None:
            raise BadInput(
                f"In {reference}, character {agent.id} is in no room; add an edge INSIDE to one."
            )
    return {"nodes": nodes, "edges": _with_rooms(edges, placed)}


def _check_classes(nodes: list[dict[str, Any]], graph: SceneGraph, where: str) -> None:
    """Refuse undefined classes, and characters that the simulator would not find."""
    for index, raw in enumerate(nodes):
        node = graph.get(raw["id"])
        if node is None:
            continue
        class_name = Field(where, f"nodes[{index}].class_name", raw["class_name"])
        if node.kind is Kind.AGENT and class_name.value != "character":
            raise class_name.wrong("expected 'character' for a node of category 'Characters'")
        if not raw["properties"] and raw["category"] not in CATEGORIES:
            raise class_name.wrong(
                f"expected a class of VirtualHome, or properties or a category that define "
                f"node {node.id}"
            )


# --- places --------------------------------------------------------------------------------------


def spurious_supports(graph: SceneGraph, where: str) -> set[tuple[int, str, int]]:
    """The edges ON that geometry contradicts, as (from, relation, to).

    Raises BadInput for two places of one kind that cannot be ranked.
    """
    spurious = set()
    for node in graph.nodes():
        for relation in (Relation.ON, Relation.INSIDE):
            places = graph.targets(node.id, relation)
            if node.kind is Kind.AGENT and relation is Relation.ON:
                continue  # the simulator keeps the agent on all its old seats
            if all(_in_one_pile(graph, *pair) for pair in combinations(places, 2)):
                continue
            support = _nearest_support(graph, node, places) if relation is Relation.ON else None
            if support is None:
                named = " and ".join(f"{graph[place].category} {place}" for place in places)
                raise BadInput(
                    f"In {where}, {node.category} {node.id} is {relation} {named}; "
                    f"expected one of these, or that one keeps the other."
                )
            spurious |= {
                (node.id, "ON", place)
                for place in places
                if place != support and not _in_one_pile(graph, place, support)
            }
    return spurious


def _in_one_pile(graph: SceneGraph, one: int, other: int) -> bool:
    return one in graph.above(other) or other in graph.above(one)


def _nearest_support(graph: SceneGraph, thing: Node, places: list[int]) -> int | None:
    """The place whose top is nearest below a thing; None where a bounding box is missing."""
    gaps = []
    for place in places:
        support = graph[place].box
        if thing.box is None or support is None:
            return None
        gaps.append((_gap(thing.box, support), place))
    return min(gaps)[1]


def _gap(thing: Box, support: Box) -> float:
    """Metres from the centre of a thing's bottom to the top of a support; Unity's y is height."""
    bottom = thing.center[1] - thing.size[1] / 2
    top = support.center[1] + support.size[1] / 2
    aside = (
        max(0.0, abs(thing.center[axis] - support.center[axis]) - support.size[axis] / 2)
        for axis in (0, 2)
    )
    return abs(bottom - top) + sum(aside)


def _with_rooms(edges: _RawEdges, graph: SceneGraph) -> _RawEdges:
    """The edges with everything inside the room of its place, and inside no other room."""
    rooms = {node.id for node in graph.nodes(Kind.ROOM)}

    def into_room(edge: dict[str, Any]) -> bool:
        return (
            edge["relation_type"] == "INSIDE"
            and edge["to_id"] in rooms
            and edge["from_id"] in graph
        )

    others = [edge for edge in edges if not into_room(edge)]
    located = ((node.id, graph.room_of(node.id)) for node in graph.nodes() if node.id not in rooms)
    return others + [edge_to(node, "INSIDE", room) for node, room in located if room is not None]


def with_character(
    graph: Mapping[str, Any], room: int, prefab: str | None = None
) -> tuple[dict[str, Any], int]:
    """A graph with one more character, who stands in a room; and the character's id."""
    taken = {node["id"] for node in graph["nodes"]}
    free = next(number for number in range(1, len(taken) + 2) if number not in taken)
    character = {
        "id": free,
        "class_name": "character",
        "category": "Characters",
        "properties": [],
        "states": [],
        "prefab_name": prefab,
        "bounding_box": None,
    }
    edges = [*graph["edges"], edge_to(free, "INSIDE", room)]
    return {"nodes": [*graph["nodes"], character], "edges": edges}, free


def edge_to(source: int, relation: str, target: int) -> dict[str, Any]:
    """An edge as in VirtualHome."""
    return {"from_id": source, "relation_type": relation, "to_id": target}


def kinds_of(nodes: Iterable[Mapping[str, Any]]) -> dict[int, Kind | None]:
    """The kinds of nodes as in VirtualHome, by id."""
    return {
        raw["id"]: kind_of(raw["class_name"], raw["category"] or "", raw["properties"])
        for raw in nodes
    }


class Exported(NamedTuple):
    """A graph without characters; the id and the room of the first one, if there was any."""

    graph: dict[str, Any]
    agent: int | None
    room: int | None


def exported(data: Mapping[str, Any]) -> Exported:
    """A copy of a VirtualHome graph for `expand_scene`: a scene before characters are added.

    The protocol adds characters in separate calls. So characters are removed with all their
    relations; things that they held or wore stay in their room.
    """
    kinds = kinds_of(data["nodes"])
    agents = {node_id for node_id, kind in kinds.items() if kind is Kind.AGENT}
    room = min(
        (
            (edge["from_id"], edge["to_id"])
            for edge in data["edges"]
            if edge["from_id"] in agents
            and edge["relation_type"] == "INSIDE"
            and kinds[edge["to_id"]] is Kind.ROOM
        ),
        default=(0, None),
    )[1]
    edges = [e for e in data["edges"] if not {e["from_id"], e["to_id"]} & agents]
    placed = {e["from_id"] for e in edges if e["relation_type"] in ("INSIDE", "ON")}
    for edge in data["edges"]:
        if edge["from_id"] in agents and edge["relation_type"].startswith("HOLDS"):
            thing = edge["to_id"]
        elif edge["to_id"] in agents and edge["relation_type"] == "ON":
            thing = edge["from_id"]
        else:
            continue
        if thing not in placed and room is not None:
            placed.add(thing)
            edges.append(edge_to(thing, "INSIDE", room))
    nodes = [raw for raw in data["nodes"] if raw["id"] not in agents]
    return Exported({"nodes": nodes, "edges": edges}, min(agents, default=None), room)
