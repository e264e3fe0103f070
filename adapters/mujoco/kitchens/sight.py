"""What a camera sees of a kitchen, by rays: which things, and how much of each area.

No image is drawn, so a view needs no graphics and is the same on every machine. Each thing has
fixed points just under its surface, each area fixed points where things may stand. A point is seen
if it is in the field of view and the ray to it is free. A thing is seen if its seen points would
fill enough pixels of an image.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from ....skills.arm.mobile.sightlines import spots
from ....skills.arm.mobile.world import Front, Space
from ....skills.arm.rotation import Array

#: The field of view, across and up, in rad, and how far the camera sees, in m.
FIELD, RANGE = math.radians(70), 8.0
#: The steepest gaze, in rad from the level.
STEEPEST = math.radians(85)
#: Of a thing: the fewest pixels of an image of IMAGE x IMAGE that show it.
PIXELS, IMAGE = 20, 256
#: From this share of an area's points on it counts as seen completely, or partly. In complete areas
#: 99 % of the things are seen: `benchmarks/kitchen_physics/sight.py` measures it.
COMPLETE, PARTLY = 0.9, 0.1
#: Points of a thing: of each geom, or altogether where it has many.
_POINTS, _POINTS_OF_MANY = 20, 96
#: How deep below the surface the points are, as a share of the size. Rays along a surface may miss.
_SHRUNK = 0.96
#: In m: a ray that ends so close before a point of an area has reached it, and so close to it on a
#: thing: then the thing stands on the point.
_NEAR, _BY_THING = 0.02, 0.08
_GOLDEN = (math.sqrt(5) - 1) / 2
#: The outline of a round thing as a share of that of its box.
_ROUNDED = 0.85


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
    """The seen things, with the share of their points that is seen."""
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
        self._names = tuple(things)
        self.bodies = dict(things)
        self._bodies = np.array([things[name] for name in self._names], int)
        points = [_points_of_body(model, body) for body in self._bodies]
        counts = [len(each) for each in points]
        self._of_thing = np.repeat(np.arange(len(points)), counts)
        self._count = np.array(counts)
        self._points: Array = np.concatenate([np.zeros((0, 3)), *points])
        self._size = np.array([_mean_silhouette(each) for each in points])
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
        points = self._thing_points(data)
        of_areas, may_show = self._area_points(values)
        asked = np.array(places).reshape(-1, 3)
        all_points = np.concatenate([points, of_areas, asked])
        in_view = _in_view(all_points, gaze)
        first, last = len(points), len(points) + len(of_areas)
        in_view[first:last] &= may_show
        rows = np.flatnonzero(in_view)
        aims = all_points[rows]
        geoms, distances, lengths = self._cast(data, gaze.eye, aims)
        hit = self._thing_of_geom[geoms]
        own = hit == np.append(self._of_thing, np.full(len(all_points) - first, -2))[rows]
        reached = (geoms < 0) | (distances > lengths - _NEAR)
        tips = gaze.eye + (aims - gaze.eye) * (distances / lengths)[:, None]
        stands_there = (hit >= 0) & (np.hypot(*(tips - aims)[:, :2].T) < _BY_THING)
        free = np.zeros(len(all_points), bool)
        free[rows] = reached | (stands_there & (rows < last))
        counts = np.bincount(self._of_thing[rows[own]], minlength=len(self._names))
        return Glimpse(self._shown(data, gaze, counts), free[first:last], free[last:])

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

    def _shown(self, data: Any, gaze: Gaze, found: NDArray[np.int64]) -> dict[str, float]:
        """The things whose seen points are enough, from the number of them of each thing."""
        shown = {}
        focal = IMAGE / 2 / math.tan(FIELD / 2)
        for number in np.flatnonzero(found):
            share = found[number] / self._count[number]
            away = math.dist(data.xpos[self._bodies[number]], gaze.eye)
            if share * self._size[number] * (focal / away) ** 2 >= PIXELS:
                shown[self._names[number]] = float(share)
        return shown

    def _thing_points(self, data: Any) -> Array:
        """The points of all things now, shape (n, 3)."""
        turned = data.xmat[self._bodies].reshape(-1, 3, 3)[self._of_thing]
        placed: Array = data.xpos[self._bodies][self._of_thing]
        placed += (turned @ self._points[:, :, None])[..., 0]
        return placed

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

    def _cast(self, data: Any, eye: Array, aims: Array) -> tuple[NDArray[np.int32], Array, Array]:
        """For the ray to each point: the hit geom or -1, its distance, and that of the point."""
        count = len(aims)
        geoms, distances = np.full(count, -1, np.int32), np.zeros(count)
        ways = aims - eye
        lengths: Array = np.linalg.norm(ways, axis=1)
        if count:
            directions = np.ascontiguousarray((ways / lengths[:, None]).ravel())
            mujoco.mj_multiRay(
                self._model,
                data,
                eye,
                directions,
                None,
                1,
                -1,
                geoms,
                distances,
                None,
                count,
                RANGE,
            )
        return geoms, distances, lengths


def _in_view(points: Array, gaze: Gaze) -> NDArray[np.bool_]:
    """Which points are in the field of view and near enough."""
    across, up, ahead = gaze.axes @ (points - gaze.eye).T
    edge = ahead * math.tan(FIELD / 2)
    near: NDArray[np.bool_] = (ahead > 0.05) & (ahead < RANGE)
    near &= (np.abs(across) < edge) & (np.abs(up) < edge)
    return near


# --- points of things -----------------------------------------------------------------------------


def _points_of_body(model: Any, body: int) -> Array:
    """Points just under the surface of a body, in its frame, shape (n, 3)."""
    geoms = np.flatnonzero(model.geom_bodyid == body)
    count = max(2, min(_POINTS, _POINTS_OF_MANY // len(geoms)))
    placed = []
    for geom in geoms:
        turned = np.empty(9)
        mujoco.mju_quat2Mat(turned, model.geom_quat[geom])
        own = _points_of_geom(model.geom_type[geom], model.geom_size[geom], count)
        placed.append(model.geom_pos[geom] + _SHRUNK * own @ turned.reshape(3, 3).T)
    return np.concatenate(placed)


def _points_of_geom(kind: int, size: Array, count: int) -> Array:
    """Points on the surface of a box, sphere, cylinder or capsule, spread evenly, shape (n, 3)."""
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return np.array(list(_on_box(size, count)))
    number = np.arange(count)
    angle = 2 * math.pi * number * _GOLDEN
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        high = 1 - (2 * number + 1) / count
        flat = np.sqrt(1 - high**2)
        ball: Array = size[0] * np.stack([flat * np.cos(angle), flat * np.sin(angle), high], 1)
        return ball
    half = size[1] + (size[0] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0)
    high = half * (1 - (2 * number + 1) / count)
    radius = np.full(count, size[0])
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:  # every fourth is on the top
        top = number % 4 == 0
        high[top], radius[top] = half, size[0] * np.sqrt((number[top] + 1) / count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), high], 1)


def _on_box(size: Array, count: int) -> Iterator[Array]:
    """Points on the six faces of a box in turn."""
    for number in range(count):
        axis, positive = number // 2 % 3, number % 2 == 0
        point = size * (2 * (np.array([0.5, 0.5 + _GOLDEN, _GOLDEN**2]) + number * _GOLDEN % 1) - 2)
        point = np.clip(point, -size, size)
        point[axis] = size[axis] if positive else -size[axis]
        yield point


def _mean_silhouette(points: Array) -> float:
    """The area of a thing's outline in m2, as the mean over all directions. points: of its surface.

    A convex body's is a quarter of its surface (Cauchy), here that of a rounded box.
    """
    wide, deep, tall = np.ptp(points, axis=0) / _SHRUNK
    return float(wide * deep + deep * tall + tall * wide) / 2 * _ROUNDED
