"""VirtualHome graphs for `expand_scene`: a scene before characters are added.

The protocol adds characters in separate calls. So characters are removed with all their relations;
things that they held or wore stay in their room.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...scene_graph.node import Kind
from .ontology import kind_of


class Exported(NamedTuple):
    """A graph without characters; the id and the room of the first one, if there was any."""

    graph: dict[str, Any]
    agent: int | None
    room: int | None


def exported(data: Mapping[str, Any]) -> Exported:
    """A copy of a VirtualHome graph for `expand_scene`."""
    kinds = {
        raw["id"]: kind_of(raw["class_name"], raw["category"] or "", raw["properties"])
        for raw in data["nodes"]
    }
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
            edges.append({"from_id": thing, "relation_type": "INSIDE", "to_id": room})
    nodes = [raw for raw in data["nodes"] if raw["id"] not in agents]
    return Exported({"nodes": nodes, "edges": edges}, min(agents, default=None), room)
