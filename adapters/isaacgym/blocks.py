"""The block world in NVIDIA's IsaacGym, as an adapter.

The scenes are those of the adapter mujoco, and so are the skills: this one builds and steps them in
IsaacGym instead. `server` is what runs there, `settings` says where.

What to know before trusting it:

- It has never run against IsaacGym itself, which is no longer published and needs Python 3.8; only
  against `standin`, a stand-in of its interface on MuJoCo. The calls that it makes were compared
  with the signatures of the package isaacgym-stubs.
- Gains, friction and solver settings were therefore never tuned on PhysX.
- The force at the wrist is estimated from the joints (`server` tells how and why).
- It gives no pictures: those need a GPU with a display driver. It runs on the CPU.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ...errors import BadInput
from ...observation_text.view import View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind
from ...scene_graph.task import Task
from ...skills.actions import Action, Verb
from ...skills.embodiment import Embodiment
from ...skills.outcomes import RawResult
from ..contract import Adapter, AdapterSpec, Capability
from ..scenes import split_scene
from . import settings

if TYPE_CHECKING:
    from ...skills.arm.arm import Arm
    from .world import Deadlines, IsaacGymWorld


class IsaacGymAdapter(Adapter):
    """A task of the block world. Every episode has a process of its own."""

    spec = AdapterSpec(
        name="isaacgym",
        summary="blocks before a Franka Panda in NVIDIA's IsaacGym, in a Python 3.8 of yours",
        actions=frozenset({Verb.PICK_UP, Verb.PLACE, Verb.REACH, Verb.RESET, Verb.WAIT}),
        embodiment=Embodiment(hands=1),
        visibility=Visibility.CAMERA,
        capabilities=frozenset({Capability.GRAPH, Capability.WRENCH}),
        loaders=("blocks",),
        tested_on="a stand-in of gymapi on MuJoCo; never IsaacGym itself",
        install=settings.INSTALL,
    )

    def __init__(self, deadlines: Deadlines | None = None) -> None:
        self._deadlines = deadlines
        self._world: IsaacGymWorld | None = None
        self._arm: Arm | None = None
        self._view: View | None = None

    @classmethod
    def missing(cls) -> str | None:
        return settings.missing()

    def reset(self, task: Task, seed: int) -> None:
        """Load a scene "blocks:REFERENCE". seed: of the noise of its sensors only.

        Raises SimulatorDied, and Missing where the interpreter has no isaacgym.
        """
        from ...skills.arm.arm import Arm
        from ..mujoco.scenes import read

        loader, reference = split_scene(task.scene)
        if loader not in self.spec.loaders:
            raise BadInput(
                f"The adapter isaacgym cannot load the scene '{task.scene}'; it takes scenes of "
                f"{', '.join(self.spec.loaders)} only."
            )
        scene = read(reference)
        self.close()
        noise = hashlib.sha256(f"{seed} {task.scene}".encode()).digest()[:8]
        world = self._new_world()
        world.build(scene, settings.place()[1], int.from_bytes(noise, "big"))
        self._arm = Arm(world, scene.setting)
        self._perceive()

    def attempt(self, action: Action, variation: int) -> RawResult:
        result = self.arm.attempt(action, variation)
        self._perceive()
        return result

    def graph(self) -> SceneGraph:
        world = self._running()
        return self.arm.graph(world.true_state(), world.true_blocks())

    def view(self) -> View:
        """The arm, the table and the blocks where they are perceived, and the arm's readings."""
        assert self._view is not None, "reset comes first"
        return self._view

    def _perceive(self) -> None:
        # Once after every action, since every reading has noise of its own: how often the view
        # is asked for must not change what comes after.
        world = self._running()
        perceived = self.arm.graph(world.state(), world.blocks())
        places = (n.id for n in perceived.nodes() if n.kind is not Kind.AGENT)
        self._view = View(perceived, dict.fromkeys(places, True), self.arm.reading())

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
        self._arm = self._view = None

    def facts(self) -> dict[str, Any]:
        """The facts of IsaacGym, and of the interpreter that it ran in."""
        world = self._world or self._new_world()
        if not world.hello:
            world.start()
        return {**world.hello["facts"], "interpreter": world.hello["python"]}

    @property
    def arm(self) -> Arm:
        """The skills. `reset` comes first."""
        assert self._arm is not None, "reset comes first"
        return self._arm

    def _new_world(self) -> IsaacGymWorld:
        from .world import IsaacGymWorld

        self._world = IsaacGymWorld(settings.place()[0], self._deadlines)
        return self._world

    def _running(self) -> IsaacGymWorld:
        assert self._world is not None, "reset comes first"
        return self._world
