"""What a camera sees: pixels by thing, from a segmented picture, and pictures as PNG."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

if TYPE_CHECKING:
    from .scene import Scene

#: The cameras of a view and its size in pixels.
CAMERAS = ("agentview", "robot0_eye_in_hand")
SIZE = 256
#: The largest picture, in pixels a side.
LARGEST = 2048
#: The group of geoms that only collide, which LIBERO's pictures leave out.
_COLLISION_GROUP = 0
_GEOM = int(mujoco.mjtObj.mjOBJ_GEOM)


class Eyes:
    """Renderers of one model, made when first needed. Their creation raises without OpenGL."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._renderers: dict[tuple[int, int], Any] = {}
        self._names = self._things_of_geoms()
        self._option = mujoco.MjvOption()
        self._option.geomgroup[_COLLISION_GROUP] = 0
        self._option.sitegroup[:] = 0

    def close(self) -> None:
        for renderer in self._renderers.values():
            renderer.close()
        self._renderers.clear()

    def cameras(self) -> list[str]:
        model = self._scene.model
        return [model.camera(number).name for number in range(model.ncam)]

    def seen(self) -> dict[str, int]:
        """The pixels of every thing in the cameras of a view together; none of what is hidden."""
        renderer = self._renderer(SIZE, SIZE)
        renderer.enable_segmentation_rendering()
        pixels: dict[str, int] = {}
        try:
            for camera in CAMERAS:
                renderer.update_scene(self._scene.data, camera, self._option)
                picture = renderer.render()
                geoms = picture[:, :, 0][picture[:, :, 1] == _GEOM]
                for geom, count in zip(*np.unique(geoms, return_counts=True), strict=True):
                    for name in self._names[int(geom)]:
                        pixels[name] = pixels.get(name, 0) + int(count)
        finally:
            renderer.disable_segmentation_rendering()
        return pixels

    def picture(self, camera: str, width: int, height: int) -> bytes:
        """A camera's picture as PNG."""
        renderer = self._renderer(width, height)
        renderer.update_scene(self._scene.data, camera, self._option)
        return png(renderer.render())

    def _renderer(self, width: int, height: int) -> Any:
        if (width, height) not in self._renderers:
            model = self._scene.model
            model.vis.global_.offwidth = max(width, int(model.vis.global_.offwidth))
            model.vis.global_.offheight = max(height, int(model.vis.global_.offheight))
            self._renderers[width, height] = mujoco.Renderer(model, height, width)
        return self._renderers[width, height]

    def _things_of_geoms(self) -> list[list[str]]:
        """The names that each geom counts for: its fixture, object or table, and its drawer."""
        scene = self._scene
        found: list[list[str]] = [[] for _ in range(scene.model.ngeom)]
        for thing in scene.things.values():
            if thing.kind == "region":
                continue
            bodies = scene.under(thing.body) if thing.kind != "table" else None
            for geom in range(scene.model.ngeom):
                body = int(scene.model.geom_bodyid[geom])
                if bodies[body] if bodies is not None else body == thing.body:
                    found[geom].append(thing.name)
        return found


def png(picture: np.ndarray) -> bytes:
    """An RGB picture (height, width, 3) of bytes as PNG."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + data + chunk(b"IEND", b"")
