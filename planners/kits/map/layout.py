"""How the things of a known graph lie to each other, in prompts that show the graph."""

from __future__ import annotations

from ....observation_text.layout import layout_in_words
from ....scene_graph.graph import SceneGraph
from ...contract import Brief
from .names import NodeNames


def layout_of(graph: SceneGraph, brief: Brief, names: NodeNames) -> str:
    """The sentences; "" where the adapter gives no directions."""
    return layout_in_words(graph, brief.directions, names.name)
