"""The texts of a game: a grammar's rules, told about a state.

Facts are looked up in the order that the engine has: sorted by the ids of their things. Different
variables are different things.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...errors import BadInput
from .grammar import Atom, Call, Given, Grammar, Part, Word
from .names import Name
from .pddl import Fact

#: A variable with its type.
Variable = tuple[str, str]
NOT = "not_"
_SEPARATOR, _LAST, _EMPTY = "list_separator", "list_last_separator", "list_empty"
#: How deep rules may call each other.
_DEEPEST = 50


class Scope(NamedTuple):
    """The things that are known in a text."""

    things: Mapping[str, str]
    """By the name of a variable."""
    typed: Mapping[Variable, str]
    """By variable and type, as facts are asked for."""


class KnownFacts:
    """The facts that a text may tell of: sorted, and up to date."""

    def __init__(self, facts: Iterable[Fact], predicates: Collection[str]) -> None:
        """predicates: those that the grammar asks for."""
        self._lists: dict[str, list[tuple[str, ...]]] = {name: [] for name in predicates}
        for fact in sorted(facts):
            if fact[0] in self._lists:
                self._lists[fact[0]].append(fact[1:])

    def copy(self) -> KnownFacts:
        """A copy that changes on its own."""
        new = KnownFacts((), ())
        new._lists = {name: list(facts) for name, facts in self._lists.items()}
        return new

    def of(self, predicate: str) -> Sequence[Sequence[str]]:
        """The things of the facts with a predicate, sorted."""
        return self._lists.get(predicate, ())

    def change(self, fact: Fact, *, holds: bool) -> None:
        """Take in that a fact holds now, or that an action ended it."""
        self._set(fact[0], fact[1:], holds)
        self._set(NOT + fact[0], fact[1:], not holds)

    def _set(self, predicate: str, things: tuple[str, ...], holds: bool) -> None:
        facts = self._lists.get(predicate)
        if facts is None:
            return
        place = bisect_left(facts, things)
        known = place < len(facts) and facts[place] == things
        if holds and not known:
            insort(facts, things)
        elif known and not holds:
            del facts[place]


class Teller:
    """Words texts in the rules of a grammar."""

    def __init__(
        self, grammar: Grammar, names: Mapping[str, Name], of_type: Mapping[str, Collection[str]]
    ) -> None:
        """of_type: the things of each type."""
        self._rules = grammar.rules
        self._said = {thing: str(name) for thing, name in names.items()}
        self._of_type = of_type
        words = grammar.actions.values()
        texts = [text for each in words for text in (each.command, each.feedback)]
        cases = [case for rule in grammar.rules.values() for case in rule]
        texts += [case.text for case in cases]
        given = [part.facts for text in texts for part in text if isinstance(part, Given)]
        self.predicates = frozenset(
            atom.predicate for facts in [*given, *(c.condition for c in cases)] for atom in facts
        )

    def text(self, parts: Sequence[Part], scope: Scope, facts: KnownFacts) -> str:
        """A text about a state. Raises BadInput for what the grammar lacks."""
        found: list[str] = []
        for part in parts:
            self._tell(part, scope, facts, found, 0)
        return "".join(found)

    def _tell(
        self, part: Part, scope: Scope, facts: KnownFacts, found: list[str], depth: int
    ) -> None:
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, Word):
            found.append(self._word(part.value, scope))
        elif isinstance(part, Call):
            self._call(part.rule, scope, facts, found, depth)
        else:
            scopes = list(self._scopes(part.facts, scope, facts)) if part.facts else [scope]
            for number, each in enumerate(scopes):
                if part.listed and number:
                    between = _LAST if number == len(scopes) - 1 else _SEPARATOR
                    self._call(between, scope, facts, found, depth)
                self._tell(part.part, each, facts, found, depth)
            if part.listed and not scopes:
                self._call(_EMPTY, scope, facts, found, depth)

    def _call(
        self, name: str, scope: Scope, facts: KnownFacts, found: list[str], depth: int
    ) -> None:
        if depth > _DEEPEST:
            raise BadInput(f"its grammar's rule '{name}' calls itself without end")
        for case in self._rules.get(name, ()):
            if not case.condition or next(self._scopes(case.condition, scope, facts), None):
                for part in case.text:
                    self._tell(part, scope, facts, found, depth + 1)
                return
        raise BadInput(f"its grammar has no rule '{name}' that applies")

    def _word(self, value: ast.expr, scope: Scope) -> str:
        match value:
            case ast.Constant(said):
                return str(said)
            case ast.Name(name):
                return self._said[self._thing(name, scope)]
            case ast.Attribute(ast.Name(name), attribute):
                thing = self._thing(name, scope)
                articles = {"id": thing, "definite": "the", "indefinite": "a"}
                return articles.get(attribute) or self._said[thing]
            case ast.BinOp(left, ast.Add(), right):
                return self._word(left, scope) + self._word(right, scope)
            case ast.BoolOp(operator, values):
                words = [self._word(each, scope) for each in values]
                wanted = isinstance(operator, ast.Or)
                return next((word for word in words if bool(word) is wanted), words[-1])
        raise BadInput("its grammar has an expression that is not known here")

    def _thing(self, name: str, scope: Scope) -> str:
        if name not in scope.things:
            raise BadInput(f"its grammar speaks of '{name}', which nothing says what it is")
        return scope.things[name]

    def _scopes(self, atoms: Sequence[Atom], scope: Scope, facts: KnownFacts) -> Iterator[Scope]:
        """The ways in which facts hold, with the things that are new in them."""
        for typed in self._matches(atoms, dict(scope.typed), facts):
            names = {name: thing for (name, _), thing in typed.items()}
            yield Scope({**scope.things, **names}, typed)

    def _matches(
        self, atoms: Sequence[Atom], typed: dict[Variable, str], facts: KnownFacts
    ) -> Iterator[dict[Variable, str]]:
        if not atoms:
            yield typed
            return
        (predicate, variables), rest = atoms[0], atoms[1:]
        for things in facts.of(predicate):
            for variable, thing in zip(variables, things, strict=False):
                known = typed.get(variable)
                if known is not None and known != thing:
                    break
            else:
                more = self._with(typed, variables, things)
                if more is not None:
                    yield from self._matches(rest, more, facts)

    def _with(
        self, typed: dict[Variable, str], variables: Sequence[Variable], things: Sequence[str]
    ) -> dict[Variable, str] | None:
        """The values with those of a fact; None where a thing has another type or variable."""
        more = typed
        for variable, thing in zip(variables, things, strict=False):
            if thing not in self._of_type.get(variable[1], ()):
                return None
            if variable not in more:
                if thing in more.values():
                    return None
                if more is typed:
                    more = dict(typed)
                more[variable] = thing
        return more
