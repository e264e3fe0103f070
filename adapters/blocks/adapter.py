"""The block world of LLM-POP (section 5.1) as an adapter, for any physics engine.

A Franka Panda stands before a table with one to three cubes of 5 cm (see `scenes`). Their weights,
and whether they are welded to the table, are invisible: the arm must lift them and feel the force
at its wrist. Poses are perceived, with noise if the scene asks for it; `graph` is the truth.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from typing import TYPE_CHECKING

from ...observation_text.view import View, Visibility
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind
from ...scene_graph.task import Task
from ...skills.actions import ARM_VERBS, Action
from ...skills.embodiment import Embodiment
from ...skills.outcomes import RawResult
from ..contract import Adapter, AdapterSpec, Capability

if TYPE_CHECKING:
    from ...skills.arm.blocks.arm import Arm
    from .scenes import BlockScene
    from .sensors import BlockWorld


#: The spec of every adapter of the block world, up to its name, tests and further capabilities.
SPEC = AdapterSpec(
    name="blocks",
    summary="blocks before a Franka Panda",
    actions=ARM_VERBS,
    embodiment=Embodiment(hands=1),
    visibility=Visibility.CAMERA,
    capabilities=frozenset({Capability.GRAPH, Capability.REPLAYABLE, Capability.WRENCH}),
    loaders=("blocks",),
    dialects=("blocks",),
    tested_on="itself",
    bounded=True,
)


class BlockAdapter(Adapter):
    """A task of the block world. A subclass makes the world in its engine."""

    def __init__(self) -> None:
        self._world: BlockWorld | None = None
        self._arm: Arm | None = None
        self._view: View | None = None

    @abstractmethod
    def _built(self, scene: BlockScene, seed: int) -> BlockWorld:
        """The world at the start of a scene. seed: of the sensors' noise."""

    def reset(self, task: Task, seed: int) -> None:
        """Load a scene "blocks:REFERENCE". seed: only of the sensors' noise.

        Raises BadInput, and the engine's error if it cannot be started.
        """
        from ...skills.arm.blocks.arm import Arm
        from .scenes import read

        _, reference = self.scene_of(task)
        scene = read(reference)
        self.close()
        # Seeded by visible facts only: noise that depends on masses or welds would reveal them.
        noise = hashlib.sha256(f"{seed} {scene.places}".encode()).digest()[:8]
        self._world = self._built(scene, int.from_bytes(noise, "big"))
        self._arm = Arm(self._world, scene.setting)
        self._perceive()

    def attempt(self, action: Action, variation: int) -> RawResult:
        result = self.arm.attempt(action, variation)
        self._perceive()
        return result

    def graph(self) -> SceneGraph:
        assert self._world is not None, "reset comes first"
        return self.arm.graph(self._world.true_state(), self._world.true_blocks())

    def view(self) -> View:
        """The arm, the table, the blocks as perceived, and the arm's readings.

        All are rounded; see `sensors.rounded` and `sensors.rounded_reading`.
        """
        assert self._view is not None, "reset comes first"
        return self._view

    def _perceive(self) -> None:
        # Once after every action: every reading has its own noise, so the number of views must not
        # change later readings.
        from .sensors import rounded, rounded_reading, rounded_state

        assert self._world is not None
        state = rounded_state(self._world.state())
        perceived = self.arm.graph(state, rounded(self._world.blocks()))
        places = (n.id for n in perceived.nodes() if n.kind is not Kind.AGENT)
        reading = rounded_reading(self.arm.reading())
        self._view = View(perceived, dict.fromkeys(places, True), reading)

    def close(self) -> None:
        self._world = self._arm = self._view = None

    @property
    def arm(self) -> Arm:
        """The skills. `reset` comes first."""
        assert self._arm is not None, "reset comes first"
        return self._arm
