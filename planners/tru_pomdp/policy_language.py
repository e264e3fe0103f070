"""The small language of rollout policies, and the errors in a program.

A program is one function without arguments, `next_action`, on numbers: no texts or lists, no
division, no functions of its own; loops are `while` and over `range`. So it can be interpreted or
compiled with the same result. Objects and areas are numbers from 0; -1 is none. A function returns
-1 for any other number, and an action is `nothing` then.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from ..kits.programs.checks import load
from ..kits.programs.program import BadProgram, Program, ProgramFunction, ProgramLimits, line_of

ENTRY = "next_action"
#: The functions of the language by name, with their number of arguments.
QUESTIONS = {
    "goal_count": 0,
    "goal_object": 1,
    "goal_area": 1,
    "area_of": 1,
    "held_object": 0,
    "is_open": 1,
    "way": 1,
    "nearest_open_area": 0,
}
ACTIONS = {"open_area": 1, "pick": 1, "place": 1, "nothing": 0}
#: Functions of Python in the language, by name, with their least and most arguments.
BUILTINS = {"min": (2, 20), "max": (2, 20), "abs": (1, 1), "int": (1, 1), "float": (1, 1)}
#: Rounds of all loops in one call; a policy that needs more does nothing.
ROUNDS = 2000
#: Longer programs would take minutes to compile.
_LIMITS = ProgramLimits(steps=100_000, source=8_000)
_STATEMENTS = (
    ast.Assign,
    ast.AugAssign,
    ast.If,
    ast.For,
    ast.While,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Return,
)
_EXPRESSIONS = (
    ast.Constant,
    ast.Name,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.Call,
    ast.IfExp,
)
_CALCULATIONS = (ast.Add, ast.Sub, ast.Mult)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_FENCED = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)


def program_of(reply: str) -> str:
    """The program in a reply: the last block between fences, else all of it."""
    blocks = _FENCED.findall(reply)
    return str(blocks[-1] if blocks else reply).strip()


def checked(source: str, compute: Callable[[str], Callable[..., float]]) -> Program:
    """A program of this language that may be run. Raises BadProgram.

    compute: gives the implementation of a function of the language by its name.
    """
    functions = [
        ProgramFunction(name, count, count, compute(name))
        for name, count in (QUESTIONS | ACTIONS).items()
    ]
    program = load(source, functions, _LIMITS)
    complaints = [f"Line {line_of(node)}: {why}." for node, why in _complaints(entry_of(program))]
    if complaints:
        raise BadProgram(*dict.fromkeys(complaints))
    return program


def entry_of(program: Program) -> ast.FunctionDef:
    """The only function of a program. Raises BadProgram where there is more or less."""
    body = [part for part in program.tree.body if not is_docstring(part)]
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].name != ENTRY:
        raise BadProgram(f"The program has to be one function {ENTRY}() and nothing else.")
    if body[0].args.args or body[0].args.posonlyargs:
        raise BadProgram(f"{ENTRY} takes no arguments; ask by the functions that there are.")
    return body[0]


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is only a text, which does nothing."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _complaints(entry: ast.FunctionDef) -> Iterator[tuple[ast.AST, str]]:
    ranges = [node.iter for node in ast.walk(entry) if isinstance(node, ast.For)]
    for statement in entry.body:
        if not is_docstring(statement):
            for node in ast.walk(statement):
                for why in _of(node, ranges):
                    yield node, why


def _of(node: ast.AST, ranges: list[ast.expr]) -> Iterator[str]:
    """The errors of one part. ranges: the calls that loops run over."""
    match node:
        case ast.stmt():
            if not isinstance(node, _STATEMENTS):
                yield "only assignments, if, for, while and return are there"
            elif isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name):
                yield "one variable is given a value at a time"
            elif isinstance(node, ast.For) and not (
                isinstance(node.target, ast.Name) and _is_range(node.iter)
            ):
                yield "a loop runs one variable over range(…)"
        case ast.Constant(value) if not isinstance(value, int | float):
            yield "only numbers, True and False can be written; -1 stands for none"
        case ast.operator() if not isinstance(node, _CALCULATIONS):
            yield "only +, - and * can be calculated with"
        case ast.cmpop() if not isinstance(node, _COMPARISONS):
            yield "numbers are compared by ==, !=, <, <=, > and >="
        case ast.Call(ast.Name(name)):
            if name == "range" and node not in ranges:
                yield "range is for loops alone"
            elif name == "range" and len(node.args) == 3 and not _is_step(node.args[2]):
                yield "the step of range is a whole number other than 0, written out"
            elif name not in {*QUESTIONS, *ACTIONS, *BUILTINS, "range"}:
                yield f"'{name[:40]}' cannot be used here"
            elif name in BUILTINS and not _fits(BUILTINS[name], len(node.args)):
                least, most = BUILTINS[name]
                takes = "1 argument" if most == 1 else f"{least} to {most} arguments"
                yield f"'{name}' takes {takes} here, not {len(node.args)}"
        case ast.expr() if not isinstance(node, _EXPRESSIONS):
            yield f"there is no {type(node).__name__.lower()} here; only numbers can be used"


def _is_step(node: ast.expr) -> bool:
    """Whether a step is a number other than 0: compiled code fails at 0."""
    signed = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd)
    value = node.operand if isinstance(node, ast.UnaryOp) and signed else node
    return isinstance(value, ast.Constant) and type(value.value) is int and value.value != 0


def _fits(bounds: tuple[int, int], count: int) -> bool:
    least, most = bounds
    return least <= count <= most


def _is_range(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    )
