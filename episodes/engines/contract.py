"""What all engines share: the runs that they play, the queue of episodes, and their results."""

from __future__ import annotations

from collections import Counter as Counted
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
        self, runs: Sequence[PlayedRun], queue: EpisodeQueue, resolved: Mapping[int, Run]
    ) -> Iterator[Played]:
        """Play what the queue gives until it is empty; the caller may change the queue meanwhile.

        resolved: runs that this process has loaded, by index; other processes load them again.
        Raises what ends everything, such as a full disk; the workers have ended then.
        """


#: Episodes that a worker plays in one simulator before it may change to another.
TURN = 16


class EpisodeQueue:
    """Episodes in the order to be played, shared fairly over simulators.

    A worker keeps its simulator, which takes time to start, for at least `TURN` episodes. Then it
    takes the simulator with the smallest share of episodes begun.

    left: number of episodes of each run that have not begun.
    """

    def __init__(self, tickets: Iterable[Ticket], runs: Sequence[PlayedRun]) -> None:
        self._runs = runs
        self._waiting: dict[str, deque[Ticket]] = {}
        for ticket in tickets:
            self._waiting.setdefault(runs[ticket.run].simulator, deque()).append(ticket)
        self._total = {name: len(tickets) for name, tickets in self._waiting.items()}
        self.left = Counted(t.run for ts in self._waiting.values() for t in ts)
        self._begun: Counted[str] = Counted()
        self._deaths: Counted[Ticket] = Counted()
        self._turns: dict[int, tuple[str, int]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def take(self, worker: int) -> Ticket | None:
        """The next episode for a worker; None where none is left."""
        simulator, played = self._turns.get(worker, ("", 0))
        if not self._waiting.get(simulator) or played >= TURN:
            left = [name for name, tickets in self._waiting.items() if tickets]
            if not left:
                return None
            now = min(left, key=lambda name: self._begun[name] / self._total[name])
            simulator, played = now, played if now == simulator else 0
        self._turns[worker] = (simulator, played + 1)
        self._begun[simulator] += 1
        ticket = self._waiting[simulator].popleft()
        self.left[ticket.run] -= 1
        return ticket

    def put_back(self, ticket: Ticket) -> None:
        """Play an episode next whose worker was killed. Raises WorkerKilled at the third time."""
        self._deaths[ticket] += 1
        if self._deaths[ticket] >= MAX_DEATHS:
            raise WorkerKilled(
                f"The process that played the task {ticket.episode.task} was killed {MAX_DEATHS} "
                f"times, perhaps for lack of memory; free some memory or use fewer --workers."
            ) from None
        simulator = self._runs[ticket.run].simulator
        self._begun[simulator] -= 1
        self._waiting[simulator].appendleft(ticket)
        self.left[ticket.run] += 1

    def drop(self, unwanted: Callable[[Ticket], bool]) -> list[Ticket]:
        """Remove the episodes that are no longer wanted; returns them."""
        dropped = []
        for name, tickets in self._waiting.items():
            gone = [ticket for ticket in tickets if unwanted(ticket)]
            if gone:
                dropped += gone
                left = set(tickets).difference(gone)
                self._waiting[name] = deque(ticket for ticket in tickets if ticket in left)
        self.left.subtract(ticket.run for ticket in dropped)
        return dropped
