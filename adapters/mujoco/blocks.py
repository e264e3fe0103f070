"""The block world of LLM-POP (section 5.1) in contact physics on MuJoCo.

A Franka Panda stands before a table with one to three cubes of 5 cm (`scenes` tells which). What
they weigh and whether they are welded to the table is not to be seen: the arm has to lift them and
feel the force at its wrist. Poses are perceived, with noise where the scene asks for it; `graph` is
the truth.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
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

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...skills.arm.arm import Arm, ArmMemory
    from .film import Film
    from .pictures import Camera
    from .world import MujocoWorld, WorldSnapshot

_INSTALL = "pip install 'peephole[mujoco]'"


class BlocksAdapter(Adapter):
    """A task of the block world. One scene, one seed and the same actions give the same bits."""

    spec = AdapterSpec(
        name="mujoco",
        summary="blocks before a Franka Panda, in contact physics",
        actions=frozenset({Verb.PICK_UP, Verb.PLACE, Verb.REACH, Verb.RESET, Verb.WAIT}),
        embodiment=Embodiment(hands=1),
        visibility=Visibility.CAMERA,
        capabilities=frozenset(
            {
                Capability.GRAPH,
                Capability.IMAGES,
                Capability.SEED,
                Capability.SNAPSHOT,
                Capability.WRENCH,
            }
        ),
        loaders=("blocks",),
        tested_on="MuJoCo itself",
        install=_INSTALL,
    )

    def __init__(self) -> None:
        self._world: MujocoWorld | None = None
        self._arm: Arm | None = None
        self._camera: Camera | None = None
        self._film: Film | None = None
        self._view: View | None = None

    @classmethod
    def missing(cls) -> str | None:
        if find_spec("mujoco") is None:
            return f"The package mujoco is not installed; {_INSTALL} installs it."
        return None

    def reset(self, task: Task, seed: int) -> None:
        """Load a scene "blocks:REFERENCE". seed: of the noise of its sensors only."""
        from ...skills.arm.arm import Arm
        from .scenes import read
        from .world import MujocoWorld

        loader, reference = split_scene(task.scene)
        if loader not in self.spec.loaders:
            raise BadInput(
                f"The adapter mujoco cannot load the scene '{task.scene}'; it takes scenes of "
                f"{', '.join(self.spec.loaders)} only."
            )
        scene = read(reference)
        self.close()
        noise = hashlib.sha256(f"{seed} {task.scene}".encode()).digest()[:8]
        self._world = MujocoWorld(scene, int.from_bytes(noise, "big"))
        self._arm = Arm(self._world, scene.setting)
        if self._film is not None:
            self._film.show(self._world)
        self._perceive()

    def attempt(self, action: Action, variation: int) -> RawResult:
        result = self.arm.attempt(action, variation)
        self._perceive()
        return result

    def graph(self) -> SceneGraph:
        return self.arm.graph(self.world.true_state(), self.world.true_blocks())

    def view(self) -> View:
        """The arm, the table and the blocks where they are perceived, and the arm's readings."""
        assert self._view is not None, "reset comes first"
        return self._view

    def _perceive(self) -> None:
        # Once after every action, since every reading has noise of its own: how often the view
        # is asked for must not change what comes after.
        perceived = self.arm.graph(self.world.state(), self.world.blocks())
        places = (n.id for n in perceived.nodes() if n.kind is not Kind.AGENT)
        self._view = View(perceived, dict.fromkeys(places, True), self.arm.reading())

    def image(self) -> NDArray[np.uint8]:
        """The camera before the table, shape (240, 320, 3). Raises Missing without a renderer."""
        from .pictures import Camera

        if self._camera is None:
            self._camera = Camera(self.world.model)
        return self._camera.picture(self.world.data)

    def film(self, path: Path) -> Film:
        """An MP4 of the camera before the table, 640x480, from now on or from the next `reset` on.

        It goes on until it is closed, over resets. Raises BadInput and Missing.
        """
        from .film import Film

        self._film = Film(path)
        if self._world is not None:
            self._film.show(self._world)
        return self._film

    def snapshot(self) -> tuple[WorldSnapshot, ArmMemory, View]:
        """The state of now, the sensors' noise to come included; restored to the last bit."""
        return self.world.snapshot(), self.arm.memory(), self.view()

    def restore(self, snapshot: tuple[WorldSnapshot, ArmMemory, View]) -> None:
        """Go back to a snapshot of this episode."""
        world, memory, self._view = snapshot
        self.world.restore(world)
        self.arm.remember(memory)

    def close(self) -> None:
        if self._camera is not None:
            self._camera.close()
        self._camera = self._arm = self._world = None

    def facts(self) -> dict[str, Any]:
        return {"mujoco": version("mujoco")}

    @property
    def world(self) -> MujocoWorld:
        """The physics, for measurements. `reset` comes first."""
        assert self._world is not None, "reset comes first"
        return self._world

    @property
    def arm(self) -> Arm:
        """The skills. `reset` comes first."""
        assert self._arm is not None, "reset comes first"
        return self._arm
