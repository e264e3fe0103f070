"""How a run is coming on: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

_LINE_EVERY_S = 10.0


class RunProgress:
    """Shows episodes done, success so far, episodes a minute and time left."""

    def __init__(self, console: Console, total: int, quiet: bool = False) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._succeeded = 0
        self._before = 0
        self._began = time.monotonic()
        self._last_line = self._began
        self._quiet = quiet
        self._bar: Bar | None = None
        if console.is_terminal and not quiet:
            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[state]}"),
                TimeRemainingColumn(),
                console=console,
            )
            self._task = self._bar.add_task("episodes", total=total, state="")

    def __enter__(self) -> RunProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def add(self, success: bool, *, before: bool = False) -> None:
        """One more episode has ended; before: it had ended when the run was continued."""
        self._done += 1
        self._succeeded += success
        self._before += before
        if self._bar is not None:
            self._bar.update(self._task, advance=1, state=self._state())
            return
        now = time.monotonic()
        played = self._done - self._before
        last = self._done == self._total
        if not self._quiet and (last or now - self._last_line >= _LINE_EVERY_S):
            self._last_line = now
            left = (now - self._began) / max(played, 1) * (self._total - self._done)
            self._console.print(
                f"{self._done}/{self._total} episodes, {self._state()}"
                + (f", about {left:.0f} s left" if played and not last else ""),
                soft_wrap=True,
            )

    def _state(self) -> str:
        minutes = max(time.monotonic() - self._began, 1e-9) / 60
        rate = (self._done - self._before) / minutes
        told = f", {rate:.0f}/min" if rate else ""
        return f"success {self._succeeded / self._done:.0%}{told}"
