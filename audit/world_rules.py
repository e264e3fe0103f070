"""Rules of every state that an agent can cause, as constraints over the named facts.

An object is at one place at a time, and what is inside a place is kept by something in it. Hands
and places have a capacity, and nothing is on or in itself.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from ..scene_graph.goal_evaluation import satisfied
from ..scene_graph.goals import HasState, Related
from ..scene_graph.node import POSTURES, Affordance, Kind, Relation
from .facts import Atom, id_of, is_area
from .literals import Literals, Value

_ONE_PLACE = "a thing is at one place at a time"
_STATES = "a thing is in a state that actions bring it into"
_INSIDE = "what is inside a place is in it, or in or on something there"
_HANDS = "the agent has {} hands"
_CAPACITY = "{} takes {} at a time"
NOT_IN_ITSELF = "nothing is on or in itself"


def keep_world_rules(literals: Literals) -> None:
    """Add all rules but that nothing is on or in itself: see circle_of_places."""
    for atom in _name_enclosures(literals):
        _keep_inside(literals, atom)
    _keep_states(literals)
    _keep_places(literals)


def _name_enclosures(literals: Literals) -> list[Related]:
    """All facts about enclosures on which those of the goal depend."""
    reasons = len(literals.reasons)
    known = -1
    while known != len(literals.variables):
        known = len(literals.variables)
        for atom in [each for each in literals.variables if _is_enclosure(literals, each)]:
            assert isinstance(atom, Related)
            literals.of(replace(atom, direct=True), positive=True)
            for place in literals.places_of(id_of(atom.source)):
                if place.target != atom.target:
                    literals.of(replace(atom, source=place.target), positive=True)
    del literals.reasons[reasons:]  # the goal asks for none of these
    return [a for a in literals.variables if isinstance(a, Related) and _is_enclosure(literals, a)]


def _is_enclosure(literals: Literals, atom: Atom) -> bool:
    """Whether a fact says that an object is inside a container, over supports."""
    if not isinstance(atom, Related) or atom.relation is not Relation.INSIDE or atom.direct:
        return False
    return atom.source != literals.can.me and not is_area(literals.graph, id_of(atom.target))


def _keep_inside(literals: Literals, atom: Related) -> None:
    """Require that what is inside a place is in it, or in or on something inside it."""
    thing, inside = id_of(atom.source), literals.variables[atom]
    ways = []
    directly = literals.variables.get(replace(atom, direct=True))
    if directly:
        literals.constraints.implies([directly], [inside], _INSIDE)
        ways.append(directly)
    if literals.can.can_be_kept_within(thing, id_of(atom.target)):
        ways.append(literals.constraints.variable(last=True))
    literals.constraints.implies([inside], ways, _INSIDE)
    in_hand = Related(literals.can.me, Relation.HOLDS, thing)
    if in_hand in literals.variables and not satisfied(in_hand, literals.graph):
        literals.constraints.implies([inside, literals.variables[in_hand]], [], _INSIDE)
    now = literals.graph.places(thing)
    for place in literals.places_of(thing):
        if (place.relation, place.target) == (Relation.INSIDE, atom.target):
            continue
        at, around = literals.variables[place], _around(literals, place, atom)
        several = len(now) > 1 and (place.relation, place.target) in now
        if around is not True and not several:
            literals.constraints.implies([inside, at], [around] if around else [], _INSIDE)
        if around:
            given = [at] if around is True else [at, around]
            literals.constraints.implies(given, [inside], _INSIDE)


def _around(literals: Literals, place: Related, atom: Related) -> Value:
    """Whether a place is itself inside the container of a fact."""
    if place.target == atom.target:
        return False
    around = replace(atom, source=place.target)
    return literals.variables.get(around) or satisfied(around, literals.graph)


def _keep_states(literals: Literals) -> None:
    """Require that the states of an object are a combination that its actions cause."""
    named: dict[int, list[HasState]] = defaultdict(list)
    for atom in literals.variables:
        if isinstance(atom, HasState):
            named[id_of(atom.thing)].append(atom)
    for thing, atoms in named.items():
        variables = [literals.variables[atom] for atom in atoms]
        if literals.graph[thing].kind is Kind.AGENT:
            postures = [v for a, v in zip(atoms, variables, strict=True) if a.state in POSTURES]
            if not literals.graph[thing].states >= POSTURES:
                literals.constraints.at_most(postures, 1, _STATES)
            continue
        wanted = {tuple(a.state in s for a in atoms) for s in literals.can.states(thing)}
        chosen = []
        for combination in sorted(wanted, reverse=True):
            one = literals.constraints.variable()
            chosen.append(one)
            for variable, holds in zip(variables, combination, strict=True):
                literals.constraints.implies([one], [variable if holds else -variable], _STATES)
        literals.constraints.at_least(chosen, 1, _STATES)


def _keep_places(literals: Literals) -> None:
    """Require one place or hand for each object, and the capacity of places and hands."""
    at: dict[int, list[Related]] = defaultdict(list)
    kept: dict[int, list[int]] = defaultdict(list)
    held: list[int] = []
    for atom, variable in literals.variables.items():
        if not isinstance(atom, Related):
            continue
        source, target = id_of(atom.source), id_of(atom.target)
        if source == literals.can.me and atom.relation is Relation.HOLDS:
            at[target].append(atom)
            held.append(variable)
        elif literals.is_place(atom):
            at[source].append(atom)
            if Affordance.LIQUID not in literals.graph[source].affordances:
                kept[target].append(variable)
    for atoms in at.values():
        now = [atom for atom in atoms if satisfied(atom, literals.graph)]
        new = [literals.variables[atom] for atom in atoms if atom not in now]
        for some in [[*new, literals.variables[atom]] for atom in now] or [new]:
            literals.constraints.at_most(some, 1, _ONE_PLACE)
    body = literals.laws.body
    for place, things in kept.items():
        node = literals.graph[place]
        most = body.capacity.get(node.category)
        if most is not None:
            most = max(most, len(literals.graph.contents(place)))
            rule = _CAPACITY.format(literals.name(place), most)
            literals.constraints.at_most(things, most, rule)
    hands = max(body.hands, len(literals.graph.held(literals.can.me)))
    literals.constraints.at_most(held, hands, _HANDS.format(hands))


def circle_of_places(literals: Literals, values: frozenset[int]) -> list[int]:
    """The literals by which something is on or in itself, if any."""
    above: dict[int, tuple[int, int]] = {}
    for atom, variable in literals.variables.items():
        if variable in values and isinstance(atom, Related) and literals.is_place(atom):
            source = id_of(atom.source)
            if not satisfied(atom, literals.graph) or source not in above:
                above[source] = (id_of(atom.target), variable)
    for first in above:
        passed: list[int] = []
        thing = first
        while thing in above and len(passed) <= len(above):
            thing, variable = above[thing]
            passed.append(variable)
            if thing == first:
                return passed
    return []
