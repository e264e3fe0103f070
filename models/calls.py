"""Function calls in a model's text: read by a strict grammar, and never evaluated.

A call begins a line, after a bullet or a number at most: a name, brackets, and between them names
or quoted texts, split by commas. After it there may be a remark in brackets or behind "#". Other
lines are ignored, unless they begin like a call: that is a malformed call, which is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

_BULLET = r"[ \t]*(?:(?:\d+[.):]|[-*•])[ \t]+)?`?"
_BEGINNING = re.compile(rf"^{_BULLET}([A-Za-z_]\w*)[ \t]?\(", re.MULTILINE | re.ASCII)
_TEXT = r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'"
_ARGUMENT = re.compile(rf"\s*({_TEXT}|[\w][\w .-]*)\s*", re.DOTALL)
_CLOSED = re.compile(r"\s*\)")
_END = re.compile(r"[ \t]*[`;,.]*[ \t]*(?:\([^\n]*\)|#[^\n]*)?[ \t]*(?=\n|\Z)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
#: The most characters of a call; a longer one is malformed.
_LONGEST = 8000


class Call(NamedTuple):
    """A call and its arguments as texts."""

    name: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"


class Calls(NamedTuple):
    """The calls of a reply in their order, and the lines dropped as malformed or unknown calls."""

    read: tuple[Call, ...]
    dropped: tuple[str, ...]


def read_calls(reply: str, known: Mapping[str, Collection[int]]) -> Calls:
    """The calls of a reply. known: how many arguments each function may take."""
    read: list[Call] = []
    dropped: list[str] = []
    for line, call in _candidates(reply):
        if call is not None and len(call.arguments) in known.get(call.name, ()):
            read.append(call)
        else:
            dropped.append(line)
    return Calls(tuple(read), tuple(dropped))


def _candidates(reply: str) -> Iterator[tuple[str, Call | None]]:
    """Everything that begins like a call: its first line, and the call, None if malformed."""
    at = 0
    while (beginning := _BEGINNING.search(reply, at)) is not None:
        arguments, end = _arguments(reply, beginning.end())
        line = reply[beginning.start() : beginning.end() + _LONGEST].partition("\n")[0].strip()
        yield line, None if arguments is None else Call(beginning[1], arguments)
        at = beginning.end() if arguments is None else end


def _arguments(text: str, at: int) -> tuple[tuple[str, ...] | None, int]:
    """The arguments that begin at a place, and where their call ends; None for no such form."""
    last = at + _LONGEST
    arguments: list[str] = []
    closed = _CLOSED.match(text, at, last)
    while closed is None:
        argument = _ARGUMENT.match(text, at, last)
        if argument is None:
            return None, at
        arguments.append(_plain(argument[1]))
        at = argument.end()
        if text[at : at + 1] == ",":
            at += 1
            continue
        closed = _CLOSED.match(text, at, last)
        if closed is None:
            return None, at
    end = _END.match(text, closed.end())
    return (None, at) if end is None else (tuple(arguments), end.end())


def _plain(argument: str) -> str:
    if argument[0] in "\"'":
        return _ESCAPED.sub(r"\1", argument[1:-1])
    return argument.strip()
