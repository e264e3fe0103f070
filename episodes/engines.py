"""How the episodes of a run are played: one after the other, or in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import PeepholeError
from ..planners.contract import Preparation
from ..planners.llm.connection import ModelConnection
from ..planners.llm.events import ModelEvent
from ..planners.llm.spending import spent
from ..planners.llm.usage import Counter, LocalCounter, ModelBudget, Usage
from ..served_model import ModelEndpoint
from .episode import EpisodeContext, run_episode
from .events import RecordedEvent
from .images import RecordedImages
from .preparation import preparation_path, prepare
from .recording import EpisodeLog, episode_files, episode_path, files_set_aside, read_lines
from .reply_replay import prepare_again, replay_episode
from .resolve import Run, resolve
from .result import EpisodeResult
from .run_file import PlannedEpisode, RunConfig

#: Tokens and dollars spent, which the processes of a run share; by role.
Counters = Mapping[str, tuple[Counter, Counter]]


class WorkerKilled(PeepholeError):
    """A process that played episodes has gone; every finished step is recorded."""


class Worker:
    """Plays episodes of a run in this process, with connections to its models."""

    def __init__(
        self,
        run: Run,
        folder: Path,
        endpoints: Mapping[str, ModelEndpoint | None],
        watch: Callable[[RecordedEvent], None] | None = None,
        counters: Counters | None = None,
        number: int = 0,
    ) -> None:
        """endpoints: of the models, by role; None where recorded replies are played again.
        counters: of what the run's processes have spent; this process's own by default. number: of
        the worker in the run, from 0.
        """
        self._run = run
        self._folder = folder
        config = run.config
        self._source = Path(config.replays) if config.replays else None
        counters = counters or spending_counters(run, folder)
        self._connections = {
            role: ModelConnection(
                config.models[role],
                endpoint,
                ModelBudget(config.models[role], *counters[role]),
                slot=_slot(role, endpoints, number),
                first_slot=_slot(role, endpoints, 0),
            )
            for role, endpoint in endpoints.items()
        }
        self.context = EpisodeContext(
            adapter=run.adapter,
            planner=run.planner,
            dialect=run.dialect,
            rules=run.suite.rules,
            budgets=run.suite.budgets,
            options=run.options,
            prepared=self._prepared(),
            models=self._connections,
            watch=watch,
            save_image=RecordedImages(folder).save if config.images and not self._source else None,
            images=RecordedImages(folder),
            sources=run.suite.sources,
            faults=config.faults,
        )

    def _prepared(self) -> Mapping[str, Any] | None:
        run = self._run
        given = Preparation(
            suite=run.suite.name,
            dialect=run.dialect.name,
            actions=run.adapter.spec.actions,
            embodiment=run.adapter.spec.embodiment,
            rules=run.suite.rules,
            seed=run.config.seed,
            scenes=frozenset(task.base_scene for task in run.tasks.values()),
            options=run.options,
        )
        if self._source is not None:
            prepare_again(run.planner, given, self._connections, self._source, self._folder)
        return prepare(run.planner, given, self._connections, self._folder)

    def play(self, episode: PlannedEpisode) -> EpisodeResult:
        """Play or continue one episode."""
        context, task = replace(self.context, seed=episode.seed), self._run.tasks[episode.task]
        if self._source is not None:
            return replay_episode(context, task, episode, self._source, self._folder)
        with EpisodeLog(episode_path(self._folder, episode.number, episode.task)) as log:
            return run_episode(context, task, log)

    def close(self) -> None:
        """Close the simulator and the connections."""
        self._run.adapter.close()
        for connection in self._connections.values():
            connection.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _slot(role: str, endpoints: Mapping[str, ModelEndpoint | None], number: int) -> int:
    """The slot of a role's conversations in its endpoint's cache: no other role or worker's."""
    sharing = [other for other, endpoint in endpoints.items() if endpoint == endpoints[role]]
    return number * len(sharing) + sharing.index(role)


def spending_counters(
    run: Run, folder: Path, new: Callable[[float], Counter] = LocalCounter
) -> Counters:
    """Counters that begin with what the recordings say is spent already.

    new: makes one of its value, such as one that processes share.
    """
    if not run.config.models:
        return {}
    paths = [*episode_files(folder), *files_set_aside(folder)]
    if preparation_path(folder).exists():
        paths.append(preparation_path(folder))
    events = [e for path in paths for e in read_lines(path) if isinstance(e, ModelEvent)]
    by_role = spent(events).by_role
    counters = {}
    for role, config in run.config.models.items():
        usage = by_role[role].paid if role in by_role else Usage()
        counters[role] = (new(float(usage.tokens)), new(usage.usd(config)))
    return counters


def play_serially(
    run: Run,
    folder: Path,
    endpoints: Mapping[str, ModelEndpoint | None],
    episodes: Sequence[PlannedEpisode],
    watch: Callable[[RecordedEvent], None] | None = None,
) -> Iterator[EpisodeResult]:
    """Play episodes one after the other, in this process."""
    with Worker(run, folder, endpoints, watch) as worker:
        for episode in episodes:
            yield worker.play(episode)


# --- processes -----------------------------------------------------------------------------------

#: Of this process; an error that kept it from starting is told by the first episode.
_worker: Worker | BaseException | None = None


def play_in_processes(
    run: Run,
    folder: Path,
    endpoints: Mapping[str, ModelEndpoint | None],
    episodes: Sequence[PlannedEpisode],
    workers: int,
) -> Iterator[EpisodeResult]:
    """Play episodes in processes of their own; results come as they are known.

    Each process resolves the run's config by itself. What the planner prepares is asked here.
    """
    context = multiprocessing.get_context("spawn")
    counters = spending_counters(run, folder, lambda value: context.Value("d", value))
    Worker(run, folder, endpoints, counters=counters).close()  # it has prepared the run then
    arguments = (run.config, folder, dict(endpoints), counters, context.Value("i", 0))
    with _pool(ProcessPoolExecutor(workers, context, _start_worker, arguments)) as pool:
        futures = [pool.submit(_play_in_worker, episode) for episode in episodes]
        for future in as_completed(futures):
            try:
                result = future.result()
            except BrokenExecutor:
                raise WorkerKilled(
                    "A process of the run was killed, perhaps for want of memory; continue the run "
                    "with --resume."
                ) from None
            yield result


@contextmanager
def _pool(pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
    """Worker processes; on an interruption they end, and what has not begun is cancelled."""
    try:
        yield pool
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()  # every finished step is on disk; the run can be resumed
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start_worker(
    config: RunConfig,
    folder: Path,
    endpoints: Mapping[str, ModelEndpoint | None],
    counters: Counters,
    started: Any,
) -> None:
    """started: counts the processes; it is theirs together."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with started.get_lock():
        number = started.value
        started.value += 1
    try:
        _worker = Worker(resolve(config), folder, endpoints, counters=counters, number=number)
    except Exception as error:  # raised here it would end the pool, with a traceback
        _worker = error


def _end_with_parent() -> None:
    """A worker never outlives a killed run, which may be resumed at once."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _play_in_worker(episode: PlannedEpisode) -> EpisodeResult:
    assert _worker is not None
    if isinstance(_worker, BaseException):
        raise _worker
    return _worker.play(episode)
