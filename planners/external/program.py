"""An agent program: a process of its own, which ends with its episode, with all that it started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ...models.redaction import redactor
from . import launcher

#: Characters of a program's output that are kept: from its beginning, and from its end.
FIRST, LAST = 8_000, 24_000
#: Seconds in which a program that is ended has to be gone.
_GONE_S = 10.0
#: Words in the names of environment variables whose values are secrets, and their least length.
_SECRET, _LONG_ENOUGH = ("KEY", "TOKEN", "SECRET", "PASSWORD"), 8


@cache
def isolation() -> str:
    """The best mode of `launcher` that works on this machine."""
    with tempfile.TemporaryDirectory(prefix="peephole-") as folder:
        for mode in launcher.MODES:
            if not mode:
                break
            program = Program(["true"], folder=Path(folder), hide=[Path(folder)], mode=mode)
            if program.wait(_GONE_S) and program.ended == Ended(0):
                return mode
    return ""


class Ended(NamedTuple):
    """How a program ended. status: of its exit, None where it was ended or never began."""

    status: int | None
    error: str = ""

    @property
    def text(self) -> str:
        """A clause behind "The program"."""
        if self.error:
            return f"could not be started ({self.error})"
        if self.status is None:
            return "was ended"
        return (
            f"ended with status {self.status}"
            if self.status >= 0
            else f"was ended by signal {-self.status}"
        )


class Output:
    """The beginning and the end of what a program prints."""

    def __init__(self) -> None:
        self._first = self._last = ""
        self._left_out = 0
        self._lock = threading.Lock()

    def add(self, text: str) -> None:
        with self._lock:
            room = FIRST - len(self._first)
            self._first += text[:room]
            self._last += text[room:]
            over = max(0, len(self._last) - LAST)
            self._last = self._last[over:]
            self._left_out += over

    @property
    def text(self) -> str:
        """What is kept of it."""
        with self._lock:
            gap = f"\n[… {self._left_out} characters are left out …]\n" * bool(self._left_out)
            return f"{self._first}{gap}{self._last}"


class Program:
    """A running program. It has ended where `ended` is not None."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        hide: Sequence[Path] = (),
        mode: str = "",
        text: str = "",
        environment: Mapping[str, str] | None = None,
        on_end: Callable[[Ended], None] = lambda ended: None,
    ) -> None:
        """Start it in a folder.

        hide: files and folders that it cannot see, unless mode is "". text: its standard input.
        environment: added to that of this process. on_end: called in a thread.
        """
        self.ended: Ended | None = None
        self.output = Output()
        self._on_end = on_end
        told, status = os.pipe()
        control, self._hold = os.pipe()
        spec = {"command": [*command], "hide": [str(each) for each in hide], "mode": mode}
        try:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-S",
                    launcher.__file__,
                    json.dumps(spec),
                    str(status),
                    str(control),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(status, control),
                cwd=folder,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        finally:
            os.close(status)
            os.close(control)
        self._threads = [
            threading.Thread(target=target, args=arguments, daemon=True)
            for target, arguments in (
                (self._write, (text,)),
                (self._read, ()),
                (self._follow, (told,)),
            )
        ]
        for thread in self._threads:
            thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for its end at most so long; whether it has ended."""
        self._threads[-1].join(seconds)
        return self.ended is not None

    def end(self) -> None:
        """End it, and all that it has started."""
        with suppress(OSError):
            os.close(self._hold)
        self._hold = -1
        began = time.monotonic()
        for thread in self._threads[1:]:
            thread.join(max(0.0, began + _GONE_S - time.monotonic()))
        if self._process.poll() is None:
            self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GONE_S)

    # --- in threads --------------------------------------------------------------------------

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as file:
            file.write(text.encode("utf-8", "replace"))

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as file:
            while part := os.read(file.fileno(), 65_536):
                self.output.add(part.decode("utf-8", "replace"))

    def _follow(self, told: int) -> None:
        with os.fdopen(told) as file:
            said = file.read()
        self._process.wait()
        data = json.loads(said) if said else {}
        ending = self._hold == -1 and data.get("status", -9) < 0
        self.ended = Ended(None if ending else data.get("status"), data.get("error", ""))
        self._on_end(self.ended)


def without_secrets(text: str, *secrets: str) -> str:
    """A text without secrets: those given, and those of the environment."""
    named = (
        value
        for name, value in os.environ.items()
        if any(word in name.upper() for word in _SECRET) and len(value) >= _LONG_ENOUGH
    )
    return redactor(*secrets, *named)(text)


def filled(command: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """A command with values in the place of {names}; other braces stay."""
    whole = []
    for part in command:
        for name, value in values.items():
            part = part.replace(f"{{{name}}}", str(value))
        whole.append(part)
    return whole
