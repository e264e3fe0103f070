"""The present activity of a run's episodes, as far as their recordings show it.

Every event is written before the next thing happens, so an episode waits for what follows its last
event. That holds for all engines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...episodes.events import (
    Decided,
    Ended,
    PlannerFailed,
    Prepared,
    RecordedEvent,
    Voided,
)
from ...episodes.preparation import preparation_path
from ...episodes.recording import episode_files
from ...models.events import ModelHttpError
from ...planners.contract import Act
from ..run_episodes import last_event


@dataclass(frozen=True)
class EpisodeStatus:
    """The present activity of one episode."""

    episode: int
    """Its number in the run, from 1; 0 for the planner's preparation."""
    step: int
    """Actions so far."""
    in_simulator: bool
    """Whether an action is being carried out; else the planner is at work."""
    silent_s: float
    """Seconds since the last event."""
    asked_again: bool = False
    """Whether that event was an error of a model's endpoint."""
    run: str = ""
    """Its run, where episodes of several runs are played."""


class EpisodeStatusReader:
    """Reads the present activity of a run's episodes, as often as wanted."""

    def __init__(
        self, run: Path, since: float, files: Callable[[], Iterable[Path]] | None = None
    ) -> None:
        """run: the folder of the run, or of several. since: a time of `time.time()`; files not
        written since then are ignored. files: returns the candidates; by default all of the run.
        """
        self._run = run
        self._since = since
        self._files = files or self._files_of_run
        self._read: dict[Path, tuple[int, RecordedEvent | None]] = {}

    def now(self) -> list[EpisodeStatus]:
        """The present activity of each episode that is being played, by number."""
        found = []
        for path in self._files():
            run = path.parent if path == preparation_path(path.parent) else path.parents[1]
            try:
                stat = path.stat()
                if stat.st_mtime < self._since:
                    continue
                event = self._last(path, stat.st_size)
            except OSError:  # it was just removed
                continue
            if event is None or isinstance(event, Ended | PlannerFailed | Prepared | Voided):
                continue
            number = path.name.partition("-")[0]
            found.append(
                EpisodeStatus(
                    episode=int(number) if number.isdecimal() else 0,
                    step=event.step,
                    in_simulator=isinstance(event, Decided) and isinstance(event.decision, Act),
                    silent_s=max(0.0, time.time() - stat.st_mtime),
                    asked_again=isinstance(event, ModelHttpError),
                    run="" if run == self._run else run.name,
                )
            )
        return found

    def _files_of_run(self) -> Iterator[Path]:
        if preparation_path(self._run).exists():
            yield preparation_path(self._run)
        yield from episode_files(self._run)

    def _last(self, path: Path, size: int) -> RecordedEvent | None:
        """The last event of a file, read again when the file has grown."""
        before = self._read.get(path)
        if before is None or before[0] != size:
            before = self._read[path] = (size, last_event(path))
        return before[1]
