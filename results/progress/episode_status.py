"""What the episodes of a run are doing now, as far as their recordings tell.

Every event is written before the next thing happens, so what an episode waits for is what follows
the last one. That holds for all engines, whatever process plays.
"""

from __future__ import annotations

import os
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
    from_line,
)
from ...episodes.preparation import preparation_path
from ...episodes.recording import episode_files
from ...errors import BadInput
from ...models.events import ModelHttpError
from ...planners.contract import Act

#: Bytes read of a file's end at first; a line with a whole house in it is longer.
_TAIL = 65536


@dataclass(frozen=True)
class EpisodeStatus:
    """What one episode is doing.

    episode: its number in the run, from 1; 0 for what the planner prepares before the first. step:
    the actions so far. in_simulator: an action is being carried out; else the planner is at work.
    silent_s: seconds since the last event. asked_again: that was an error of a model's endpoint.
    run: its run, where episodes of several are played.
    """

    episode: int
    step: int
    in_simulator: bool
    silent_s: float
    asked_again: bool = False
    run: str = ""


class EpisodeStatusReader:
    """Reads what the episodes of a run are doing, again and again."""

    def __init__(
        self, run: Path, since: float, files: Callable[[], Iterable[Path]] | None = None
    ) -> None:
        """run: the folder of the run, or of several. since: a time of `time.time()`; files that
        were not written since are not played. files: gives those that may be; all of the run by
        default.
        """
        self._run = run
        self._since = since
        self._files = files or self._files_of_run
        self._read: dict[Path, tuple[int, RecordedEvent | None]] = {}

    def now(self) -> list[EpisodeStatus]:
        """What each episode that is being played is doing, by number."""
        found = []
        for path in self._files():
            run = path.parent if path == preparation_path(path.parent) else path.parents[1]
            try:
                stat = path.stat()
                if stat.st_mtime < self._since:
                    continue
                event = self._last(path, stat.st_size)
            except OSError:  # it has just been moved away
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
        """The last event of a file; read anew when it has grown."""
        before = self._read.get(path)
        if before is None or before[0] != size:
            before = self._read[path] = (size, last_event(path))
        return before[1]


def last_event(path: Path) -> RecordedEvent | None:
    """The last event of a file; None where there is none, or none that can be read."""
    length = _TAIL
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        while True:
            file.seek(max(0, size - length))
            lines = file.read().split(b"\n")[:-1]  # what follows the last end is torn
            if len(lines) > 1 or length >= size:
                break
            length *= 4
    try:
        return from_line(lines[-1]) if lines else None
    except BadInput:
        return None
