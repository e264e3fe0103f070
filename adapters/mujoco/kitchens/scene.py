"""Scenes of physics: the furniture with its things, and the graph with their ids."""

from __future__ import annotations

from ....errors import BadInput
from ....scene_graph.graph import SceneGraph
from ....skills.arm.mobile.certificate import uncertified
from ...kitchens import scenes as kitchen_scenes
from ...kitchens.furnished import scenes as furnished_scenes
from ...kitchens.furnished.parts import Kitchen
from ...kitchens.furnished.scenes import FurnishedScene
from .world import furnished_world


def read(loader: str, reference: str) -> tuple[FurnishedScene, SceneGraph]:
    """The description of a scene and its graph, the same as that of its loader. Raises BadInput."""
    if loader == furnished_scenes.LOADER:
        scene = furnished_scenes.read(reference)
        return scene, furnished_scenes.graph_of(scene)
    return furnished_scenes.read_published(reference), kitchen_scenes.load(reference)


def require_openable(kitchen: Kitchen) -> None:
    """Raise BadInput if no way is found to open some front of an empty kitchen: 0.04 s a front."""
    for area in uncertified(furnished_world(kitchen)):
        raise BadInput(
            f"In the kitchen of the scene the robot finds no way to open {area}; draw another one "
            f"or widen its aisle."
        )
