"""The boundary to the terminal: what is printed there is shown, and does nothing else.

Observations, instructions, replies and errors may be a stranger's text. A control character in it
could move the cursor, hide text, set the title of the window or write to the clipboard. So
`guard_streams` guards all that a command prints, and `terminal_console` all that rich does.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

#: Control characters but "\n" and "\t", and those that turn the direction of text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with U+FFFD in place of each control character."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(document: str) -> str:
    """A JSON document with its control characters as escapes, which changes none of its data."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


class GuardedStream:
    """A text stream that makes what is written to it `printable`."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream  # rich writes its own control codes there

    def write(self, text: str) -> int:
        return self.rich_proxied_file.write(printable(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


def guard_streams() -> None:
    """Guard standard output and standard error of this process.

    A closed one becomes the null device: otherwise the next file that is opened takes its number.
    Characters that its encoding lacks are written as escapes.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest number
            setattr(sys, name, None)
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        with suppress(AttributeError):  # a test's own stream
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, GuardedStream(stream))


def answer_to(question: str) -> str | None:
    """The line that a person types as the answer to a question; None where there is no more input.

    The question goes to standard error, since standard output may be a JSON document. What was
    typed before it was there is dropped: it would answer what nobody has read.
    """
    forget_typed_ahead(sys.stdin)
    print(printable(question), end="", file=sys.stderr, flush=True)
    return typed_line(sys.stdin)


def typed_line(stream: TextIO) -> str | None:
    """The next line that a person types, in plain characters with single spaces; None at the end.

    stream: standard input, or what stands for it.
    """
    line = stream.readline()
    return " ".join(printable(line.encode("utf-8", "replace").decode()).split()) if line else None


def forget_typed_ahead(stream: TextIO) -> None:
    """Drop what was typed before a question was there: it answers another one."""
    if stream.isatty():
        import termios

        with suppress(termios.error):
            termios.tcflush(stream.fileno(), termios.TCIFLUSH)


def terminal_console(**settings: Any) -> Console:
    """A console of rich whose texts are `printable`. settings: as those of rich's."""
    stream = sys.stderr if settings.get("stderr") else sys.stdout
    # Named, since while a bar is shown rich puts a stream of its own around the guarded one.
    settings.setdefault("file", getattr(stream, "rich_proxied_file", stream))
    made: Console = _console_class()(highlight=False, markup=False, **settings)
    return made


@cache
def _console_class() -> Any:
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield (
                    segment if segment.control else Segment(printable(segment.text), segment.style)
                )

    return PrintableConsole
