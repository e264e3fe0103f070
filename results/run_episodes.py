"""The episodes of a run as their recordings have them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..episodes.events import Ended, RecordedEvent, Started, from_line, result_among
from ..episodes.recording import episode_path, read_undamaged
from ..episodes.result import EpisodeResult
from ..episodes.run_file import PlannedEpisode, RunFile, read_run
from ..episodes.runner import finished_result
from ..errors import BadInput

#: Bytes first read from a file's end; a line with a whole house in it is longer.
_TAIL = 65536


@dataclass(frozen=True)
class RunEpisode:
    """One recorded episode of a run."""

    number: int
    """Its place in the run, from 1."""
    task: str
    """Id of its task."""
    repeat: int
    """How often the task was played before in the run."""
    seed: int
    """Of the episode."""
    events: Sequence[RecordedEvent]
    """Events of its newest start."""
    result: EpisodeResult | None
    """None while it has not ended."""
    damage: tuple[str, ...]
    """Problems of the recording, a sentence each."""

    @property
    def labels(self) -> Mapping[str, str]:
        """The task's labels, if they are recorded."""
        started = (event for event in self.events if isinstance(event, Started))
        return next((event.labels for event in started), {})

    @property
    def name(self) -> str:
        """The task, with the repeat where it is not the first."""
        return f"{self.task} (repeat {self.repeat})" if self.repeat else self.task

    @property
    def status(self) -> str:
        """finished, not finished, not begun, or damaged."""
        if self.result is not None:
            return "finished"
        if self.damage:
            return "damaged"
        return "not finished" if self.events else "not begun"


def episodes_of(folder: Path, content: RunFile) -> Iterator[RunEpisode]:
    """The episodes of a run, in order."""
    for planned in content.config.episodes:
        yield episode_of(folder, planned)


def episode_of(folder: Path, planned: PlannedEpisode) -> RunEpisode:
    """One episode of a run."""
    path = episode_path(folder, planned.number, planned.task)
    events, damage = read_undamaged(path) if path.exists() else ([], [])
    return RunEpisode(
        **asdict(planned), events=events, result=result_among(events), damage=tuple(damage)
    )


def ended_by_key(folder: Path) -> Iterator[tuple[tuple[str, int], EpisodeResult]]:
    """The results of a run's ended episodes, each with its task and seed."""
    for episode in read_run(folder).config.episodes:
        result = finished_result(episode_path(folder, episode.number, episode.task))
        if result is not None:
            yield (episode.task, episode.seed), result


def ended_result(path: Path) -> EpisodeResult | None:
    """The result at the end of an episode's file, read alone; None where it has not ended."""
    event = last_event(path) if path.exists() else None
    return event.result if isinstance(event, Ended) else None


def last_event(path: Path) -> RecordedEvent | None:
    """The last event of a file; None for an empty or unreadable one."""
    length = _TAIL
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        while True:
            file.seek(max(0, size - length))
            lines = file.read().split(b"\n")[:-1]  # a torn line follows the last newline
            if len(lines) > 1 or length >= size:
                break
            length *= 4
    try:
        return from_line(lines[-1]) if lines else None
    except BadInput:
        return None
