"""What engines have in common: the runs that they play together, and what comes of an episode."""

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

#: Tokens and dollars spent, which the workers of a run share; by role.
Counters = Mapping[str, tuple[Counter, Counter]]
#: Times that the worker of one episode may be killed before no other is started for it.
MAX_DEATHS = 3


class WorkerKilled(PeepholeError):
    """A process that played episodes has gone; every finished step is recorded."""


@dataclass(frozen=True)
class PlayedRun:
    """A run whose episodes are played, with what a worker needs for that.

    config: resolved, and its models with the budgets that hold now. endpoints: of the models, by
    role; None where recorded replies are played again. counters: of what was spent.
    """

    config: RunConfig
    folder: Path
    endpoints: Mapping[str, ModelEndpoint | None] = field(default_factory=dict)
    counters: Counters = field(default_factory=dict)

    @property
    def simulator(self) -> str:
        """What a worker has to keep to play the run; the same of runs that can share it."""
        return self.config.adapter + ", isolated" * self.config.isolate


@dataclass(frozen=True)
class Ticket:
    """An episode to play. run: its place among those that are played together."""

    run: int
    episode: PlannedEpisode


@dataclass(frozen=True)
class Played:
    """What came of an episode that was played.

    result: None where a model could not be asked, which failure says. seconds: of this session.
    """

    ticket: Ticket
    result: EpisodeResult | None
    failure: ModelFailure | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Bounds:
    """When a worker makes room for a new one, and its simulator with it.

    episodes: that it has played. grown_mb: by how much it and its children have grown since the end
    of its first episode.
    """

    episodes: int = 2000
    grown_mb: float = 1024.0


class Engine(Protocol):
    """Plays episodes of several runs."""

    @property
    def workers(self) -> int:
        """How many episodes it plays at the same time."""

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
        """Play what the queue gives, until it is empty; whoever asks may change it meanwhile.

        resolved: runs that this process has loaded, by place; other processes load them again.
        Raises what ends everything, such as a full disk; workers have ended then.
        """
