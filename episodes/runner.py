"""Plays the episodes of a run, and continues runs that were cut off."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from .. import plugins
from ..adapters.contract import STAND_IN
from ..errors import BadInput, Missing
from ..models import serving
from ..models.config import ModelConfig
from ..models.events import ModelEvent
from ..models.spending import spent
from ..models.usage import Usage
from .branches.folder import check_parent, take_files
from .endpoints import Endpoints
from .engines.choice import EngineName, make_engine
from .engines.contract import Counters, Engine, EpisodeQueue, PlayedRun, Ticket
from .engines.player import RunPlayer
from .engines.threads import check_threads, suits_threads
from .events import RecordedEvent, result_among
from .extension import check_same_tasks
from .planner_files import remember
from .preparation import preparation_path
from .provenance import provenance_of
from .recording import (
    LOCK,
    InUse,
    episode_files,
    episode_path,
    files_set_aside,
    read_episode,
    read_lines,
    run_lock,
)
from .reply_replay import copy_images
from .resolve import Run
from .result import EpisodeResult
from .run_file import PlannedEpisode, RunFile, file_digests, read_run, write_run


def start_run(run: Run, folder: Path) -> None:
    """Make the folder of a new run. Raises BadInput where it holds anything already."""
    _check_vacant(folder)
    if run.config.branch is not None:
        check_parent(run, run.config.branch)
    grants = tuple(sorted(run.planner.grants))
    with plugins.guarded("planner", run.planner.name):
        facts = run.planner.facts(run.options)
    content = RunFile(
        run.config,
        grants,
        run.adapter.facts(),
        facts,
        file_digests(run.options),
        provenance=provenance_of(run),
    )
    with run_lock(folder):
        _check_vacant(folder)  # another process may have begun a run there
        write_run(folder, content)
    remember(run.config.planner)


def _check_vacant(folder: Path) -> None:
    """Raise BadInput where a folder holds anything."""
    if (folder / "run.json").exists():
        raise BadInput(
            f"{folder} holds a run already; continue it with --resume or choose another --out."
        )
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose a new folder as --out.")
    if folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
        raise BadInput(f"{folder} is not empty and is no run; choose another --out.")


@contextmanager
def new_run(run: Run, folder: Path) -> Iterator[None]:
    """A new run in its folder, which is removed again where the run is refused before it begins.

    Raises as `start_run` does, and leaves what was there before.
    """
    was_there = folder.exists()
    start_run(run, folder)
    try:
        yield
    except InUse:
        raise
    except (BadInput, Missing):
        with suppress(OSError, InUse):
            _take_back(folder, was_there=was_there, is_branch=run.config.branch is not None)
        raise


def _take_back(folder: Path, *, was_there: bool, is_branch: bool) -> None:
    """Remove what a new run has made, unless its folder holds anything else.

    was_there: the folder existed, empty; it stays. is_branch: its episodes have begun with those of
    its parent; they are removed as long as none has ended.
    """
    prepared, episodes = preparation_path(folder), folder / "episodes"
    made = {folder / "run.json", folder / LOCK, prepared, episodes}
    with run_lock(folder):
        if is_branch and not results_of(folder):
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            made = set()
        if not made.issuperset(folder.iterdir()):
            return
        if (prepared.exists() and prepared.stat().st_size) or any(episodes.glob("*")):
            return
        for path in made - {episodes}:
            path.unlink(missing_ok=True)
        if episodes.exists():
            episodes.rmdir()
        if not was_there:
            folder.rmdir()


def change_models(folder: Path, models: Mapping[str, ModelConfig]) -> None:
    """Let a run go on with other budgets or time-outs of its models."""
    content = read_run(folder)
    write_run(folder, replace(content, config=replace(content.config, models=models)))


def play(
    run: Run,
    folder: Path,
    workers: int = 1,
    watch: Callable[[RecordedEvent], None] | None = None,
    on_model_start: serving.OnStart | None = None,
    engine: EngineName = "",
    *,
    here: bool = False,
) -> Iterator[EpisodeResult]:
    """Run or continue all episodes of a run folder; yields each result as it is known.

    Finished episodes are read, not run. watch: called with every event, only with one worker.
    on_model_start: called with models that the run serves itself. engine: see `make_engine`. here:
    the run can be played in this process only. The adapter of the run is closed at the end. Raises
    BadInput where another process plays the same folder.
    """
    with ExitStack() as stack:
        stack.callback(run.adapter.close)
        stack.enter_context(run_lock(folder))
        unfinished: list[PlannedEpisode] = []
        for episode in run.config.episodes:
            finished = finished_result(episode_path(folder, episode.number, episode.task))
            if finished is not None:
                yield finished
            else:
                unfinished.append(episode)
        if not unfinished:
            return
        if engine == "threads":
            check_threads(run)
        workers = min(workers, len(unfinished))
        player = make_engine(
            engine,
            workers,
            folder,
            watch,
            asks_person=run.config.asks_person,
            attended=run.adapter.spec.attended,
            in_threads=suits_threads(run),
            here=here,
        )
        endpoints = stack.enter_context(Endpoints([run], workers, on_model_start))
        played = begin(run, folder, unfinished, endpoints, spending_counters(run, folder, player))
        tickets = [Ticket(0, episode) for episode in unfinished]
        for each in player.play([played], EpisodeQueue(tickets, [played]), {0: run}):
            if each.failure is not None:
                raise each.failure
            assert each.result is not None
            yield each.result


def begin(
    run: Run,
    folder: Path,
    unfinished: Sequence[PlannedEpisode],
    endpoints: Endpoints,
    counters: Counters,
) -> PlayedRun:
    """Do what is done once before episodes of a run are played or continued.

    Raises BadInput where the run would continue otherwise than it began.
    """
    _check_engine(run, folder)
    _check_files(run, folder)
    check_same_tasks(folder, read_run(folder), run)
    if run.config.branch is not None:
        take_files(run, folder)
    if run.config.replays:
        copy_images(Path(run.config.replays), folder)
    tasks = [run.tasks[name] for name in dict.fromkeys(each.task for each in unfinished)]
    played = PlayedRun(run.config, folder, endpoints.of(run, tasks), counters)
    if run.config.replays or run.planner.prepare is not None:
        RunPlayer(run, played).close()  # asks once what the planner asks before a run
    return played


def spending_counters(run: Run, folder: Path, engine: Engine) -> Counters:
    """Counters of an engine that start with the recorded spending."""
    if not run.config.models:
        return {}
    by_role = spent(recorded_questions(folder)).by_role
    counters = {}
    for role, config in run.config.models.items():
        usage = by_role[role].paid if role in by_role else Usage()
        counters[role] = (engine.counter(float(usage.tokens)), engine.counter(usage.usd(config)))
    return counters


def recorded_questions(folder: Path) -> Iterator[ModelEvent]:
    """The recorded model events of a run, in all starts of all episodes."""
    paths = [*episode_files(folder), *files_set_aside(folder)]
    if preparation_path(folder).exists():
        paths.append(preparation_path(folder))
    return (e for path in paths for e in read_lines(path) if isinstance(e, ModelEvent))


def _check_engine(run: Run, folder: Path) -> None:
    """Raise BadInput where a run would continue with another engine, real or stand-in."""
    begun = str(read_run(folder).adapter.get(STAND_IN, ""))
    now = str(run.adapter.facts().get(STAND_IN, ""))
    if begun != now:
        raise BadInput(
            f"{folder} was begun with {begun or 'the engine itself'} and would continue with "
            f"{now or 'the engine itself'}; set the adapter up as it was, or choose another --out."
        )


def _check_files(run: Run, folder: Path) -> None:
    """Raise BadInput where a file that options name has changed since the run began."""
    now = file_digests(run.options)
    for option, digest in read_run(folder).files.items():
        if now.get(option) != digest:
            path = getattr(run.options, option)
            lost = "has changed" if option in now else "is gone"
            raise BadInput(
                f"{folder} was begun with --set {option}={path}, and that file {lost}; put it back "
                f"as it was, or begin another run with another --out."
            )


# --- what a folder holds -------------------------------------------------------------------------


def finished_result(path: Path) -> EpisodeResult | None:
    """The result of an episode's file, or None where it has not ended. Raises BadInput."""
    return result_among(read_episode(path)) if path.exists() else None


def results_of(folder: Path) -> list[EpisodeResult]:
    """The results of all finished episodes of a run, in the order of its tasks."""
    found = (
        finished_result(episode_path(folder, episode.number, episode.task))
        for episode in read_run(folder).config.episodes
    )
    return [result for result in found if result is not None]
