"""Playing episodes in this process: one simulator, and connections to the models of each run."""

from __future__ import annotations

import os
import pickle
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from ...adapters.contract import Adapter
from ...errors import PeepholeError
from ...models.connection import ModelConnection
from ...models.failures import ModelFailure
from ...models.pace import Paces
from ...models.served_model import ModelEndpoint
from ...models.usage import Counter, LocalCounter, ModelBudget
from ...planners.contract import Preparation
from ...scene_graph.task import scene_digest
from ...suites.contract import Suite
from ..approval.choice import approver_of
from ..branches.log import episode_log
from ..branches.point import point_of_log
from ..episode import EpisodeContext, run_episode
from ..events import RecordedEvent, result_among
from ..preparation import prepare
from ..recording import RecordedImages, adapter_folder, episode_path
from ..reply_replay import prepare_again, replay_episode
from ..resolve import Run, resolve
from ..run_file import is_run
from .contract import Bounds, EpisodeQueue, Played, PlayedRun, Ticket

#: Entries of a folder among which other runs are looked for.
_MOST_BESIDE = 2000


class RunPlayer:
    """Plays episodes of one run in this process, with connections to its models."""

    def __init__(
        self,
        run: Run,
        played: PlayedRun,
        watch: Callable[[RecordedEvent], None] | None = None,
        number: int = 0,
        stopped: Callable[[], bool] = lambda: False,
        paces: Paces | None = None,
    ) -> None:
        """number: of the worker that this process is, from 0. stopped: whether to end now. paces:
        shared with the players of other runs.
        """
        paces = paces or Paces()
        self.run = run
        self._folder = played.folder
        config = run.config
        self._source = Path(config.replays) if config.replays else None
        self._connections = {
            role: ModelConnection(
                config.models[role],
                endpoint,
                ModelBudget(config.models[role], *played.counters.get(role, ())),
                slot=_slot(role, played.endpoints, number),
                first_slot=_slot(role, played.endpoints, 0),
                paces=paces,
            )
            for role, endpoint in played.endpoints.items()
        }
        images = RecordedImages(self._folder)
        self._context = EpisodeContext(
            adapter=run.adapter,
            planner=run.planner,
            dialect=run.dialect,
            rules=run.suite.rules,
            budgets=run.suite.budgets,
            options=run.options,
            prepared=self._prepared(),
            models=self._connections,
            watch=watch,
            save_image=images.save if config.images and not self._source else None,
            images=images,
            sources=run.suite.sources,
            faults=config.faults,
            hidden=(*recordings_beside(self._folder), *data_of(run)),
            approver=approver_of(config.approval),
            stopped=stopped,
        )

    def _prepared(self) -> Mapping[str, Any] | None:
        run = self.run
        given = Preparation(
            suite=run.suite.name,
            dialect=run.dialect.name,
            actions=run.adapter.spec.actions,
            embodiment=run.adapter.spec.embodiment,
            rules=run.suite.rules,
            seed=run.config.seed,
            scenes=frozenset(scene_digest(task.base_scene) for task in run.tasks.values()),
            options=run.options,
        )
        if self._source is not None:
            prepare_again(run.planner, given, self._connections, self._source, self._folder)
        return prepare(run.planner, given, self._connections, self._folder)

    @property
    def shares(self) -> bool:
        """Whether several threads may play at the same time, each in an adapter of its own."""
        return all(connection.shares for connection in self._connections.values())

    def stop(self, *, at_once: bool) -> None:
        """Ask models nothing more. at_once: whether to break off what is being asked."""
        for connection in self._connections.values():
            connection.stop(at_once=at_once)

    def play(self, ticket: Ticket, adapter: Adapter | None = None) -> Played:
        """Play or continue one episode. A model that cannot be asked is reported, not raised.

        adapter: in which to play; the run's own by default.
        """
        began = time.monotonic()
        episode = ticket.episode
        task = self.run.tasks[episode.task]
        files = adapter_folder(self._folder, episode.number, task.id)
        config = self.run.config
        adapter = adapter or self.run.adapter
        context = replace(
            self._context,
            adapter=adapter,
            seed=config.world_seed(episode),
            model_seed=episode.seed,
            files=files,
        )
        if self._source is not None:
            result = replay_episode(context, task, episode, self._source, self._folder)
            return Played(ticket, result, seconds=time.monotonic() - began)
        path = episode_path(self._folder, episode.number, episode.task)
        with episode_log(path, config.branch, episode.repeat) as log:
            if config.branch is not None:
                point = point_of_log(config.branch, log, episode.repeat)
                context = replace(context, point=point)
            # Its worker may have been killed just after the end.
            finished = result_among(log.events)
            try:
                result = finished or run_episode(context, task, log)
            except ModelFailure as failure:
                return Played(ticket, None, failure, seconds=time.monotonic() - began)
        return Played(ticket, result, seconds=time.monotonic() - began)

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()


def data_of(run: Run) -> tuple[Path, ...]:
    """The file or folder that the user gave for the tasks of a run, if any."""
    data = run.config.data
    return (Path(data),) if data else ()


def recordings_beside(folder: Path) -> tuple[Path, ...]:
    """A run's folder, and the other runs beside it."""
    with suppress(OSError):
        runs = [path for path in islice(folder.parent.iterdir(), _MOST_BESIDE) if is_run(path)]
        return tuple({path.resolve(): path for path in (folder, *runs)})
    return (folder,)


def _slot(role: str, endpoints: Mapping[str, ModelEndpoint | None], number: int) -> int:
    """The cache slot of a role's conversations at its endpoint, used by no other role or worker."""
    sharing = [other for other, endpoint in endpoints.items() if endpoint == endpoints[role]]
    return number * len(sharing) + sharing.index(role)


class Player:
    """Plays episodes of several runs in this process, with one simulator at a time."""

    def __init__(
        self,
        runs: Sequence[PlayedRun],
        number: int = 0,
        watch: Callable[[RecordedEvent], None] | None = None,
        resolved: Mapping[int, Run] | None = None,
    ) -> None:
        """number: of the worker that this process is, from 0. resolved: runs that this process has
        loaded, by index; the others are loaded when they are first played.
        """
        self._runs = runs
        self._number = number
        self._watch = watch
        self._resolved = dict(resolved or {})
        self._players: dict[int, RunPlayer] = {}
        self._suites: dict[tuple[str, str], Suite] = {}
        self._adapters: dict[str, Adapter] = {}
        self._simulator = ""

    def play(self, ticket: Ticket) -> Played:
        """Play or continue one episode."""
        simulator = self._runs[ticket.run].simulator
        if self._simulator != simulator:
            self.close_simulator()
        self._simulator = simulator
        player = self._players.get(ticket.run)
        if player is None:
            run = self._load(ticket.run)
            player = RunPlayer(run, self._runs[ticket.run], self._watch, self._number)
            self._players[ticket.run] = player
        return player.play(ticket)

    def _load(self, place: int) -> Run:
        """A run, with the simulator that this process already has for it."""
        played = self._runs[place]
        run = self._resolved.get(place)
        if run is None:
            config = played.config
            of_suite = (config.suite, config.data)
            run = resolve(config, suite=self._suites.get(of_suite))
            if config.planning_s is None:  # otherwise its budgets are this run's own
                self._suites[of_suite] = run.suite
        adapter = self._adapters.setdefault(played.simulator, run.adapter)
        if adapter is not run.adapter:
            run.adapter.close()
            run = replace(run, adapter=adapter)
        return run

    def close_simulator(self) -> None:
        """Close the simulator; the next episode starts it again."""
        if self._simulator in self._adapters:
            self._adapters[self._simulator].close()

    def close(self) -> None:
        """Close the simulator and the connections."""
        for adapter in self._adapters.values():
            adapter.close()
        for player in self._players.values():
            player.close()

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class WorkerPlayer:
    """The player of a worker process, which is replaced when its bounds are reached."""

    def __init__(self, runs: Sequence[PlayedRun], number: int, bounds: Bounds) -> None:
        self._player = Player(runs, number)
        self._growth = Growth(bounds)

    def play(self, ticket: Ticket) -> tuple[Played | BaseException, bool]:
        """The result of an episode, and whether another worker should take over."""
        said: Played | BaseException
        try:
            said = self._player.play(ticket)
        except Exception as error:
            said = _picklable(error)
        return said, self._growth.is_due()

    def close(self) -> None:
        self._player.close()


def _picklable(error: Exception) -> Exception:
    """An error that another process can read, with the traceback of an unexpected one."""
    if not isinstance(error, PeepholeError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # an exception is anybody's class
        return PeepholeError(f"{type(error).__name__}: {error}")
    return error


_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_mb(pid: int | str = "self") -> float:
    """Megabytes that a process and its descendants hold; 0 where the system does not say."""
    here = Path("/proc", str(pid))
    try:
        pages = int((here / "statm").read_text().split()[1])
        children = [
            child
            for thread in (here / "task").iterdir()
            for child in (thread / "children").read_text().split()
        ]
    except (OSError, IndexError, ValueError):  # it has just ended, or there is no /proc
        return 0.0
    return pages * _PAGE / 2**20 + sum(map(resident_mb, children))


class Growth:
    """Decides when a worker is replaced."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._episodes = 0
        self._first_mb = 0.0

    def is_due(self) -> bool:
        """Whether a new worker should take over; called once after every episode."""
        self._episodes += 1
        now_mb = resident_mb()
        if self._episodes == 1:
            self._first_mb = now_mb
        grown = now_mb - self._first_mb > self._bounds.grown_mb
        return grown or self._episodes >= self._bounds.episodes


class SerialEngine:
    """The engine of one process: this one."""

    def __init__(self, watch: Callable[[RecordedEvent], None] | None = None) -> None:
        """watch: called with every event."""
        self.workers = 1
        self.running: Sequence[Ticket] = ()
        self._watch = watch

    def counter(self, value: float) -> Counter:
        return LocalCounter(value)

    def play(
        self, runs: Sequence[PlayedRun], queue: EpisodeQueue, resolved: Mapping[int, Run]
    ) -> Iterator[Played]:
        """See `Engine.play`."""
        growth = Growth(Bounds())
        with Player(runs, watch=self._watch, resolved=resolved) as player:
            while (ticket := queue.take(0)) is not None:
                self.running = (ticket,)
                played = player.play(ticket)
                self.running = ()
                if growth.is_due():
                    player.close_simulator()
                    growth = Growth(Bounds())
                yield played
