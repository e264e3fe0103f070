"""The playing of a grid: begun or continued, run by run, in one pool of workers."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..episodes.endpoints import Endpoints
from ..episodes.engines.contract import Counters, Engine, EpisodeQueue, Played, PlayedRun, Ticket
from ..episodes.engines.threads import suits_threads
from ..episodes.preparation import preparation_path
from ..episodes.recording import episode_files, episode_path, run_lock, set_aside_if_damaged
from ..episodes.resolve import Run, resolve
from ..episodes.result import EpisodeResult
from ..episodes.run_file import PlannedEpisode, RunConfig, is_run, read_run
from ..episodes.runner import begin, recorded_questions, start_run
from ..episodes.settings import SpendingLimit
from ..errors import BadInput
from ..models import serving
from ..models.failures import BudgetUsed, ModelFailure
from ..models.spending import spent
from ..results.metrics import OTHER
from ..results.papers import Grid, GridRow, GridRun, rows_of, runs_of
from ..results.run_episodes import ended_result
from ..suites.contract import Suite
from ..suites.registry import load_suite
from .stopping import SuiteStopping, interleaved
from .unchanged import check_unchanged

#: Open files of a process besides the locks of the runs.
_OTHER_FILES = 256


@dataclass(frozen=True)
class GridSettings:
    """Settings of a grid from the command line."""

    config_of: Callable[[GridRun], RunConfig]
    """The config that a run is begun with."""
    tasks: str = ""
    """Tasks of each suite, instead of the file's."""
    data: str = ""
    """Tasks of a suite that has none of its own."""
    tell: Callable[[str], None] = field(default=lambda sentence: None)
    """Called with sentences for the user."""
    on_model_start: serving.OnStart | None = None
    """Called with models that are being started."""
    in_threads: Engine | None = None
    """Plays instead of the engine where all runs suit threads; None to keep the engine."""


class GridSession:
    """The episodes of a grid in a folder, and their playing.

    total: number of episodes. before: number that had ended at the start. results: of ended
    episodes. stopping: comparisons that may end a suite early. spared: episodes that were not
    needed. left_out: models that could not be asked, and why; their episodes are left.
    """

    def __init__(self, grid: Grid, folder: Path, engine: Engine, settings: GridSettings) -> None:
        self.grid = grid
        self.folder = folder
        self.engine = engine
        self.rows: list[GridRow] = rows_of(grid)
        self.runs: list[GridRun] = list(runs_of(grid, folder))
        self.configs: list[RunConfig] = []
        self.results: dict[Ticket, EpisodeResult] = {}
        self.suites: dict[str, Suite] = {}
        self.stopping: SuiteStopping | None = None
        self.spared = 0
        self.left_out: dict[str, ModelFailure] = {}
        self.total = self.before = 0
        self._used: BudgetUsed | None = None
        self._settings = settings
        self._queue = EpisodeQueue((), ())
        self._played_runs: list[PlayedRun] = []
        self._loaded: dict[int, Run] = {}
        self._stack = ExitStack()

    def __enter__(self) -> GridSession:
        """Check everything, make the folders of new runs, and find what is left to play.

        Raises BadInput or Missing, before anything is made, where the grid cannot be played or
        another process plays it.
        """
        with ExitStack() as stack:
            self._loaded = self._resolved()
            stack.callback(self._close_adapters)
            in_threads = self._settings.in_threads
            if in_threads is not None and all(map(suits_threads, self._loaded.values())):
                self.engine = in_threads
            stack.enter_context(run_lock(self.folder))
            self._make_folders(stack)
            unfinished = self._unfinished()
            self._open(unfinished, stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    # --- before --------------------------------------------------------------------------------

    def _resolved(self) -> dict[int, Run]:
        """All runs of the grid, loaded, by index."""
        found = {}
        for place, run in enumerate(self.runs):
            data = self._settings.data
            suite = self.suites.get(run.suite)
            if suite is None:
                suite = load_suite(run.suite, Path(data) if data else None)
                self.suites[run.suite] = suite
            resolved = self._resolved_run(run, suite)
            self.configs.append(resolved.config)
            found[place] = resolved
        return found

    def _resolved_run(self, run: GridRun, suite: Suite) -> Run:
        wanted = self._settings.config_of(run)
        tasks = self._settings.tasks or self.grid.tasks
        if not _is_begun(run.folder):
            return resolve(wanted, tasks, suite=suite)
        config = check_unchanged(run.folder, wanted, suite, tasks)
        return resolve(config, suite=suite)

    def _make_folders(self, stack: ExitStack) -> None:
        """Make the folders of new runs, and lock all runs."""
        _allow_files(len(self.runs) + _OTHER_FILES)
        for place, run in enumerate(self.runs):
            if not _is_begun(run.folder):
                (run.folder / "run.json").unlink(missing_ok=True)
                start_run(self._loaded[place], run.folder)
            stack.enter_context(run_lock(run.folder))

    def _unfinished(self) -> list[Ticket]:
        """The episodes left to play, in their order; results of the others are read."""
        unfinished = []
        seeds = self.grid.seeds
        for ticket in interleaved(self.runs, self.configs, draw=seeds[0]):
            result = ended_result(self.path_of(ticket))
            if result is None:
                unfinished.append(ticket)
            else:
                self.results[ticket] = result
        self.before = len(self.results)
        self.total = self.before + len(unfinished)
        if self.grid.stop_when is not None:
            self.stopping = SuiteStopping(self.grid, self.grid.stop_when, self.runs, self.configs)
            for ticket, result in self.results.items():
                self.stopping.add(ticket, result)
        return unfinished

    def _open(self, unfinished: Sequence[Ticket], stack: ExitStack) -> None:
        """Begin or continue the runs with episodes left."""
        by_run: dict[int, list[Ticket]] = {}
        for ticket in unfinished:
            by_run.setdefault(ticket.run, []).append(ticket)
            self._set_aside(self.path_of(ticket))
        endpoints = stack.enter_context(
            Endpoints(
                [self._loaded[place] for place in by_run],
                self.engine.workers,
                self._settings.on_model_start,
            )
        )
        budget = SharedBudget(self.grid.budget, self.engine)
        budget.count([run.folder for run in self.runs], self.configs)
        for place, run in enumerate(self.runs):
            played = PlayedRun(self.configs[place], run.folder)
            if place in by_run and not self._is_left_out(place):
                self._set_aside(preparation_path(run.folder))
                episodes = [ticket.episode for ticket in by_run[place]]
                try:
                    played = self._begin(place, episodes, endpoints, budget)
                except ModelFailure as failure:
                    self._leave_out(place, failure)
            self._played_runs.append(played)
        wanted = [ticket for ticket in unfinished if not self._is_left_out(ticket.run)]
        self._queue = EpisodeQueue(wanted, self._played_runs)
        self._drop_needless()

    def _begin(
        self,
        place: int,
        episodes: Sequence[PlannedEpisode],
        endpoints: Endpoints,
        budget: SharedBudget,
    ) -> PlayedRun:
        """Begin or continue a run."""
        loaded = self._loaded[place] = budget.limited(self._loaded[place])
        counters = budget.counters(loaded.config)
        return begin(loaded, self.runs[place].folder, episodes, endpoints, counters)

    def _close_adapters(self) -> None:
        for run in self._loaded.values():
            run.adapter.close()

    def _set_aside(self, path: Path) -> None:
        sentence = set_aside_if_damaged(path) if path.exists() else None
        if sentence:
            self._settings.tell(sentence)

    # --- meanwhile -----------------------------------------------------------------------------

    def play(self) -> Iterator[Played]:
        """Play what is left; yields each episode as it ends.

        Raises BudgetUsed once the grid's budget is used up, and what ends everything, such as a
        full disk. Models that cannot be asked are left out, and the others go on.
        """
        for played in self.engine.play(self._played_runs, self._queue, self._loaded):
            if played.failure is not None:
                self._leave_out(played.ticket.run, played.failure)
                self._queue.drop(lambda ticket: self._is_left_out(ticket.run))
            elif played.result is not None:
                self.results[played.ticket] = played.result
                if self.stopping is not None:
                    self.stopping.add(played.ticket, played.result)
                    self._drop_needless()
                yield played
        if self._used is not None:
            raise self._used

    def _drop_needless(self) -> None:
        if self.stopping is not None:
            self.spared += len(self._queue.drop(self.stopping.is_needless))

    def _leave_out(self, place: int, failure: ModelFailure) -> None:
        """Leave out the runs with a model that cannot be asked, or all runs without budget."""
        if isinstance(failure, BudgetUsed):
            self._used = self._used or failure
        else:
            names = ", ".join(sorted(_names(self.configs[place])))
            self.left_out.setdefault(names, failure)

    def _is_left_out(self, place: int) -> bool:
        names = _names(self.configs[place])
        return self._used is not None or ", ".join(sorted(names)) in self.left_out

    # --- what there is -------------------------------------------------------------------------

    def path_of(self, ticket: Ticket) -> Path:
        """The recording of an episode."""
        episode = ticket.episode
        return episode_path(self.runs[ticket.run].folder, episode.number, episode.task)

    @property
    def open(self) -> int:
        """Number of episodes that are still to be played."""
        return self.total - len(self.results) - self.spared

    def left_by_run(self) -> dict[int, float]:
        """Number of waiting episodes of each run, by its index."""
        return {place: float(count) for place, count in dict(self._queue.left).items() if count}

    def results_of(self, suite: str, row: GridRow) -> list[EpisodeResult]:
        """The results of a row in a suite, over all its seeds."""
        chosen = {i for i, r in enumerate(self.runs) if (r.suite, r.row) == (suite, row)}
        found = [ticket for ticket in self.results if ticket.run in chosen]
        found.sort(key=lambda ticket: (ticket.run, ticket.episode.number))
        return [self.results[ticket] for ticket in found]

    def kinds_of(self, suite: str) -> dict[str, str]:
        """The kind of each played task of a suite, by the grid's label."""
        config = next(
            c for c, run in zip(self.configs, self.runs, strict=True) if run.suite == suite
        )
        wanted = set(config.tasks)
        labels = {task.id: task.labels for task in self.suites[suite].tasks if task.id in wanted}
        return {task: labels[task].get(self.grid.by, OTHER) for task in config.tasks}

    def mark_of(self, suite: str, row: GridRow) -> str:
        """What stands in for something real in a row: "model" or "engine"."""
        run = next(r for r in self.runs if (r.suite, r.row) == (suite, row))
        return read_run(run.folder).mark


def _names(config: RunConfig) -> frozenset[str]:
    return frozenset(model.name for model in config.models.values())


def _is_begun(folder: Path) -> bool:
    """Whether anything of a run was recorded; else it may become another run."""
    recorded = preparation_path(folder).exists() or next(episode_files(folder), None) is not None
    return is_run(folder) and recorded


def _allow_files(count: int) -> None:
    """Raise the limit of open files of this process, if the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


class SharedBudget:
    """Counts what all runs of a grid spend together, and limits their models."""

    def __init__(self, budget: SpendingLimit, engine: Engine) -> None:
        self._budget = budget
        self._tokens = engine.counter(0.0)
        self._usd = engine.counter(0.0)

    def count(self, folders: Sequence[Path], configs: Sequence[RunConfig]) -> None:
        """Count the recorded spending, where there is a limit.

        Raises BadInput for a limit of money without prices.
        """
        if self._budget.tokens is None and self._budget.money is None:
            return
        for folder, config in zip(folders, configs, strict=True):
            for role, part in spent(recorded_questions(folder)).by_role.items():
                self._tokens.value += part.paid.tokens
                self._usd.value += part.paid.usd(config.models[role])
        for model in (model for config in configs for model in config.models.values()):
            if self._budget.money is not None and not (model.price_in or model.price_out):
                raise BadInput(
                    f"A grid's budget of money needs the prices of its models, and {model.name} "
                    f"has none: give price_in and price_out in the grid, or --price-in and "
                    f"--price-out."
                )

    def limited(self, run: Run) -> Run:
        """A run whose models have the grid's budget."""
        models = {
            role: replace(model, budget_tokens=self._budget.tokens, budget_usd=self._budget.money)
            for role, model in run.config.models.items()
        }
        return replace(run, config=replace(run.config, models=models))

    def counters(self, config: RunConfig) -> Counters:
        return dict.fromkeys(config.models, (self._tokens, self._usd))
