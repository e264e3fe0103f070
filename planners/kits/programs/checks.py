"""Checks of a program before it runs: all that is outside the language."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .calculation import BUILTINS
from .program import BadProgram, Program, ProgramFunction, ProgramLimits, line_of, parse_text

#: The syntax of the language; all other expressions and statements are refused.
_ALLOWED = (
    *(ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.Pass, ast.Assert, ast.FunctionDef),
    *(ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.Return, ast.arguments, ast.arg),
    *(ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call),
    *(ast.List, ast.Tuple, ast.Subscript, ast.ListComp, ast.comprehension, ast.IfExp),
    *(ast.JoinedStr, ast.FormattedValue),
)
_OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
    *(ast.And, ast.Or, ast.Not, ast.USub, ast.UAdd),
)
_REFUSED = {
    ast.Import: "nothing can be imported",
    ast.ImportFrom: "nothing can be imported",
    ast.Attribute: "there are no attributes or methods; call the functions by their names alone",
    ast.Lambda: "there is no lambda; write a function with def",
    ast.With: "there is no with",
    ast.ClassDef: "there are no classes",
    ast.Global: "there is no global",
    ast.Nonlocal: "there is no nonlocal",
    ast.Try: "there is no try; use if, or assert with else",
    ast.Delete: "there is no del",
    ast.NamedExpr: "there is no := within an expression",
    ast.Dict: "there are no dictionaries; use lists",
    ast.Set: "there are no sets; use lists",
    ast.Starred: "there is no *",
    ast.Slice: "there are no slices",
    ast.AnnAssign: "variables have no types",
}
_NO_NAMES = "a loop runs over one name, or names between commas"
_ELSEWHERE = "only +, -, *, /, //, %, ** and and, or, not can be calculated with"


def load(
    source: str, functions: Sequence[ProgramFunction], limits: ProgramLimits | None = None
) -> Program:
    """A checked program. Raises BadProgram."""
    limits = limits or ProgramLimits()
    tree, conditions = parse_text(source, limits)
    _check_nesting(tree, limits)
    known = {function.name: function for function in functions}
    checked = _Checks(tree, known, limits)
    complaints = list(dict.fromkeys(checked.complaints()))
    if complaints:
        raise BadProgram(*complaints)
    return Program(tree, known, conditions, limits)


def _check_nesting(tree: ast.Module, limits: ProgramLimits) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(limits.nesting):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise BadProgram(f"Line {line_of(level[0])} has too many parts within each other.")


class _Checks:
    """The mistakes in the parts of a tree."""

    def __init__(
        self, tree: ast.Module, functions: dict[str, ProgramFunction], limits: ProgramLimits
    ) -> None:
        self._tree = tree
        self._functions = functions
        self._limits = limits
        self._own = {n.name: n.args for n in tree.body if isinstance(n, ast.FunctionDef)}
        self._in_loops = set(_in_loops(tree))

    def complaints(self) -> Iterator[str]:
        """Yield all mistakes, in the order of lines where known."""
        mistakes = [(line_of(node), what) for node in _parts(self._tree) for what in self._of(node)]
        for line, what in sorted(mistakes, key=lambda pair: pair[0]):
            yield f"Line {line}: {what}."

    def _of(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.operator | ast.unaryop | ast.boolop):
            if not isinstance(node, _OPERATORS):
                yield _ELSEWHERE
        elif isinstance(node, ast.stmt | ast.expr | ast.comprehension):
            if not isinstance(node, _ALLOWED):
                yield _REFUSED.get(type(node), f"there is no {type(node).__name__.lower()} here")
            else:
                yield from self._of_allowed(node)

    def _of_allowed(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Name(name) | ast.arg(name):
                yield from self._of_name(name)
            case ast.FunctionDef():
                yield from self._of_definition(node)
            case ast.Call():
                yield from self._of_call(node)
            case ast.Constant(value):
                yield from self._of_constant(value)
            case ast.Assign(targets):
                if len(targets) > 1 or not _names_only(targets[0]):
                    yield "only a name, or names between commas, can be given a value"
            case ast.AugAssign(target) if not isinstance(target, ast.Name):
                yield "only a name can be given a value"
            case ast.For(target, orelse=orelse):
                if not _names_only(target):
                    yield _NO_NAMES
                if orelse:
                    yield "a loop has no else"
            case ast.While(orelse=[_, *_]):
                yield "a loop has no else"
            case ast.Break() | ast.Continue() if node not in self._in_loops:
                yield f"a {type(node).__name__.lower()} stands only in a loop"
            case ast.FormattedValue(conversion=conversion, format_spec=spec):
                if spec is not None or conversion not in (-1, 115):
                    yield "a value in a text has no format"
            case ast.ListComp(generators=generators):
                if len(generators) > 1 or generators[0].is_async:
                    yield "a list is made with one for only"
                elif not _names_only(generators[0].target):
                    yield _NO_NAMES

    def _of_name(self, name: str) -> Iterator[str]:
        if name.startswith("__"):
            yield f"'{name[:40]}' is not a name that can be used"

    def _of_definition(self, node: ast.FunctionDef) -> Iterator[str]:
        yield from self._of_name(node.name)
        arguments = node.args
        if node not in self._tree.body:
            yield "a function is defined outside of everything else"
        if node.decorator_list or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            yield "a function has plain arguments and no decorators"
        if node.name in self._functions or node.name in BUILTINS:
            yield f"'{node.name[:40]}' is a function already"

    def _of_call(self, node: ast.Call) -> Iterator[str]:
        if not isinstance(node.func, ast.Name):
            if not isinstance(node.func, ast.Attribute):
                yield "only functions can be called, by their names"
            return
        name = node.func.id
        if node.keywords:
            yield f"'{name[:40]}' takes its arguments by position, without names"
            return
        own = self._own.get(name)
        function = self._functions.get(name) or BUILTINS.get(name)
        if own is not None:
            most = len(own.posonlyargs) + len(own.args)
            function = ProgramFunction(name, most - len(own.defaults), most)
        if function is None:
            known = ", ".join(sorted({*self._functions, *self._own}))
            yield f"there is no function '{name[:40]}'; there are {known or 'none'}"
        elif not function.least <= len(node.args) <= function.most:
            yield f"'{name}' takes {function.takes}, not {len(node.args)}"

    def _of_constant(self, value: object) -> Iterator[str]:
        if isinstance(value, int | float):
            if not abs(value) <= self._limits.number:
                yield "a number is too large"
        elif isinstance(value, str):
            if len(value) > self._limits.size:
                yield "a text is too long"
        elif value is not None:
            yield "only numbers, texts, True, False and None can be written"


def _names_only(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(isinstance(part, ast.Name) for part in target.elts)
    return isinstance(target, ast.Name)


def _in_loops(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements in the bodies of loops, without those of functions defined there."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        if inside:
            yield node
        inside = not isinstance(node, ast.FunctionDef) and (
            inside or isinstance(node, ast.For | ast.While)
        )
        waiting += [(part, inside) for part in ast.iter_child_nodes(node)]


def _parts(tree: ast.AST) -> Iterator[ast.AST]:
    """All parts but type annotations of functions, which have no meaning here."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns"):
                continue
            parts = value if isinstance(value, list) else [value]
            waiting += [part for part in parts if isinstance(part, ast.AST)]
