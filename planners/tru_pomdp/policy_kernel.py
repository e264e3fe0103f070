"""Compiled rollout policies: those of a model, from their checked syntax trees, and a random one.

The tree of a program is rebuilt from parts of the language alone, so nothing else can be run. Every
variable is a floating-point number under a new name. Loops have a limit. A function that gets a
number of no object or area returns -1.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ..kits.belief.search.compiled.jit import inlined, inner, int64
from ..kits.belief.search.compiled.model import with_rollout
from ..kits.belief.search.compiled.streams import uniform
from ..kits.belief.search.kitchen_kernels import PLACES
from ..kits.programs.program import Program
from .policy_language import ACTIONS, BUILTINS, QUESTIONS, ROUNDS, checked, entry_of, is_docstring

_ROBOT, _GOAL, _HELD = 0, 1, 2
_STATE = ("data", "states", "row")


@cache
def written_kernels(kernels: ModuleType, source: str) -> ModuleType:
    """The kernels of a kitchen with a program as their rollout policy. Raises BadProgram."""
    tree = _module(checked(source, lambda name: globals()[f"_{name}"]))
    scope: dict[str, Any] = {
        "__builtins__": {},
        **{name: getattr(builtins, name) for name in ("range", "min", "max", "abs")},
        "int64": int64,
        "float64": np.float64,
        **{f"f_{name}": globals()[f"_{name}"] for name in (*QUESTIONS, *ACTIONS)},
    }
    exec(compile(tree, "<rollout policy>", "exec"), scope)
    policy = inner(scope["policy"])

    def rollout(data: Any, states: Any, rows: Any, start: int, count: int, key: Any) -> int:
        row = rows[start]
        action = policy(data, states, row)
        nothing = 2 * data.areas + data.objects
        return action if 0 <= action < nothing else nothing

    return with_rollout(kernels, inner(rollout), _own_source() + ast.unparse(tree))


@cache
def random_kernels(kernels: ModuleType) -> ModuleType:
    """The kernels of a kitchen with random legal actions as their rollout policy."""
    return with_rollout(kernels, _random, _own_source())


def _own_source() -> str:
    return inspect.getsource(sys.modules[__name__])


# --- the functions of the language ---------------------------------------------------------------


@inlined
def _number(value: Any, count: int) -> int:
    """An index, -1 for a number that is none."""
    return int64(value) if 0 <= value < count else -1


@inlined
def _area_is_open(data: Any, states: Any, row: int, area: int) -> bool:
    word = states[row, PLACES + data.objects + (area >> data.shift)]
    return word >> (area & ((1 << data.shift) - 1)) & 1 == 1


@inlined
def _goal_count(data: Any, states: Any, row: int) -> int:
    goal, count = states[row, _GOAL], 0
    for k in range(data.things.shape[1]):
        count += data.things[goal, k] >= 0
    return count


@inlined
def _goal_object(data: Any, states: Any, row: int, number: Any) -> int:
    k = _number(number, data.things.shape[1])
    return -1 if k < 0 else int64(data.things[states[row, _GOAL], k])


@inlined
def _goal_area(data: Any, states: Any, row: int, number: Any) -> int:
    thing = _goal_object(data, states, row, number)
    return -1 if thing < 0 else int64(data.targets[states[row, _GOAL], thing])


@inlined
def _area_of(data: Any, states: Any, row: int, thing: Any) -> int:
    k = _number(thing, data.objects)
    if k < 0:
        return -1
    area = int64(states[row, PLACES + k])
    return area if area < data.areas else -1


@inlined
def _held_object(data: Any, states: Any, row: int) -> int:
    return int64(states[row, _HELD]) - 1


@inlined
def _is_open(data: Any, states: Any, row: int, area: Any) -> int:
    k = _number(area, data.areas)
    return -1 if k < 0 else int64(_area_is_open(data, states, row, k))


@inlined
def _way(data: Any, states: Any, row: int, area: Any) -> float:
    k = _number(area, data.areas)
    return -1.0 if k < 0 else data.travel[states[row, _ROBOT], data.standing[k]]


@inlined
def _nearest_open_area(data: Any, states: Any, row: int) -> int:
    nearest, shortest = -1, np.inf
    for area in range(data.areas):
        if _area_is_open(data, states, row, area):
            way = data.travel[states[row, _ROBOT], data.standing[area]]
            if way < shortest:
                nearest, shortest = area, way
    return nearest


@inlined
def _nothing(data: Any, states: Any, row: int) -> int:
    return 2 * data.areas + data.objects


@inlined
def _open_area(data: Any, states: Any, row: int, area: Any) -> int:
    k = _number(area, data.areas)
    return _nothing(data, states, row) if k < 0 else k


@inlined
def _place(data: Any, states: Any, row: int, area: Any) -> int:
    k = _number(area, data.areas)
    return _nothing(data, states, row) if k < 0 else data.areas + k


@inlined
def _pick(data: Any, states: Any, row: int, thing: Any) -> int:
    k = _number(thing, data.objects)
    return _nothing(data, states, row) if k < 0 else 2 * data.areas + k


@inlined
def _is_offered(data: Any, states: Any, row: int, area: int) -> int:
    """Whether random actions open an area (1), place what is held there (2), or neither."""
    if data.travel[states[row, _ROBOT], data.standing[area]] > data.infeasible:
        return 0
    if not _area_is_open(data, states, row, area):
        return 1
    return 2 if states[row, _HELD] > 0 else 0


@inlined
def _is_in_reach(data: Any, states: Any, row: int, thing: int) -> bool:
    """Whether random actions pick an object."""
    if states[row, _HELD] > 0:
        return False
    return _area_is_open(data, states, row, int64(states[row, PLACES + thing]))


@inner
def _random(data: Any, states: Any, rows: Any, start: int, count: int, key: Any) -> int:
    """A random feasible action, not the null action. See `policy.random_legal`."""
    row = rows[start]
    total = 0
    for area in range(data.areas):
        total += _is_offered(data, states, row, area) > 0
    for thing in range(data.objects):
        total += _is_in_reach(data, states, row, thing)
    left = int64(uniform(key, 0) * total)
    for area in range(data.areas):
        offered = _is_offered(data, states, row, area)
        if offered > 0:
            if left == 0:
                return area if offered == 1 else data.areas + area
            left -= 1
    for thing in range(data.objects):
        if _is_in_reach(data, states, row, thing):
            if left == 0:
                return 2 * data.areas + thing
            left -= 1
    return 2 * data.areas + data.objects


# --- from a checked syntax tree to one that can be compiled --------------------------------------


def _module(program: Program) -> ast.Module:
    """A module with the function `policy(data, states, row)`."""
    entry = entry_of(program)
    names = sorted({node.id for node in ast.walk(entry) if isinstance(node, ast.Name)})
    variables = [_assigned(f"v_{name}", ast.Constant(0.0)) for name in names]
    body = _Rebuilt().block(entry.body)
    module = ast.parse(f"def policy({', '.join(_STATE)}): pass")
    (function,) = module.body
    assert isinstance(function, ast.FunctionDef)
    function.body = [_assigned("rounds", ast.Constant(0)), *variables, *body, _NOTHING]
    return ast.fix_missing_locations(module)


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _called(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _float(value: ast.expr) -> ast.expr:
    return _called("float64", value)


_STATE_ARGUMENTS = [ast.Name(name, ast.Load()) for name in _STATE]
_NOTHING = ast.Return(_called("f_nothing", *_STATE_ARGUMENTS))
_COUNTED = ast.parse(
    f"rounds += 1\nif rounds > {ROUNDS}:\n    return f_nothing(data, states, row)"
).body


class _Rebuilt:
    """Rebuilds the statements and values of checked programs."""

    def __init__(self) -> None:
        self._loops = 0

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        rebuilt = [self._statement(each) for each in statements if not is_docstring(each)]
        return rebuilt or [ast.Pass()]

    def _statement(self, node: ast.stmt) -> ast.stmt:
        match node:
            case ast.Assign([ast.Name(name)], value):
                return _assigned(f"v_{name}", _float(self._value(value)))
            case ast.AugAssign(ast.Name(name), op, value):
                old: ast.expr = ast.Name(f"v_{name}", ast.Load())
                return _assigned(f"v_{name}", ast.BinOp(old, op, _float(self._value(value))))
            case ast.If(test, body, orelse):
                rest = self.block(orelse) if orelse else []
                return ast.If(self._value(test), self.block(body), rest)
            case ast.While(test, body):
                return ast.While(self._value(test), [*_COUNTED, *self.block(body)], [])
            case ast.For(ast.Name(name), ast.Call(args=bounds), body):
                return self._for(name, bounds, body)
            case ast.Return(value):
                if value is None:
                    return _NOTHING
                return ast.Return(_called("int64", self._value(value)))
            case ast.Pass() | ast.Break() | ast.Continue():
                return type(node)()
        raise AssertionError(f"unchecked: {ast.dump(node)}")

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> ast.stmt:
        self._loops += 1
        counter = f"i_{self._loops}"
        start = _assigned(f"v_{name}", _float(ast.Name(counter, ast.Load())))
        return ast.For(
            ast.Name(counter, ast.Store()),
            _called("range", *(_called("int64", self._value(bound)) for bound in bounds)),
            [start, *_COUNTED, *self.block(body)],
            [],
        )

    def _value(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant(bool() | int() | float() as value):
                return ast.Constant(float(value))
            case ast.Name(name):
                return ast.Name(f"v_{name}", ast.Load())
            case ast.BinOp(left, op, right):
                return ast.BinOp(_float(self._value(left)), op, _float(self._value(right)))
            case ast.UnaryOp(ast.Not(), value):
                return ast.UnaryOp(ast.Not(), self._value(value))
            case ast.UnaryOp(op, value):
                return ast.UnaryOp(op, _float(self._value(value)))
            case ast.BoolOp(op, values):
                return ast.BoolOp(op, [_float(self._value(value)) for value in values])
            case ast.Compare(left, ops, others):
                values = [_float(self._value(each)) for each in (left, *others)]
                return ast.Compare(values[0], ops, values[1:])
            case ast.IfExp(test, body, orelse):
                chosen = _float(self._value(body)), _float(self._value(orelse))
                return ast.IfExp(self._value(test), *chosen)
            case ast.Call(ast.Name(name), arguments):
                return self._call(name, [self._value(each) for each in arguments])
        raise AssertionError(f"unchecked: {ast.dump(node)}")

    def _call(self, name: str, values: list[ast.expr]) -> ast.expr:
        if name in BUILTINS:
            floats = [_float(value) for value in values]
            if name == "float":
                return floats[0]
            return _float(_called("int64", *floats)) if name == "int" else _called(name, *floats)
        assert name in QUESTIONS or name in ACTIONS
        return _called(f"f_{name}", *_STATE_ARGUMENTS, *values)
