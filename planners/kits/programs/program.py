"""Programs: their functions, their limits, and the syntax tree that is run.

The language is a small part of Python: assignments, arithmetic and comparisons of numbers, texts
and lists, if, for, while, functions of the program's own, and calls of the functions that it is
given. ProgPrompt's assertions with recovery are part of it, which are no Python:

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

#: What a program computes with: None, bool, int, float, str, and lists and tuples of those.
Value = Any


@dataclass(frozen=True)
class ProgramFunction:
    """A function that a program may call with `least` to `most` arguments, by position.

    compute: gives the result; None where whoever runs the program answers the call.
    """

    name: str
    least: int
    most: int
    compute: Callable[..., Value] | None = None

    @property
    def takes(self) -> str:
        """How many arguments it takes, in words."""
        if self.least == self.most:
            return f"{self.least} argument{'' if self.least == 1 else 's'}"
        return f"{self.least} to {self.most} arguments"


@dataclass(frozen=True)
class ProgramLimits:
    """How far a program may go.

    steps: evaluations of a part of it; what is large costs more. size: characters of a text, and
    numbers and characters in a list. number: magnitude of a number. calls: of its own functions
    within each other. nesting: of its parts within each other. source: characters of its text.
    """

    steps: int = 10_000
    size: int = 10_000
    number: float = 1e15
    calls: int = 10
    nesting: int = 40
    source: int = 20_000


class BadProgram(Exception):
    """A program that is refused or was stopped; one sentence that names the line.

    complaints: all that is wrong with it, where it was refused.
    """

    def __init__(self, *complaints: str) -> None:
        super().__init__(complaints[0])
        self.complaints = complaints


@dataclass(frozen=True)
class Program:
    """A program that was checked and may be run.

    conditions: of its assertions, as they were written, by the line of the `if` of the tree that
    stands for each.
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
        with warnings.catch_warnings():  # of escapes in texts that mean nothing
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        where = f"Line {error.lineno}" if error.lineno else "The program"
        raise BadProgram(f"{where} is not Python: {error.msg}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise BadProgram("The program is not Python that can be read.") from None
    return tree, conditions
