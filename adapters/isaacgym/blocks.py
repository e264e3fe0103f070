"""The block world in NVIDIA's IsaacGym, as an adapter.

Scenes and skills are those of the adapter mujoco, built and stepped in IsaacGym by `server`. It has
never run against IsaacGym itself, only against `stand_in`, a stand-in of its interface on MuJoCo
(docs/simulators/mujoco_isaacgym.md). It has no images: those need a GPU with a display driver.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import Missing
from ..blocks.adapter import SPEC, BlockAdapter

if TYPE_CHECKING:
    from ..blocks.scenes import BlockScene
    from .world import IsaacGymDeadlines, IsaacGymWorld


#: The user's interpreter with isaacgym.
PYTHON_VARIABLE = "PEEPHOLE_ISAACGYM_PYTHON"
#: The assets folder of IsaacGymEnvs or of IsaacGym, with the Franka.
ASSETS_VARIABLE = "PEEPHOLE_ISAACGYM_ASSETS"
#: A file that the assets folder must have; the same as `server.FRANKA`.
FRANKA = "urdf/franka_description/robots/franka_panda_gripper.urdf"
#: Seconds of one try: a wait of a minute is 3000 commands, and PhysX may run in real time only.
_TRY_S = 600.0
#: Seconds of a reset: it starts a process and builds a scene, see `world.IsaacGymDeadlines`.
_RESET_S = 300.0


class IsaacGymAdapter(BlockAdapter):
    """A task of the block world. Every episode has its own process."""

    spec = replace(
        SPEC,
        name="isaacgym",
        summary="blocks before a Franka Panda in NVIDIA's IsaacGym, in a Python 3.8 of yours",
        tested_on="a stand-in of gymapi on MuJoCo; never IsaacGym itself",
        attempt_s=_TRY_S,
        reset_s=_RESET_S,
    )
    _world: IsaacGymWorld | None

    def __init__(self, deadlines: IsaacGymDeadlines | None = None) -> None:
        super().__init__()
        self._deadlines = deadlines

    @classmethod
    def missing(cls) -> str | None:
        """One sentence on what is not set or not there, or None."""
        python, assets = os.environ.get(PYTHON_VARIABLE), os.environ.get(ASSETS_VARIABLE)
        if not python:
            return (
                f"{PYTHON_VARIABLE} is not set; set it to a Python 3.8 that has NVIDIA's "
                f"isaacgym (see environments/isaacgym.yml)."
            )
        if shutil.which(python) is None:
            return (
                f"{PYTHON_VARIABLE} is {python}, which is no program; "
                f"set it to a Python 3.8 that has NVIDIA's isaacgym."
            )
        if not assets:
            return (
                f"{ASSETS_VARIABLE} is not set; "
                f"set it to the assets folder of IsaacGymEnvs or of IsaacGym."
            )
        if not (Path(assets) / FRANKA).is_file():
            return (
                f"{ASSETS_VARIABLE} is {assets}, where there is no {FRANKA}; "
                f"set it to the assets folder of IsaacGymEnvs or of IsaacGym."
            )
        return None

    def _built(self, scene: BlockScene, seed: int) -> IsaacGymWorld:
        """The world at the start. Raises SimulatorDied, and Missing without isaacgym."""
        world = self._new_world()
        world.build(scene, str(Path(os.environ[ASSETS_VARIABLE]).resolve()), seed)
        return world

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
        super().close()

    def facts(self) -> dict[str, Any]:
        """The facts of IsaacGym and of its interpreter."""
        world = self._world or self._new_world()
        if not world.hello:
            world.start()
        return {**world.hello["facts"], "interpreter": world.hello["python"]}

    def _new_world(self) -> IsaacGymWorld:
        from .world import IsaacGymWorld

        problem = self.missing()
        if problem is not None:
            raise Missing(problem)
        self._world = IsaacGymWorld(os.environ[PYTHON_VARIABLE], self._deadlines)
        return self._world
