"""Pictures of a kitchen from anywhere, rendered without a screen."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from ....skills.arm.rotation import Array
from ..graphics import context

#: The most solids of a picture.
_MOST_GEOMS = 4000
#: The groups of solids: what only collides is not shown, what hangs from the ceiling if asked for.
HANGING = 2
_GROUPS = (1, 1, 1, 0, 0, 0)


class Camera:
    """Renders the states of a model. It only reads them."""

    def __init__(
        self,
        model: Any,
        width: int,
        height: int,
        field: float,
        *,
        shadows: int = 0,
        samples: int = 0,
        hanging: bool = True,
    ) -> None:
        """width, height: in pixels. field: of view, up and down, in rad. shadows: the size of
        their map, 0 for none. samples: of each pixel, 0 for one. hanging: whether what is in the
        group HANGING is shown. Raises Missing without a renderer.
        """
        self._model = model
        self._field = math.degrees(field)
        self._gl = context(width, height)
        quality = model.vis.quality
        before = quality.shadowsize, quality.offsamples
        quality.shadowsize, quality.offsamples = shadows, samples
        self._mjr = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        quality.shadowsize, quality.offsamples = before
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._mjr)
        self._scene = mujoco.MjvScene(model, _MOST_GEOMS)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = bool(shadows)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = _GROUPS
        self._option.geomgroup[HANGING] = hanging
        self._option.sitegroup[:] = 0
        self._camera = mujoco.MjvCamera()
        self._where = mujoco.MjrRect(0, 0, width, height)
        self._pixels = np.empty((height, width, 3), np.uint8)

    def frame(self, data: Any, eye: Array, aim: Array) -> NDArray[np.uint8]:
        """A picture from one point towards another: RGB, shape (height, width, 3)."""
        ahead = aim - eye
        camera = self._camera
        camera.lookat, camera.distance = aim, float(np.linalg.norm(ahead))
        camera.azimuth = math.degrees(math.atan2(ahead[1], ahead[0]))
        camera.elevation = math.degrees(math.atan2(ahead[2], math.hypot(ahead[0], ahead[1])))
        self._model.vis.global_.fovy = self._field
        self._gl.make_current()
        mujoco.mjv_updateScene(
            self._model,
            data,
            self._option,
            None,
            camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        mujoco.mjr_render(self._where, self._scene, self._mjr)
        mujoco.mjr_readPixels(self._pixels, None, self._where, self._mjr)
        return np.flipud(self._pixels).copy()

    def close(self) -> None:
        self._mjr.free()
        self._gl.free()
