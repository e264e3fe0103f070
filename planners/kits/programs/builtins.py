"""The functions of every program, and the size of values."""

from __future__ import annotations

from collections.abc import Iterable

from .program import ProgramFunction, Value

_MANY, _LONGEST, _DIGITS = 20, 10_000, 15


def weight(value: Value, most: int) -> int:
    """The size of a value: its characters, and one for each number and list; stops above `most`."""
    total, waiting = 0, [value]
    while waiting and total <= most:
        part = waiting.pop()
        total += 1
        if isinstance(part, str):
            total += len(part)
        elif isinstance(part, list | tuple):
            total += len(part) if len(part) > most else 0
            if total <= most:
                waiting += part
    return total


def _smallest(*values: Value) -> Value:
    return min(values[0] if len(values) == 1 else values)


def _largest(*values: Value) -> Value:
    return max(values[0] if len(values) == 1 else values)


def _enumerated(values: Iterable[Value], start: int = 0) -> list[Value]:
    return list(enumerate(values, start))


def _range(*bounds: int) -> list[Value]:
    steps = range(*bounds)
    if len(steps) > _LONGEST:
        raise ValueError("a range is too long")
    return list(steps)


def _rounded(value: float, digits: int = 0) -> float:
    if abs(digits) > _DIGITS:
        raise ValueError("a number has no such digits")
    return round(value, digits) if digits else round(value)


def _whole(value: Value = 0) -> int:
    return int(value)


def _number(value: Value = 0.0) -> float:
    return float(value)


def _listed(values: Iterable[Value] = ()) -> list[Value]:
    return list(values)


def _sum(values: Iterable[Value]) -> Value:
    numbers = list(values)
    if any(not isinstance(number, int | float) for number in numbers):
        raise TypeError("only numbers can be summed")
    return sum(numbers)


def _print(*values: Value) -> None:
    """Do nothing: programs may print, without effect."""


BUILTINS = {
    function.name: function
    for function in (
        ProgramFunction("len", 1, 1, len),
        ProgramFunction("range", 1, 3, _range),
        ProgramFunction("enumerate", 1, 2, _enumerated),
        ProgramFunction("zip", 1, _MANY, lambda *lists: list(zip(*lists, strict=False))),
        ProgramFunction("reversed", 1, 1, lambda values: list(values)[::-1]),
        ProgramFunction("sorted", 1, 1, sorted),
        ProgramFunction("list", 0, 1, _listed),
        ProgramFunction("min", 1, _MANY, _smallest),
        ProgramFunction("max", 1, _MANY, _largest),
        ProgramFunction("sum", 1, 1, _sum),
        ProgramFunction("any", 1, 1, any),
        ProgramFunction("all", 1, 1, all),
        ProgramFunction("abs", 1, 1, abs),
        ProgramFunction("round", 1, 2, _rounded),
        ProgramFunction("int", 0, 1, _whole),
        ProgramFunction("float", 0, 1, _number),
        ProgramFunction("str", 0, 1, str),
        ProgramFunction("bool", 1, 1, bool),
        ProgramFunction("print", 0, _MANY, _print),
    )
}
