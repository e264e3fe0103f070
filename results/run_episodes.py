"""The episodes of a run as their recordings have them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..episodes.events import KINDS, Ended, RecordedEvent, Started, from_line, result_among
from ..episodes.recording import (
    Damage,
    episode_path,
    opened,
    read_line,
    read_undamaged,
    whole_lines,
)
from ..episodes.result import EpisodeResult
from ..episodes.run_file import PlannedEpisode, RunFile
from ..errors import BadInput
from ..models.events import ModelEvent
from .failures.classify import Diagnosis, diagnose

#: Bytes first read from a file's end; a line with a whole house in it is longer.
_TAIL = 65536
#: Up to so many bytes, the recordings of a run are checked field by field for its summary.
_CHECKED = 32_000_000
#: Events with a part in summaries.
_SUMMARISED = frozenset(kind for kind in KINDS if kind.startswith("model_")) | {"ended"}
_OTHERS = KINDS - _SUMMARISED - {"started"}
_BEGINNING = b'{"event":"'


@dataclass(frozen=True)
class _Episode(ABC):
    number: int
    """Its place in the run, from 1."""
    task: str
    """Id of its task."""
    repeat: int
    """How often the task was played before in the run."""
    seed: int
    """Of the episode."""
    result: EpisodeResult | None
    """None while it has not ended."""
    damage: tuple[str, ...]
    """Problems of the recording, a sentence each."""

    @property
    @abstractmethod
    def begun(self) -> bool:
        """Whether anything readable is recorded."""

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
        return "not finished" if self.begun else "not begun"


@dataclass(frozen=True)
class RunEpisode(_Episode):
    """One recorded episode of a run, with its events."""

    events: Sequence[RecordedEvent]
    """Events of its newest start."""

    @property
    def begun(self) -> bool:
        return bool(self.events)

    @property
    def labels(self) -> Mapping[str, str]:
        """The task's labels, if they are recorded."""
        started = (event for event in self.events if isinstance(event, Started))
        return next((event.labels for event in started), {})

    @property
    def why(self) -> Diagnosis | None:
        """Why it failed, if it did."""
        return diagnose(self.events)


@dataclass(frozen=True)
class EpisodeSummary(_Episode):
    """One recorded episode of a run without its events, for runs of thousands of episodes."""

    path: Path
    """Its file."""
    kinds: Sequence[str]
    """The names of its newest start's events."""
    labels: Mapping[str, str]
    """The task's labels, if they are recorded."""
    answered: Sequence[ModelEvent]
    """The events of models in its newest start."""

    @property
    def begun(self) -> bool:
        return bool(self.kinds)

    @property
    def why(self) -> Diagnosis | None:
        """Why it failed, if it did; reads all its events for that."""
        if self.result is None or self.result.success:
            return None
        return diagnose(read_undamaged(self.path)[0])


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


# --- without the events --------------------------------------------------------------------------


@dataclass(frozen=True)
class EventHead:
    """Small fields of an event's line; the rest of the line is not kept."""

    event: str
    """The kind of event."""
    asked: str = ""
    """See `Started`."""
    scene: str = ""
    """See `Started`."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """See `Started`."""


_HEADS: TypeAdapter[EventHead] = TypeAdapter(EventHead)


def summaries_of(folder: Path, content: RunFile) -> Iterator[EpisodeSummary]:
    """The episodes of a run, in order, without their events.

    Of a large run only lines with a part in summaries are checked.
    """
    planned = content.config.episodes
    paths = [episode_path(folder, each.number, each.task) for each in planned]
    in_full = sum(path.stat().st_size for path in paths if path.exists()) <= _CHECKED
    for each, path in zip(planned, paths, strict=True):
        yield EpisodeSummary(**asdict(each), path=path, **_summary(path, in_full=in_full))


def _summary(path: Path, *, in_full: bool) -> dict[str, Any]:
    """What a summary has of an episode's file. in_full: check all fields of all events."""
    items: list[tuple[EventHead, RecordedEvent | None]] = []
    damage: list[str] = []
    lines = whole_lines(path) if path.exists() else []
    for number, line in enumerate(lines, start=1):
        head = EventHead(name) if (name := _other_event(line)) and not in_full else _head(line)
        if in_full or head is None or head.event in _SUMMARISED:
            event = read_line(path, number, line)
            if isinstance(event, Damage):
                damage.append(event.problem)
                continue
            items.append((head or EventHead(event.event), event))
        else:
            items.append((head, None))
    starts = [place for place, (head, _) in enumerate(items) if head.event == "started"]
    newest = items[starts[-1] :] if starts else items
    events = [event for _, event in newest if event is not None]
    return {
        "kinds": tuple(head.event for head, _ in newest),
        "labels": newest[0][0].labels if newest else {},
        "answered": tuple(event for event in events if isinstance(event, ModelEvent)),
        "result": result_among([newest[-1][1]]) if newest and newest[-1][1] else None,
        "damage": tuple(damage),
    }


def _other_event(line: bytes) -> str:
    """The name of an event without a part in summaries, from a line as we write it; else ""."""
    if not (line.startswith(_BEGINNING) and line.endswith(b"}")):
        return ""
    name = line[len(_BEGINNING) : line.find(b'"', len(_BEGINNING))].decode(errors="replace")
    return name if name in _OTHERS else ""


def _head(line: bytes) -> EventHead | None:
    """The small fields of a line; None where it is no event."""
    try:
        head = _HEADS.validate_json(line)
    except ValidationError:
        return None
    return head if head.event in KINDS else None


def first_start(path: Path) -> EventHead | None:
    """The small fields of an episode's first event; None where it has not begun."""
    if not path.exists():
        return None
    with opened(path) as file:
        head = _head(file.readline())
    return head if head is not None and head.event == "started" else None


# --- results alone -------------------------------------------------------------------------------


def ended_by_key(
    folder: Path, content: RunFile, names: Mapping[str, str]
) -> Iterator[tuple[tuple[str, int], EpisodeResult]]:
    """The results of a run's ended episodes, each with its task and seed.

    names: of the tasks, see `experiments.task_names`.
    """
    for episode in content.config.episodes:
        result = ended_result(episode_path(folder, episode.number, episode.task))
        if result is not None:
            yield (names[episode.task], episode.seed), result


def results_in(folder: Path, content: RunFile) -> list[EpisodeResult]:
    """The results of a run's ended episodes, in order."""
    paths = (episode_path(folder, each.number, each.task) for each in content.config.episodes)
    return [result for path in paths if (result := ended_result(path)) is not None]


def ended_result(path: Path) -> EpisodeResult | None:
    """The result at the end of an episode's file, read alone; None where it has not ended."""
    event = last_event(path) if path.exists() else None
    return event.result if isinstance(event, Ended) else None


def last_event(path: Path) -> RecordedEvent | None:
    """The last event of a file; None for an empty one, and for one that is no event.

    Raises BadInput where the file cannot be read.
    """
    length = _TAIL
    with opened(path) as file:
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
