"""Constraints over truth values, and an exhaustive search for values that satisfy them.

A constraint requires that the weights of its true literals sum to at least a number. A literal is a
variable, a number from 1, or its negation, minus that number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

#: A literal and its weight, which is positive.
Term = tuple[int, int]


@dataclass(frozen=True)
class Constraint:
    """The weights of the true literals are at least `least`. rule: its origin."""

    terms: tuple[Term, ...]
    least: int
    rule: str


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a search.

    values: of the relevant literals, where all constraints can be satisfied. exhausted: whether
    every combination of values was ruled out. choices: number of values tried.
    """

    values: frozenset[int] | None
    exhausted: bool
    choices: int


@dataclass
class Constraints:
    """Variables and constraints over them. last: variables that are chosen only when needed."""

    kept: list[Constraint] = field(default_factory=list)
    last: set[int] = field(default_factory=set)
    _variables: int = 0

    def variable(self, *, last: bool = False) -> int:
        """A new variable."""
        self._variables += 1
        if last:
            self.last.add(self._variables)
        return self._variables

    def at_least(self, literals: Iterable[int], least: int, rule: str, *, when: int = 0) -> None:
        """Require so many true literals. when: only where this literal is true; 0 for always."""
        terms = [(literal, 1) for literal in literals]
        if when and least > 0:
            terms.append((-when, least))
        if least > 0:
            self.kept.append(Constraint(tuple(terms), least, rule))

    def at_most(self, literals: Collection[int], most: int, rule: str) -> None:
        """Require no more than so many true literals."""
        self.at_least([-literal for literal in literals], len(literals) - most, rule)

    def implies(self, given: Sequence[int], then: Iterable[int], rule: str) -> None:
        """Require one of the literals `then` where all of `given` are true."""
        self.at_least([*(-literal for literal in given), *then], 1, rule)

    def solve(self, limit: int, without: Collection[str] = ()) -> SearchOutcome:
        """Search exhaustively. limit: of choices. without: rules to ignore."""
        kept = [each for each in self.kept if each.rule not in without]
        return _Search(kept, self._variables, self.last).run(limit)


class _Search:
    """Depth-first search with propagation of literals that a constraint needs."""

    def __init__(self, kept: Sequence[Constraint], variables: int, last: Collection[int]) -> None:
        self._kept = kept
        self._last = last
        self._values = [0] * (variables + 1)  # 1 true, -1 false, 0 open
        self._slack = [sum(w for _, w in each.terms) - each.least for each in kept]
        self._earned = [0] * len(kept)
        self._with: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, each in enumerate(kept):
            for literal, weight in each.terms:
                self._with[literal].append((number, weight))
        self._trail: list[int] = []

    def run(self, limit: int) -> SearchOutcome:
        """Search until values are found, all are ruled out, or the limit is reached."""
        choices = 0
        open_choices: list[tuple[int, int]] = []  # the literal chosen, and the trail before it
        possible = self._propagate(range(len(self._kept)))
        while True:
            if not possible:
                while open_choices:
                    literal, length = open_choices.pop()
                    self._undo(length)
                    if self._assign(-literal):
                        break
                else:
                    return SearchOutcome(None, exhausted=True, choices=choices)
                possible = True
                continue
            literal = self._next()
            if literal == 0:
                return SearchOutcome(frozenset(self._trail), exhausted=False, choices=choices)
            if choices >= limit:
                return SearchOutcome(None, exhausted=False, choices=choices)
            choices += 1
            open_choices.append((literal, len(self._trail)))
            possible = self._assign(literal)

    def _next(self) -> int:
        """A literal of the constraint with the fewest open ones; 0 where all are satisfied."""
        best, fewest = 0, 1 << 30
        for number, each in enumerate(self._kept):
            if self._earned[number] >= each.least:
                continue
            free = [literal for literal, _ in each.terms if not self._values[abs(literal)]]
            if len(free) < fewest:
                fewest = len(free)
                best = min(free, key=lambda literal: abs(literal) in self._last)
        return best

    def _assign(self, literal: int) -> bool:
        """Make a literal true, with its consequences; returns whether no constraint fails."""
        queue = [literal]
        while queue:
            literal = queue.pop()
            value = self._values[abs(literal)]
            if value:
                if (value > 0) != (literal > 0):
                    return False
                continue
            self._values[abs(literal)] = 1 if literal > 0 else -1
            self._trail.append(literal)
            for number, weight in self._with[literal]:
                self._earned[number] += weight
            touched = self._with[-literal]
            for number, weight in touched:
                self._slack[number] -= weight
            for number, _ in touched:
                if self._slack[number] < 0:
                    return False
                queue += self._forced(number)
        return True

    def _forced(self, number: int) -> list[int]:
        """The open literals without which a constraint would fail."""
        slack = self._slack[number]
        return [
            literal
            for literal, weight in self._kept[number].terms
            if weight > slack and not self._values[abs(literal)]
        ]

    def _propagate(self, numbers: Iterable[int]) -> bool:
        return all(
            self._slack[number] >= 0 and all(map(self._assign, self._forced(number)))
            for number in numbers
        )

    def _undo(self, length: int) -> None:
        while len(self._trail) > length:
            literal = self._trail.pop()
            self._values[abs(literal)] = 0
            for number, weight in self._with[literal]:
                self._earned[number] -= weight
            for number, weight in self._with[-literal]:
                self._slack[number] += weight
