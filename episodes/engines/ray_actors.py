"""Playing episodes on the nodes of a Ray cluster, or in Ray's processes on this machine.

All nodes reach the folder of the grid under the same path, have the same packages, and can reach
the models' endpoints. Ray only reads what Peephole sends to itself.
"""

from __future__ import annotations

import fcntl
import logging
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...models.usage import Counter
from ..recording import unwritable
from ..resolve import Run
from .contract import Bounds, EpisodeQueue, Played, PlayedRun, Ticket
from .player import WorkerPlayer

#: Seconds that idle actors get to close their simulators.
_CLOSING_S = 30.0


class RayEngine:
    """The engine of a Ray cluster: the one of RAY_ADDRESS, else one that is started here.

    Each worker is an actor; actors are spread over the nodes. An actor that is lost with its node
    is replaced on another node, and its episode continues.
    """

    def __init__(self, workers: int, folder: Path) -> None:
        """folder: where the workers keep their shared counters."""
        self.workers = workers
        self._folder = folder
        self._counters = 0
        self._actors: dict[int, Any] = {}
        self._asked: dict[Any, tuple[int, Ticket]] = {}

    @property
    def running(self) -> Sequence[Ticket]:
        return [ticket for _, ticket in list(self._asked.values())]

    def counter(self, value: float) -> Counter:
        self._counters += 1
        return FileCounter(self._folder.resolve() / f".spent-{self._counters}", value)

    def play(
        self, runs: Sequence[PlayedRun], queue: EpisodeQueue, resolved: Mapping[int, Run]
    ) -> Iterator[Played]:
        """See `Engine.play`."""
        import ray

        if not len(queue):
            return
        started = not ray.is_initialized()
        if started:
            _start_ray()
        there = [replace(run, folder=run.folder.resolve()) for run in runs]
        shared = ray.put(there)
        try:
            while True:
                self._hand_out(shared, queue)
                if not self._asked:
                    return
                for future in ray.wait(list(self._asked))[0]:
                    played = self._received(future, queue)
                    if played is not None:
                        yield played
        finally:
            self._end()
            if started:
                ray.shutdown()

    def _hand_out(self, runs: Any, queue: EpisodeQueue) -> None:
        """Give every worker without an episode the next one."""
        import ray

        busy = {number for number, _ in self._asked.values()}
        for number in set(range(self.workers)) - busy:
            ticket = queue.take(number)
            if ticket is None:
                return
            if number not in self._actors:
                # Reserve no share of a CPU: a worker that waits for one would keep its
                # episode from the others.
                made = ray.remote(num_cpus=0, scheduling_strategy="SPREAD")(WorkerPlayer)
                self._actors[number] = made.remote(runs, number, Bounds())
            self._asked[self._actors[number].play.remote(ticket)] = (number, ticket)

    def _received(self, future: Any, queue: EpisodeQueue) -> Played | None:
        """The message of a worker about its episode; None where the worker was lost."""
        import ray

        number, ticket = self._asked.pop(future)
        try:
            said, retires = ray.get(future)
        except ray.exceptions.RayActorError:
            with suppress(ray.exceptions.RayError):
                ray.kill(self._actors[number])  # it may be out of reach only
            del self._actors[number]
            queue.put_back(ticket)
            return None
        if retires:
            self._close([self._actors.pop(number)])
        if isinstance(said, BaseException):
            raise said
        assert isinstance(said, Played)
        return said

    def _close(self, actors: Sequence[Any]) -> None:
        """Have actors close their simulators, and end them."""
        import ray

        with suppress(ray.exceptions.RayError):
            ray.get([actor.close.remote() for actor in actors], timeout=_CLOSING_S)
        for actor in actors:
            with suppress(ray.exceptions.RayError):
                ray.kill(actor)

    def _end(self) -> None:
        import ray

        busy = {number for number, _ in self._asked.values()}
        for number in busy:
            with suppress(ray.exceptions.RayError):
                ray.kill(self._actors.pop(number))
        self._close(list(self._actors.values()))
        self._actors, self._asked = {}, {}


def _start_ray() -> None:
    """Join the cluster of RAY_ADDRESS, or start one here, without usage reports."""
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    here = not os.environ.get("RAY_ADDRESS")
    ray.init(
        include_dashboard=False if here else None, log_to_driver=False, logging_level=logging.ERROR
    )


class FileCounter:
    """A `Counter` in a file, shared by processes on several machines.

    Each process that it is sent to opens the file itself.
    """

    def __init__(self, path: Path, value: float) -> None:
        """Raises BadInput, or RecordingFailed, where the file cannot be written."""
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(struct.pack("<d", value))
        except OSError as error:
            raise unwritable(path, error) from None

    @property
    def value(self) -> float:
        return float(struct.unpack("<d", self._path.read_bytes())[0])

    @value.setter
    def value(self, value: float) -> None:
        with self._path.open("r+b") as file:
            file.write(struct.pack("<d", value))

    @contextmanager
    def get_lock(self) -> Iterator[None]:
        """Keep other processes from changing the number."""
        fd = os.open(self._path, os.O_RDWR)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)
