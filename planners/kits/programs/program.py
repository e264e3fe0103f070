"""Programs: their functions, their limits, and their syntax tree.

The language is a small part of Python: assignments, arithmetic, comparisons, if, for, while,
functions of the program's own, and calls of given functions. Values are numbers, texts and lists.
ProgPrompt's assertions with recovery, which Python does not have, are part of it:

    assert('close' to 'mug')
        else: find('mug')
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import assertions

#: The values of programs: None, bool, int, float, str, and lists and tuples of those.
Value = Any


@dataclass(frozen=True)
class ProgramFunction:
    """A function that a program may call with `least` to `most` positional arguments.

    compute: gives the result; None where the host of the program answers the call.
    """

    name: str
    least: int
    most: int
    compute: Callable[..., Value] | None = None

    @property
    def takes(self) -> str:
        """The number of its arguments, in words."""
        if self.least == self.most:
            return f"{self.least} argument{'' if self.least == 1 else 's'}"
        return f"{self.least} to {self.most} arguments"


@dataclass(frozen=True)
class ProgramLimits:
    """The limits of a program."""

    steps: int = 10_000
    """Evaluations of a part of it; large values cost more."""
    size: int = 10_000
    """Characters of a text; numbers and characters in a list."""
    number: float = 1e15
    """The magnitude of a number."""
    calls: int = 10
    """The depth of calls of its own functions."""
    nesting: int = 40
    """The depth of nested parts."""
    source: int = 20_000
    """Characters of its text."""


class BadProgram(Exception):
    """A program was refused or stopped; one sentence with the line.

    complaints: all mistakes of a refused program.
    """

    def __init__(self, *complaints: str) -> None:
        super().__init__(complaints[0])
        self.complaints = complaints


@dataclass(frozen=True)
class Program:
    """A program that was checked and may be run.

    conditions: the conditions of its assertions as written, by the line of the `if` that replaces
    each.
    """

    tree: ast.Module
    functions: Mapping[str, ProgramFunction]
    conditions: Mapping[int, str]
    limits: ProgramLimits


def by_name(functions: Sequence[ProgramFunction]) -> dict[str, ProgramFunction]:
    """The functions by their names."""
    return {function.name: function for function in functions}


def parse_text(source: str, limits: ProgramLimits) -> tuple[ast.Module, dict[int, str]]:
    """The syntax tree of a text, and the conditions of its assertions. Raises BadProgram."""
    if len(source) > limits.source:
        raise BadProgram(f"The program is longer than {limits.source} characters; write less.")
    text, conditions = assertions.without(source)
    try:
        with warnings.catch_warnings():  # warnings of unknown escapes in texts
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        where = f"Line {error.lineno}" if error.lineno else "The program"
        raise BadProgram(f"{where} is not Python: {error.msg}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise BadProgram("The program is not Python that can be read.") from None
    return tree, conditions
