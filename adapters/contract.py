"""The contract of adapters: a simulator (or a real room) that a planner can act in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import BadInput
from ..observation_text.view import View, Visibility, visible
from ..scene_graph.goal_evaluation import Progress
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..skills.actions import Action, Verb
from ..skills.embodiment import Embodiment
from ..skills.executor import RetryPolicy
from ..skills.outcomes import RawResult
from .film import Film
from .scenes import split_scene

if TYPE_CHECKING:  # numpy takes longer to import than everything else here
    import numpy as np
    from numpy.typing import NDArray


class Capability(StrEnum):
    """An ability of an adapter beyond views and attempts."""

    GRAPH = "graph"  # the true state, for scoring, recording and postconditions
    IMAGES = "images"  # frames of the agent's camera, and films with one frame a step
    FILM = "film"  # films with frames between the steps too
    SEED = "seed"  # the same seed gives the same episode
    SNAPSHOT = "snapshot"
    WRENCH = "wrench"  # views carry `arm`, with the force at the wrist
    #: The same tries from the same start lead to the same state, so that an episode can be
    #: restored by replaying them; without it nothing is ever replayed or retried.
    REPLAYABLE = "replayable"
    JUDGE = "judge"  # says itself whether the goal holds, such as a person does


#: Among the facts of an adapter: what plays in place of the engine that it is made for.
STAND_IN = "stand_in"


@dataclass(frozen=True)
class AdapterSpec:
    """The description of an adapter, known without its simulator.

    loaders: the prefixes of `Task.scene` that it takes. dialects: the names of those that word its
    views and actions well, the best first; empty: any that has words for its actions. tested_on:
    the real engine it has been run against, or what it was run against instead. attempt_s,
    reset_s: seconds that one try and one reset may take before the simulator counts as hung.
    bounded: every call ends by itself, since nothing is waited for or by deadlines of the adapter's
    own; others are interrupted by ours, which works in a process's main thread only.
    """

    name: str
    summary: str
    actions: frozenset[Verb]
    embodiment: Embodiment
    visibility: Visibility
    capabilities: frozenset[Capability]
    loaders: tuple[str, ...]
    tested_on: str
    dialects: tuple[str, ...] = ()
    attempt_s: float = RetryPolicy.attempt_s
    reset_s: float = 60.0
    bounded: bool = False


class Adapter(ABC):
    """One simulator, driven through its own API.

    Constructing an adapter is cheap and needs no simulator; `reset` connects. Adapters raise
    Missing when a package is absent, BadInput for a scene they cannot load, and
    skills.executor.SimulatorDied when the simulator is gone.

    An adapter with Capability.IMAGES calls `self._capture()` at the end of `reset` and of every
    `attempt` that reached the simulator, so that it can be filmed.
    """

    spec: AdapterSpec  # of the class; of the instance where settings or a wrapped adapter decide
    #: Frames a second of its films: of those with one frame a step, steps a second.
    frame_rate: ClassVar[float] = 2.0
    _film: Film | None = None

    @classmethod
    def configured_spec(cls) -> AdapterSpec:
        """The spec of a new adapter, under the settings in the environment."""
        return cls.spec

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

    @classmethod
    def check_images(cls) -> None:
        """Raise Missing, with what to install, where `image` could give nothing for want of it."""

    @abstractmethod
    def reset(self, task: Task, seed: int) -> None:
        """Load the task's scene and apply its initial changes."""

    def resume(self, task: Task, seed: int) -> None:
        """Attach to the world as it is, to continue an episode that was cut off.

        Only for adapters without Capability.REPLAYABLE; an episode in any other is restored by
        `reset` and a replay of its tries. Raises BadInput there.
        """
        raise BadInput(
            f"The adapter {self.spec.name} cannot continue an episode in the world as it is; "
            f"reset it and replay the episode instead."
        )

    @abstractmethod
    def attempt(self, action: Action, variation: int) -> RawResult:
        """ONE try of an action through the simulator's API.

        variation: 0 for the first try; others ask for another pose, instance or offset.
        """

    @abstractmethod
    def graph(self) -> SceneGraph | None:
        """The fresh true state, the caller's to keep; None without Capability.GRAPH."""

    def view(self) -> View:
        """The agent's perception now, by the spec's visibility profile."""
        truth = self.graph()
        assert truth is not None, "an adapter without a true state words its own views"
        return visible(truth, self.spec.visibility)

    def judge(self, task: Task) -> Progress | None:
        """How far the task is by the adapter's own judgement; None without Capability.JUDGE."""
        return None

    def image(self) -> NDArray[np.uint8] | None:
        """The current frame of the agent's camera: RGB, shape (height, width, 3), or None."""
        return None

    def film(self, path: Path) -> Film:
        """Begin an MP4 of what happens from now on, over resets, until it is closed.

        With Capability.FILM it shows what happens as time passes, else one frame after each reset
        and each try. A film that was begun before ends here. Raises BadInput for an adapter without
        images or a path that cannot be written, and Missing without what films need.
        """
        if Capability.IMAGES not in self.spec.capabilities:
            raise BadInput(f"The adapter {self.spec.name} gives no images to make a film of.")
        if self._film is not None:
            self._film.close()
        self._film = Film(path, self.frame_rate)
        return self._film

    def _capture(self) -> None:
        """Add the current frame to the film, while one is made."""
        if self._film is not None and not self._film.closed:
            frame = self.image()
            if frame is not None:
                self._film.add(frame)

    def close(self) -> None:
        """Let go of the simulator. May be called at any time, more than once."""

    def facts(self) -> dict[str, Any]:
        """Versions and settings of the simulator, for the recording.

        STAND_IN names what plays in place of the engine itself, and is absent where that plays;
        results are marked by it.
        """
        return {}
