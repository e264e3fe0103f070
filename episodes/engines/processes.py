"""Playing episodes in several processes, each with a simulator of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from ...errors import BadInput
from ...models.usage import Counter
from ..resolve import Run
from .contract import Bounds, EpisodeQueue, Played, PlayedRun, Ticket
from .player import WorkerPlayer

#: Name of the processes that play episodes.
_WORKER = "peephole worker"
#: Exit status of a process that ran the user's script instead of becoming a worker.
_RAN_THE_SCRIPT = 71
#: Seconds in which a worker that has nothing more to do closes its simulator.
_CLOSING_S = 30.0


class ProcessEngine:
    """The engine of several processes on this machine.

    A process that is killed, for example for lack of memory, is replaced, and its episode
    continues. A process that reached its `Bounds` is replaced between two episodes.
    """

    def __init__(self, workers: int, bounds: Bounds | None = None) -> None:
        self.workers = workers
        self._bounds = bounds or Bounds()
        self._context = multiprocessing.get_context("spawn")
        self._processes: list[_Worker | None] = [None] * workers
        self._leaving: list[_Worker] = []

    @property
    def running(self) -> Sequence[Ticket]:
        return [w.ticket for w in self._processes if w is not None and w.ticket is not None]

    def counter(self, value: float) -> Counter:
        return self._context.Value("d", value)

    def play(
        self, runs: Sequence[PlayedRun], queue: EpisodeQueue, resolved: Mapping[int, Run]
    ) -> Iterator[Played]:
        """See `Engine.play`. Raises BadInput for a script that processes cannot import."""
        _check_main()
        try:
            while True:
                self._hand_out(runs, queue)
                busy = {
                    w.pipe: w for w in self._processes if w is not None and w.ticket is not None
                }
                if not busy:
                    self._let_go(*filter(None, self._processes))
                    return
                for pipe in wait(list(busy)):
                    worker = busy[pipe]
                    played = self._received(worker, queue)
                    if played is not None:
                        yield played
        finally:
            self._end()

    def _hand_out(self, runs: Sequence[PlayedRun], queue: EpisodeQueue) -> None:
        """Give every worker without an episode the next one."""
        for number, worker in enumerate(self._processes):
            if worker is not None and worker.ticket is not None:
                continue
            ticket = queue.take(number)
            if ticket is None:
                return
            if worker is None:
                worker = _Worker(self._context, runs, number, self._bounds)
                self._processes[number] = worker
            worker.begin(ticket)

    def _received(self, worker: _Worker, queue: EpisodeQueue) -> Played | None:
        """The message of a worker about its episode; None where the worker was killed."""
        ticket = worker.ticket
        assert ticket is not None
        try:
            said, retires = worker.pipe.recv()
        except (EOFError, OSError):
            self._processes[worker.number] = None
            worker.end()
            if worker.process.exitcode == _RAN_THE_SCRIPT:
                raise BadInput(
                    "Each worker imports your script, and the script starts a run there again; "
                    "put what it does below the line: if __name__ == '__main__':"
                ) from None
            queue.put_back(ticket)
            return None
        worker.ticket = None
        if retires:
            self._processes[worker.number] = None
            self._let_go(worker)
        if isinstance(said, BaseException):
            raise said
        assert isinstance(said, Played)
        return said

    def _let_go(self, *workers: _Worker) -> None:
        """Let workers close their simulators and end while others continue."""
        for worker in workers:
            worker.dismiss()
            self._leaving.append(worker)

    def _end(self) -> None:
        """Wait for the dismissed workers and end the others; every finished step is on disk."""
        for worker in filter(None, self._processes):
            if worker not in self._leaving:
                worker.end()
        for worker in self._leaving:
            worker.process.join(_CLOSING_S)
            worker.end()
        self._processes = [None] * len(self._processes)
        self._leaving = []


class _Worker:
    """A process that plays episodes, seen from the process that hands them out.

    ticket: the episode that it plays now.
    """

    def __init__(
        self, context: Any, runs: Sequence[PlayedRun], number: int, bounds: Bounds
    ) -> None:
        self.number = number
        self.ticket: Ticket | None = None
        self.pipe, its_end = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(its_end, runs, number, bounds), name=_WORKER
        )
        self.process.start()
        its_end.close()  # so that the pipe ends with the process

    def begin(self, ticket: Ticket) -> None:
        self.ticket = ticket
        self._send(ticket)

    def dismiss(self) -> None:
        self._send(None)

    def _send(self, what: Ticket | None) -> None:
        with suppress(OSError):  # it was killed, which `recv` will report
            self.pipe.send(what)

    def end(self) -> None:
        self.process.terminate()
        self.process.join(_CLOSING_S)
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _check_main() -> None:
    """Raise BadInput where a new process could not import the main module, as it has to."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    if path is not None and main.__spec__ is None and not os.path.exists(path):
        raise BadInput(
            "Several workers need a script that they can import, and this one comes from standard "
            "input; save it as a file, or use one worker."
        )


# --- in the worker -------------------------------------------------------------------------------


def end_if_script_runs_again() -> None:
    """End this process, silently, where it is to become a worker and imports the script first.

    The engine reports it. Called where a script starts a run.
    """
    importing = multiprocessing.parent_process() is None  # known once the main module is imported
    if importing and multiprocessing.current_process().name == _WORKER:
        raise SystemExit(_RAN_THE_SCRIPT)


def _serve(pipe: Connection, runs: Sequence[PlayedRun], number: int, bounds: Bounds) -> None:
    """Play each episode that comes through the pipe, until None comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with closing(WorkerPlayer(runs, number, bounds)) as player:
        for ticket in iter(pipe.recv, None):
            pipe.send(player.play(ticket))


def _end_with_parent() -> None:
    """End this worker when its parent ends, since a killed run may be resumed at once."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
