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
#: What LIBERO and robosuite change in a model after it is compiled, and a picture shows.
_PLACED = ("body_pos", "body_quat", "site_rgba")


class Eyes:
    """The cameras of one scene. Renderers are made when first needed, which raises without OpenGL.

    Views render the scene's own model, which has no textures; pictures compile one that has them.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._viewer: Any = None
        self._painter: Any = None
        self._owned = self._geoms_of_things()
        self._objects = [thing.name for thing in scene.things.values() if thing.kind == "object"]
        self._counted = np.logical_or.reduce([*self._owned.values()])
        self._counted &= scene.model.geom_group != _COLLISION_GROUP
        self._option = mujoco.MjvOption()
        self._option.geomgroup[_COLLISION_GROUP] = 0
        self._option.sitegroup[:] = 0

    def close(self) -> None:
        for renderer in (self._viewer, self._painter):
            if renderer is not None:
                renderer.close()

    def cameras(self) -> list[str]:
        model = self._scene.model
        return [model.camera(number).name for number in range(model.ncam)]

    def seen(self, enough: int) -> dict[str, int]:
        """The pixels of all objects, fixtures and drawers in a view; none of what is hidden.

        The cameras look in turn, until every object has enough pixels: one camera mostly does.
        """
        model, counts = self._scene.model, np.zeros(self._scene.model.ngeom, dtype=int)
        renderer = self._segmenting()
        pixels: dict[str, int] = {}
        for camera in CAMERAS:
            groups = model.geom_group.copy()
            model.geom_group[self._idle(camera)] = _COLLISION_GROUP
            renderer.update_scene(self._scene.data, camera, self._option)
            model.geom_group[:] = groups
            picture = renderer.render()
            shown = picture[:, :, 0][picture[:, :, 1] == _GEOM]
            counts += np.bincount(shown, minlength=model.ngeom)
            pixels = {name: int(counts[geoms].sum()) for name, geoms in self._owned.items()}
            if all(pixels[name] >= enough for name in self._objects):
                break
        return {name: count for name, count in pixels.items() if count}

    def picture(self, camera: str, width: int, height: int) -> bytes:
        """A camera's picture as PNG."""
        renderer = self._painting(width, height)
        for name in _PLACED:
            getattr(renderer.model, name)[:] = getattr(self._scene.model, name)
        renderer.update_scene(self._scene.data, camera, self._option)
        return png(renderer.render())

    def _idle(self, camera: str) -> np.ndarray:
        """The geoms (ngeom,) that can hide nothing that is counted from a camera: their spheres lie
        beside or behind those of what is counted. To draw one costs time even where it is hidden.
        """
        model, data = self._scene.model, self._scene.data
        radii, offsets = model.geom_rbound, data.geom_xpos - data.cam_xpos[model.camera(camera).id]
        distances = np.maximum(np.linalg.norm(offsets, axis=1), 1e-9)
        endless = (radii == 0) | (radii >= distances)  # planes, and what surrounds the camera
        halves = np.arcsin(np.minimum(1.0, radii / distances))
        ways, counted = offsets / distances[:, None], np.flatnonzero(self._counted)
        angles = np.arccos(np.clip(ways @ ways[counted].T, -1.0, 1.0))
        beside = angles > halves[:, None] + halves[counted]
        behind = (distances - radii)[:, None] > (distances + radii)[counted]
        hides_none = (beside | behind) & ~endless[counted]
        idle: np.ndarray = hides_none.all(1) & ~endless & ~self._counted
        return idle

    def _segmenting(self) -> Any:
        if self._viewer is None:
            visual = self._scene.model.vis
            visual.quality.shadowsize = visual.quality.offsamples = 0
            visual.global_.offwidth = visual.global_.offheight = SIZE
            self._viewer = mujoco.Renderer(self._scene.model, SIZE, SIZE)
            self._viewer.enable_segmentation_rendering()
        return self._viewer

    def _painting(self, width: int, height: int) -> Any:
        painter = self._painter
        if painter is None or (painter.width, painter.height) != (width, height):
            if painter is None:
                model = mujoco.MjModel.from_xml_string(self._scene.textured)
            else:
                model = painter.model
                painter.close()
            model.vis.global_.offwidth, model.vis.global_.offheight = width, height
            self._painter = mujoco.Renderer(model, height, width)
        return self._painter

    def _geoms_of_things(self) -> dict[str, np.ndarray]:
        """Which geoms (ngeom,) belong to each object, fixture and drawer."""
        scene = self._scene
        return {
            thing.name: scene.under(thing.body)[scene.model.geom_bodyid]
            for thing in scene.things.values()
            if thing.kind not in ("region", "table")
        }


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
