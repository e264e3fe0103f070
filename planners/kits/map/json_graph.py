"""The known scene as hierarchical JSON, reduced to what prompts need.

The form is that of the scene-graph planning literature (`scene_graph/hierarchical_codec.py`):
rooms, assets, objects and the agent by name, with their places, states and affordances. Ids,
geometry and links are left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from ....scene_graph.graph import SceneGraph
from ....scene_graph.hierarchical_codec import to_hierarchy
from .names import NodeNames

#: The fields of nodes in prompts, in this order.
_KEPT = ("name", "room", "relation", "related_to", "location", "holding", "states", "affordances")
_NAMING = frozenset({"name", "room", "related_to", "location", "holding"})
NO_FLAGS: Mapping[str, Collection[int]] = MappingProxyType({})
#: The name of the planning agent.
AGENT = "agent-1"


def json_graph(
    graph: SceneGraph, names: NodeNames, flags: Mapping[str, Collection[int]] = NO_FLAGS
) -> str:
    """A graph as JSON text. flags: fields set to true, with their nodes."""
    me = graph.agent_ids[0] if graph.agent_ids else None
    nodes = to_hierarchy(graph)["nodes"]
    layers = {key: [layer] if isinstance(layer, dict) else layer for key, layer in nodes.items()}
    called = {
        entry["name"]: AGENT if entry["node_id"] == me else names.name(entry["node_id"])
        for layer in layers.values()
        for entry in layer
    }
    trimmed: dict[str, Any] = {
        key: [_trimmed(entry, called, flags) for entry in layer]
        for key, layer in layers.items()
        if key != "scene"
    }
    if me is not None and len(trimmed["agent"]) == 1:
        trimmed["agent"] = trimmed["agent"][0]
    return json.dumps({"nodes": trimmed}, ensure_ascii=False)


def _trimmed(
    entry: dict[str, Any], called: dict[str, str], flags: Mapping[str, Collection[int]]
) -> dict[str, Any]:
    """An entry with the kept fields, and names as in prompts."""
    trimmed: dict[str, Any] = {}
    for field in _KEPT:
        value = entry.get(field)
        if value is None:
            continue
        if field in _NAMING:
            named = [called.get(v, v) for v in (value if isinstance(value, list) else [value])]
            value = named if isinstance(value, list) else named[0]
        trimmed[field] = value
    return trimmed | {flag: True for flag, nodes in flags.items() if entry["node_id"] in nodes}
