"""Facts as literals of constraints: what a final state has to make true or keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..scene_graph.goal_evaluation import satisfied
from ..scene_graph.goals import Goal, Not, Related
from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import PLACEMENTS, Kind, Relation
from .constraints import Constraints
from .facts import Atom, Facts, id_of
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
