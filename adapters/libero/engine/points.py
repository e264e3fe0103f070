"""Points on the surfaces of colliding geoms: what grasps and placements are found with.

All lengths in m. Points are arrays (n, 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

Array = NDArray[np.float64]

UP = np.array([0.0, 0.0, 1.0])

#: Distance between points on small and on large geoms.
_FINE, _COARSE = 0.004, 0.01
#: A side longer than this is sampled coarsely. Coarser than _COARSE a table has holes for a finger.
_LONG = 0.3
_MOST_MESH_POINTS = 3000
#: A plane is sampled this far around the origin.
_PLANE_REACH = 0.6

_Geom = mujoco.mjtGeom
_PLANE, _SPHERE, _CAPSULE = (
    int(_Geom.mjGEOM_PLANE),
    int(_Geom.mjGEOM_SPHERE),
    int(_Geom.mjGEOM_CAPSULE),
)
_ELLIPSOID, _CYLINDER = int(_Geom.mjGEOM_ELLIPSOID), int(_Geom.mjGEOM_CYLINDER)
_BOX, _MESH = int(_Geom.mjGEOM_BOX), int(_Geom.mjGEOM_MESH)


def rotation_about(axis: Any, angle: float) -> Array:
    """The rotation matrix (3, 3) by an angle in rad about an axis (3,)."""
    quaternion, matrix = np.zeros(4), np.zeros(9)
    unit = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    mujoco.mju_axisAngle2Quat(quaternion, unit, angle)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def thinned(points: Array, cell: float) -> Array:
    """One point of each cubic cell."""
    if len(points) == 0:
        return points
    keys = np.floor(points / cell).astype(np.int64)
    flat = (keys[:, 0] * 1_000_003 + keys[:, 1]) * 1_000_003 + keys[:, 2]
    _, first = np.unique(flat, return_index=True)
    kept: Array = points[np.sort(first)]
    return kept


def on_box(half: Array) -> Array:
    """Points on the faces of a box with half sides (3,) around the origin."""
    ticks = []
    for side in half:
        gap = _FINE if 2 * side < _LONG else _COARSE
        ticks.append(np.linspace(-side, side, max(2, int(2 * side / gap) + 1)))
    faces = []
    for axis in range(3):
        first, second = (other for other in range(3) if other != axis)
        along, across = np.meshgrid(ticks[first], ticks[second])
        for sign in (-1.0, 1.0):
            face = np.zeros((along.size, 3))
            face[:, first], face[:, second] = along.ravel(), across.ravel()
            face[:, axis] = sign * half[axis]
            faces.append(face)
    return np.concatenate(faces)


def on_cylinder(radius: float, half: float) -> Array:
    """Points on a closed cylinder about the z axis."""
    angles = np.linspace(0, 2 * np.pi, max(12, int(2 * np.pi * radius / _FINE)), endpoint=False)
    heights = np.linspace(-half, half, max(2, int(2 * half / _FINE) + 1))
    angle, height = (grid.ravel() for grid in np.meshgrid(angles, heights))
    parts = [np.c_[radius * np.cos(angle), radius * np.sin(angle), height]]
    radii = np.linspace(0, radius, max(2, int(radius / _FINE) + 1))
    angle, distance = (grid.ravel() for grid in np.meshgrid(angles, radii))
    for end in (-half, half):
        parts.append(
            np.c_[distance * np.cos(angle), distance * np.sin(angle), np.full(angle.size, end)]
        )
    return np.concatenate(parts)


def on_ellipsoid(radii: Array) -> Array:
    """200 points on an ellipsoid around the origin."""
    count = np.arange(200) + 0.5
    polar, turn = np.arccos(1 - 2 * count / 200), np.pi * (1 + 5**0.5) * count
    unit = np.c_[np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)]
    points: Array = unit * radii
    return points


def on_mesh(vertices: Array, faces: NDArray[np.int32]) -> Array:
    """Points drawn evenly over a mesh, always the same, and some of its vertices."""
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1) / 2
    count = int(min(_MOST_MESH_POINTS, max(200, areas.sum() / _FINE**2)))
    draws = np.random.RandomState(0)
    chosen = corners[draws.choice(len(corners), count, p=areas / areas.sum())]
    weights = draws.rand(count, 2)
    outside = weights.sum(1) > 1
    weights[outside] = 1 - weights[outside]
    edges = chosen[:, 1:] - chosen[:, :1]
    points = chosen[:, 0] + (weights[:, :, None] * edges).sum(1)
    return np.concatenate([points, vertices[:500]])


def _on_plane() -> Array:
    ticks = np.arange(-_PLANE_REACH, _PLANE_REACH, _COARSE)
    along, across = np.meshgrid(ticks, ticks)
    points: Array = np.c_[along.ravel(), across.ravel(), np.zeros(along.size)]
    return points


class Surfaces:
    """The sampled geoms of one model, kept in their own frames."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._kept: dict[int, Array] = {}

    def local(self, geom: int) -> Array:
        """Points of a geom in its own frame; none for kinds that LIBERO does not use."""
        if geom not in self._kept:
            self._kept[geom] = self._sample(geom)
        return self._kept[geom]

    def world(self, data: Any, geoms: Iterable[int]) -> Array:
        """Points of geoms in the world, from the positions in data."""
        parts = [
            self.local(geom) @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
            for geom in geoms
        ]
        return np.concatenate(parts) if parts else np.zeros((0, 3))

    def _sample(self, geom: int) -> Array:
        model = self._model
        kind, size = int(model.geom_type[geom]), model.geom_size[geom]
        if kind == _MESH:
            mesh = model.geom_dataid[geom]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            face, faces = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
            vertices = model.mesh_vert[first : first + count].astype(float)
            return on_mesh(vertices, model.mesh_face[face : face + faces])
        if kind == _BOX:
            return on_box(size)
        if kind in (_CYLINDER, _CAPSULE):
            return on_cylinder(size[0], size[1])
        if kind in (_SPHERE, _ELLIPSOID):
            return on_ellipsoid(size if kind == _ELLIPSOID else np.full(3, size[0]))
        return _on_plane() if kind == _PLANE else np.zeros((0, 3))
