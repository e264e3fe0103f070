"""Function calls in a model's text: read by a strict grammar, and never evaluated.

A call begins a line, after a bullet or a number at most: a name, brackets, and between them names
or quoted texts, split by commas. After it there may be a remark in brackets or behind "#". Other
lines count for nothing, unless they begin like a call: then the call is malformed, and dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_BULLET = r"[ \t]*(?:(?:\d+[.):]|[-*•])[ \t]+)?`?"
_BEGINNING = re.compile(rf"^{_BULLET}([A-Za-z_]\w*)[ \t]?\(", re.MULTILINE | re.ASCII)
_TEXT = r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'"
_ARGUMENT = re.compile(rf"\s*({_TEXT}|[\w][\w .-]*)\s*", re.DOTALL)
_END = re.compile(r"[ \t]*[`;,.]*[ \t]*(?:\([^\n]*\)|#[^\n]*)?[ \t]*(?=\n|\Z)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
#: Characters of a call that is read; a longer one is malformed.
_LONGEST = 8000


class Call(NamedTuple):
    """A call and its arguments as texts."""

    name: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"


class Calls(NamedTuple):
    """The calls of a reply in their order, and what was dropped: no call, or none of those known."""

    read: tuple[Call, ...]
    dropped: tuple[str, ...]


def read_calls(reply: str, known: Mapping[str, int]) -> Calls:
    """The calls of a reply. known: how many arguments each function takes."""
    read: list[Call] = []
    dropped: list[str] = []
    for line, call in _found(reply):
        if call is not None and known.get(call.name) == len(call.arguments):
            read.append(call)
        else:
            dropped.append(line)
    return Calls(tuple(read), tuple(dropped))


def _found(reply: str) -> Iterator[tuple[str, Call | None]]:
    """What begins like a call: its first line, and the call where it is one."""
    at = 0
    while (beginning := _BEGINNING.search(reply, at)) is not None:
        arguments, end = _arguments(reply[: beginning.end() + _LONGEST], beginning.end())
        line = reply[beginning.start() :].partition("\n")[0].strip()
        found = None if arguments is None else Call(beginning[1], arguments)
        yield line, found
        at = beginning.end() if found is None else end


def _arguments(text: str, at: int) -> tuple[tuple[str, ...] | None, int]:
    """The arguments that begin at a place, and where their call ends; None for no such form."""
    arguments: list[str] = []
    if (closed := re.compile(r"\s*\)").match(text, at)) is None:
        while (argument := _ARGUMENT.match(text, at)) is not None:
            arguments.append(_plain(argument[1]))
            at = argument.end() + 1
            if text[argument.end() : at] == ")":
                break
            if text[argument.end() : at] != ",":
                return None, at
        else:
            return None, at
    else:
        at = closed.end()
    end = _END.match(text, at)
    return (None, at) if end is None else (tuple(arguments), end.end())


def _plain(argument: str) -> str:
    if argument[0] in "\"'":
        return _ESCAPED.sub(r"\1", argument[1:-1])
    return argument.strip()
