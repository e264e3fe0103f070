"""The states in which a goal would hold: an exhaustive search among those the world could be in.

The goal is written out over the things there are, as truth values of single facts, and so is what
is known of every state that the agent can bring about: which facts no action brings about, that a
thing is put at one place at a time, how much a place and the hands take, which states a thing can
be in. Where no values keep all of that, the goal can never hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    Goal,
    HasState,
    Not,
    Or,
    Related,
)
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import PLACEMENTS, POSTURES, Affordance, Kind, Relation
from .constraints import Constraints, SearchOutcome
from .facts import Atom, Facts, ground, id_of, is_area
from .laws import Attainable, Laws

#: A literal of the constraints, or what a fact always is.
_Value = int | bool
_GOAL = "the goal"
_ONE_PLACE = "a thing is at one place at a time"
_STATES = "the states that its own actions bring a thing into"
_INSIDE = "what is inside a place is in it, or in or on something there"
_HANDS = "the agent has {} hands"
_CAPACITY = "{} takes {} at a time"
_CYCLE = "nothing is on or in itself"


@dataclass(frozen=True)
class FinalState:
    """What a search among final states found.

    facts: of a state in which the goal would hold, or None. impossible: whether there is no such
    state. reasons: why facts that the goal could use are never so, in words. rules: those of the
    world without which some state could be. searched: whether that took a search. choices: how many
    values it tried.
    """

    facts: tuple[Goal, ...] | None = None
    impossible: bool = False
    reasons: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    searched: bool = True
    choices: int = 0


def final_state(
    graph: SceneGraph, goal: Goal, laws: Laws, name: Callable[[int], str], limit: int
) -> FinalState:
    """Search for a state in which a goal would hold. limit: of the values that are tried."""
    written = _Writing(graph, goal, laws, name)
    reasons = tuple(dict.fromkeys(written.reasons))
    if written.root is False:
        return FinalState(impossible=True, reasons=reasons, searched=False)
    answer = written.solve(limit)
    if answer.values is not None:
        return FinalState(facts=written.facts(answer.values), choices=answer.choices)
    if not answer.exhausted:
        return FinalState(choices=answer.choices)
    rules = written.needed_rules(limit)
    return FinalState(impossible=True, reasons=reasons, rules=rules, choices=answer.choices)


class _Writing:
    """A goal and the rules of a world as constraints.

    root: the literal of the goal, or what it always is. reasons: why facts cannot be so.
    """

    def __init__(
        self, graph: SceneGraph, goal: Goal, laws: Laws, name: Callable[[int], str]
    ) -> None:
        self._graph = graph
        self._laws = laws
        self._name = name
        self._can = Attainable(graph, laws)
        self._facts = Facts(self._can, name)
        self._me = self._can.me
        self._constraints = Constraints()
        self._variables: dict[Atom, int] = {}
        self.reasons: list[str] = []
        self.root = self._written(goal, {}, positive=True)
        if not isinstance(self.root, bool):
            self._constraints.at_least([self.root], 1, _GOAL)
        if laws.strict:
            self._keep_rules()

    def solve(self, limit: int) -> SearchOutcome:
        """Search, ruling out what is on itself as it turns up."""
        choices = 0
        while True:
            answer = self._constraints.solve(limit - choices)
            choices += answer.choices
            circle = self._circle(answer.values or frozenset())
            if not circle:
                return replace(answer, choices=choices)
            self._constraints.at_most(circle, len(circle) - 1, _CYCLE)

    def needed_rules(self, limit: int) -> tuple[str, ...]:
        """The rules without any of which the goal could hold, as far as is seen within a limit."""
        rules = dict.fromkeys(each.rule for each in self._constraints.kept if each.rule != _GOAL)
        left_out: list[str] = []
        for rule in rules:
            if self._constraints.solve(limit, [*left_out, rule]).exhausted:
                left_out.append(rule)
        return tuple(rule for rule in rules if rule not in left_out)

    def facts(self, values: frozenset[int]) -> tuple[Goal, ...]:
        """The facts of an answer that are not so now, and those that have to stay."""
        found: list[Goal] = []
        for atom, variable in self._variables.items():
            if variable in values:
                found.append(atom)
            elif -variable in values and satisfied(atom, self._graph):
                found.append(Not(atom))
        return tuple(found)

    # --- the goal --------------------------------------------------------------------------------

    def _written(self, goal: Goal, bound: Mapping[str, int], *, positive: bool) -> _Value:
        match goal:
            case Not(part):
                return self._written(part, bound, positive=not positive)
            case And(parts) | Or(parts):
                values = [self._written(part, bound, positive=positive) for part in parts]
                return self._joined(values, every=isinstance(goal, And) is positive)
            case ForAll() | Exists():
                values = self._instances(goal, bound, positive=positive)
                return self._joined(values, every=isinstance(goal, ForAll) is positive)
            case AtLeast(count):
                values = self._instances(goal, bound, positive=positive)
                return self._counted(values, count if positive else len(values) - count + 1)
            case _:
                return self._atom(ground(goal, bound), positive=positive)

    def _instances(
        self, goal: ForAll | Exists | AtLeast, bound: Mapping[str, int], *, positive: bool
    ) -> list[_Value]:
        nodes = [node for node in self._graph.nodes() if goal.domain.admits(node)]
        values = [
            self._written(goal.body, {**bound, goal.variable: node.id}, positive=positive)
            for node in nodes
        ]
        if not self._laws.strict and self._may_come_to_be(goal.domain):
            values += [True] * (goal.count if isinstance(goal, AtLeast) else 1)
        needed = goal.count if isinstance(goal, AtLeast) else 1
        if positive and not isinstance(goal, ForAll) and len(values) < needed:
            kind = _kind(goal.domain)
            told = f"is no {kind}" if not nodes else f"are {len(nodes)} ({kind}), not {needed},"
            self.reasons.append(f"there {told} in the scene")
        return values

    def _may_come_to_be(self, domain: Domain) -> bool:
        """Whether the engine may make such things, as slices, of others that there are."""
        wanted = domain.categories and {each.split()[0] for each in domain.categories | domain.also}
        return any(
            wanted is None or not wanted or node.category.split()[0] in wanted
            for node in self._graph.nodes(Kind.OBJECT)
        )

    def _joined(self, values: Sequence[_Value], *, every: bool) -> _Value:
        """The literal of a conjunction (every), or of a disjunction."""
        return self._counted(values, len(values) if every else 1)

    def _counted(self, values: Sequence[_Value], least: int) -> _Value:
        """The literal of: so many of these at least."""
        least -= sum(value is True for value in values)
        literals = [value for value in values if not isinstance(value, bool)]
        if least <= 0:
            return True
        if least > len(literals):
            return False
        if len(literals) == 1:
            return literals[0]
        variable = self._constraints.variable()
        self._constraints.at_least(literals, least, _GOAL, when=variable)
        return variable

    # --- facts -----------------------------------------------------------------------------------

    def _atom(self, atom: Atom, *, positive: bool) -> _Value:
        if self._laws.strict:
            now = satisfied(atom, self._graph)
            if positive and not now and not self._facts.can_become(atom):
                self.reasons.append(self._facts.reason(atom))
                return False
            if not positive and now and not self._facts.can_end(atom):
                self.reasons.append(f"{self._facts.told(atom)}, which no action ends")
                return False
            if positive and now and not self._facts.can_end(atom):
                return True
            if not positive and not now and not self._facts.can_become(atom):
                return True
        variable = self._variable(atom)
        return variable if positive else -variable

    def _variable(self, atom: Atom) -> int:
        if atom not in self._variables:
            self._variables[atom] = self._constraints.variable()
        return self._variables[atom]

    # --- rules of the world ----------------------------------------------------------------------

    def _keep_rules(self) -> None:
        enclosures = self._name_enclosures()
        for atom in enclosures:
            self._keep_inside(atom)
        self._keep_states()
        self._keep_places()

    def _name_enclosures(self) -> list[Related]:
        """All facts on what is inside what that those of the goal depend on."""
        reasons = len(self.reasons)
        known = -1
        while known != len(self._variables):
            known = len(self._variables)
            for atom in [each for each in self._variables if self._is_enclosure(each)]:
                assert isinstance(atom, Related)
                self._atom(replace(atom, direct=True), positive=True)
                for place in self._places_named(id_of(atom.source)):
                    if place.target != atom.target:
                        self._atom(replace(atom, source=place.target), positive=True)
        del self.reasons[reasons:]  # none of this is asked for
        return [a for a in self._variables if isinstance(a, Related) and self._is_enclosure(a)]

    def _is_enclosure(self, atom: Atom) -> bool:
        """Whether a fact is that a thing is inside a container, over supports."""
        if not isinstance(atom, Related) or atom.relation is not Relation.INSIDE or atom.direct:
            return False
        return atom.source != self._me and not is_area(self._graph, id_of(atom.target))

    def _keep_inside(self, atom: Related) -> None:
        """That what is inside a place is in it, or in or on something that is inside of it."""
        thing, inside = id_of(atom.source), self._variables[atom]
        ways = []
        directly = self._variables.get(replace(atom, direct=True))
        if directly:
            self._constraints.implies([directly], [inside], _INSIDE)
            ways.append(directly)
        if self._can.can_be_kept_within(thing, id_of(atom.target)):
            ways.append(self._constraints.variable(last=True))
        self._constraints.implies([inside], ways, _INSIDE)
        in_hand = Related(self._me, Relation.HOLDS, thing)
        if in_hand in self._variables and not satisfied(in_hand, self._graph):
            self._constraints.implies([inside, self._variables[in_hand]], [], _INSIDE)
        now = self._graph.places(thing)
        for place in self._places_named(thing):
            if (place.relation, place.target) == (Relation.INSIDE, atom.target):
                continue
            at, around = self._variables[place], self._around(place, atom)
            several = len(now) > 1 and (place.relation, place.target) in now
            if around is not True and not several:
                self._constraints.implies([inside, at], [around] if around else [], _INSIDE)
            if around:
                given = [at] if around is True else [at, around]
                self._constraints.implies(given, [inside], _INSIDE)

    def _around(self, place: Related, atom: Related) -> _Value:
        """Whether a place is itself inside what a thing is said to be inside of."""
        if place.target == atom.target:
            return False
        around = replace(atom, source=place.target)
        return self._variables.get(around) or satisfied(around, self._graph)

    def _keep_states(self) -> None:
        """That the states of a thing are some combination that its actions bring about."""
        named: dict[int, list[HasState]] = defaultdict(list)
        for atom in self._variables:
            if isinstance(atom, HasState):
                assert isinstance(atom.thing, int)
                named[atom.thing].append(atom)
        for thing, atoms in named.items():
            variables = [self._variables[atom] for atom in atoms]
            if self._graph[thing].kind is Kind.AGENT:
                postures = [v for a, v in zip(atoms, variables, strict=True) if a.state in POSTURES]
                if not self._graph[thing].states >= POSTURES:
                    self._constraints.at_most(postures, 1, _STATES)
                continue
            wanted = {tuple(a.state in s for a in atoms) for s in self._can.states(thing)}
            chosen = []
            for combination in sorted(wanted, reverse=True):
                one = self._constraints.variable()
                chosen.append(one)
                for variable, holds in zip(variables, combination, strict=True):
                    self._constraints.implies([one], [variable if holds else -variable], _STATES)
            self._constraints.at_least(chosen, 1, _STATES)

    def _keep_places(self) -> None:
        """That a thing is at one place or in hand; how much places and hands take."""
        at: dict[int, list[Related]] = defaultdict(list)
        kept: dict[int, list[int]] = defaultdict(list)
        held: list[int] = []
        for atom, variable in self._variables.items():
            if not isinstance(atom, Related):
                continue
            source, target = atom.source, atom.target
            assert isinstance(source, int)
            assert isinstance(target, int)
            if source == self._me and atom.relation is Relation.HOLDS:
                at[target].append(atom)
                held.append(variable)
            elif self._is_place(atom):
                at[source].append(atom)
                if Affordance.LIQUID not in self._graph[source].affordances:
                    kept[target].append(variable)
        for atoms in at.values():
            now = [atom for atom in atoms if satisfied(atom, self._graph)]
            new = [self._variables[atom] for atom in atoms if atom not in now]
            for some in [[*new, self._variables[atom]] for atom in now] or [new]:
                self._constraints.at_most(some, 1, _ONE_PLACE)
        body = self._laws.body
        for place, things in kept.items():
            node = self._graph[place]
            most = body.capacity.get(node.category)
            if most is not None:
                most = max(most, len(self._graph.contents(place)))
                rule = _CAPACITY.format(self._name(place), most)
                self._constraints.at_most(things, most, rule)
        hands = max(body.hands, len(self._graph.held(self._me)))
        self._constraints.at_most(held, hands, _HANDS.format(hands))

    def _places_named(self, thing: int) -> list[Related]:
        """The places that a thing may be at which the goal names."""
        return [
            atom
            for atom in self._variables
            if isinstance(atom, Related) and atom.source == thing and self._is_place(atom)
        ]

    def _is_place(self, atom: Related) -> bool:
        """Whether a fact is where a thing was put: not only the room, nor over supports."""
        if atom.source == self._me or atom.relation not in PLACEMENTS:
            return False
        if atom.relation is not Relation.INSIDE:
            return True
        return atom.direct and self._graph[id_of(atom.target)].kind not in (Kind.ROOM, Kind.SCENE)

    def _circle(self, values: frozenset[int]) -> list[int]:
        """The literals by which something is on or in itself, if something is."""
        above: dict[int, tuple[int, int]] = {}
        for atom, variable in self._variables.items():
            if variable in values and isinstance(atom, Related) and self._is_place(atom):
                assert isinstance(atom.source, int)
                assert isinstance(atom.target, int)
                if not satisfied(atom, self._graph) or atom.source not in above:
                    above[atom.source] = (atom.target, variable)
        for first in above:
            passed: list[int] = []
            thing = first
            while thing in above and len(passed) <= len(above):
                thing, variable = above[thing]
                passed.append(variable)
                if thing == first:
                    return passed
        return []


def _kind(domain: Domain) -> str:
    if domain.categories:
        return " or ".join(sorted(domain.categories))
    return "such thing"
