"""VirtualHome graphs by scene, and the loader "virtualhome-eval" of the RobotHow graphs.

These are the initial graphs of that package's programs: one house, furnished for each program.
References are those of the program files: "1004_2" is file1004_2.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import BadInput
from ...scene_graph.graph import SceneGraph
from ..scenes import split_scene
from . import graph_files, wah_files
from .arranged import arrange, parse
from .graph_import import to_scene_graph
from .houses import scenes as houses
from .package import graphs_path


def load(reference: str) -> SceneGraph:
    """The scene graph at the start of a program. Raises Missing or BadInput."""
    path = _path(reference)
    return to_scene_graph(read(reference), path.name)


def load_final(reference: str) -> SceneGraph:
    """The scene graph at the end of a program. Raises Missing or BadInput."""
    path = _path(reference)
    return to_scene_graph(_graph_in(path, "final_graph", "a"), path.name)


@lru_cache(maxsize=8)
def read(reference: str) -> dict[str, Any]:
    """The VirtualHome graph at the start. Cached and shared: must not be modified."""
    return _graph_in(_path(reference), "init_graph", "an")


def _graph_in(path: Path, key: str, article: str) -> dict[str, Any]:
    text, first_key = path.read_text(encoding="utf-8"), f'{{"{key}": '
    try:
        if text.startswith(first_key):  # the other half of the file is the other graph
            graph: dict[str, Any] = json.JSONDecoder().raw_decode(text, len(first_key))[0]
        else:
            graph = json.loads(text)[key]
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} holds no JSON object with {article} '{key}' ({error}); "
            f"reinstall virtualhome-eval."
        ) from error
    return graph


def _path(reference: str) -> Path:
    path = graphs_path() / f"file{reference}.json"
    # A known file name, so that a reference cannot lead out of the folder.
    if path.parent != graphs_path() or not path.is_file():
        known = [file.stem.removeprefix("file") for file in graphs_path().glob("file*.json")]
        near = difflib.get_close_matches(reference, known, n=3, cutoff=0.5)
        offer = f"did you mean {' or '.join(near)}?" if near else "for instance 1004_2."
        raise BadInput(
            f"virtualhome-eval has no scene '{reference}'; {offer} It has {len(known)}, "
            f"named after its program files."
        )
    return path


@lru_cache(maxsize=8)
def read_arranged(reference: str) -> dict[str, Any]:
    """The VirtualHome graph of an arranged scene. Shared: must not be modified.

    Raises Missing or BadInput, also if the base scene is no VirtualHome graph.
    """
    base, changes = parse(reference)
    if split_scene(base)[0] not in READERS:
        raise BadInput(
            f"The scene '{base}' cannot be arranged; use a scene of {', '.join(READERS)}."
        )
    return arrange(raw(base), changes, base)


def load_arranged(reference: str) -> SceneGraph:
    """The scene graph of an arranged scene. Raises Missing or BadInput."""
    return to_scene_graph(read_arranged(reference), f"arranged:{reference}")


#: The loaders of VirtualHome graphs, with the function that reads each graph.
READERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "arranged": read_arranged,
    "house": houses.read,
    "virtualhome": graph_files.read,
    "virtualhome-eval": read,
    "wah": wah_files.read,
}


def raw(scene: str) -> dict[str, Any]:
    """The VirtualHome graph of a scene of one of `READERS`. Shared: must not be modified.

    Raises Missing or BadInput.
    """
    loader, reference = split_scene(scene)
    return READERS[loader](reference)
