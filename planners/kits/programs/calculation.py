"""The calculations and built-in functions of programs, within limits of size and of steps."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Sequence

from .program import BadProgram, ProgramFunction, ProgramLimits, Value, line_of

#: The largest exponent.
_HIGHEST = 64

_BINARY: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: type(a) is type(b) and a == b,
    ast.IsNot: lambda a, b: type(a) is not type(b) or a != b,
}
_PLAIN = (bool, int, float, str, type(None))
_MANY, _LONGEST, _DIGITS = 20, 10_000, 15


class Calculator:
    """The calculations of one run. steps: the number of steps used so far.

    Impossible calculations raise BadProgram, and so do values that get too large or take too long.
    """

    def __init__(self, limits: ProgramLimits) -> None:
        self.steps = 0
        self._limits = limits

    def binary(self, node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, str | list | tuple) or isinstance(right, str | list | tuple):
            self._check_joining(node, op, left, right)
        elif isinstance(op, ast.Pow) and isinstance(right, int | float) and abs(right) > _HIGHEST:
            raise stopped(node, "a number gets too large")
        return self.do(node, _BINARY[type(op)], left, right)

    def _check_joining(self, node: ast.AST, op: ast.operator, left: Value, right: Value) -> None:
        """Raise for anything but joining and repeating of texts and lists."""
        if isinstance(op, ast.Mult):
            times = right if isinstance(right, int) else left
            whole = left if isinstance(right, int) else right
            if isinstance(times, int):
                size = weight(whole, self._limits.size) * max(times, 0)
                if size <= self._limits.size:
                    return
                raise stopped(node, "a text or a list gets too long")
        if not isinstance(op, ast.Add) or type(left) is not type(right):
            raise stopped(node, f"{_kind(left)} and {_kind(right)} cannot be calculated with")

    def compare(self, node: ast.AST, op: ast.cmpop, left: Value, right: Value) -> Value:
        self.charge(node, left, right)
        return self.do(node, _COMPARE[type(op)], left, right)

    def unary(self, node: ast.AST, op: ast.unaryop, value: Value) -> Value:
        if isinstance(op, ast.Not):
            return not value
        return self.do(node, operator.neg if isinstance(op, ast.USub) else operator.pos, value)

    def item(self, node: ast.AST, whole: Value, index: Value) -> Value:
        if not isinstance(whole, str | list | tuple) or not isinstance(index, int):
            raise stopped(node, f"{_kind(whole)} has no item {_kind(index)}")
        return self.do(node, operator.getitem, whole, index)

    def listed(self, node: ast.AST, value: Value) -> Sequence[Value]:
        if not isinstance(value, str | list | tuple):
            raise stopped(node, f"{_kind(value)} is nothing to go through")
        return value

    def do(self, node: ast.AST, what: Callable[..., Value], *values: Value) -> Value:
        """The result of a calculation. Raises BadProgram where it is impossible."""
        try:
            result = what(*values)
        except ZeroDivisionError:
            raise stopped(node, "nothing can be divided by zero") from None
        except IndexError:
            raise stopped(node, "there is no such item") from None
        except (TypeError, ValueError, ArithmeticError):
            kinds = " and ".join(map(_kind, values))
            raise stopped(node, f"this cannot be done with {kinds}") from None
        return self.kept(node, result)

    def kept(self, node: ast.AST, value: Value) -> Value:
        """A value, checked for size and kind. Raises BadProgram."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            if not abs(value) <= self._limits.number:
                raise stopped(node, "a number gets too large")
        elif isinstance(value, str | list | tuple):
            self.charge(node, value)
            if weight(value, self._limits.size) > self._limits.size:
                raise stopped(node, "a text or a list gets too long")
            if _is_deeper(value, self._limits.nesting):
                raise stopped(node, "there are too many lists within each other")
        elif not isinstance(value, _PLAIN):
            raise stopped(node, "this gives nothing that a program can use")
        return value

    def take(self, node: ast.AST) -> None:
        """Use up a step. Raises BadProgram where none is left."""
        self.steps += 1
        if self.steps > self._limits.steps:
            self.steps = self._limits.steps
            raise stopped(
                node,
                f"the program was stopped after {self._limits.steps} steps of calculation; "
                f"it may have a loop without end",
            )

    def charge(self, node: ast.AST, *values: Value) -> None:
        """Use up steps for large values."""
        for value in values:
            if isinstance(value, str | list | tuple):
                self.steps += weight(value, self._limits.size) // 64
        self.steps = min(self.steps, self._limits.steps)


def _kind(value: Value) -> str:
    """The kind of a value, in words."""
    if value is None:
        return "None"
    for kind, words in ((bool, "a truth value"), (int | float, "a number"), (str, "a text")):
        if isinstance(value, kind):
            return words
    return "a list"


def stopped(node: ast.AST, why: str) -> BadProgram:
    """The error that ends a run at a part of its program."""
    return BadProgram(f"Line {line_of(node)}: {why}.")


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


def _is_deeper(value: Value, most: int) -> bool:
    """Whether lists are nested deeper than `most` levels."""
    level = [value]
    for _ in range(most):
        level = [part for each in level if isinstance(each, list | tuple) for part in each]
        if not level:
            return False
    return True


def _range(*bounds: int) -> list[Value]:
    steps = range(*bounds)
    if len(steps) > _LONGEST:
        raise ValueError("a range is too long")
    return list(steps)


def _rounded(value: float, digits: int = 0) -> float:
    if abs(digits) > _DIGITS:
        raise ValueError("a number has no such digits")
    return round(value, digits) if digits else round(value)


def _sum(values: Iterable[Value]) -> Value:
    numbers = list(values)
    if any(not isinstance(number, int | float) for number in numbers):
        raise TypeError("only numbers can be summed")
    return sum(numbers)


BUILTINS = {
    function.name: function
    for function in (
        ProgramFunction("len", 1, 1, len),
        ProgramFunction("range", 1, 3, _range),
        ProgramFunction("enumerate", 1, 2, lambda values, start=0: list(enumerate(values, start))),
        ProgramFunction("zip", 1, _MANY, lambda *lists: list(zip(*lists, strict=False))),
        ProgramFunction("reversed", 1, 1, lambda values: list(values)[::-1]),
        ProgramFunction("sorted", 1, 1, sorted),
        ProgramFunction("list", 0, 1, list),
        ProgramFunction("min", 1, _MANY, min),
        ProgramFunction("max", 1, _MANY, max),
        ProgramFunction("sum", 1, 1, _sum),
        ProgramFunction("any", 1, 1, any),
        ProgramFunction("all", 1, 1, all),
        ProgramFunction("abs", 1, 1, abs),
        ProgramFunction("round", 1, 2, _rounded),
        ProgramFunction("int", 0, 1, int),
        ProgramFunction("float", 0, 1, float),
        ProgramFunction("str", 0, 1, str),
        ProgramFunction("bool", 1, 1, bool),
        ProgramFunction("print", 0, _MANY, lambda *values: None),
    )
}
