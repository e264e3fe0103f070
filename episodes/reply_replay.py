"""Plays a recorded run again without its models: the replies come from the recording.

Planner and simulator do everything again. Whatever they do, each question to a model included, is
compared with the recording. An episode without a difference is copied into the new run, so the two
recordings are equal byte for byte, old times included. A run that was cut off is continued in the
same way; see `journal` and `models.record`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data_files import draft_of
from ..errors import BadInput, PeepholeError
from ..models.connection import ModelConnection
from ..models.images import is_file_name
from ..models.record import RecordDiffers
from ..planners.contract import Planner, Preparation
from ..scene_graph.task import Task
from ..skills.executor import EpisodeVoided, SimulatorDied
from .branches.point import point_of_log
from .episode import EpisodeContext, run_episode
from .events import Ended, Prepared, RecordedEvent, from_line, to_line
from .journal import Diverged
from .preparation import models_for, preparation_path
from .recording import Log, episode_path, image_file, read_episode, read_events
from .result import EpisodeResult
from .run_file import PlannedEpisode, RunConfig, read_run


class NotReplayed(PeepholeError):
    """A run differs from its recording when it is played again."""


class FinishedLog(Log):
    """The recording of an episode that has ended, to compare another playing with."""

    complete = True

    def __init__(self, path: Path) -> None:
        """Read the file. Raises BadInput where it is damaged."""
        super().__init__(read_events(path))

    def write(self, event: RecordedEvent) -> None:
        """Raise Diverged: nothing is left to compare the event with."""
        raise Diverged(f"'{event.event}' of step {event.step} came after all that was recorded.")


def replay_config(source: Path, tasks: str = "") -> RunConfig:
    """The config of a run that plays the ended episodes of another run again.

    tasks: how many, or their ids split by commas; all by default. Tasks with a voided episode are
    left out. Raises BadInput where no task is left, or a named one has not ended.
    """
    config = read_run(source).config
    open_still = {
        episode.task
        for episode in config.episodes
        if not _has_ended(episode_path(source, episode.number, episode.task))
    }
    ended = tuple(task_id for task_id in config.tasks if task_id not in open_still)
    chosen = tuple(filter(None, (part.strip() for part in tasks.split(",")))) or ended
    if tasks.strip().isdecimal():
        chosen = ended[: int(tasks)]
    for task_id in chosen:
        if task_id not in ended:
            raise BadInput(
                f"{source} has no ended episode of the task {task_id}; continue it with --resume, "
                f"or choose among {', '.join(ended) or 'those of another run'}."
            )
    if not chosen:
        raise BadInput(f"No episode of {source} has ended; continue it with --resume.")
    return replace(config, tasks=chosen, extended=(), replays=str(source.resolve()))


def _has_ended(path: Path) -> bool:
    if not path.exists():
        return False
    events = read_episode(path)
    return isinstance(events[-1], Ended) and events[-1].result.ended != "voided"


def copy_images(source: Path, folder: Path) -> None:
    """Copy a run's images, which its events name by hash."""
    for path in (source / "images").glob("*"):
        if is_file_name(path.name):
            (folder / "images").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(image_file(source, path.name), folder / "images" / path.name)


def replay_episode(
    context: EpisodeContext, task: Task, episode: PlannedEpisode, source: Path, folder: Path
) -> EpisodeResult:
    """Play an episode of the run `source` again and copy it into the run `folder`.

    episode: as planned in `folder`. Raises NotReplayed where the episode differs, and as
    `run_episode` does.
    """
    content = read_run(source)
    then = next(
        each
        for each in content.config.episodes
        if (each.task, each.repeat) == (episode.task, episode.repeat)
    )
    recorded = episode_path(source, then.number, then.task)
    log = FinishedLog(recorded)
    if content.config.branch is not None:
        point = point_of_log(content.config.branch, log, episode.repeat)
        context = replace(context, point=point)
    try:
        result = run_episode(context, task, log)
    except (EpisodeVoided, SimulatorDied) as error:
        raise NotReplayed(
            f"Episode {then.number} ({then.task}) of {source} differs now: {error} "
            f"It was recorded with Peephole {content.peephole}."
        ) from None
    _copy(recorded, episode_path(folder, episode.number, episode.task))
    if context.watch is not None:
        for event in log.events:
            context.watch(event)
    return result


def prepare_again(
    planner: Planner,
    given: Preparation,
    connections: Mapping[str, ModelConnection],
    source: Path,
    folder: Path,
) -> None:
    """Prepare a run again as `source` was prepared, and copy that recording into `folder`.

    given: without its models. Raises NotReplayed where the result differs.
    """
    recorded = preparation_path(source)
    if planner.prepare is None or preparation_path(folder).exists():
        return
    log = FinishedLog(recorded)
    models = models_for(planner, connections, log, given.seed)
    difference = ""
    try:
        data = planner.prepare(replace(given, models=models))
        difference = next(filter(None, (model.record.left() for model in models.values())), "")
    except (RecordDiffers, Diverged) as error:
        difference = str(error)
    if not difference and _plain(data) != _plain(_prepared(log.events)):
        difference = "The planner made other data from the replies."
    if difference:
        raise NotReplayed(f"What {source} prepared differs when it is prepared again: {difference}")
    _copy(recorded, preparation_path(folder))


def _prepared(events: list[RecordedEvent]) -> Mapping[str, Any]:
    return next((event.data for event in events if isinstance(event, Prepared)), {})


def _plain(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Data as they are read back, with lists instead of tuples."""
    event = from_line(to_line(Prepared(data=data)))
    assert isinstance(event, Prepared)
    return event.data


def _copy(recorded: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path) as draft:
        shutil.copyfile(recorded, draft)
