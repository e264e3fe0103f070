"""The recording of an episode that begins with events of another one."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from ...models.events import ModelEvent
from ..events import RecordedEvent, Started
from ..recording import EpisodeLog, read_events, whole_lines
from .branch import Branch
from .parent import shared_events


def episode_log(path: Path, branch: Branch | None, repeat: int) -> EpisodeLog:
    """The file of an episode, which a branch begins with the events of its parent.

    repeat: of the episode. Raises BadInput where the file is damaged or in use, or the parent is
    needed and gone.
    """
    if branch is None or not branch.taken:
        return EpisodeLog(path)
    return BranchLog(path, branch.taken, lambda: shared_events(branch, repeat))


class BranchLog(EpisodeLog):
    """The file of a branch's episode; each start of it begins with the shared events."""

    def __init__(self, path: Path, taken: int, shared: Callable[[], list[RecordedEvent]]) -> None:
        """taken: the number of shared events. shared: makes them where the file lacks them."""
        super().__init__(path)
        try:
            recorded = read_events(path)
            self._shared = _first_whole(recorded, taken) or shared()
            if len(self.events) < taken:
                kept = len(recorded) - len(self.events)  # the rest was being copied
                self._cut(kept)
                self.models = [event for event in recorded[:kept] if isinstance(event, ModelEvent)]
                self.restart()
        except BaseException:
            self.close()
            raise

    def _cut(self, lines: int) -> None:
        """Keep only the first lines of the file."""
        kept = whole_lines(self._path)[:lines]
        os.ftruncate(self._fd, sum(len(line) + 1 for line in kept))

    def restart(self) -> None:
        again = bool(self.models)  # what is shared counts once
        models = list(self.models)
        self.events = []
        for event in self._shared:
            self.write(event)
        self.events = list(self._shared)
        if again:
            self.models = models
        self._set_clock()


def _first_whole(events: list[RecordedEvent], taken: int) -> list[RecordedEvent]:
    """The shared events of the first start that has all of them; none where no start has."""
    starts = [place for place, event in enumerate(events) if isinstance(event, Started)]
    for start, end in pairwise([*starts, len(events)]):
        if end - start >= taken:
            return events[start : start + taken]
    return []
