"""Scenes of physics: the furniture with its things, and the graph with their ids."""

from __future__ import annotations

from ....scene_graph.graph import SceneGraph
from ...kitchens import scenes as kitchen_scenes
from ...kitchens.furnished import scenes as furnished_scenes
from ...kitchens.furnished.scenes import FurnishedScene


def read(loader: str, reference: str) -> tuple[FurnishedScene, SceneGraph]:
    """The description of a scene and its graph, the same as that of its loader. Raises BadInput."""
    if loader == furnished_scenes.LOADER:
        scene = furnished_scenes.read(reference)
        return scene, furnished_scenes.graph_of(scene)
    return furnished_scenes.read_published(reference), kitchen_scenes.load(reference)
