"""Scenes by reference: "LOADER:REFERENCE", as in `Task.scene`.

Loaders are entry points of the group `peephole.scenes`: functions from a reference to a scene
graph.
"""

from __future__ import annotations

from pathlib import Path

from .. import plugins
from ..errors import BadInput, Missing
from ..scene_graph.graph import SceneGraph
from ..scene_graph.json_codec import read_graph


def split_scene(scene: str) -> tuple[str, str]:
    """The loader and the reference of a scene. Raises BadInput if one is missing."""
    loader, _, reference = scene.partition(":")
    if not loader or not reference:
        raise BadInput(
            f"The scene '{scene}' is malformed; give LOADER:REFERENCE, "
            f"for instance virtualhome-eval:1004_2."
        )
    return loader, reference


def load_scene(scene: str) -> SceneGraph:
    """The graph of a scene, for instance "virtualhome-eval:1004_2" or "json:house.json".

    Raises BadInput for an unknown loader or reference, and Missing if the loader's data is missing
    or its plugin is broken.
    """
    loader, reference = split_scene(scene)
    load = plugins.load("scene", loader)
    with plugins.guarded("scene", loader):
        graph = load(reference)
    if not isinstance(graph, SceneGraph):
        raise Missing(
            f"The scene loader '{loader}' is broken (it returns {graph!r}, expected a "
            f"peephole.scene_graph.graph.SceneGraph); correct or remove its package."
        )
    return graph


def load_json(reference: str) -> SceneGraph:
    """The loader "json": a file of our own JSON, by path."""
    return read_graph(Path(reference))
