"""The interpreter of checked programs, within limits."""

from __future__ import annotations

import ast
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .calculation import BUILTINS, Calculator, stopped
from .program import BadProgram, Program, Value, line_of

#: The depth of nested statements and values; each takes up to four levels of Python's own stack.
_DEEPEST = 120


@dataclass(frozen=True)
class HostCall:
    """A call of a function that the host of the program answers."""

    function: str
    arguments: tuple[Value, ...]
    line: int


@dataclass(frozen=True)
class Assertion:
    """A condition, as written, that the host of the program evaluates."""

    condition: str
    line: int


_T = TypeVar("_T")
#: Yields host calls and assertions, and is sent the answers.
_Run = Generator[HostCall | Assertion, Value, _T]


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class Interpreter:
    """One run of a program."""

    def __init__(self, program: Program) -> None:
        self._calculator = Calculator(program.limits)
        self._program = program
        self._limits = program.limits
        self._own: dict[str, ast.FunctionDef] = {}
        self._globals: dict[str, Value] = {}
        self._scope = self._globals
        self._calls = self._depth = 0

    @property
    def steps(self) -> int:
        """The steps used so far."""
        return self._calculator.steps

    def run(self, entry: str | None = None, arguments: Sequence[Value] = ()) -> _Run[Value]:
        """Run the program, then its function `entry`. Returns the result.

        Yields calls, to be sent their results, and assertions, to be sent whether they hold. Raises
        BadProgram for mistakes and exceeded limits.
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
        """The return value of a sequence of statements; None where it reaches its end."""
        try:
            yield from self._all(statements)
        except _Return as returned:
            return returned.value
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
                self._scope[name] = self._calculator.binary(
                    node, op, self._look_up(node, name), right
                )
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
        for value in self._calculator.listed(node, values):
            self._calculator.take(node)
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
                values = self._calculator.listed(target, value)
                if len(values) != len(parts):
                    raise stopped(
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
                return self._calculator.binary(node, op, first, (yield from self._value(right)))
            case ast.UnaryOp(op, operand):
                return self._calculator.unary(node, op, (yield from self._value(operand)))
            case ast.BoolOp(op, values):
                return (yield from self._and_or(op, values))
            case ast.Compare(left, operators, comparators):
                return (yield from self._compare(node, left, operators, comparators))
            case ast.IfExp(test, body, orelse):
                chosen = body if (yield from self._value(test)) else orelse
                return (yield from self._value(chosen))
            case ast.List(parts):
                return self._calculator.kept(node, list((yield from self._values(parts))))
            case ast.Tuple(parts):
                return self._calculator.kept(node, tuple((yield from self._values(parts))))
            case ast.Subscript(value, index):
                whole = yield from self._value(value)
                return self._calculator.item(node, whole, (yield from self._value(index)))
            case ast.JoinedStr(parts):
                texts = yield from self._values(parts)
                return self._calculator.kept(node, "".join(map(str, texts)))
            case ast.FormattedValue(value):
                return self._calculator.kept(node, str((yield from self._value(value))))
            case ast.ListComp(element, [generator]):
                return (yield from self._comprehension(node, element, generator))
            case ast.Call(ast.Name(name), arguments):
                values = yield from self._values(arguments)
                return (yield from self._call(node, name, tuple(values)))
        raise stopped(node, "this cannot be evaluated")

    def _values(self, nodes: Sequence[ast.expr]) -> _Run[list[Value]]:
        values = []
        for node in nodes:
            values.append((yield from self._value(node)))
        return values

    def _look_up(self, node: ast.AST, name: str) -> Value:
        for scope in (self._scope, self._globals):
            if name in scope:
                return scope[name]
        raise stopped(node, f"'{name[:40]}' has no value")

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
            if not self._calculator.compare(node, op, first, second):
                return False
            first = second
        return True

    def _comprehension(
        self, node: ast.expr, element: ast.expr, generator: ast.comprehension
    ) -> _Run[Value]:
        results = []
        outside, self._scope = self._scope, dict(self._scope)
        try:
            values = yield from self._value(generator.iter)
            for value in self._calculator.listed(node, values):
                self._assign(generator.target, value)
                wanted = True
                for condition in generator.ifs:
                    wanted = wanted and (yield from self._value(condition))
                if wanted:
                    results.append((yield from self._value(element)))
        finally:
            self._scope = outside
        return self._calculator.kept(node, results)

    # --- calls --------------------------------------------------------------------------------

    def _call(self, node: ast.expr, name: str, arguments: tuple[Value, ...]) -> _Run[Value]:
        if name in self._own:
            return (yield from self._call_own(self._own[name], arguments))
        function = self._program.functions.get(name) or BUILTINS.get(name)
        if function is None:
            raise stopped(node, f"the function '{name[:40]}' is not defined yet")
        self._calculator.charge(node, *arguments)
        if function.compute is None:
            return self._calculator.kept(node, (yield HostCall(name, arguments, line_of(node))))
        return self._calculator.do(node, function.compute, *arguments)

    def _call_own(self, definition: ast.FunctionDef, arguments: tuple[Value, ...]) -> _Run[Value]:
        if self._calls >= self._limits.calls:
            raise stopped(
                definition,
                f"'{definition.name[:40]}' is called within too many calls of functions; "
                f"use a loop",
            )
        names = [argument.arg for argument in (*definition.args.posonlyargs, *definition.args.args)]
        missing = len(names) - len(arguments)
        defaults = definition.args.defaults
        if not 0 <= missing <= len(defaults):
            raise stopped(definition, f"'{definition.name[:40]}' takes {len(names)} arguments")
        left_out = yield from self._values(defaults[len(defaults) - missing :])
        outside, self._scope = self._scope, dict(zip(names, (*arguments, *left_out), strict=True))
        self._calls += 1
        try:
            return (yield from self._body(definition.body))
        finally:
            self._calls -= 1
            self._scope = outside

    def _enter(self, node: ast.AST) -> None:
        """Begin a statement or a value; the caller ends it."""
        self._calculator.take(node)
        if self._depth >= _DEEPEST:
            raise stopped(node, "there are too many parts within each other")
        self._depth += 1


def run_alone(program: Program, entry: str | None = None, arguments: Sequence[Value] = ()) -> Value:
    """The result of a program without a host. Raises BadProgram where it needs an answer."""
    run = Interpreter(program).run(entry, arguments)
    try:
        asked = next(run)
    except StopIteration as end:
        return end.value
    run.close()
    raise BadProgram(f"Line {asked.line}: nobody answers this here.")
