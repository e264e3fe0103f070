"""The contract of adapters: a simulator (or a real room) in which a planner acts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import BadInput, each_name
from ..observation_text.layout import Directions
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

if TYPE_CHECKING:  # numpy is slow to import
    import numpy as np
    from numpy.typing import NDArray


class Capability(StrEnum):
    """An ability of an adapter beyond views and attempts."""

    GRAPH = "graph"  # the true state, for scoring, recording and postconditions
    IMAGES = "images"  # frames of the agent's camera, and films with one frame a step
    FILM = "film"  # films with frames between the steps
    SEED = "seed"  # the same seed gives the same episode
    SNAPSHOT = "snapshot"
    WRENCH = "wrench"  # views carry `arm`, with the force at the wrist
    #: The same tries from the same start lead to the same state, so that an episode can be
    #: restored by replay. Without it nothing is replayed or retried.
    REPLAYABLE = "replayable"
    #: Decides itself whether the goal holds, like a person or a benchmark's own predicates. This
    #: comes before what the true state says of the goal.
    JUDGE = "judge"
    #: Several of it may be played at the same time in threads of one process.
    THREADS = "threads"


#: The key of `Adapter.facts` for the stand-in that replaces the real engine.
STAND_IN = "stand_in"


@dataclass(frozen=True)
class AdapterSpec:
    """The description of an adapter, known without its simulator."""

    name: str
    """The name of the adapter."""
    summary: str
    """One line for `peephole adapters`."""
    actions: frozenset[Verb]
    """The verbs that it can do."""
    embodiment: Embodiment
    """The limits of the agent's body."""
    visibility: Visibility
    """How far the agent perceives."""
    capabilities: frozenset[Capability]
    """What it can do beyond views and attempts."""
    loaders: tuple[str, ...]
    """The prefixes of `Task.scene` that it takes."""
    tested_on: str
    """The real engine it was run against, or the substitute."""
    dialects: tuple[str, ...] = ()
    """The dialects that suit its views and actions, the best first; empty for any that supports its
    actions.
    """
    directions: Directions | None = None
    """Which way is right and front, for texts that tell how things lie to each other; None for
    texts without.
    """
    attempt_s: float = RetryPolicy.attempt_s
    """Seconds of one try before the simulator counts as hung."""
    reset_s: float = 60.0
    """Seconds of one reset before the simulator counts as hung."""
    bounded: bool = False
    """Whether every call ends by itself, for example by deadlines of the adapter. Other calls are
    interrupted, which works only in the main thread of a process.
    """
    attended: bool = False
    """Whether a person or a robot takes part, so that one episode is played at a time, in this
    process.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "loaders", each_name(self.loaders))
        object.__setattr__(self, "dialects", each_name(self.dialects))


class Adapter(ABC):
    """One simulator, driven through its own API.

    Constructing an adapter is cheap and needs no simulator; `reset` connects. Adapters raise
    Missing without a package, BadInput for a scene they cannot load, and
    skills.executor.SimulatorDied if the simulator is gone.

    An adapter with Capability.IMAGES calls `self._capture()` at the end of `reset` and of every
    `attempt` that reached the simulator, so that it can be filmed.
    """

    spec: AdapterSpec  # of the instance, if settings or a wrapped adapter decide
    #: Frames per second of its films; without Capability.FILM, steps per second.
    frame_rate: ClassVar[float] = 2.0
    _film: Film | None = None

    @classmethod
    def configured_spec(cls) -> AdapterSpec:
        """The spec of a new adapter under the settings of the environment."""
        return cls.spec

    @classmethod
    def missing(cls) -> str | None:
        """One sentence on what is not installed and how to get it, or None.

        Must not import the simulator.
        """
        return None

    def scene_of(self, task: Task) -> tuple[str, str]:
        """The loader and the reference of a task's scene. Raises BadInput for a foreign loader."""
        loader, reference = split_scene(task.scene)
        if loader not in self.spec.loaders:
            raise BadInput(
                f"The adapter {self.spec.name} cannot load the scene '{task.scene}'; "
                f"it takes scenes of {', '.join(self.spec.loaders)} only."
            )
        return loader, reference

    @classmethod
    def check_images(cls) -> None:
        """Raise Missing, with what to install, if `image` cannot work without it."""

    @abstractmethod
    def reset(self, task: Task, seed: int) -> None:
        """Load the task's scene and apply its initial changes."""

    def resume(self, task: Task, seed: int) -> None:
        """Attach to the world as it is, to continue an interrupted episode.

        Only for adapters without Capability.REPLAYABLE; others raise BadInput, since `reset` and a
        replay restore their episodes.
        """
        raise BadInput(
            f"The adapter {self.spec.name} cannot continue an episode in the world as it is; "
            f"reset it and replay the episode instead."
        )

    def keep(self, folder: Path) -> None:
        """Take notice of a folder for the adapter's own files of the episode.

        Called before `reset` or `resume` where an episode is recorded; the folder may not exist.
        One start of an episode has one folder, before and after an interruption.
        """

    def recall(self, task: Task, action: Action | None) -> None:
        """Take in a recorded try of an episode that is continued, without doing it.

        Called after `resume`, in the recorded order. action: None for the start of a further trial.
        """

    @abstractmethod
    def attempt(self, action: Action, variation: int) -> RawResult:
        """One try of an action through the simulator's API.

        variation: 0 for the first try; others ask for another pose, instance or offset.
        """

    @abstractmethod
    def graph(self) -> SceneGraph | None:
        """The fresh true state, owned by the caller; None without Capability.GRAPH."""

    def view(self) -> View:
        """The agent's perception now, by the spec's visibility profile."""
        truth = self.graph()
        assert truth is not None, "an adapter without a true state words its own views"
        return visible(truth, self.spec.visibility)

    def judge(self, task: Task) -> Progress | None:
        """The task's progress in the adapter's own judgement; None without Capability.JUDGE."""
        return None

    def image(self) -> NDArray[np.uint8] | None:
        """The current frame of the agent's camera: RGB, shape (height, width, 3), or None."""
        return None

    def film(self, path: Path) -> Film:
        """Start an MP4 of everything from now on, over resets, until it is closed.

        With Capability.FILM it shows continuous motion, else one frame after each reset and try. An
        earlier film ends here. Raises BadInput for an adapter without images or an unwritable path,
        and Missing without the packages for films.
        """
        if Capability.IMAGES not in self.spec.capabilities:
            raise BadInput(
                f"The adapter {self.spec.name} has no images for a film; leave the film out."
            )
        if self._film is not None:
            self._film.close()
        self._film = Film(path, self.frame_rate)
        return self._film

    def _capture(self) -> None:
        """Add the current frame to the film, if there is one."""
        if self._film is not None and not self._film.closed:
            frame = self.image()
            if frame is not None:
                self._film.add(frame)

    def close(self) -> None:
        """Release the simulator. May be called at any time, more than once."""

    def facts(self) -> dict[str, Any]:
        """Versions and settings of the simulator, for the recording.

        STAND_IN names a stand-in for the real engine, and is absent without one; results are marked
        by it.
        """
        return {}
