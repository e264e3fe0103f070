"""The progress of runs while they are played: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from ..episodes.events import Decided, Ended, PlannerFailed, Prepared, RecordedEvent, Voided
from ..episodes.preparation import preparation_path
from ..episodes.recording import episode_files
from ..episodes.result import EpisodeResult
from ..models.events import ModelHttpError
from ..planners.contract import Act
from .run_episodes import last_event


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


#: Least seconds between two lines when episodes end, and most when none does.
_LINE_EVERY_S, _LINE_AFTER_S = 10.0, 30.0
#: Seconds of silence after which the line says what is waited for.
_WAITS_S = 5.0
_LOOK_EVERY_S = 1.0
#: Least seconds between two updates of the text below a bar.
_STATE_EVERY_S = 0.2


class _BarAndText(Bar):
    """A bar with a text below it, which folds on a narrow terminal."""

    below = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if self.below:
            yield Text(self.below, style="dim")


class RunProgress:
    """Shows episodes done, success so far, episodes per minute, time left, and current waits."""

    def __init__(
        self,
        console: Console,
        total: int,
        *,
        watched: bool = False,
        quiet: bool = False,
        activities: Callable[[], Sequence[EpisodeStatus]] = tuple,
        asks_model: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """watched: events are printed as well, and lines only show waits. quiet: nothing is shown,
        since a person is asked in the same terminal. activities: returns the present activity of
        the episodes. asks_model: the planner has a model, for which it mostly waits. clock: returns
        seconds.
        """
        self._console = console
        self._total = self._planned = total
        self._spared = 0
        self._results: list[EpisodeResult] = []
        self._before = 0
        self._clock = clock
        self._began = self._last_line = clock()
        self._last_state = -_STATE_EVERY_S
        self._watched = watched
        self._quiet = quiet
        self._activities = activities
        self._asks_model = asks_model
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._bar: _BarAndText | None = None
        if console.is_terminal and not quiet:
            self._bar = _BarAndText(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=console
            )
            self._task = self._bar.add_task("episodes", total=total)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        self._watcher.join()
        if self._bar is not None:
            self._bar.below = self.state()
            self._bar.stop()

    def add(self, result: EpisodeResult, *, before: bool = False) -> None:
        """Count an episode that ended. before: it had ended before this session."""
        with self._lock:
            self._results.append(result)
            if before:  # reading it says nothing about playing time
                self._before += 1
                self._began = self._clock()
            if self._bar is not None:
                self._bar.update(self._task, advance=1)
                if self._clock() - self._last_state >= _STATE_EVERY_S:
                    self._last_state = self._clock()
                    self._bar.below = self.state()
            elif self._done == self._total or self._clock() - self._last_line >= _LINE_EVERY_S:
                self._print_line()

    def spare(self, count: int) -> None:
        """Set the number of episodes that are not played."""
        if self._bar is not None and count != self._spared:
            self._bar.update(self._task, total=self._planned - count)
        self._spared = count
        self._total = self._planned - count

    def look(self) -> None:
        """Read the present activity, and show it where it is time to."""
        activities = self._activities()
        doing = self._doing(activities)
        with self._lock:
            if self._bar is not None:
                self._bar.below = ", ".join(filter(None, [self.state(), doing]))
            elif self._watched and all(each.silent_s < _LINE_AFTER_S for each in activities):
                pass  # events are printed anyway
            elif self._clock() - self._last_line >= _LINE_AFTER_S:
                self._print_line(doing)

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_EVERY_S):
            self.look()

    @property
    def _done(self) -> int:
        return len(self._results)

    def _print_line(self, doing: str = "") -> None:
        self._last_line = self._clock()
        parts = [f"{self._done}/{self._total} episodes", self.state(), doing]
        if self._watched:
            parts = [doing]
        if any(parts) and not self._quiet:
            self._console.print(", ".join(filter(None, parts)), soft_wrap=True)

    def state(self) -> str:
        """Success so far, and from this session's episodes the speed and the time left."""
        voided = sum(result.is_voided for result in self._results)
        parts = self._successes()
        parts += [f"{voided} voided"] if voided else []
        played, left = self._done - self._before, self._total - self._done
        elapsed_s = max(self._clock() - self._began, 1e-9)
        if played:
            a_minute = 60 * played / elapsed_s
            parts.append(f"{a_minute:.{0 if a_minute >= 10 else 1}f}/min")
        if played and left:
            parts.append(
                f"about {_duration(self._left_s(left, elapsed_s / played, elapsed_s))} left"
            )
        return ", ".join(parts)

    def _successes(self) -> list[str]:
        """Success so far."""
        scored = [result for result in self._results if result.success is not None]
        return [f"success {percent(scored)} of {len(scored)}"] if scored else []

    def _left_s(self, left: int, each_s: float, elapsed_s: float) -> float:
        """Seconds that are left. each_s: seconds per episode so far."""
        return left * each_s

    def _doing(self, activities: Sequence[EpisodeStatus]) -> str:
        """The longest current wait."""
        if not activities:
            return ""
        slowest = max(activities, key=lambda activity: activity.silent_s)
        where = f"episode {slowest.episode}, step {slowest.step}" if slowest.episode else ""
        where = f"{slowest.run} {where}".strip()
        if slowest.silent_s < _WAITS_S:
            return where or "the planner prepares the run"
        what = "simulator" if slowest.in_simulator else "model" if self._asks_model else "planner"
        again = " after an error of its endpoint" * slowest.asked_again
        waits = f"waiting for the {what}{again}, {_duration(slowest.silent_s)}"
        return f"{waits}, {where or 'before the first episode'}"


def percent(scored: Sequence[EpisodeResult]) -> str:
    return f"{sum(bool(result.success) for result in scored) / len(scored):.0%}"


def _duration(seconds: float) -> str:
    """Such as "40 s", "3 min" or "2.5 h"."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
