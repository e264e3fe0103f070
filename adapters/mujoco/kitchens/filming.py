"""Films that follow the robot: it and the furniture that it works at stay in the picture."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from ....skills.arm.rotation import Array
from ...film import Film
from .camera import HANGING, Camera
from .episode import KitchenEpisode
from .world import MujocoRoom

#: The size of a frame, in pixels, and the field of view, up and down, in rad.
WIDTH, HEIGHT, FIELD = 960, 540, math.radians(40)
#: The size of the map of shadows, in pixels.
_SHADOWS = 2048
#: Where the camera may be: so far from the middle between robot and furniture, in m, and looking
#: down so far, in rad. The first from which most is seen is taken.
_PLACES = ((3.6, math.radians(26)), (2.7, math.radians(42)), (2.3, math.radians(58)))
#: Directions of the camera against that from the furniture to the robot, in rad.
_TURNS = tuple(math.radians(angle) for angle in (40, -40, 60, -60, 25, -25, 80, -80, 0))
#: It stays on its side while it sees as much from there, and is at most so far around, in rad.
_AROUND = math.radians(85)
#: How fast the camera follows, as the time constant in s, and how often it looks for a place, in s.
_CALM, _AGAIN = 1.6, 2.0
_HEIGHT_OF_INTEREST = 0.85
#: What of a point is hidden by the robot itself: its arm is thin.
_BEHIND_ROBOT = 0.5
#: Lamps hang over islands, higher than this, in m.
_ISLAND, _LAMPS = "island", 1.45


class Seat:
    """Chooses from where robot and furniture are seen, and stays on its side while it can."""

    def __init__(self, world: MujocoRoom) -> None:
        self._world = world
        self._robot = int(world.model.body("base").id)
        self._side = math.nan

    def choose(self, goal: Array) -> tuple[Array, Array]:
        """The point to look at, and where the camera should be. goal: where the robot works."""
        base = self._world.reading().joints
        robot = base[:2]
        middle = np.array([*(robot + np.clip(goal[:2] - robot, -1.5, 1.5) * 0.4), 0.0])
        middle[2] = _HEIGHT_OF_INTEREST
        back = robot - goal[:2]
        if float(np.hypot(*back)) < 0.1:
            back = -np.array([math.cos(base[2]), math.sin(base[2])])
        behind = math.atan2(back[1], back[0])
        sides = [behind + turn for turn in _TURNS]
        if abs(math.remainder(self._side - behind, math.tau)) <= _AROUND:
            sides.insert(0, self._side)
        points = [np.array([*robot, 0.9]), np.array([*robot, 0.4]), goal]
        places = [(side, place) for place in _PLACES for side in sides]
        eyes = [middle + away * _direction(side, down) for side, (away, down) in places]
        best = int(np.argmin([sum(self._hidden(eye, point) for point in points) for eye in eyes]))
        self._side = places[best][0]
        return middle, eyes[best]

    def _hidden(self, eye: Array, point: Array) -> float:
        """How much of a point something hides that is between, from 0 to 1."""
        way = point - eye
        far = float(np.linalg.norm(way))
        geom = np.zeros(1, np.int32)
        model, data = self._world.model, self._world.data
        groups = np.array([1, 1, 0, 0, 0, 0], np.uint8)
        met = mujoco.mj_ray(model, data, eye, way / far, groups, 1, -1, geom)
        if geom[0] < 0 or met > far - 0.35:
            return 0.0
        root = model.body_rootid[model.geom_bodyid[geom[0]]]
        return _BEHIND_ROBOT if root == model.body_rootid[self._robot] else 1.0


class FollowingCamera:
    """Feeds a film with frames of an episode, until the film is closed; physics is only read."""

    def __init__(self, episode: KitchenEpisode, film: Film, frame_rate: float) -> None:
        """frame_rate: of the film, per second. Raises Missing without a renderer."""
        self._episode, self._film = episode, film
        model = episode.world.model
        model.geom_group[_hanging(model, episode.world.data)] = HANGING
        self._camera = Camera(model, WIDTH, HEIGHT, FIELD, shadows=_SHADOWS, hanging=False)
        self._interval_s = film.speed / frame_rate
        self._due_s = self._placed_s = float(episode.world.data.time)
        self._seat = Seat(episode.world)
        self._aim, self._eye = self._seat.choose(episode.focus)
        self._goal = self._aim, self._eye
        episode.on_tick = self._tick
        self._tick()

    def _tick(self) -> None:
        if self._film.closed:
            self.close()
            return
        time = float(self._episode.world.data.time)
        while time >= self._due_s:
            if self._due_s - self._placed_s >= _AGAIN:
                self._goal = self._seat.choose(self._episode.focus)
                self._placed_s = self._due_s
            step = 1 - math.exp(-self._interval_s / _CALM)
            self._aim = self._aim + step * (self._goal[0] - self._aim)
            self._eye = self._eye + step * (self._goal[1] - self._eye)
            self._film.add(self._camera.frame(self._episode.world.data, self._eye, self._aim))
            self._due_s += self._interval_s

    def close(self) -> None:
        """Detach from the episode. May be called more than once."""
        if self._episode.on_tick is not None:
            self._episode.on_tick = None
            self._camera.close()


def _hanging(model: Any, data: Any) -> NDArray[np.bool_]:
    """Which solids hang over an island: lamps, which would hide the robot."""
    islands = [model.geom(geom).name.startswith(_ISLAND) for geom in range(model.ngeom)]
    hanging: NDArray[np.bool_] = np.array(islands) & (data.geom_xpos[:, 2] > _LAMPS)
    return hanging


def _direction(turn: float, down: float) -> Array:
    """From the aim to a camera that looks down."""
    level, up = math.cos(down), math.sin(down)
    return np.array([level * math.cos(turn), level * math.sin(turn), up])
