"""Playing episodes in threads of this process, each with a world of its own.

An episode waits for its model most of the time, so hundreds of them fit into one process. All of a
run share its connections to models, and with them the pace that an endpoint allows. One thread
computes at a time, see `baton`: a planner that computes for long keeps the others waiting.
"""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue

from ...adapters.contract import Adapter, Capability
from ...adapters.registry import connect
from ...baton import Baton
from ...errors import BadInput
from ...models.pace import Paces
from ...models.usage import Counter, LocalCounter
from ..resolve import Run, resolve
from .contract import EpisodeQueue, Played, PlayedRun, Ticket
from .player import RunPlayer

#: Seconds in which replies may still come once nothing more is to be played.
_LAST_REPLIES_S = 30.0
#: Seconds in which threads end that are told to end at once.
_ENDING_S = 2.0
#: Seconds between two looks of the main thread for a Ctrl-C that another thread was handed.
_LOOK_EVERY_S = 0.2
#: Open files of an episode: its recording, and a connection to each of a few endpoints.
_FILES_EACH, _OTHER_FILES = 4, 256


def check_threads(run: Run) -> None:
    """Raise BadInput where a run cannot be played in threads."""
    spec = run.adapter.spec
    if not _may_share(run):
        raise BadInput(
            f"The adapter {spec.name} is played once in a process; use --engine processes instead "
            f"of threads."
        )
    if run.config.isolate:
        raise BadInput("--isolate plays in processes; leave it out, or use --engine processes.")


def _may_share(run: Run) -> bool:
    """Whether several adapters of a run's kind may be in one process."""
    spec = run.adapter.spec
    return Capability.THREADS in spec.capabilities and spec.bounded


def suits_threads(run: Run) -> bool:
    """Whether episodes of a run can be played in threads, and wait for endpoints elsewhere."""
    models = run.config.models.values()
    waits = bool(models) and not run.config.replays and all(model.host for model in models)
    return waits and _may_share(run) and not run.config.isolate


#: Makes the worker of a number.
_NewWorker = Callable[[int], "_Worker"]
#: What a worker says of its episode.
_Answer = tuple["_Worker", Played | BaseException]


class ThreadEngine:
    """The engine of several threads of this process."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._workers: list[_Worker] = []
        self._stopped = threading.Event()

    @property
    def running(self) -> Sequence[Ticket]:
        return [worker.ticket for worker in self._workers if worker.ticket is not None]

    def counter(self, value: float) -> Counter:
        return LocalCounter(value)

    def play(
        self, runs: Sequence[PlayedRun], queue: EpisodeQueue, resolved: Mapping[int, Run]
    ) -> Iterator[Played]:
        """See `Engine.play`. Raises BadInput for a run that cannot be played in threads."""
        for run in resolved.values():
            check_threads(run)
        _allow_files(self.workers * _FILES_EACH + _OTHER_FILES)
        self._stopped = threading.Event()
        answers: SimpleQueue[_Answer] = SimpleQueue()
        players = _Players(runs, resolved, self._stopped)
        baton = Baton()
        at_once = True
        try:
            while True:
                self._hand_out(queue, lambda number: _Worker(number, players, baton, answers))
                if not self.running:
                    return
                worker, said = _next_of(answers)
                worker.ticket = None
                if isinstance(said, BaseException):
                    raise said
                try:
                    yield said
                except GeneratorExit:
                    at_once = False  # replies that come are paid for, so they are recorded
                    raise
        finally:
            self._end(players, at_once=at_once)

    def _hand_out(self, queue: EpisodeQueue, new: _NewWorker) -> None:
        """Give every worker without an episode the next one."""
        for number in range(self.workers):
            if number < len(self._workers) and self._workers[number].ticket is not None:
                continue
            ticket = queue.take(number)
            if ticket is None:
                return
            if number == len(self._workers):
                self._workers.append(new(number))
            self._workers[number].begin(ticket)

    def _end(self, players: _Players, *, at_once: bool) -> None:
        """End all threads. Every finished step is on disk."""
        workers, self._workers = self._workers, []
        self._stopped.set()
        for worker in workers:
            worker.dismiss()
        try:
            if not at_once:
                players.stop(at_once=False)
                _join(workers, _LAST_REPLIES_S)
        finally:
            players.stop(at_once=True)
            _join(workers, _ENDING_S)
            players.close()


class _Players:
    """The players of runs, which all threads share."""

    def __init__(
        self,
        runs: Sequence[PlayedRun],
        resolved: Mapping[int, Run],
        stopped: threading.Event,
    ) -> None:
        self._runs = runs
        self._resolved = dict(resolved)
        self._stopped = stopped
        self._lock = threading.Lock()
        self._paces = Paces()
        self._players: dict[tuple[int, int], RunPlayer] = {}

    def of(self, place: int, number: int) -> RunPlayer:
        """The player of a run for a worker."""
        with self._lock:
            player = self._players.get((place, 0))
            if player is None:
                player = self._new(place, 0)
            if player.shares or not number:
                return player
            return self._players.get((place, number)) or self._new(place, number)

    def _new(self, place: int, number: int) -> RunPlayer:
        played = self._runs[place]
        run = self._resolved.get(place) or resolve(played.config)
        self._resolved[place] = run
        player = RunPlayer(
            run, played, number=number, stopped=self._stopped.is_set, paces=self._paces
        )
        self._players[place, number] = player
        return player

    def simulator(self, ticket: Ticket) -> str:
        return self._runs[ticket.run].simulator

    def stop(self, *, at_once: bool) -> None:
        for player in list(self._players.values()):
            player.stop(at_once=at_once)

    def close(self) -> None:
        for player in list(self._players.values()):
            player.close()


class _Worker:
    """A thread that plays episodes, each in its own adapter.

    ticket: the episode that it plays now.
    """

    def __init__(
        self,
        number: int,
        players: _Players,
        baton: Baton,
        answers: SimpleQueue[_Answer],
    ) -> None:
        self.number = number
        self.ticket: Ticket | None = None
        self._players = players
        self._baton = baton
        self._answers = answers
        self._tickets: SimpleQueue[Ticket | None] = SimpleQueue()
        self._adapter: Adapter | None = None
        self._simulator = ""
        self.thread = threading.Thread(target=self._serve, name=f"episodes {number}", daemon=True)
        self.thread.start()

    def begin(self, ticket: Ticket) -> None:
        self.ticket = ticket
        self._tickets.put(ticket)

    def dismiss(self) -> None:
        self._tickets.put(None)

    def _serve(self) -> None:
        """Play each episode that comes, until None comes."""
        with ExitStack() as stack:
            stack.callback(self._close)
            for ticket in iter(self._tickets.get, None):
                said: Played | BaseException
                try:
                    with self._baton.held():
                        said = self._play(ticket)
                except BaseException as error:
                    said = error
                self._answers.put((self, said))

    def _play(self, ticket: Ticket) -> Played:
        player = self._players.of(ticket.run, self.number)
        simulator = self._players.simulator(ticket)
        if self._adapter is None or self._simulator != simulator:
            self._close()
            self._adapter = connect(player.run.config.adapter)
            self._simulator = simulator
        return player.play(ticket, self._adapter)

    def _close(self) -> None:
        if self._adapter is not None:
            self._adapter.close()


def _next_of(answers: SimpleQueue[_Answer]) -> _Answer:
    """The next answer. An endless wait would not hear a signal that came to another thread."""
    while True:
        with suppress(Empty):
            return answers.get(timeout=_LOOK_EVERY_S)


def _join(workers: Sequence[_Worker], within_s: float) -> None:
    """Wait until threads have ended; not for one that waits longer, which ends the process."""
    until_s = time.monotonic() + within_s
    for worker in workers:
        worker.thread.join(max(0.0, until_s - time.monotonic()))


def _allow_files(count: int) -> None:
    """Raise the limit of open files of this process, where the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))
