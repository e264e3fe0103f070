"""Programs: their functions, their limits, and their syntax tree.

The language is a small part of Python: assignments, arithmetic, comparisons, if, for, while,
functions of the program's own, and calls of given functions. Values are numbers, texts and lists.
ProgPrompt's assertions with recovery, which Python does not have, are part of it:

    assert('close' to 'mug')
        else: find('mug')
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ....data_files import lines_of

#: The values of programs: None, bool, int, float, str, and lists and tuples of those.
Value = Any

_ASSERT = re.compile(r"(\s*)assert\b\s*(.*)")
_ELSE = re.compile(r"(\s*)else\s*:(.*)")
_INLINE = re.compile(r"\belse\s*:")
_COMMENT = re.compile(r"\s*(?:#.*)?")
_STEP = "    "


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


def parse_text(source: str, limits: ProgramLimits) -> tuple[ast.Module, dict[int, str]]:
    """The syntax tree of a text, and the conditions of its assertions. Raises BadProgram."""
    if len(source) > limits.source:
        raise BadProgram(f"The program is longer than {limits.source} characters; write less.")
    try:
        text, conditions = _without_assertions(source)
        with warnings.catch_warnings():  # warnings of unknown escapes in texts
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        where = f"Line {error.lineno}" if error.lineno else "The program"
        raise BadProgram(f"{where} is not Python: {error.msg}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise BadProgram("The program is not Python that can be read.") from None
    return tree, conditions


def line_of(node: ast.AST) -> int:
    """The line of a part of a program."""
    return getattr(node, "lineno", 1)


# --- assertions with recovery, rewritten as Python that can be parsed ----------------------------
#
#     assert('close' to 'mug')          if 0:
#         else: find('mug')                 find('mug')
#         else: grab('mug')                 grab('mug')
#
# An `else` belongs to an assertion if it is the next line and is indented at least as much. Line
# numbers do not change, so the line of the `if` identifies the assertion.


def _without_assertions(source: str) -> tuple[str, dict[int, str]]:
    """A text with its assertions as `if 0:`, and their conditions by line."""
    conditions: dict[int, str] = {}
    lines = _rewritten(lines_of(source.expandtabs(4)), 1, conditions)
    return "\n".join(lines), conditions


def _rewritten(lines: list[str], first: int, conditions: dict[int, str]) -> list[str]:
    """The same number of lines, without assertions; their conditions are added to `conditions`.

    first: the number of the first line.
    """
    rewritten: list[str] = []
    while len(rewritten) < len(lines):
        at = len(rewritten)
        match = _ASSERT.fullmatch(lines[at])
        if match is None:
            rewritten.append(lines[at])
            continue
        indent, condition = match.groups()
        inline = _INLINE.search(condition)
        conditions[first + at] = _plain(condition[: inline.start()] if inline else condition)
        body = (condition[inline.end() :].strip() if inline else "") or "pass"
        rest = _recovery(lines, at + 1, indent, first, conditions)
        if rest:
            rewritten += [f"{indent}if 0:", *rest]
            if inline:
                place = next(i for i in range(at + 1, len(rewritten)) if rewritten[i])
                rewritten[place] = f"{indent}{_STEP}{body}; {rewritten[place].lstrip()}"
        else:
            rewritten.append(f"{indent}if 0: {body}")
    return rewritten


def _recovery(
    lines: list[str],
    start: int,
    indent: str,
    first: int,
    conditions: dict[int, str],
) -> list[str]:
    """The lines of the recovery that begins at `start`, as the body of an `if`."""
    recovery: list[str] = []
    at = start
    while at < len(lines):
        match = _ELSE.fullmatch(lines[at])
        if _COMMENT.fullmatch(lines[at]):
            recovery.append("")
            at += 1
        elif match is None or len(match[1]) < len(indent):
            break
        elif _COMMENT.fullmatch(match[2]):
            body = _block(lines, at + 1, len(match[1]))
            recovery += [f"{indent}{_STEP}pass"]
            for line in _rewritten(body, first + at + 1, conditions):
                recovery.append(f"{indent}{_STEP}{line}" if line.strip() else "")
            at += 1 + len(body)
        else:
            recovery.append(f"{indent}{_STEP}{match[2].strip()}")
            at += 1
    while recovery and not recovery[-1]:
        recovery.pop()
    return recovery


def _block(lines: list[str], start: int, margin: int) -> list[str]:
    """The lines from `start` with more indentation than a margin, moved to the left edge."""
    block: list[str] = []
    for line in lines[start:]:
        if line.strip() and len(line) - len(line.lstrip()) <= margin:
            break
        block.append(line)
    while block and not block[-1].strip():
        block.pop()
    edge = min((len(line) - len(line.lstrip()) for line in block if line.strip()), default=0)
    return [line[edge:] for line in block]


def _plain(condition: str) -> str:
    """A condition without surrounding brackets and comment."""
    text = condition.strip()
    if text.startswith("(") and ")" in text:
        text = text[1 : text.rindex(")")]
    return text.rstrip(",").strip()
