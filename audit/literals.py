"""Facts as literals of constraints: what a final state has to make true or keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..scene_graph.goal_evaluation import satisfied
from ..scene_graph.goals import And, AtLeast, Domain, Exists, ForAll, Goal, Not, Or, Related
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Relation
from .constraints import Constraints
from .facts import Atom, Facts, ground, id_of
from .laws import Attainable, Laws

#: A literal of the constraints, or the constant value of a fact.
Value = int | bool
GOAL_RULE = "the goal"


class Literals:
    """The facts named so far, each a variable of the constraints.

    reasons: why wanted facts are impossible.
    """

    def __init__(self, graph: SceneGraph, laws: Laws, name: Callable[[int], str]) -> None:
        self.graph = graph
        self.laws = laws
        self.name = name
        self.can = Attainable(graph, laws)
        self.constraints = Constraints()
        self.variables: dict[Atom, int] = {}
        self.reasons: list[str] = []
        self._facts = Facts(self.can, name)

    def of(self, atom: Atom, *, positive: bool) -> Value:
        """The literal of a fact or of its negation, or its constant value."""
        if self.laws.strict:
            now = satisfied(atom, self.graph)
            if positive and not now and not self._facts.can_become(atom):
                self.reasons.append(self._facts.reason(atom))
                return False
            if not positive and now and not self._facts.can_end(atom):
                self.reasons.append(f"{self._facts.text(atom)}, which no action ends")
                return False
            if positive and now and not self._facts.can_end(atom):
                return True
            if not positive and not now and not self._facts.can_become(atom):
                return True
        variable = self.variables.get(atom) or self._new(atom)
        return variable if positive else -variable

    def _new(self, atom: Atom) -> int:
        self.variables[atom] = self.constraints.variable()
        return self.variables[atom]

    def joined(self, values: Sequence[Value], *, every: bool) -> Value:
        """The literal of a conjunction (every), or of a disjunction."""
        return self.counted(values, len(values) if every else 1)

    def counted(self, values: Sequence[Value], least: int) -> Value:
        """The literal of: at least so many of these."""
        least -= sum(value is True for value in values)
        literals = [value for value in values if not isinstance(value, bool)]
        if least <= 0:
            return True
        if least > len(literals):
            return False
        if len(literals) == 1:
            return literals[0]
        variable = self.constraints.variable()
        self.constraints.at_least(literals, least, GOAL_RULE, when=variable)
        return variable

    def places_of(self, thing: int) -> list[Related]:
        """The named places of an object."""
        return [
            atom
            for atom in self.variables
            if isinstance(atom, Related) and atom.source == thing and self.is_place(atom)
        ]

    def is_place(self, atom: Related) -> bool:
        """Whether a fact is a direct place of an object: no room, and no container over
        supports.
        """
        if atom.source == self.can.me or atom.relation not in PLACEMENTS:
            return False
        if atom.relation is not Relation.INSIDE:
            return True
        return atom.direct and self.graph[id_of(atom.target)].kind not in (Kind.ROOM, Kind.SCENE)

    def changes(self, values: frozenset[int]) -> tuple[Goal, ...]:
        """The facts of an answer that do not hold now, and those that must stay."""
        found: list[Goal] = []
        for atom, variable in self.variables.items():
            if variable in values:
                found.append(atom)
            elif -variable in values and satisfied(atom, self.graph):
                found.append(Not(atom))
        return tuple(found)


def goal_literal(
    literals: Literals, goal: Goal, bound: Mapping[str, int] | None = None, *, positive: bool = True
) -> Value:
    """The literal of a goal or of its negation, or its constant value.

    bound: the objects that variables of quantifiers stand for.
    """
    bound = bound or {}
    match goal:
        case Not(part):
            return goal_literal(literals, part, bound, positive=not positive)
        case And(parts) | Or(parts):
            values = [goal_literal(literals, part, bound, positive=positive) for part in parts]
            return literals.joined(values, every=isinstance(goal, And) is positive)
        case ForAll() | Exists():
            values = _instances(literals, goal, bound, positive=positive)
            return literals.joined(values, every=isinstance(goal, ForAll) is positive)
        case AtLeast(count):
            values = _instances(literals, goal, bound, positive=positive)
            return literals.counted(values, count if positive else len(values) - count + 1)
        case _:
            return literals.of(ground(goal, bound), positive=positive)


def _instances(
    literals: Literals, goal: ForAll | Exists | AtLeast, bound: Mapping[str, int], *, positive: bool
) -> list[Value]:
    nodes = [node for node in literals.graph.nodes() if goal.domain.admits(node)]
    values = [
        goal_literal(literals, goal.body, {**bound, goal.variable: node.id}, positive=positive)
        for node in nodes
    ]
    if not literals.laws.strict and _may_come_to_be(literals, goal.domain):
        values += [True] * (goal.count if isinstance(goal, AtLeast) else 1)
    needed = goal.count if isinstance(goal, AtLeast) else 1
    if positive and not isinstance(goal, ForAll) and len(values) < needed:
        kind = _kind(goal.domain)
        missing = f"is no {kind}" if not nodes else f"are {len(nodes)} ({kind}), not {needed},"
        literals.reasons.append(f"there {missing} in the scene")
    return values


def _may_come_to_be(literals: Literals, domain: Domain) -> bool:
    """Whether the engine may make such objects of others, as slices."""
    wanted = domain.categories and {each.split()[0] for each in domain.categories | domain.also}
    return any(
        wanted is None or not wanted or node.category.split()[0] in wanted
        for node in literals.graph.nodes(Kind.OBJECT)
    )


def _kind(domain: Domain) -> str:
    if domain.categories:
        return " or ".join(sorted(domain.categories))
    return "such thing"
