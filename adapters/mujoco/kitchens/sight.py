"""What a camera sees of a kitchen, by rays: which things, and how much of each area.

No image is drawn, so a view needs no graphics and is the same on every machine. Rays go through a
grid over each thing's outline, and tell how many pixels of an image would show it. Areas have
points where things may stand; such a point is seen if the ray to it is free, or ends at a thing
that stands there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from ....skills.arm.mobile.sightlines import spots
from ....skills.arm.mobile.world import Front, Space
from ....skills.arm.rotation import Array

#: The robot's head, in which the camera is: nothing of it is seen.
HEAD_BODY = "head"
#: The field of view, across and up, in rad, and how far the camera sees, in m.
FIELD, RANGE = math.radians(70), 8.0
#: From farther than this, in m, small things could be overlooked, so that no area counts as seen.
SHARP = 2.5
#: The steepest gaze, in rad from the level.
STEEPEST = math.radians(85)
#: Of a thing: the fewest pixels of an image of IMAGE x IMAGE that show it.
PIXELS, IMAGE = 20, 256
#: From farther than this, in m, small things could be overlooked, so that no area counts as seen.
SHARP = 2.5
#: From this share of an area's points on it counts as seen completely, or partly. In complete areas
#: 99 % of the things are seen: `benchmarks/kitchen_physics/sight.py` measures it.
COMPLETE, PARTLY = 0.9, 0.1
#: Between the rays at a thing, in pixels, and the most of them across and up.
_CELL, _MOST_CELLS = 1.5, 13
#: In m: nothing nearer is seen; a ray that ends so close before a point of an area has reached it,
#: and so close to it on a thing: then the thing stands on the point.
_NEAREST, _NEAR, _BY_THING = 0.05, 0.02, 0.08
#: The groups of geoms that are seen, and the one that only collides.
_SEEN_GROUPS, _HIDDEN = np.array([1, 1, 1, 0, 1, 1], np.uint8), 3


class Gaze(NamedTuple):
    """Where a camera is and the point that it looks at, in m, shape (3,)."""

    eye: Array
    aim: Array

    @property
    def axes(self) -> Array:
        """Unit vectors to the right, up and forward, as rows of shape (3, 3). Without a roll."""
        ahead = self.aim - self.eye
        flat = math.hypot(ahead[0], ahead[1])
        turn = math.atan2(ahead[1], ahead[0])
        tilt = min(max(math.atan2(ahead[2], flat), -STEEPEST), STEEPEST)
        cos, sin, level, rise = math.cos(turn), math.sin(turn), math.cos(tilt), math.sin(tilt)
        return np.array(
            [[sin, -cos, 0.0], [-cos * rise, -sin * rise, level], [cos * level, sin * level, rise]]
        )


class Glimpse(NamedTuple):
    """What one gaze shows."""

    things: Mapping[str, float]
    """The seen things, with the pixels that show them."""
    points: NDArray[np.bool_]
    """Which points of areas are seen, in the order of `Sight.areas_of_points`."""
    clear: NDArray[np.bool_]
    """Which of the asked places are seen to be empty."""


class Sight:
    """The points of a kitchen that a camera may see.

    areas_of_points: for each point of an area, the index of its area in `areas`. bodies: the index
    of each thing's body.
    """

    def __init__(
        self,
        model: Any,
        things: Mapping[str, int],
        spaces: Sequence[Space],
        fronts: Mapping[str, Front],
    ) -> None:
        """model: MuJoCo's. things: the index of each thing's body. fronts: by name."""
        self._model = model
        self._head = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, HEAD_BODY))
        self._names = tuple(things)
        self.bodies = dict(things)
        self._bodies = np.array([things[name] for name in self._names], int)
        self._corners = _boxes(model, self._bodies)
        self._thing_of_geom = np.full(model.ngeom + 1, -1)  # the last is for rays that hit nothing
        for number, body in enumerate(self._bodies):
            self._thing_of_geom[:-1][model.body_rootid[model.geom_bodyid] == body] = number
        self.areas = tuple(dict.fromkeys(space.area for space in spaces))
        grids = [spots(space, 0.0) for space in spaces]
        sizes = [len(grid) for grid in grids]
        self.areas_of_points = np.repeat([self.areas.index(space.area) for space in spaces], sizes)
        self._closed: Array = np.concatenate([np.zeros((0, 3)), *grids])
        self._spaces = tuple(spaces)
        self._fronts = [fronts[space.front] if space.front else None for space in spaces]
        self._slides = [space.slides for space in spaces]
        starts = np.cumsum([0, *sizes])
        self._rows = [slice(a, b) for a, b in itertools.pairwise(starts)]

    def look(
        self, data: Any, gaze: Gaze, values: Mapping[str, float], places: Sequence[Array] = ()
    ) -> Glimpse:
        """What a gaze shows in a state.

        values: how far each front is open, in rad or m. places: middles of things, in m, of which
        to say whether they are seen to be empty.
        """
        axes = gaze.axes
        rays, owners, cells = self._rays_at_things(data, gaze, axes)
        spots, may_show = self._area_points(values)
        points = np.concatenate([spots, np.array(places).reshape(-1, 3)])
        in_view = _in_view(points, gaze, axes)
        near = np.linalg.norm(spots - gaze.eye, axis=1) < SHARP
        in_view[: len(spots)] &= may_show & near
        rows = np.flatnonzero(in_view)
        ways = points[rows] - gaze.eye
        lengths: Array = np.linalg.norm(ways, axis=1)
        geoms, distances = self._cast(
            data, gaze.eye, np.concatenate([rays, ways / lengths[:, None]])
        )
        hit = self._thing_of_geom[geoms]
        split = len(rays)
        own = hit[:split] == owners
        pixels = np.bincount(owners[own], cells[own], minlength=len(self._names))
        things = {
            self._names[number]: float(pixels[number])
            for number in np.flatnonzero(pixels >= PIXELS)
        }
        reached = (geoms[split:] < 0) | (distances[split:] > lengths - _NEAR)
        ends = ways * (distances[split:] / lengths)[:, None]
        stands_there = (hit[split:] >= 0) & (np.hypot(*(ends - ways)[:, :2].T) < _BY_THING)
        free = np.zeros(len(points), bool)
        free[rows] = reached | (stands_there & (rows < len(spots)))
        return Glimpse(things, free[: len(spots)], free[len(spots) :])

    def unseen(
        self, seen: NDArray[np.bool_], values: Mapping[str, float], area: str
    ) -> dict[str, Array]:
        """The points of each space of an area that are not seen, shape (n, 3).

        values: how far each front is open.
        """
        points, _ = self._area_points(values)
        return {
            space.name: points[rows][~seen[rows]]
            for space, rows in zip(self._spaces, self._rows, strict=True)
            if space.area == area
        }

    def shares(self, seen: NDArray[np.bool_]) -> dict[str, float]:
        """The share of the points of each area that is seen."""
        total = np.bincount(self.areas_of_points, minlength=len(self.areas))
        found = np.bincount(self.areas_of_points[seen], minlength=len(self.areas))
        return dict(zip(self.areas, (found / total).tolist(), strict=True))

    def _rays_at_things(
        self, data: Any, gaze: Gaze, axes: Array
    ) -> tuple[Array, NDArray[np.int64], Array]:
        """Rays through a grid over the outline of each thing's box in an image.

        Returns unit vectors, shape (n, 3), the number of the thing and the pixels of each ray.
        """
        turned = data.xmat[self._bodies].reshape(-1, 3, 3)
        corners = data.xpos[self._bodies][:, None] + self._corners @ turned.transpose(0, 2, 1)
        across, up, ahead = np.moveaxis((corners - gaze.eye) @ axes.T, 2, 0)
        edge = math.tan(FIELD / 2)
        rays, owners, cells = [np.zeros((0, 3))], [np.zeros(0, int)], [np.zeros(0)]
        in_front = (ahead.min(axis=1) > _NEAREST) & (ahead.min(axis=1) < RANGE)
        for number in np.flatnonzero(in_front):
            flat = np.stack([across[number], up[number]]) / ahead[number]
            low = np.maximum(flat.min(axis=1), -edge)
            high = np.minimum(flat.max(axis=1), edge)
            size = high - low
            if (size <= 0).any():
                continue
            counts = np.clip(np.ceil(size / edge * IMAGE / 2 / _CELL).astype(int), 2, _MOST_CELLS)
            x, y = (low[k] + (np.arange(counts[k]) + 0.5) / counts[k] * size[k] for k in (0, 1))
            grid = np.stack([*(each.ravel() for each in np.meshgrid(x, y))], axis=1)
            rays.append(np.c_[grid, np.ones(len(grid))] @ axes)
            owners.append(np.full(len(grid), number))
            cells.append(np.full(len(grid), size.prod() / len(grid) * (IMAGE / 2 / edge) ** 2))
        directions: Array = np.concatenate(rays)
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        return directions, np.concatenate(owners), np.concatenate(cells)

    def _area_points(self, values: Mapping[str, float]) -> tuple[Array, NDArray[np.bool_]]:
        """The points of all areas now, shape (n, 3), and whether their front is open at all."""
        points = self._closed.copy()
        may_show = np.ones(len(points), bool)
        for rows, front, slides in zip(self._rows, self._fronts, self._slides, strict=True):
            if front is None:
                continue
            value = values[front.name]
            may_show[rows] = value > front.closed_at
            if slides:
                points[rows] += value * front.axis
        return points, may_show

    def _cast(self, data: Any, eye: Array, directions: Array) -> tuple[NDArray[np.int32], Array]:
        """The geom that each ray hits, or -1, and how far it gets, shape (n,).

        directions: unit vectors, shape (n, 3).
        """
        count = len(directions)
        geoms, distances = np.full(count, -1, np.int32), np.zeros(count)
        if count:
            flat = np.ascontiguousarray(directions.ravel())
            hits = (geoms, distances, None, count, RANGE)
            mujoco.mj_multiRay(self._model, data, eye, flat, _SEEN_GROUPS, 1, self._head, *hits)
        return geoms, distances


def _in_view(points: Array, gaze: Gaze, axes: Array) -> NDArray[np.bool_]:
    """Which points are in the field of view and near enough."""
    across, up, ahead = axes @ (points - gaze.eye).T
    edge = ahead * math.tan(FIELD / 2)
    near: NDArray[np.bool_] = (ahead > _NEAREST) & (ahead < RANGE)
    near &= (np.abs(across) < edge) & (np.abs(up) < edge)
    return near


def _boxes(model: Any, bodies: NDArray[np.int_]) -> Array:
    """The corners of a box around what is seen of each body, in its frame, shape (n, 8, 3)."""
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    found = []
    for body in bodies:
        parts = []
        for geom in np.flatnonzero((model.geom_bodyid == body) & (model.geom_group != _HIDDEN)):
            turned = np.empty(9)
            mujoco.mju_quat2Mat(turned, model.geom_quat[geom])
            middle, half = model.geom_aabb[geom][:3], model.geom_aabb[geom][3:]
            parts.append(model.geom_pos[geom] + (middle + corners * half) @ turned.reshape(3, 3).T)
        low, high = np.min(parts, axis=(0, 1)), np.max(parts, axis=(0, 1))
        found.append((low + high) / 2 + corners * (high - low) / 2)
    return np.array(found).reshape(-1, 8, 3)
