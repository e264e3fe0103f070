"""The progress of a grid: success row by row, and the time left."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

from rich.console import Console

from ..episodes.engines.contract import Played
from ..episodes.result import EpisodeResult
from ..results.progress import EpisodeStatusReader, RunProgress, percent
from .session import GridSession

#: Most rows whose success is shown one by one.
_ROWS = 6


class GridProgress(RunProgress):
    """Shows a grid's progress.

    What is left may differ from what was done. So the time left is estimated from the seconds of
    episodes in the same row and suite.
    """

    def __init__(
        self,
        console: Console,
        session: GridSession,
        *,
        watched: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        reader = EpisodeStatusReader(
            session.folder,
            0.0,
            lambda: [session.path_of(ticket) for ticket in session.engine.running],
        )
        super().__init__(
            console,
            session.total,
            watched=watched,
            activities=reader.now,
            asks_model=any(config.models for config in session.configs),
            clock=clock,
        )
        self._session = session
        self._seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._by_row: dict[str, list[EpisodeResult]] = {row.name: [] for row in session.rows}
        for ticket, result in session.results.items():
            self._by_row[session.runs[ticket.run].row.name].append(result)
            self.add(result, before=True)

    def add_played(self, played: Played) -> None:
        """Count an episode that ended."""
        assert played.result is not None
        run = self._session.runs[played.ticket.run]
        self._by_row[run.row.name].append(played.result)
        self._seconds[run.suite, run.row.name].append(played.seconds)
        self.spare(self._session.spared)
        self.add(played.result)

    def _successes(self) -> list[str]:
        if len(self._by_row) > _ROWS:
            return super()._successes()
        parts = []
        for name, results in self._by_row.items():
            scored = [result for result in results if result.success is not None]
            if scored:
                parts.append(f"{name} {percent(scored)} of {len(scored)}")
        return parts

    def _left_s(self, left: int, each_s: float, elapsed_s: float) -> float:
        """The work left, at the speed of the work done."""
        done_s = sum(map(sum, self._seconds.values()))
        if not done_s:
            return super()._left_s(left, each_s, elapsed_s)
        session = self._session
        waiting = session.left_by_run()
        for ticket in session.engine.running:
            waiting[ticket.run] = (
                waiting.get(ticket.run, 0.0) + 0.5
            )  # a running episode counts as half
        usual = done_s / sum(map(len, self._seconds.values()))
        work_s = sum(n * self._mean_s(place, usual) for place, n in waiting.items())
        return work_s * elapsed_s / done_s

    def _mean_s(self, place: int, usual: float) -> float:
        """Mean seconds of an episode of a run: in its suite and row, else in its row."""
        run = self._session.runs[place]
        found = self._seconds.get((run.suite, run.row.name)) or [
            s for (_, row), each in self._seconds.items() if row == run.row.name for s in each
        ]
        return sum(found) / len(found) if found else usual
