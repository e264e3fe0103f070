"""The states in which a goal would hold: an exhaustive search among those the world could be in.

The goal is written out over the things there are, as truth values of single facts, and so is what
is known of every state that the agent can bring about: which facts no action brings about, that a
thing is put at one place at a time, how much a place and the hands take, which states a thing can
be in. Where no values keep all of that, the goal can never hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...scene_graph.goal_evaluation import satisfied
from ...scene_graph.goals import (
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
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import PLACEMENTS, POSTURES, Affordance, Kind, Node, Relation, State
from ...skills.actions import Verb
from ...skills.appliance_events import APPLIANCE_EVENTS
from .constraints import Answer, Constraints
from .laws import Attainable, Laws

#: A fact: of states and relations with the ids of things.
Atom = HasState | Related | EventOccurred | InOrder | MeasureInRange
#: A literal of the constraints, or what a fact always is.
_Value = int | bool
_GOAL = "the goal"
_ONE_PLACE = "a thing is at one place at a time"
_STATES = "the states that its own actions bring a thing into"
_INSIDE = "what is inside a place is in it, or in or on something there"
_HANDS = "the agent has {} hands"
_CAPACITY = "{} takes {} at a time"
_CYCLE = "nothing is on or in itself"
_VERBS = frozenset(Verb)


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
        self._me = self._can.me
        self._constraints = Constraints()
        self._variables: dict[Atom, int] = {}
        self.reasons: list[str] = []
        self.root = self._written(goal, {}, positive=True)
        if not isinstance(self.root, bool):
            self._constraints.at_least([self.root], 1, _GOAL)
        if laws.strict:
            self._keep_rules()

    def solve(self, limit: int) -> Answer:
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
                return self._atom(_ground(goal, bound), positive=positive)

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
            some = f"no {kind}" if not nodes else f"{len(nodes)} {kind}, not {needed}"
            self.reasons.append(f"there is {some} in the scene")
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
            if positive and not now and not self._can_become(atom):
                self.reasons.append(self._reason(atom))
                return False
            if not positive and now and not self._can_end(atom):
                self.reasons.append(f"{self._told(atom)}, which no action ends")
                return False
            if positive and now and not self._can_end(atom):
                return True
            if not positive and not now and not self._can_become(atom):
                return True
        variable = self._variable(atom)
        return variable if positive else -variable

    def _variable(self, atom: Atom) -> int:
        if atom not in self._variables:
            self._variables[atom] = self._constraints.variable()
        return self._variables[atom]

    def _can_become(self, atom: Atom) -> bool:
        match atom:
            case HasState(int(thing), state):
                if thing not in self._graph:
                    return False
                if self._graph[thing].kind is Kind.AGENT:
                    return thing == self._me and self._can.takes_posture(state)
                return any(state in states for states in self._can.states(thing))
            case Related(int(source), _, int(target)):
                there = source in self._graph and target in self._graph
                return there and self._can_relate(atom, source, target)
            case EventOccurred():
                return any(self._can_happen(name, atom) for name in atom.names)
            case InOrder(parts):
                return all(map(self._can_become, parts))
        return True

    def _can_relate(self, atom: Related, source: int, target: int) -> bool:
        can, relation = self._can, atom.relation
        if relation in (Relation.CLOSE, Relation.FACING):
            return self._me in (source, target)
        if source == self._me:
            match relation:
                case Relation.HOLDS:
                    return can.can_be_held(target)
                case Relation.ON:
                    return can.can_be_on(target)
            return relation is Relation.INSIDE
        if relation not in PLACEMENTS:
            return False
        if relation is Relation.INSIDE and not atom.direct:
            if self._is_area(target):
                return can.is_loose(source)
            return can.can_be_put(source, relation, target) or (
                can.is_loose(source) and can.can_be_kept_within(source, target)
            )
        return can.can_be_put(source, relation, target)

    def _can_end(self, atom: Atom) -> bool:
        match atom:
            case HasState(int(thing), state) if self._graph[thing].kind is not Kind.AGENT:
                return any(state not in states for states in self._can.states(thing))
            case Related(int(source), relation, int(target)) if relation in PLACEMENTS:
                return source == self._me or self._can.is_loose(source)
            case Related(int(source), _, int(target)):
                return True
        return True

    def _can_happen(self, name: str, event: EventOccurred) -> bool:
        things = [thing for thing in event.things if isinstance(thing, int)]
        if any(thing not in self._graph for thing in things):
            return False
        if name in APPLIANCE_EVENTS:
            affordance, verb = APPLIANCE_EVENTS[name]
            devices = (affordance in node.affordances for node in self._graph.nodes())
            return verb in self._laws.verbs and any(devices)
        if name not in _VERBS:
            return True
        first = event.things[0] if event.things else None
        return self._can.can_be_done(Verb(name), first if isinstance(first, int) else None)

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
                for place in self._places_named(_id(atom.source)):
                    if place.target != atom.target:
                        self._atom(replace(atom, source=place.target), positive=True)
        del self.reasons[reasons:]  # none of this is asked for
        return [a for a in self._variables if isinstance(a, Related) and self._is_enclosure(a)]

    def _is_enclosure(self, atom: Atom) -> bool:
        """Whether a fact is that a thing is inside a container, over supports."""
        if not isinstance(atom, Related) or atom.relation is not Relation.INSIDE or atom.direct:
            return False
        return atom.source != self._me and not self._is_area(_id(atom.target))

    def _keep_inside(self, atom: Related) -> None:
        """That what is inside a place is in it, or in or on something that is inside of it."""
        thing, inside = _id(atom.source), self._variables[atom]
        ways = []
        directly = self._variables.get(replace(atom, direct=True))
        if directly:
            self._constraints.implies([directly], [inside], _INSIDE)
            ways.append(directly)
        if self._can.can_be_kept_within(thing, _id(atom.target)):
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
                if not POSTURES <= self._graph[thing].states:
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
        return atom.direct and self._graph[_id(atom.target)].kind not in (Kind.ROOM, Kind.SCENE)

    def _is_area(self, place: int) -> bool:
        """Whether a place keeps things by what stands in it, as a room does."""
        node = self._graph.get(place)
        return node is not None and not node.affordances & {
            Affordance.CONTAINER,
            Affordance.RECIPIENT,
        }

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
            passed, thing = [], first
            while thing in above and len(passed) <= len(above):
                thing, variable = above[thing]
                passed.append(variable)
                if thing == first:
                    return passed
        return []

    # --- words -----------------------------------------------------------------------------------

    def _reason(self, atom: Atom) -> str:
        """Why a fact cannot come to be."""
        told = self._told(atom)
        missing = [
            thing
            for thing in _things(atom)
            if thing not in self._graph
        ]
        if missing:
            return f"thing {missing[0]} is not in the scene"
        match atom:
            case HasState(int(thing), state):
                return f"no action makes {self._name(thing)} {_word(state)}"
            case Related(source, Relation.HOLDS, int(target)) if source == self._me:
                return f"{self._name(target)} cannot be picked up"
            case Related(int(source), relation, int(target)) if source != self._me:
                return self._place_reason(source, relation, target, told)
            case EventOccurred():
                return f"nothing there lets it happen: {told}"
        return f"no action brings about: {told}"

    def _place_reason(self, source: int, relation: Relation, target: int, told: str) -> str:
        can, thing, place = self._can, self._name(source), self._name(target)
        if not can.is_handled(source):
            return f"{thing} cannot be picked up"
        if source == target:
            return f"{thing} cannot be put {relation} itself"
        if not self._laws.body.may_put(self._graph[source].category, self._graph[target].category):
            return f"{place} does not take {thing}"
        if relation in PLACEMENTS:
            return f"nothing can be put {relation} {place}"
        return f"no action brings about: {told}"

    def _told(self, atom: Atom) -> str:
        from ...scene_graph.goal_text import describe

        return describe(atom, self._name)


def _id(term: Term) -> int:
    assert isinstance(term, int), "facts are ground"
    return term


def _word(state: State) -> str:
    return state.replace("_", " ")


def _kind(domain: Domain) -> str:
    if domain.categories:
        return " or ".join(sorted(domain.categories))
    return "such thing"


def _things(atom: Atom) -> Iterable[int]:
    match atom:
        case HasState(thing, _):
            terms: Iterable[Term | None] = (thing,)
        case Related(source, _, target):
            terms = (source, target)
        case MeasureInRange(_, things, _, _) | EventOccurred(_, things, _):
            terms = things
        case InOrder(parts):
            return [thing for part in parts for thing in _things(part)]
    return [term for term in terms if isinstance(term, int)]


def _ground(goal: Atom, bound: Mapping[str, int]) -> Atom:
    """A fact with things in the places of its variables."""

    def term(found: Term) -> Term:
        return found if isinstance(found, int) else bound[found]

    def event(found: EventOccurred) -> EventOccurred:
        return replace(found, things=tuple(None if t is None else term(t) for t in found.things))

    match goal:
        case HasState(thing, _):
            return replace(goal, thing=term(thing))
        case Related(source, _, target):
            return replace(goal, source=term(source), target=term(target))
        case MeasureInRange(_, things, _, _):
            return replace(goal, things=tuple(map(term, things)))
        case InOrder(parts):
            return InOrder(tuple(map(event, parts)))
    return event(goal)
