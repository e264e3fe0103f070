"""Plays the episodes of a run, and continues runs that were cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..adapters.contract import STAND_IN
from ..errors import BadInput, Missing
from ..planners.llm import serving
from ..planners.llm.config import ModelConfig
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from ..served_model import ModelEndpoint
from .engines import play_in_processes, play_serially
from .events import RecordedEvent, result_among
from .instruction_table import instruction_table
from .places_table import places_table
from .preparation import preparation_path
from .recording import LOCK, InUse, episode_path, read_episode, run_lock
from .reply_replay import copy_images
from .resolve import Run
from .result import EpisodeResult
from .run_file import PlannedEpisode, RunFile, file_digests, read_run, write_run


def start_run(run: Run, folder: Path) -> None:
    """Make the folder of a new run. Raises BadInput where one is there already."""
    _check_vacant(folder)
    grants = tuple(sorted(run.planner.grants))
    content = RunFile(run.config, grants, run.adapter.facts(), file_digests(run.options))
    with run_lock(folder):
        _check_vacant(folder)  # another process may have begun a run there meanwhile
        write_run(folder, content)


def _check_vacant(folder: Path) -> None:
    """Raise BadInput where a folder holds anything."""
    if (folder / "run.json").exists():
        raise BadInput(
            f"{folder} holds a run already; continue it with --resume or choose another --out."
        )
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose a new folder as --out.")
    if folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
        raise BadInput(f"{folder} is not empty and no run; choose another --out.")


@contextmanager
def new_run(run: Run, folder: Path) -> Iterator[None]:
    """A new run in its folder, of which nothing stays where it is refused before it begins.

    Raises as `start_run` does, and leaves alone what is there already.
    """
    was_there = folder.exists()
    start_run(run, folder)
    try:
        yield
    except InUse:
        raise
    except (BadInput, Missing):
        with suppress(OSError, InUse):
            _take_back(folder, was_there=was_there)
        raise


def _take_back(folder: Path, *, was_there: bool) -> None:
    """Remove what a new run has made, unless anything besides is in its folder.

    was_there: so was the folder, empty; it stays.
    """
    prepared, episodes = preparation_path(folder), folder / "episodes"
    made = {folder / "run.json", folder / LOCK, prepared, episodes}
    with run_lock(folder):
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
) -> Iterator[EpisodeResult]:
    """Run, or continue, all episodes of a run folder; yields each result as it is known.

    Episodes that are finished already are read, not run. watch is called with every event, in
    this process only, so it needs workers = 1. on_model_start: is told of models that the run
    serves by itself. The adapter of the run is closed at the end.
    Raises BadInput where another process plays the same folder.
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
        _check_engine(run, folder)
        _check_files(run, folder)
        workers = min(workers, len(unfinished))
        if run.config.replays:
            copy_images(Path(run.config.replays), folder)
        tasks = [run.tasks[name] for name in dict.fromkeys(each.task for each in unfinished)]
        endpoints: dict[ModelConfig, ModelEndpoint | None] = {}
        for config, roles in Counter(run.config.models.values()).items():
            if run.config.replays:
                endpoints[config] = None
                continue
            endpoints[config] = stack.enter_context(
                serving.open_endpoint(
                    config,
                    run.config.seed,
                    lambda: _from_truth(run, tasks, instruction_table),
                    lambda: _from_truth(run, tasks, places_table),
                    slots=workers * roles,
                    on_start=on_model_start,
                )
            )
        by_role = {role: endpoints[config] for role, config in run.config.models.items()}
        if workers <= 1:
            yield from play_serially(run, folder, by_role, unfinished, watch)
        else:
            yield from play_in_processes(run, folder, by_role, unfinished, workers)


def _check_engine(run: Run, folder: Path) -> None:
    """Raise BadInput where a run would go on with another engine than its results are marked by."""
    begun = str(read_run(folder).adapter.get(STAND_IN, ""))
    now = str(run.adapter.facts().get(STAND_IN, ""))
    if begun != now:
        raise BadInput(
            f"{folder} was begun with {begun or 'the engine itself'} and would go on with "
            f"{now or 'the engine itself'}; set the adapter up as it was, or choose another --out."
        )


def _check_files(run: Run, folder: Path) -> None:
    """Raise BadInput where a file that options name is another than when the run was begun."""
    now = file_digests(run.options)
    for option, digest in read_run(folder).files.items():
        if now.get(option) != digest:
            path = getattr(run.options, option)
            lost = "is another one now" if option in now else "is gone"
            raise BadInput(
                f"{folder} was begun with --set {option}={path}, and that file {lost}; put it back "
                f"as it was, or begin another run with another --out."
            )


def _from_truth(
    run: Run,
    tasks: Sequence[Task],
    table: Callable[[Sequence[Task], Callable[[Task], SceneGraph]], dict[str, Any]],
) -> dict[str, Any]:
    """A table for a model about some tasks, read off the states that they begin in."""

    def truth_of(task: Task) -> SceneGraph:
        run.adapter.reset(task, run.config.seed)
        truth = run.adapter.graph()
        if truth is None:
            raise BadInput(
                f"The adapter {run.config.adapter} gives no true state to make the table of "
                f"instructions from that the model is given; choose another --model or --adapter."
            )
        return truth

    try:
        return table(tasks, truth_of)
    finally:
        run.adapter.close()


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
