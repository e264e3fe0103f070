"""Errors that a user can fix. Each says what is wrong and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PeepholeError(Exception):
    """The base of all errors meant for the user; the command line prints only the text.

    `exit_code` of the command: 1 the run failed, 2 bad usage, 3 something needed is missing.
    """

    exit_code = 1


class BadInput(PeepholeError):
    """A malformed file, field, name or option."""

    exit_code = 2


class Missing(PeepholeError):
    """A package, file or program that has to be installed; the text says how."""

    exit_code = 3


def each_name(names: str | Iterable[str]) -> tuple[str, ...]:
    """Names that a user gives as a sequence; a bare string is one name, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def unknown_name(what: str, name: str, known: Iterable[str]) -> BadInput:
    """An error for an unknown name, with the nearest known ones."""
    every = sorted(known)
    near = difflib.get_close_matches(name, every, n=3, cutoff=0.5)
    if near:
        return BadInput(f"There is no {what} '{name}'. Did you mean {' or '.join(near)}?")
    if not every:
        return BadInput(f"There is no {what} '{name}', and none is installed.")
    shown = ", ".join(every[:16]) + (", …" if len(every) > 16 else "")
    return BadInput(f"There is no {what} '{name}'. Choose one of: {shown}.")
