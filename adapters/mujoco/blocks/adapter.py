"""The block world in contact physics on MuJoCo."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....installed import Lack
from ....observation_text.view import View
from ....scene_graph.task import Task
from ...blocks.adapter import SPEC, BlockAdapter
from ...contract import Capability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ....skills.arm.blocks.arm import ArmSnapshot
    from ...blocks.scenes import BlockScene
    from ...film import Film
    from .camera import Camera
    from .film_scene import FilmCamera
    from .world import MujocoWorld, WorldSnapshot


class BlocksAdapter(BlockAdapter):
    """A task of the block world. Deterministic to the bit, given scene, seed and actions."""

    spec = replace(
        SPEC,
        name="mujoco",
        summary="blocks before a Franka Panda, in contact physics",
        capabilities=SPEC.capabilities
        | {Capability.IMAGES, Capability.FILM, Capability.SEED, Capability.SNAPSHOT},
        tested_on="MuJoCo itself",
    )

    frame_rate = 20.0

    _world: MujocoWorld | None

    def __init__(self) -> None:
        super().__init__()
        self._camera: Camera | None = None
        self._film_camera: FilmCamera | None = None

    @classmethod
    def missing(cls) -> str | None:
        if find_spec("mujoco") is None:
            return Lack("The package mujoco is not installed", "mujoco")
        return None

    def reset(self, task: Task, seed: int) -> None:
        super().reset(task, seed)
        if self._film is not None and not self._film.closed:
            self._point_camera(self._film)

    def _built(self, scene: BlockScene, seed: int) -> MujocoWorld:
        from .world import MujocoWorld

        return MujocoWorld(scene, seed)

    def image(self) -> NDArray[np.uint8]:
        """The camera before the table, shape (240, 320, 3). Raises Missing without a renderer."""
        from .camera import Camera

        if self._camera is None:
            self._camera = Camera(self.world.model)
        return self._camera.frame(self.world.data)

    def film(self, path: Path) -> Film:
        """Start an MP4 of the arm at its table, 960x540; see `Adapter.film`."""
        film = super().film(path)
        if self._world is not None:
            try:
                self._point_camera(film)
            except BaseException:
                film.close()
                raise
        return film

    def _point_camera(self, film: Film) -> None:
        from .film_scene import FilmCamera

        self._leave_camera()
        self._film_camera = FilmCamera(self.world, film, self.frame_rate)

    def _leave_camera(self) -> None:
        if self._film_camera is not None:
            self._film_camera.close()
        self._film_camera = None

    def snapshot(self) -> tuple[WorldSnapshot, ArmSnapshot, View]:
        """The present state, including the sensors' noise to come; restored to the last bit."""
        return self.world.snapshot(), self.arm.snapshot(), self.view()

    def restore(self, snapshot: tuple[WorldSnapshot, ArmSnapshot, View]) -> None:
        """Restore a snapshot of this episode."""
        world, arm, self._view = snapshot
        self.world.restore(world)
        self.arm.restore(arm)

    def close(self) -> None:
        if self._camera is not None:
            self._camera.close()
        self._camera = None
        self._leave_camera()
        super().close()

    def facts(self) -> dict[str, Any]:
        return {"mujoco": version("mujoco")}

    @property
    def world(self) -> MujocoWorld:
        """The physics, for measurements. Call `reset` first."""
        assert self._world is not None, "reset comes first"
        return self._world
