"""Runs checked programs over their syntax trees, within limits."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .builtins import BUILTINS, weight
from .checks import line_of
from .program import BadProgram, Program, Value

#: Statements and values within each other, for each of which Python has up to four of its own.
_DEEPEST = 120
#: The highest power.
_HIGHEST = 64


@dataclass(frozen=True)
class Call:
    """A call of a function that whoever runs the program answers."""

    function: str
    arguments: tuple[Value, ...]
    line: int


@dataclass(frozen=True)
class Assertion:
    """A condition that whoever runs the program judges; as it is written."""

    condition: str
    line: int


_T = TypeVar("_T")
#: Yields what has to be answered, and is sent the answers.
_Run = Generator[Call | Assertion, Value, _T]

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


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class Interpreter:
    """One run of a program. steps: those used so far."""

    def __init__(self, program: Program) -> None:
        self.steps = 0
        self._program = program
        self._limits = program.limits
        self._own: dict[str, ast.FunctionDef] = {}
        self._globals: dict[str, Value] = {}
        self._scope = self._globals
        self._calls = self._depth = 0

    def run(self, entry: str | None = None, arguments: Sequence[Value] = ()) -> _Run[Value]:
        """Run the program, then its function `entry`; what is returned.

        Yields calls, to be sent their results, and assertions, to be sent whether they hold.
        Raises BadProgram where it goes wrong or too far.
        """
        try:
            result = yield from self._body(self._program.tree.body)
            if entry is None:
                return result
            if entry not in self._own:
                raise BadProgram(f"The program defines no function '{entry}'.")
            return (yield from self._call_own(self._own[entry], tuple(arguments)))
        except RecursionError:
            raise BadProgram("The program has too many parts within each other.") from None

    def _body(self, statements: Sequence[ast.stmt]) -> _Run[Value]:
        """What a sequence of statements returns; None where it comes to its end."""
        try:
            yield from self._all(statements)
        except _Return as returned:
            return returned.value
        except _Break:
            raise BadProgram("There is a break outside of loops.") from None
        except _Continue:
            raise BadProgram("There is a continue outside of loops.") from None
        return None

    # --- statements ---------------------------------------------------------------------------

    def _all(self, statements: Sequence[ast.stmt]) -> _Run[None]:
        for statement in statements:
            yield from self._statement(statement)

    def _statement(self, node: ast.stmt) -> _Run[None]:
        self._enter(node)
        try:
            yield from self._execute(node)
        finally:
            self._depth -= 1

    def _execute(self, node: ast.stmt) -> _Run[None]:
        match node:
            case ast.Expr(value):
                yield from self._value(value)
            case ast.Assign([target], value):
                self._assign(target, (yield from self._value(value)))
            case ast.AugAssign(ast.Name(name), op, value):
                right = yield from self._value(value)
                self._scope[name] = self._binary(node, op, self._look_up(node, name), right)
            case ast.If():
                yield from self._if(node)
            case ast.For(target, iter, body):
                yield from self._for(node, target, iter, body)
            case ast.While(test, body):
                yield from self._while(test, body)
            case ast.Assert(test):
                yield Assertion(ast.unparse(test), line_of(node))
            case ast.FunctionDef(name):
                self._own[name] = node
            case ast.Return(value):
                raise _Return(None if value is None else (yield from self._value(value)))
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue

    def _if(self, node: ast.If) -> _Run[None]:
        condition = self._program.conditions.get(node.lineno)
        if condition is not None:
            holds = yield Assertion(condition, node.lineno)
            yield from self._all([] if holds else node.body)
        elif (yield from self._value(node.test)):
            yield from self._all(node.body)
        else:
            yield from self._all(node.orelse)

    def _for(
        self, node: ast.stmt, target: ast.expr, over: ast.expr, body: Sequence[ast.stmt]
    ) -> _Run[None]:
        values = yield from self._value(over)
        for value in self._listed(node, values):
            self._take(node)
            self._assign(target, value)
            if (yield from self._leaves(body)):
                return

    def _while(self, test: ast.expr, body: Sequence[ast.stmt]) -> _Run[None]:
        while (yield from self._value(test)):
            if (yield from self._leaves(body)):
                return

    def _leaves(self, body: Sequence[ast.stmt]) -> _Run[bool]:
        """Whether one round of a loop leaves it."""
        try:
            yield from self._all(body)
        except _Break:
            return True
        except _Continue:
            pass
        return False

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(name):
                self._scope[name] = value
            case ast.Tuple(parts):
                values = self._listed(target, value)
                if len(values) != len(parts):
                    raise _stopped(
                        target, f"{len(parts)} names cannot be given {len(values)} values"
                    )
                for part, each in zip(parts, values, strict=True):
                    self._assign(part, each)

    # --- expressions --------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> _Run[Value]:
        self._enter(node)
        try:
            return (yield from self._evaluate(node))
        finally:
            self._depth -= 1

    def _evaluate(self, node: ast.expr) -> _Run[Value]:
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self._look_up(node, name)
            case ast.BinOp(left, op, right):
                first = yield from self._value(left)
                return self._binary(node, op, first, (yield from self._value(right)))
            case ast.UnaryOp(op, operand):
                return self._unary(node, op, (yield from self._value(operand)))
            case ast.BoolOp(op, values):
                return (yield from self._and_or(op, values))
            case ast.Compare(left, operators, comparators):
                return (yield from self._compare(node, left, operators, comparators))
            case ast.IfExp(test, body, orelse):
                chosen = body if (yield from self._value(test)) else orelse
                return (yield from self._value(chosen))
            case ast.List(parts):
                return self._kept(node, list((yield from self._values(parts))))
            case ast.Tuple(parts):
                return self._kept(node, tuple((yield from self._values(parts))))
            case ast.Subscript(value, index):
                whole = yield from self._value(value)
                return self._item(node, whole, (yield from self._value(index)))
            case ast.JoinedStr(parts):
                texts = yield from self._values(parts)
                return self._kept(node, "".join(map(str, texts)))
            case ast.FormattedValue(value):
                return self._kept(node, str((yield from self._value(value))))
            case ast.ListComp(element, [generator]):
                return (yield from self._comprehension(node, element, generator))
            case ast.Call(ast.Name(name), arguments):
                values = yield from self._values(arguments)
                return (yield from self._call(node, name, tuple(values)))
        raise _stopped(node, "this cannot be evaluated")

    def _values(self, nodes: Sequence[ast.expr]) -> _Run[list[Value]]:
        found = []
        for node in nodes:
            found.append((yield from self._value(node)))
        return found

    def _look_up(self, node: ast.AST, name: str) -> Value:
        for scope in (self._scope, self._globals):
            if name in scope:
                return scope[name]
        raise _stopped(node, f"'{name[:40]}' has no value")

    def _and_or(self, op: ast.boolop, nodes: Sequence[ast.expr]) -> _Run[Value]:
        value: Value = None
        for node in nodes:
            value = yield from self._value(node)
            if bool(value) is isinstance(op, ast.Or):
                break
        return value

    def _compare(
        self,
        node: ast.expr,
        left: ast.expr,
        operators: Sequence[ast.cmpop],
        comparators: Sequence[ast.expr],
    ) -> _Run[bool]:
        first = yield from self._value(left)
        for op, comparator in zip(operators, comparators, strict=True):
            second = yield from self._value(comparator)
            self._charge(node, first, second)
            if not self._do(node, _COMPARE[type(op)], first, second):
                return False
            first = second
        return True

    def _comprehension(
        self, node: ast.expr, element: ast.expr, generator: ast.comprehension
    ) -> _Run[Value]:
        found = []
        outside, self._scope = self._scope, dict(self._scope)
        try:
            values = yield from self._value(generator.iter)
            for value in self._listed(node, values):
                self._assign(generator.target, value)
                wanted = True
                for condition in generator.ifs:
                    wanted = wanted and (yield from self._value(condition))
                if wanted:
                    found.append((yield from self._value(element)))
        finally:
            self._scope = outside
        return self._kept(node, found)

    # --- calls --------------------------------------------------------------------------------

    def _call(self, node: ast.expr, name: str, arguments: tuple[Value, ...]) -> _Run[Value]:
        if name in self._own:
            return (yield from self._call_own(self._own[name], arguments))
        function = self._program.functions.get(name) or BUILTINS.get(name)
        if function is None:
            raise _stopped(node, f"the function '{name[:40]}' is not defined yet")
        self._charge(node, *arguments)
        if function.compute is None:
            return self._kept(node, (yield Call(name, arguments, line_of(node))))
        return self._do(node, function.compute, *arguments)

    def _call_own(self, definition: ast.FunctionDef, arguments: tuple[Value, ...]) -> _Run[Value]:
        if self._calls >= self._limits.calls:
            raise _stopped(
                definition,
                f"'{definition.name[:40]}' is called within too many calls of functions; "
                f"use a loop",
            )
        names = [argument.arg for argument in (*definition.args.posonlyargs, *definition.args.args)]
        missing = len(names) - len(arguments)
        defaults = definition.args.defaults
        if not 0 <= missing <= len(defaults):
            raise _stopped(definition, f"'{definition.name[:40]}' takes {len(names)} arguments")
        left_out = yield from self._values(defaults[len(defaults) - missing :])
        outside, self._scope = self._scope, dict(zip(names, (*arguments, *left_out), strict=True))
        self._calls += 1
        try:
            return (yield from self._body(definition.body))
        finally:
            self._calls -= 1
            self._scope = outside

    # --- values -------------------------------------------------------------------------------

    def _binary(self, node: ast.AST, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, str | list | tuple) or isinstance(right, str | list | tuple):
            self._check_joining(node, op, left, right)
        elif isinstance(op, ast.Pow) and isinstance(right, int | float) and abs(right) > _HIGHEST:
            raise _stopped(node, "a number gets too large")
        return self._do(node, _BINARY[type(op)], left, right)

    def _check_joining(self, node: ast.AST, op: ast.operator, left: Value, right: Value) -> None:
        """Raise for what else than joining and repeating is done with texts and lists."""
        if isinstance(op, ast.Mult):
            times = right if isinstance(right, int) else left
            whole = left if isinstance(right, int) else right
            if isinstance(times, int):
                size = weight(whole, self._limits.size) * max(times, 0)
                if size <= self._limits.size:
                    return
                raise _stopped(node, "a text or a list gets too long")
        if not isinstance(op, ast.Add) or type(left) is not type(right):
            raise _stopped(node, f"{_kind(left)} and {_kind(right)} cannot be calculated with")

    def _unary(self, node: ast.AST, op: ast.unaryop, value: Value) -> Value:
        if isinstance(op, ast.Not):
            return not value
        return self._do(node, operator.neg if isinstance(op, ast.USub) else operator.pos, value)

    def _item(self, node: ast.AST, whole: Value, index: Value) -> Value:
        if not isinstance(whole, str | list | tuple) or not isinstance(index, int):
            raise _stopped(node, f"{_kind(whole)} has no item {_kind(index)}")
        return self._do(node, operator.getitem, whole, index)

    def _listed(self, node: ast.AST, value: Value) -> Sequence[Value]:
        if not isinstance(value, str | list | tuple):
            raise _stopped(node, f"{_kind(value)} is nothing to go through")
        return value

    def _do(self, node: ast.AST, what: Callable[..., Value], *values: Value) -> Value:
        """What a calculation gives. Raises BadProgram where it cannot be made."""
        try:
            result = what(*values)
        except ZeroDivisionError:
            raise _stopped(node, "nothing can be divided by zero") from None
        except IndexError:
            raise _stopped(node, "there is no such item") from None
        except (TypeError, ValueError, ArithmeticError):
            kinds = " and ".join(map(_kind, values))
            raise _stopped(node, f"this cannot be done with {kinds}") from None
        return self._kept(node, result)

    def _kept(self, node: ast.AST, value: Value) -> Value:
        """A value that is not too large. Raises BadProgram for one that is, or of no plain kind."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            if not (math.isfinite(value) and abs(value) <= self._limits.number):
                raise _stopped(node, "a number gets too large")
        elif isinstance(value, str | list | tuple):
            self._charge(node, value)
            if weight(value, self._limits.size) > self._limits.size:
                raise _stopped(node, "a text or a list gets too long")
        elif not isinstance(value, _PLAIN):
            raise _stopped(node, "this gives nothing that a program can use")
        return value

    def _enter(self, node: ast.AST) -> None:
        """Begin a statement or a value, which ends one level further up."""
        self._take(node)
        if self._depth >= _DEEPEST:
            raise _stopped(node, "there are too many parts within each other")
        self._depth += 1

    def _take(self, node: ast.AST) -> None:
        """Use up a step. Raises BadProgram where none is left."""
        self.steps += 1
        if self.steps > self._limits.steps:
            self.steps = self._limits.steps
            raise _stopped(
                node,
                f"the program was stopped after {self._limits.steps} steps of calculation; "
                f"it may have a loop without end",
            )

    def _charge(self, node: ast.AST, *values: Value) -> None:
        """Use up steps for values that are large."""
        for value in values:
            if isinstance(value, str | list | tuple):
                self.steps += weight(value, self._limits.size) // 64
        self.steps = min(self.steps, self._limits.steps)


def run_alone(program: Program, entry: str | None = None, arguments: Sequence[Value] = ()) -> Value:
    """What a program gives that nobody answers. Raises BadProgram where it asks for an answer."""
    run = Interpreter(program).run(entry, arguments)
    try:
        asked = next(run)
    except StopIteration as end:
        return end.value
    run.close()
    raise BadProgram(f"Line {asked.line}: nobody answers this here.")


def _kind(value: Value) -> str:
    """What a value is, in words."""
    if value is None:
        return "None"
    for kind, told in ((bool, "a truth value"), (int | float, "a number"), (str, "a text")):
        if isinstance(value, kind):
            return told
    return "a list"


def _stopped(node: ast.AST, why: str) -> BadProgram:
    return BadProgram(f"Line {line_of(node)}: {why}.")
