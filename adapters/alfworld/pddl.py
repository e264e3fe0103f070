"""The PDDL of a game file: a domain with its actions, and a problem with objects, facts and a goal.

What ALFWorld's games use is read: types, `and`, `or`, `not`, `exists`, `forall`, `when`, `=`, and
costs, which count for nothing in a game. Names are in lower case, as in the engine. BadInput says
what is not read; its text is a part of a sentence about the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...errors import BadInput

#: An expression: a word, or expressions in brackets.
Expression = str | list["Expression"]
#: A fact: its predicate and its arguments.
Fact = tuple[str, ...]

_TOKEN = re.compile(r"[()]|[^\s()]+")
#: The root of all types.
OBJECT = "object"
#: The nesting that is read.
_DEEPEST = 100


@dataclass(frozen=True)
class Parameter:
    """A variable of an action or a quantifier."""

    name: str
    """With its question mark."""
    type: str
    """The name of its type."""


@dataclass(frozen=True)
class ActionSchema:
    """An action of the domain."""

    name: str
    """In lower case."""
    parameters: tuple[Parameter, ...]
    """In order."""
    precondition: Expression
    """An empty list where there is none."""
    effect: Expression
    """An empty list where there is none."""


@dataclass(frozen=True)
class Domain:
    """The domain of a game."""

    types: dict[str, str]
    """The parent of each type."""
    constants: dict[str, str]
    """The type of each constant."""
    actions: dict[str, ActionSchema]
    """By name."""


@dataclass(frozen=True)
class Problem:
    """A problem: where a game begins and what its goal is."""

    objects: dict[str, str]
    """The type of each object, constants included."""
    facts: frozenset[Fact]
    """The facts at the start."""
    goal: Expression
    """What has to hold."""
    types: dict[str, str] = field(default_factory=dict)
    """The parent of each type."""

    def kinds(self, name: str) -> frozenset[str]:
        """A type with all that are below it."""
        found = {name}
        while more := {child for child, parent in self.types.items() if parent in found} - found:
            found |= more
        return frozenset({*found, *self.objects.values()} if name == OBJECT else found)


def read_domain(text: str) -> Domain:
    """Read a domain. Raises BadInput."""
    types: dict[str, str] = {}
    constants: dict[str, str] = {}
    actions: dict[str, ActionSchema] = {}
    for section in _sections(text, "domain"):
        match section:
            case [":types", *rest]:
                types |= _typed(rest)
            case [":constants", *rest]:
                constants |= _typed(rest)
            case [":action", str(name), *rest]:
                actions[name] = _action(name, rest)
            case [":derived" | ":axiom", *_]:
                raise BadInput("its domain has derived predicates")
    if not actions:
        raise BadInput("its domain has no action")
    return Domain(types, constants, actions)


def read_problem(text: str, domain: Domain) -> Problem:
    """Read a problem of a domain. Raises BadInput."""
    objects = dict(domain.constants)
    facts: set[Fact] = set()
    goal: Expression | None = None
    for section in _sections(text, "problem"):
        match section:
            case [":objects", *rest]:
                objects |= _typed(rest)
            case [":init", *rest]:
                facts.update(_facts(rest))
            case [":goal", expression]:
                goal = expression
    if goal is None:
        raise BadInput("its problem has no goal")
    unknown = {word for fact in facts for word in fact[1:]} - objects.keys()
    if unknown:
        raise BadInput(f"its problem has facts about '{min(unknown)}', which is no object of it")
    return Problem(objects, frozenset(facts), goal, domain.types)


def parameters_of(expressions: Sequence[Expression]) -> tuple[Parameter, ...]:
    """The variables of a typed list, such as "?r - receptacle ?l - location"."""
    return tuple(Parameter(name, kind) for name, kind in _pairs(expressions))


def _sections(text: str, what: str) -> Iterator[list[Expression]]:
    parsed = _parse(text)
    if not parsed or parsed[0] != "define":
        raise BadInput(f"its {what} does not begin with (define …)")
    for section in parsed[1:]:
        if isinstance(section, list):
            yield section


def _parse(text: str) -> list[Expression]:
    """The expression that a text consists of."""
    stack: list[list[Expression]] = [[]]
    for token in _TOKEN.findall(re.sub(r";[^\n]*", "", text).lower()):
        if token == "(":
            if len(stack) > _DEEPEST:
                raise BadInput(f"its PDDL is nested deeper than {_DEEPEST} levels")
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                raise BadInput("its PDDL has a bracket too many")
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    if len(stack) != 1 or len(stack[0]) != 1 or not isinstance(stack[0][0], list):
        raise BadInput("its PDDL is not one expression in brackets")
    return stack[0][0]


def _pairs(expressions: Sequence[Expression]) -> list[tuple[str, str]]:
    """The names of a typed list with their types.

    A comma is a part of its word, as in the engine: "?l - location, ?r - receptacle", which
    ALFWorld's domain has once, asks for things of a type "location,", and there are none.
    """
    found: list[tuple[str, str]] = []
    waiting: list[str] = []
    words = iter(expressions)
    for word in words:
        if not isinstance(word, str):
            raise BadInput("its PDDL has a typed list with brackets")
        if word == "-":
            kind = next(words, None)
            if not isinstance(kind, str):
                raise BadInput("its PDDL has a type that is no word")
            found += [(name, kind) for name in waiting]
            waiting = []
        else:
            waiting.append(word)
    return found + [(name, OBJECT) for name in waiting]


def _typed(expressions: Sequence[Expression]) -> dict[str, str]:
    return dict(_pairs(expressions))


def _action(name: str, rest: Sequence[Expression]) -> ActionSchema:
    pairs = zip(rest[::2], rest[1::2], strict=False)
    parts = {key: value for key, value in pairs if isinstance(key, str)}
    parameters = parts.get(":parameters", [])
    if isinstance(parameters, str):
        raise BadInput(f"its action '{name}' has parameters without brackets")
    return ActionSchema(
        name,
        parameters_of(parameters),
        parts.get(":precondition", []),
        parts.get(":effect", []),
    )


def _facts(expressions: Sequence[Expression]) -> Iterator[Fact]:
    """The facts at the start, without costs and distances."""
    for expression in expressions:
        match expression:
            case ["=", *_]:
                continue
            case [str(predicate), *arguments] if all(isinstance(each, str) for each in arguments):
                yield (predicate, *map(str, arguments))
            case _:
                raise BadInput("its problem begins with something that is no fact")
