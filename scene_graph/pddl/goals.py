"""Goals as PDDL goal descriptions and back, and the names of things, categories and types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations

from ...errors import BadInput
from ..goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    InOrder,
    MeasureInRange,
    Not,
    Or,
    Related,
    Term,
)
from ..node import Affordance, Kind, Node, Relation, State
from ..s_expressions import Expression, render

#: The supertype of all kinds.
ANY = "thing"
CATEGORY = "category"
#: The type of each kind; `object` would be PDDL's own root type.
TYPES = {kind: "item" if kind is Kind.OBJECT else str(kind) for kind in Kind}
KINDS = {name: kind for kind, name in TYPES.items()}

IS_A = "is_a"
STATES = {f"is_{state}": state for state in State}
AFFORDANCES = {str(affordance): affordance for affordance in Affordance}
RELATIONS = {str(relation): relation for relation in Relation}
#: Goals use `within`, which closes over supports; facts use `inside`.
GOAL_RELATIONS = {
    "within" if relation is Relation.INSIDE else name: relation
    for name, relation in RELATIONS.items()
}


def slug(text: str) -> str:
    """Text as a PDDL name; some characters are lost."""
    words = re.sub("[^a-z0-9]+", "_", text.lower()).strip("_")
    return words if words[:1].isalpha() else f"n{words}"


def thing_name(node: Node) -> str:
    """ "kitchen_table_12" """
    return f"{slug(node.category)}_{node.id}"


def thing_id(name: str) -> int | None:
    """The id in a thing's name, or None."""
    match = re.fullmatch(r"[a-z0-9_]+_(-?[0-9]+)", name)
    return int(match[1]) if match else None


def category_name(category: str) -> str:
    """ "category-kitchen_table": different categories get different names."""

    def escaped(match: re.Match[str]) -> str:
        return "_" if match[0] == " " else f"-{ord(match[0]):x}-"

    return f"{CATEGORY}-" + re.sub("[^a-z0-9]", escaped, category)


def category_of(name: str) -> str | None:
    """The category of a name from `category_name`; None for any other name."""

    def plain(match: re.Match[str]) -> str:
        return " " if match[0] == "_" else chr(int(match[1], 16))

    try:
        category = re.sub("_|-([0-9a-f]+)-", plain, name.removeprefix(f"{CATEGORY}-"))
    except (ValueError, OverflowError):  # no such character
        return None
    return category if category_name(category) == name else None


_Variables = Mapping[str, str]  # the PDDL name of each variable bound here
_NOTHING: _Variables = {}

_RELATION_WORDS = {relation: word for word, relation in GOAL_RELATIONS.items()}


class GoalWriter:
    """Writes the goals of one problem. things: the PDDL name of every node."""

    def __init__(self, things: Mapping[int, str]) -> None:
        self._things = things

    def write(self, goal: Goal, variables: _Variables = _NOTHING) -> Expression:
        """A goal as an expression.

        A quantifier becomes a type and conditions; `at least n` becomes n different variables.
        Raises BadInput for events, unnamed nodes, and a variable that is no PDDL name.
        """
        match goal:
            case HasState(thing, state):
                return [f"is_{state}", self._term(thing, variables)]
            case Related(source, relation, target, direct):
                ends = [self._term(source, variables), self._term(target, variables)]
                return [str(relation) if direct else _RELATION_WORDS[relation], *ends]
            case Not(part):
                return ["not", self.write(part, variables)]
            case And(parts):
                return ["and", *(self.write(part, variables) for part in parts)]
            case Or(parts):
                return ["or", *(self.write(part, variables) for part in parts)]
            case ForAll(variable, domain, body):
                name = _variable_name(variable)
                consequence = self.write(body, {**variables, variable: name})
                conditions = self._conditions(domain, name)
                if conditions:
                    consequence = ["imply", ["and", *conditions], consequence]
                return ["forall", _typed([name], domain), consequence]
            case Exists(variable, domain, body):
                name = _variable_name(variable)
                instance = self._instance(name, domain, body, {**variables, variable: name})
                return ["exists", _typed([name], domain), instance]
            case AtLeast(count, variable, domain, body):
                if count < 1:
                    return ["and"]
                names = [f"{_variable_name(variable)}-{i}" for i in range(1, count + 1)]
                instances = [
                    self._instance(name, domain, body, {**variables, variable: name})
                    for name in names
                ]
                different: list[Expression] = [
                    ["not", ["=", a, b]] for a, b in combinations(names, 2)
                ]
                return ["exists", _typed(names, domain), ["and", *different, *instances]]
            case MeasureInRange():
                raise BadInput(
                    "The goal asks where exactly things lie, which a PDDL goal cannot say; "
                    "give a goal over states and relations."
                )
            case EventOccurred() | InOrder():
                raise BadInput(
                    "The goal asks for something to have happened, which a PDDL goal cannot say; "
                    "give a goal over states and relations."
                )

    def _instance(
        self, name: str, domain: Domain, body: Goal, variables: _Variables
    ) -> list[Expression]:
        """The formula that a variable is in the domain and fulfils the body."""
        return ["and", *self._conditions(domain, name), self.write(body, variables)]

    def _conditions(self, domain: Domain, name: str) -> list[Expression]:
        """The conditions of a domain on a variable, besides its type."""
        conditions: list[Expression] = []
        if domain.categories is not None:
            counted = sorted(domain.categories | domain.also)
            names = [category_name(category) for category in counted]
            conditions.append(_any_of([[IS_A, name, category] for category in names]))
        if domain.ids is not None:
            names = [self._term(node_id, _NOTHING) for node_id in sorted(domain.ids)]
            equalities: list[Expression] = [["=", name, thing] for thing in names]
            conditions.append(_any_of(equalities) if equalities else _never(name))
        if domain.can is not None:
            conditions.append([str(domain.can), name])
        return conditions

    def _term(self, thing: Term, variables: _Variables) -> str:
        if isinstance(thing, str):
            return variables[thing]
        if thing not in self._things:
            raise BadInput(f"The goal names node {thing}, which is not in the scene graph.")
        return self._things[thing]


class GoalReader:
    """Reads goals that `GoalWriter` wrote. where: the name of the document in errors."""

    def __init__(self, things: Mapping[int, str], where: str) -> None:
        self._ids = {name: node_id for node_id, name in things.items()}
        self._writer = GoalWriter(things)
        self._where = where

    def read(self, expression: Expression, variables: _Variables = _NOTHING) -> Goal:
        """The goal of an expression. Raises BadInput naming an unknown expression."""
        match expression:
            case [str(word), thing] if word in STATES:
                return HasState(self._term(thing, variables), STATES[word])
            case [str(word), source, target] if word in GOAL_RELATIONS:
                ends = self._term(source, variables), self._term(target, variables)
                return Related(ends[0], GOAL_RELATIONS[word], ends[1])
            case [Relation.INSIDE, source, target]:
                ends = self._term(source, variables), self._term(target, variables)
                return Related(ends[0], Relation.INSIDE, ends[1], direct=True)
            case ["not", part]:
                return Not(self.read(part, variables))
            case ["and", *parts]:
                return And(tuple(self.read(part, variables) for part in parts))
            case ["or", *parts]:
                return Or(tuple(self.read(part, variables) for part in parts))
            case ["forall", [str(name), "-", str(type_)], body]:
                conditions: list[Expression] = []
                match body:
                    case ["imply", ["and", *conditions], body]:
                        pass
                return ForAll(*self._quantified(name, type_, conditions, body, variables))
            case ["exists", [str(name), "-", str(type_)], ["and", *conditions, body]] if (
                "-" not in name
            ):
                return Exists(*self._quantified(name, type_, conditions, body, variables))
            case ["exists", [*names, "-", str(type_)], ["and", *parts]]:
                return self._at_least(expression, names, type_, parts, variables)
        raise self._wrong(expression, "a goal over states and relations")

    def _at_least(
        self,
        expression: Expression,
        names: list[Expression],
        type_: str,
        parts: list[Expression],
        variables: _Variables,
    ) -> AtLeast:
        match parts[-1:], names[-1:]:
            case [["and", *conditions, body]], [str(name)]:
                quantified = self._quantified(name, type_, conditions, body, variables)
                goal = AtLeast(len(names), *quantified)
                # Only the last instance was read; the others must be equal to it.
                if self._writer.write(goal, variables) == expression:
                    return goal
        raise self._wrong(expression, "instances that differ in the variable alone")

    def _quantified(
        self,
        name: str,
        type_: str,
        conditions: list[Expression],
        body: Expression,
        variables: _Variables,
    ) -> tuple[str, Domain, Goal]:
        """(variable, domain, body) of a quantifier; "?plate-2" is an instance of "plate"."""
        match = re.fullmatch(r"\?([a-z][a-z0-9_]*)(-\d+)?", name)
        if match is None:
            raise self._wrong(name, "a variable")
        if type_ != ANY and type_ not in KINDS:
            raise self._wrong(type_, f"one of {', '.join([ANY, *KINDS])}")
        categories: frozenset[str] | None = None
        ids: frozenset[int] | None = None
        can: Affordance | None = None
        for condition in conditions:
            branches = condition[1:] if condition[:1] == ["or"] else [condition]
            if condition == _never(name):
                ids = frozenset()
            elif condition[1:] == [name] and condition[0] in AFFORDANCES:
                can = AFFORDANCES[str(condition[0])]
            elif all(branch[:2] == [IS_A, name] for branch in branches):
                categories = frozenset(self._category(branch[2:]) for branch in branches)
            elif all(branch[:2] == ["=", name] for branch in branches):
                ids = frozenset(self._thing(branch[2:]) for branch in branches)
            else:
                raise self._wrong(condition, f"a condition on {name}")
        domain = Domain(categories, KINDS.get(type_), ids, can)
        return match[1], domain, self.read(body, {**variables, match[1]: name})

    def _category(self, words: Expression) -> str:
        match words:
            case [str(name)]:
                category = category_of(name)
                if category is not None:
                    return category
        raise self._wrong(words, "the name of a category")

    def _thing(self, words: Expression) -> int:
        match words:
            case [str(name)] if name in self._ids:
                return self._ids[name]
        raise self._wrong(words, "an object of the problem")

    def _term(self, word: Expression, variables: _Variables) -> Term:
        for variable, name in variables.items():
            if word == name:
                return variable
        return self._thing([word])

    def _wrong(self, expression: Expression, expected: str) -> BadInput:
        return BadInput(
            f"In {self._where}, the goal has {render(expression)}; expected {expected}."
        )


def _variable_name(variable: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9_]*", variable):
        raise BadInput(
            f"The goal's variable '{variable}' is no PDDL name; use lower-case letters, digits and "
            f"underscores, a letter first."
        )
    return f"?{variable}"


def _typed(names: list[str], domain: Domain) -> Expression:
    return [*names, "-", ANY if domain.kind is None else TYPES[domain.kind]]


def _never(name: str) -> Expression:
    """A formula that no thing fulfils: a domain without ids."""
    return ["not", ["=", name, name]]


def _any_of(branches: list[Expression]) -> Expression:
    return branches[0] if len(branches) == 1 else ["or", *branches]
