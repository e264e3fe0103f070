"""The recording of an episode that begins with events of another one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from ..events import RecordedEvent, Started
from ..recording import EpisodeLog, read_events
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
            self._shared = _first_whole(read_events(path), taken) or shared()
            if len(self.events) < taken:
                self.restart()
        except BaseException:
            self.close()
            raise

    def restart(self) -> None:
        self.events = []
        for event in self._shared:
            self.write(event)
        self.events = list(self._shared)
        self._set_clock()


def _first_whole(events: list[RecordedEvent], taken: int) -> list[RecordedEvent]:
    """The shared events of the first start that has all of them; none where no start has."""
    starts = [place for place, event in enumerate(events) if isinstance(event, Started)]
    for start, end in pairwise([*starts, len(events)]):
        if end - start >= taken:
            return events[start : start + taken]
    return []
