"""What stands low in a kitchen, seen from above: rectangles that the base keeps away from."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from ....skills.arm.mobile.body import BASE_TOP
from ....skills.arm.rotation import Array

_LOWEST = 0.02  # m; what is flatter is driven over
_UPRIGHT = 0.99


class Footprints:
    """The rectangles of one model. Take them again after things or fronts have moved."""

    def __init__(self, model: Any, data: Any, robot: NDArray[np.bool_]) -> None:
        self._data = data
        solid = (model.geom_contype > 0) | (model.geom_conaffinity > 0)
        plane = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
        self._geoms = np.flatnonzero(solid & ~robot & ~plane)
        self._box = model.geom_type[self._geoms] == mujoco.mjtGeom.mjGEOM_BOX
        bounds = model.geom_aabb[self._geoms]
        self._middle, self._half = bounds[:, :3].copy(), bounds[:, 3:].copy()
        self._centers: Array = np.zeros((0, 2))
        self._turns: Array = np.zeros((0, 2, 2))
        self._sizes: Array = np.zeros((0, 2))

    def take(self) -> None:
        """Read where everything is."""
        turned = self._data.geom_xmat[self._geoms].reshape(-1, 3, 3)
        center = self._data.geom_xpos[self._geoms] + np.einsum("nij,nj->ni", turned, self._middle)
        extent = np.einsum("nij,nj->ni", np.abs(turned), self._half)
        low = (center[:, 2] - extent[:, 2] <= BASE_TOP) & (center[:, 2] + extent[:, 2] >= _LOWEST)
        # A box whose x axis is level is a rectangle turned with it; all else stays aligned.
        axis = turned[:, :2, 0]
        length = np.linalg.norm(axis, axis=1)
        level = self._box & (length > _UPRIGHT)
        axis = np.where(level[:, None], axis / np.maximum(length, 1e-9)[:, None], [1.0, 0.0])
        across = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
        frames = np.stack([axis, across], axis=1)
        sizes = np.einsum("nij,nj->ni", np.abs(frames @ turned[:, :2]), self._half)
        sizes = np.where(level[:, None], sizes, extent[:, :2])
        self._centers, self._turns, self._sizes = center[low, :2], frames[low], sizes[low]

    def distances(self, places: Array) -> Array:
        """From places, shape (n, 2), to the nearest rectangle, shape (n,), in m."""
        if not len(self._centers):
            return np.full(len(places), np.inf)
        apart = places[:, None] - self._centers
        local = np.abs(np.einsum("mij,nmj->nmi", self._turns, apart)) - self._sizes
        result: Array = np.linalg.norm(np.maximum(local, 0.0), axis=2).min(axis=1)
        return result
