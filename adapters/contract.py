"""What an adapter is: a simulator (or a real room) as something a planner can act in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from ..observation_text.view import View, Visibility, visible
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..skills.actions import Action, Verb
from ..skills.embodiment import Embodiment
from ..skills.executor import RetryPolicy
from ..skills.outcomes import RawResult
from .scenes import split_scene

if TYPE_CHECKING:  # numpy takes longer to import than everything else here
    import numpy as np
    from numpy.typing import NDArray


class Capability(StrEnum):
    """What an adapter can give beyond views and attempts."""

    GRAPH = "graph"  # the true state, for scoring, recording and postconditions
    IMAGES = "images"
    SEED = "seed"  # the same seed gives the same episode
    SNAPSHOT = "snapshot"
    WRENCH = "wrench"  # views carry `arm`, with the force at the wrist


@dataclass(frozen=True)
class AdapterSpec:
    """What is known of an adapter without its simulator.

    loaders: the prefixes of `Task.scene` that it takes. tested_on: the real engine it has been
    run against, or what it was run against instead. install: the command that gets what it needs.
    attempt_s: seconds that one try may take before the simulator counts as hung.
    """

    name: str
    summary: str
    actions: frozenset[Verb]
    embodiment: Embodiment
    visibility: Visibility
    capabilities: frozenset[Capability]
    loaders: tuple[str, ...]
    tested_on: str
    install: str = ""
    attempt_s: float = RetryPolicy.attempt_s


class Adapter(ABC):
    """One simulator, driven through its own API.

    Constructing an adapter is cheap and needs no simulator; `reset` connects. Adapters raise
    Missing when a package is absent, BadInput for a scene they cannot load, and
    skills.executor.SimulatorDied when the simulator is gone.
    """

    spec: AdapterSpec  # of the class; of the instance where it wraps another adapter

    @classmethod
    def missing(cls) -> str | None:
        """One sentence on what is not installed and how to get it; None when all is there.

        Looks without importing the simulator.
        """
        return None

    def scene_of(self, task: Task) -> tuple[str, str]:
        """The loader and the reference of a task's scene. Raises BadInput for another's loader."""
        loader, reference = split_scene(task.scene)
        if loader not in self.spec.loaders:
            raise BadInput(
                f"The adapter {self.spec.name} cannot load the scene '{task.scene}'; "
                f"it takes scenes of {', '.join(self.spec.loaders)} only."
            )
        return loader, reference

    @abstractmethod
    def reset(self, task: Task, seed: int) -> None:
        """Load the task's scene and apply its initial changes."""

    @abstractmethod
    def attempt(self, action: Action, variation: int) -> RawResult:
        """ONE try of an action through the simulator's API.

        variation: 0 for the first try; others ask for another pose, instance or offset.
        """

    @abstractmethod
    def graph(self) -> SceneGraph | None:
        """The fresh true state, the caller's to keep; None without Capability.GRAPH."""

    def view(self) -> View:
        """What the agent perceives now, by the spec's visibility profile."""
        truth = self.graph()
        assert truth is not None, "an adapter without a true state words its own views"
        return visible(truth, self.spec.visibility)

    def image(self) -> NDArray[np.uint8] | None:
        """The agent's camera as RGB, shape (height, width, 3), or None."""
        return None

    def film(self, path: Path) -> AbstractContextManager[object]:
        """An MP4 of all that happens while it is entered, or from the next `reset` on.

        Raises BadInput where the adapter makes no films or cannot write to the path, and Missing
        without what films need.
        """
        raise BadInput(f"The adapter {self.spec.name} makes no films; the adapter mujoco does.")

    def close(self) -> None:
        """Let go of the simulator. May be called at any time, more than once."""

    def facts(self) -> dict[str, Any]:
        """Versions and settings of the simulator, for the recording."""
        return {}
