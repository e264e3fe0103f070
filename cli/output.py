"""What commands print: JSON documents, and entries that fold at the width of the terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data_files import json_text
from ..errors import BadInput
from ..terminal import escaped

if TYPE_CHECKING:
    from ..suites.contract import Suite


def print_json(document: Any) -> None:
    """Print one JSON document on stdout; a number that is not finite is null."""
    print(escaped(json_text(document, indent=2)))


@contextmanager
def json_alone(as_json: bool) -> Iterator[None]:
    """With --json, send to stderr what plugins, simulators and child processes print."""
    if not as_json:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def make_folder(out: Path) -> None:
    """Create the folder of --out. Raises BadInput where it cannot be created or written to."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _not_writable(out, error.strerror) from None
    if not os.access(out, os.W_OK):
        raise _not_writable(out, "Permission denied")


def _not_writable(out: Path, reason: str | None, what: str = "folder as --out") -> BadInput:
    return BadInput(f"{out} cannot be written ({reason}); choose another {what}.")


def write_file(path: Path, text: str, option: str) -> None:
    """Write the file of an option. Raises BadInput, which names the option."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _not_writable(path, error.strerror, f"file as {option}") from None


#: Seconds between two lines of `signs_of_life`.
_SIGN_EVERY_S = 5.0


@contextmanager
def signs_of_life(what: str) -> Iterator[Callable[[int, int], None]]:
    """Print on stderr, every five seconds, what is being done, how far, and since when.

    The body gets a function that takes the number of the part that is being done, and of all parts.
    """
    finished, began = threading.Event(), time.monotonic()
    part, parts = 1, 1

    def reached(number: int, of: int) -> None:
        nonlocal part, parts
        part, parts = number, of

    def tell() -> None:
        while not finished.wait(_SIGN_EVERY_S):
            far = f"{100 * (part - 1) / parts:.0f} % after" if part > 1 else "since"
            print(f"peephole: {what}, {far} {time.monotonic() - began:.0f} s …", file=sys.stderr)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield reached
    finally:
        finished.set()
        thread.join()


def tell_tasks(suite: Suite, wanted: str = "") -> None:
    """Print on stderr which tasks a suite left out or changed, and how many tasks it has.

    The number of tasks is also said where `--tasks` wants more.
    """
    from ..episodes.resolve import tasks_note

    if note := tasks_note(suite, wanted):
        print(f"peephole: {note}", file=sys.stderr)
    if not suite.omissions:
        return
    parts = "; ".join([f"{len(suite.tasks)} tasks", *suite.omissions])
    print(f"peephole: {suite.name}: {parts}", file=sys.stderr)


def print_entries(entries: Mapping[str, Iterable[str]]) -> None:
    """Print names with their lines beside them, or below a long name.

    Lines fold between words at the width of the terminal. Without a terminal and COLUMNS they stay
    whole, for other programs to read.
    """
    columns = shutil.get_terminal_size(fallback=(0, 0)).columns
    widest = max(map(len, entries), default=0)
    indent = (min(widest, 20) if columns else widest) + 2
    for name, lines in entries.items():
        label = name
        for line in lines:
            if len(label) > indent - 2:
                print(label)
                label = ""
            for part in _folded(line, columns - indent if columns else 0):
                print(f"{label:{indent}}{part}".rstrip())
                label = ""


def _folded(line: str, width: int) -> list[str]:
    """The line in parts of at most `width` columns; a longer word stays whole. 0: no limit."""
    if not width:
        return [line]
    return textwrap.wrap(line, max(width, 20), break_long_words=False, break_on_hyphens=False) or [
        ""
    ]
