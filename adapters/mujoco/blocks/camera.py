"""Camera frames of the block world, rendered without a screen: by EGL, or else by OSMesa."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from ..graphics import context

WIDTH, HEIGHT = 320, 240


class Camera:
    """Renders a model in the light mode: no shadows, no antialiasing."""

    def __init__(
        self, model: Any, name: str = "front", width: int = WIDTH, height: int = HEIGHT
    ) -> None:
        """name: of a camera of the model: front, side or top. Raises Missing."""
        self._model = model
        self._gl = context(width, height)
        self._mjr = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._mjr)
        self._scene = mujoco.MjvScene(model, 200)
        self._option = mujoco.MjvOption()
        self._camera = mujoco.MjvCamera()
        self._camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = model.camera(name).id
        self._where = mujoco.MjrRect(0, 0, width, height)
        self._pixels = np.empty((height, width, 3), np.uint8)

    def frame(self, data: Any) -> NDArray[np.uint8]:
        """The present frame: RGB, shape (height, width, 3)."""
        self._gl.make_current()
        mujoco.mj_kinematics(self._model, data)
        mujoco.mj_camlight(self._model, data)
        mujoco.mjv_updateScene(
            self._model,
            data,
            self._option,
            None,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        mujoco.mjr_render(self._where, self._scene, self._mjr)
        mujoco.mjr_readPixels(self._pixels, None, self._where, self._mjr)
        return np.flipud(self._pixels).copy()

    def close(self) -> None:
        self._mjr.free()
        self._gl.free()
