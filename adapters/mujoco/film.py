"""Films of the block world: frames at a steady rate of simulated time."""

from __future__ import annotations

import mujoco

from ..film import Film
from .camera import Camera
from .film_scene import CAMERA, film_model
from .world import MujocoWorld

#: Of a frame, in pixels.
WIDTH, HEIGHT = 960, 540


class FilmCamera:
    """Feeds a film with what happens in a world, until the film is closed.

    It sees a model of its own into which it copies poses; the world is only read.
    """

    def __init__(self, world: MujocoWorld, film: Film, frame_rate: float) -> None:
        """frame_rate: frames a simulated second. Raises Missing without a renderer."""
        model = film_model(world.scene)
        self._shown = mujoco.MjData(model)
        self._camera = Camera(model, CAMERA, WIDTH, HEIGHT)
        self._world, self._film = world, film
        self._interval_s = 1 / frame_rate
        self._due_s = float(world.data.time)
        world.on_step = self._stepped
        self._stepped()

    def _stepped(self) -> None:
        if self._film.closed:
            self.close()
            return
        data = self._world.data
        while data.time >= self._due_s:
            self._shown.qpos[:] = data.qpos
            self._film.add(self._camera.frame(self._shown))
            self._due_s += self._interval_s

    def close(self) -> None:
        """Leave the world. May be called more than once."""
        if self._world.on_step is not None:
            self._world.on_step = None
            self._camera.close()
