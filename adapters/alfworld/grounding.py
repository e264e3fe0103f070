"""The actions of a game with things in the place of variables, as masks over numbered facts.

A state is a number with one bit for each fact that may change. An action is possible if one of its
`Guard`s holds. What the engine's translator leaves out is left out: an action that can change
nothing, such as going to where the agent is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...errors import BadInput
from .pddl import ActionSchema, Domain, Expression, Fact, Parameter, Problem, parameters_of

#: Things by variable.
Binding = dict[str, str]
#: Facts with variables, one of which has to hold.
_Alternatives = list[list[str]]
#: A formula over facts that may change: (facts that hold, facts that do not), one of which holds.
Clauses = tuple["Guard", ...]
#: The clauses of a formula that is read.
_MOST_CLAUSES = 20_000


class Guard(NamedTuple):
    """Facts that have to hold together, and others that must not, as bits."""

    holds: int
    """The facts that hold."""
    lacks: int
    """The facts that do not."""

    def admits(self, state: int) -> bool:
        """Whether a state has the facts."""
        return state & self.holds == self.holds and not state & self.lacks


ALWAYS: Clauses = (Guard(0, 0),)
NEVER: Clauses = ()


class Effect(NamedTuple):
    """What an action does to the facts, if a condition held before it."""

    condition: Clauses
    """`ALWAYS` where there is none."""
    added: tuple[Fact, ...]
    """The facts that hold afterwards."""
    removed: tuple[Fact, ...]
    """The facts that do not, if none of the action's effects adds them."""


@dataclass(eq=False)
class GroundAction:
    """An action with its things."""

    schema: ActionSchema
    """The action of the domain."""
    things: tuple[str, ...]
    """The things in the place of its parameters."""
    guards: Clauses
    """Any one that holds makes it possible."""
    effects: tuple[Effect, ...]
    """What it does."""


class Facts:
    """The numbers of the facts that may change, and those that never do."""

    def __init__(self, problem: Problem, changing: frozenset[str]) -> None:
        """changing: the predicates that some action changes."""
        self.changing = changing
        self._numbers: dict[Fact, int] = {}
        self.fixed: dict[str, list[Fact]] = {}
        self._all_fixed = frozenset(fact for fact in problem.facts if fact[0] not in changing)
        for fact in sorted(self._all_fixed):
            self.fixed.setdefault(fact[0], []).append(fact)
        self.start = self.mask(fact for fact in sorted(problem.facts) if fact[0] in changing)

    def bit(self, fact: Fact) -> int:
        """The bit of a fact that may change."""
        return 1 << self._numbers.setdefault(fact, len(self._numbers))

    def mask(self, facts: Iterable[Fact]) -> int:
        """The bits of facts that may change."""
        found = 0
        for fact in facts:
            found |= self.bit(fact)
        return found

    def atom(self, fact: Fact, *, holds: bool) -> Clauses:
        """The formula that a fact holds, or that it does not."""
        if fact[0] in self.changing:
            bit = self.bit(fact)
            return (Guard(bit, 0),) if holds else (Guard(0, bit),)
        return ALWAYS if (fact in self._all_fixed) == holds else NEVER


class Grounding:
    """Puts a game's things in the place of variables."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        changing = frozenset().union(*(_changed(each.effect) for each in domain.actions.values()))
        self.facts = Facts(problem, changing)
        self._problem = problem
        self._of_kind: dict[str, dict[str, None]] = {}
        self.goal = self.formula(problem.goal, {})
        found = [each for schema in domain.actions.values() for each in self._actions(schema)]
        self.actions = self._without_impossible(found)

    def things(self, kind: str) -> Mapping[str, None]:
        """The things of a type, in the order of the problem."""
        if kind not in self._of_kind:
            kinds = self._problem.kinds(kind)
            objects = self._problem.objects.items()
            self._of_kind[kind] = {name: None for name, of in objects if of in kinds}
        return self._of_kind[kind]

    def formula(self, expression: Expression, binding: Binding, *, holds: bool = True) -> Clauses:
        """An expression with its variables bound, or its negation. Raises BadInput."""
        match expression:
            case []:
                return ALWAYS if holds else NEVER
            case ["and", *parts]:
                return self._joined(parts, binding, holds=holds, all_of_them=holds)
            case ["or", *parts]:
                return self._joined(parts, binding, holds=holds, all_of_them=not holds)
            case ["not", part]:
                return self.formula(part, binding, holds=not holds)
            case ["imply", first, second]:
                return self.formula(["or", ["not", first], second], binding, holds=holds)
            case ["=", str(one), str(other)]:
                same = binding.get(one, one) == binding.get(other, other)
                return ALWAYS if same == holds else NEVER
            case ["exists" | "forall" as quantifier, list(variables), part]:
                some = (quantifier == "exists") == holds
                found = quantifier == "exists" and holds
                bound = self._bindings(parameters_of(variables), part, binding, found=found)
                formulas = (self.formula(part, each, holds=holds) for each in bound)
                return _either(formulas) if some else _both(formulas)
            case [str(predicate), *words] if all(isinstance(word, str) for word in words):
                fact = (predicate, *(binding.get(str(word), str(word)) for word in words))
                return self.facts.atom(fact, holds=holds)
        raise BadInput("its PDDL has an expression that is not known here")

    def _joined(
        self, parts: Sequence[Expression], binding: Binding, *, holds: bool, all_of_them: bool
    ) -> Clauses:
        formulas = (self.formula(part, binding, holds=holds) for part in parts)
        return _both(formulas) if all_of_them else _either(formulas)

    def _bindings(
        self,
        variables: Sequence[Parameter],
        part: Expression,
        binding: Binding,
        *,
        found: bool,
    ) -> Iterator[Binding]:
        """The values of a quantifier's variables.

        found: whether only values count by which the part holds, so that unchanging facts tell
        which may do.
        """
        conditions = list(self._unchanging(part)) if found else []
        yield from self._matched(list(variables), conditions, dict(binding))

    def _unchanging(self, part: Expression) -> Iterator[_Alternatives]:
        """The conditions of a conjunction that never change."""
        match part:
            case ["and", *parts]:
                for each in parts:
                    yield from self._unchanging(each)
            case ["or", *parts] if parts and all(map(self._is_unchanging, parts)):
                yield [list(map(str, each)) for each in parts]
            case _ if self._is_unchanging(part):
                yield [list(map(str, part))]

    def _is_unchanging(self, part: Expression) -> bool:
        """Whether a part is a fact that never changes."""
        return (
            bool(part)
            and not isinstance(part, str)
            and all(isinstance(word, str) for word in part)
            and part[0] not in _WORDS | self.facts.changing
        )

    def _matched(
        self, variables: list[Parameter], conditions: list[_Alternatives], binding: Binding
    ) -> Iterator[Binding]:
        """The bindings of variables by which unchanging conditions hold; some may come twice."""
        names = {variable.name for variable in variables} - binding.keys()
        if not names:
            yield binding
            return
        kinds = {variable.name: variable.type for variable in variables}
        for number, condition in enumerate(conditions):
            if all(names.isdisjoint(words) for words in condition):
                continue
            rest = conditions[:number] + conditions[number + 1 :]
            for predicate, *words in condition:
                for fact in self.facts.fixed.get(predicate, ()):
                    more = self._unified(words, fact[1:], binding, kinds)
                    if more is not None:
                        yield from self._matched(variables, rest, binding | more)
            return
        name = next(variable.name for variable in variables if variable.name in names)
        for thing in self.things(kinds[name]):
            yield from self._matched(variables, conditions, binding | {name: thing})

    def _unified(
        self, words: Sequence[str], things: Sequence[str], binding: Binding, kinds: dict[str, str]
    ) -> Binding | None:
        """The new values by which the words are the things; None if they cannot be."""
        found: Binding = {}
        for word, thing in zip(words, things, strict=True):
            known = binding.get(word, found.get(word))
            if known is None and word in kinds:
                if thing not in self.things(kinds[word]):
                    return None
                found[word] = thing
            elif (word if known is None else known) != thing:
                return None
        return found

    # --- actions ---------------------------------------------------------------------------------

    def _actions(self, schema: ActionSchema) -> Iterator[GroundAction]:
        names = [parameter.name for parameter in schema.parameters]
        conditions = list(self._unchanging(schema.precondition))
        seen: set[tuple[str, ...]] = set()
        for binding in self._matched(list(schema.parameters), conditions, {}):
            things = tuple(binding[name] for name in names)
            guards = NEVER if things in seen else self.formula(schema.precondition, binding)
            if not guards:
                continue
            seen.add(things)
            effects = tuple(self._effects(schema.effect, binding, ALWAYS))
            useful = tuple(guard for guard in guards if self._changes(guard, effects))
            if useful:
                yield GroundAction(schema, things, useful, effects)

    def _effects(
        self, expression: Expression, binding: Binding, condition: Clauses
    ) -> Iterator[Effect]:
        """The effects of an expression; costs are none."""
        match expression:
            case [] | ["increase" | "decrease" | "assign", *_]:
                return
            case ["and", *parts]:
                for part in parts:
                    yield from self._effects(part, binding, condition)
            case ["forall", list(variables), part]:
                for each in self._matched(list(parameters_of(variables)), [], dict(binding)):
                    yield from self._effects(part, each, condition)
            case ["when", when, part]:
                more = _both((condition, self.formula(when, binding)))
                if more:
                    yield from self._effects(part, binding, more)
            case ["not", [str(predicate), *words]]:
                fact = (predicate, *(binding.get(str(word), str(word)) for word in words))
                yield Effect(condition, (), (fact,))
            case [str(predicate), *words] if all(isinstance(word, str) for word in words):
                fact = (predicate, *(binding.get(str(word), str(word)) for word in words))
                yield Effect(condition, (fact,), ())
            case _:
                raise BadInput("its PDDL has an effect that is not known here")

    def _changes(self, guard: Guard, effects: Iterable[Effect]) -> bool:
        """Whether an action with this guard can change anything, as far as the guard tells."""
        effects = list(effects)
        added = {fact for effect in effects for fact in effect.added}
        for effect in effects:
            if any(not self.facts.bit(fact) & guard.holds for fact in effect.added):
                return True
            if any(
                fact not in added and not self.facts.bit(fact) & guard.lacks
                for fact in effect.removed
            ):
                return True
        return False

    def _without_impossible(self, actions: list[GroundAction]) -> list[GroundAction]:
        """The actions whose facts can come to hold, by the effects of the others."""
        reached, left, found = self.facts.start, actions, list[GroundAction]()
        while True:
            possible = [each for each in left if any(_reachable(g, reached) for g in each.guards)]
            if not possible:
                return sorted(found, key=lambda each: (each.schema.name, each.things))
            for each in possible:
                for effect in each.effects:
                    reached |= self.facts.mask(effect.added)
            found += possible
            seen = set(map(id, possible))
            left = [each for each in left if id(each) not in seen]


#: Words that are no predicates.
_WORDS = frozenset({"and", "or", "not", "imply", "exists", "forall", "=", "when"})


def _reachable(guard: Guard, reached: int) -> bool:
    return guard.holds & reached == guard.holds


def _changed(effect: Expression) -> frozenset[str]:
    """The predicates that an effect changes."""
    match effect:
        case [] | str() | ["increase" | "decrease" | "assign", *_]:
            return frozenset()
        case ["and", *parts]:
            return frozenset().union(*map(_changed, parts))
        case ["not", part] | ["when" | "forall", _, part]:
            return _changed(part)
        case [str(predicate), *_]:
            return frozenset({predicate})
    return frozenset()


def _either(formulas: Iterable[Clauses]) -> Clauses:
    found: dict[Guard, None] = {}
    for clauses in formulas:
        if clauses == ALWAYS:
            return ALWAYS
        found.update(dict.fromkeys(clauses))
        _check_size(len(found))
    return tuple(found)


def _both(formulas: Iterable[Clauses]) -> Clauses:
    found = ALWAYS
    for clauses in formulas:
        if not clauses:
            return NEVER
        if clauses == ALWAYS:
            continue
        _check_size(len(found) * len(clauses))
        pairs = (Guard(a.holds | b.holds, a.lacks | b.lacks) for a in found for b in clauses)
        found = tuple(dict.fromkeys(each for each in pairs if not each.holds & each.lacks))
    return found


def _check_size(clauses: int) -> None:
    if clauses > _MOST_CLAUSES:
        raise BadInput(f"its PDDL has a condition of more than {_MOST_CLAUSES} cases")
