"""The objects of the 120 iTHOR scenes, and where the agent can stand in them.

Objects: `event.metadata["objects"]` of each scene right after its start, from the package procthor
(https://pypi.org/project/procthor/, Apache-2.0). Reachable points: gen/layouts of the package
alfworld (https://github.com/alfworld/alfworld, MIT), for AI2-THOR 2.1.0; without the package they
are computed from the boxes. Neither package is imported.

Reading the file of all scenes takes a second, so each scene is cached in its own file in the user's
cache folder.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import deque
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data_files import cache_folder
from ...errors import Missing, unknown_name
from ...installed import Lack, folder_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

GRID = 0.25

_KINDS = {"kitchens": 0, "living_rooms": 200, "bedrooms": 300, "bathrooms": 400}
_CACHE = "ithor-procthor-0.0.1.dev2-1"
_AGENT_HEIGHT = 1.8
_AGENT_RADIUS = 0.2

#: All scenes: kitchens 1 to 30, living rooms 201 to 230, bedrooms from 301, bathrooms from 401.
SCENES = tuple(f"FloorPlan{first + i}" for first in _KINDS.values() for i in range(1, 31))

Objects = list[dict[str, Any]]


def missing() -> str | None:
    """One sentence on what is not installed and how to get it, or None."""
    path = _metadata_path()
    if path is None or not path.is_file():
        return Lack(
            "The objects of the iTHOR scenes come with the package procthor, which is missing",
            *("procthor", "alfworld"),
        )
    return None


def objects(scene: str) -> Objects:
    """A copy of the scene's objects in AI2-THOR's own form, boxes as `center` and `size` only.

    Raises BadInput for an unknown scene, Missing without the package procthor.
    """
    copied: Objects = json.loads(_scene_text(scene))
    return copied


def start(scene: str) -> tuple[float, float, float]:
    """The agent's position when the objects were recorded: x, y, z.

    It is computed from the distances in the objects, to a micrometre.
    """
    import numpy as np

    things = objects(scene)
    points = np.array([[o["position"][axis] for axis in "xyz"] for o in things])
    distances = np.array([o["distance"] for o in things])
    squares = (points**2).sum(axis=1) - distances**2
    place, *_ = np.linalg.lstsq(2 * (points[1:] - points[0]), squares[1:] - squares[0], rcond=None)
    x, y, z = (round(float(value), 3) for value in place)
    return x, y, z


def grid(scene: str) -> list[tuple[float, float]]:
    """The points (x, z) where the agent can stand: the start and multiples of 0.25 m from it."""
    if scene not in SCENES:
        raise unknown_name("iTHOR scene", scene, SCENES)
    published = _published(scene)
    if published is None:
        return computed_grid(scene)
    x, _, z = start(scene)
    return sorted({*published, (x, z)})


def computed_grid(scene: str) -> list[tuple[float, float]]:
    """The points reachable from the start between the boxes of fixed things.

    An approximation: the data have no walls, and a corner bench does not fill its box.
    """
    import numpy as np

    things = objects(scene)
    x, _, z = start(scene)
    floors = [o for o in things if o["objectType"] == "Floor"]
    low, high = _sides(floors[0]) if floors else (np.full(3, -5.0), np.full(3, 5.0))
    blocks = [_sides(o) for o in things if not o["pickupable"] and o["objectType"] != "Floor"]
    blocks = [(a, b) for a, b in blocks if b[1] > 0.1 and a[1] < _AGENT_HEIGHT]
    here = np.array([x, 0, z])
    reach = np.array([_AGENT_RADIUS, 9, _AGENT_RADIUS])
    blocks = [(a, b) for a, b in blocks if not np.all((a - reach < here) & (here < b + reach))]

    def free(x: float, z: float) -> bool:
        if not (low[0] <= x <= high[0] and low[2] <= z <= high[2]):
            return False
        return not any(
            a[0] - _AGENT_RADIUS < x < b[0] + _AGENT_RADIUS
            and a[2] - _AGENT_RADIUS < z < b[2] + _AGENT_RADIUS
            for a, b in blocks
        )

    first = (round(x / GRID), round(z / GRID))
    seen, queue = {first}, deque([first])
    while queue:
        i, j = queue.popleft()
        for near in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if near not in seen and free(near[0] * GRID, near[1] * GRID):
                seen.add(near)
                queue.append(near)
    return sorted((i * GRID, j * GRID) for i, j in seen)


def _sides(thing: dict[str, Any]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    import numpy as np

    box = thing["axisAlignedBoundingBox"]
    center = np.array([box["center"][axis] for axis in "xyz"])
    half = np.array([box["size"][axis] for axis in "xyz"]) / 2
    return center - half, center + half


def _published(scene: str) -> list[tuple[float, float]] | None:
    root = folder_of("alfworld")
    path = root / "gen/layouts" / f"{scene}-layout.npy" if root else None
    if path is None or not path.is_file():
        return None
    import numpy as np

    points = np.load(path, allow_pickle=False)
    return sorted({(round(float(x), 2), round(float(z), 2)) for x, z in points})


# --- the cache ---------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _scene_text(scene: str) -> str:
    if scene not in SCENES:
        raise unknown_name("iTHOR scene", scene, SCENES)
    problem = missing()
    if problem is not None:
        raise Missing(problem)
    folder = cache_folder(_CACHE)
    path = folder / f"{scene}.json"
    if not path.is_file():
        texts = _split()
        _write(folder, texts)
        return texts[scene]
    return path.read_text(encoding="utf-8")


@cache
def _split() -> dict[str, str]:
    """The text of each scene, without redundant fields."""
    path = _metadata_path()
    assert path is not None
    everything = json.loads(path.read_text(encoding="utf-8"))
    texts = {}
    for kind, first in _KINDS.items():
        for i, things in enumerate(everything[kind], start=1):
            for thing in things:
                thing["axisAlignedBoundingBox"].pop("cornerPoints", None)
            texts[f"FloorPlan{first + i}"] = json.dumps(things, separators=(",", ":"))
    return texts


def _write(folder: Path, texts: dict[str, str]) -> None:
    """Write the scenes' files at once; an unwritable folder is ignored."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            for scene, text in texts.items():
                (made / f"{scene}.json").write_text(text, encoding="utf-8")
            made.rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError:
        pass


def _metadata_path() -> Path | None:
    root = folder_of("procthor")
    return root / "databases/ai2thor-object-metadata.json" if root else None
