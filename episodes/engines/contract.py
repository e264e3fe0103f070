"""What all engines share: the runs that they play, and the results of episodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...errors import PeepholeError
from ...models.failures import ModelFailure
from ...models.served_model import ModelEndpoint
from ...models.usage import Counter
from ..result import EpisodeResult
from ..run_file import PlannedEpisode, RunConfig

if TYPE_CHECKING:
    from ..resolve import Run
    from .queue import EpisodeQueue

#: Tokens and dollars spent, shared by the workers of a run; by role.
Counters = Mapping[str, tuple[Counter, Counter]]
#: Times that the worker of one episode may be killed before the run ends.
MAX_DEATHS = 3


class WorkerKilled(PeepholeError):
    """A process that played episodes was killed; every finished step is recorded."""


@dataclass(frozen=True)
class PlayedRun:
    """A run whose episodes are played, with what a worker needs for it.

    config: resolved, with the model budgets that hold now. endpoints: of the models by role; None
    where recorded replies are played again. counters: tokens and dollars spent.
    """

    config: RunConfig
    folder: Path
    endpoints: Mapping[str, ModelEndpoint | None] = field(default_factory=dict)
    counters: Counters = field(default_factory=dict)

    @property
    def simulator(self) -> str:
        """The simulator that the run needs; runs with the same one can share a worker."""
        return self.config.adapter + ", isolated" * self.config.isolate


@dataclass(frozen=True)
class Ticket:
    """An episode to play. run: the index of its run among those played together."""

    run: int
    episode: PlannedEpisode


@dataclass(frozen=True)
class Played:
    """The result of an episode that was played.

    result: None where a model could not be asked; `failure` says why. seconds: of this session.
    """

    ticket: Ticket
    result: EpisodeResult | None
    failure: ModelFailure | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Bounds:
    """When a worker, and its simulator with it, is replaced by a new one.

    episodes: number it has played. grown_mb: growth of its memory, children included, since the end
    of its first episode.
    """

    episodes: int = 2000
    grown_mb: float = 1024.0


class Engine(Protocol):
    """Plays episodes of several runs."""

    @property
    def workers(self) -> int:
        """Number of episodes that it plays at the same time."""

    @property
    def running(self) -> Sequence[Ticket]:
        """The episodes that are being played now."""

    def counter(self, value: float) -> Counter:
        """A number that its workers share."""

    def play(
        self,
        runs: Sequence[PlayedRun],
        queue: EpisodeQueue,
        resolved: Mapping[int, Run],
    ) -> Iterator[Played]:
        """Play what the queue gives until it is empty; the caller may change the queue meanwhile.

        resolved: runs that this process has loaded, by index; other processes load them again.
        Raises what ends everything, such as a full disk; the workers have ended then.
        """
