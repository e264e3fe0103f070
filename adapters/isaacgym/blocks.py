"""The block world in NVIDIA's IsaacGym, as an adapter.

Scenes and skills are those of the adapter mujoco, built and stepped in IsaacGym. `server` runs
there, `settings` says where it is.

Limits:

- It has never run against IsaacGym itself, which is no longer published and needs Python 3.8. It
  ran only against `stand_in`, a stand-in of its interface on MuJoCo. Its calls were compared with
  the signatures of the package isaacgym-stubs.
- Gains, friction and solver settings were therefore never tuned on PhysX.
- The force at the wrist is estimated from the joints (see `server`).
- It has no images: those need a GPU with a display driver. It runs on the CPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...observation_text.view import Visibility
from ...skills.actions import ARM_VERBS
from ...skills.embodiment import Embodiment
from ..blocks.adapter import BlockAdapter
from ..contract import AdapterSpec, Capability
from . import settings

if TYPE_CHECKING:
    from ..blocks.scenes import BlockScene
    from .world import IsaacGymDeadlines, IsaacGymWorld


#: Seconds of one try: a wait of a minute is 3000 commands, and PhysX may run in real time only.
_TRY_S = 600.0
#: Seconds of a reset: it starts a process and builds a scene, see `world.IsaacGymDeadlines`.
_RESET_S = 300.0


class IsaacGymAdapter(BlockAdapter):
    """A task of the block world. Every episode has its own process."""

    spec = AdapterSpec(
        name="isaacgym",
        summary="blocks before a Franka Panda in NVIDIA's IsaacGym, in a Python 3.8 of yours",
        actions=ARM_VERBS,
        embodiment=Embodiment(hands=1),
        visibility=Visibility.CAMERA,
        capabilities=frozenset({Capability.GRAPH, Capability.WRENCH, Capability.REPLAYABLE}),
        loaders=("blocks",),
        dialects=("blocks",),
        tested_on="a stand-in of gymapi on MuJoCo; never IsaacGym itself",
        attempt_s=_TRY_S,
        reset_s=_RESET_S,
        bounded=True,
    )
    _world: IsaacGymWorld | None

    def __init__(self, deadlines: IsaacGymDeadlines | None = None) -> None:
        super().__init__()
        self._deadlines = deadlines

    @classmethod
    def missing(cls) -> str | None:
        return settings.missing()

    def _built(self, scene: BlockScene, seed: int) -> IsaacGymWorld:
        """The world at the start. Raises SimulatorDied, and Missing if the interpreter has no
        isaacgym.
        """
        world = self._new_world()
        world.build(scene, settings.place()[1], seed)
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

        self._world = IsaacGymWorld(settings.place()[0], self._deadlines)
        return self._world
