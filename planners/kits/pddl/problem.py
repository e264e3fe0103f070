"""Problems in the domain of planners on scene graphs: as data, as text, and of a scene graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Relation, State
from ....scene_graph.s_expressions import Expression, render
from . import domain

#: A fact: a predicate and its arguments.
Fact = tuple[str, ...]

_RELATIONS = {Relation.ON: domain.ON, Relation.INSIDE: domain.INSIDE}


@dataclass(frozen=True)
class Problem:
    """Rooms and things by name, the facts at the start, and the goal. All are in order."""

    rooms: tuple[str, ...]
    things: tuple[str, ...]
    facts: tuple[Fact, ...]
    goal: Expression

    def text(self) -> str:
        """The problem in PDDL."""
        lines = [f"(define (problem task) (:domain {domain.NAME})", "  (:objects"]
        for names, type_ in ((self.rooms, domain.ROOM), (self.things, domain.THING)):
            if names:
                lines.append(f"    {' '.join(names)} - {type_}")
        lines[-1] += ")"
        facts = "\n    ".join(f"({' '.join(fact)})" for fact in self.facts)
        return "\n".join([*lines, f"  (:init\n    {facts})", f"  (:goal {render(self.goal)}))"])


def without_negated_places(problem: Problem) -> Problem:
    """The problem with opposite predicates instead of `not` in its goal."""
    negated: list[Fact] = []

    def rewritten(goal: Expression) -> Expression:
        match goal:
            case ["not", [str(word), *terms]] if word in domain.OPPOSITES:
                atom = (word, *map(str, terms))
                negated.append(atom)
                return [domain.OPPOSITES[word], *terms]
            case ["and" | "or", *parts]:
                return [goal[0], *map(rewritten, parts)]
        return goal

    goal = rewritten(problem.goal)
    facts = {*problem.facts}
    opposites = [(domain.OPPOSITES[fact[0]], *fact[1:]) for fact in negated if fact not in facts]
    return replace(problem, goal=goal, facts=(*problem.facts, *dict.fromkeys(opposites)))


def alternatives(goal: Expression) -> int:
    """The number of conjunctions in the disjunctive form of a goal without quantifiers."""
    match goal:
        case ["and", *parts]:
            return prod(map(alternatives, parts))
        case ["or", *parts]:
            return sum(map(alternatives, parts))
    return 1


def facts_of(graph: SceneGraph, name: Callable[[int], str], agent: int) -> Iterator[Fact]:
    """Yield the facts of a graph as seen by an agent.

    name: of a node, in PDDL. Nodes without a known place, and their contents, have no fact of a
    place.
    """
    room = graph.room_of(agent)
    if room is not None:
        yield domain.ROBOT_IN, name(room)
    held = graph.held(agent)
    if not held:
        yield (domain.HAND_EMPTY,)
    for node in things_of(graph, agent):
        yield from ((word, name(node)) for word in _nature(graph, node))
        if node in held:
            yield domain.HOLDS, name(node)
        else:
            place = _place(graph, node)
            if place is not None:
                yield place[0], name(node), name(place[1])


def things_of(graph: SceneGraph, agent: int) -> list[int]:
    """List the things of problems: furniture and objects that nobody else holds or wears."""
    me = {agent}
    return [
        node.id
        for node in graph.nodes()
        if node.kind in (Kind.FIXTURE, Kind.OBJECT)
        and (graph.holder(node.id) in (None, agent))
        and not any(
            graph[place].kind is Kind.AGENT and place not in me for place in graph.above(node.id)
        )
    ]


def _nature(graph: SceneGraph, node_id: int) -> Iterator[str]:
    """The predicates for the affordances and states of a node."""
    node = graph[node_id]
    for word, affordance in domain.AFFORDANCES.items():
        unplugged = affordance is Affordance.SWITCHABLE and State.PLUGGED_OUT in node.states
        if affordance in node.affordances and not unplugged:
            yield word
    if State.CLOSED in node.states:
        yield domain.CLOSED
    if State.ON in node.states:
        yield domain.RUNNING


def _place(graph: SceneGraph, node_id: int) -> tuple[str, int] | None:
    """The predicate and the name for where a node is.

    Of several places it is the innermost one. A node under or attached to a thing is inside the
    nearest container around it, or else in the room by itself. So is furniture on other furniture.
    """
    room = graph.room_of(node_id)
    if room is None or graph.holder(node_id) is not None:
        return None
    places = [
        (how, place)
        for how, place in graph.places(node_id)
        if graph[place].kind in (Kind.FIXTURE, Kind.OBJECT)
    ]
    if graph[node_id].kind is not Kind.FIXTURE:
        outer = {above for _, place in places for above in graph.above(place)}
        for how, place in places:
            if place not in outer and how in _RELATIONS:
                return _RELATIONS[how], place
    around = _container_around(graph, node_id)
    return (domain.OBJECT_ROOM, room) if around is None else (domain.INSIDE, around)


def _container_around(graph: SceneGraph, node_id: int) -> int | None:
    """The nearest openable thing that a node is inside of."""
    for place in graph.above(node_id):
        if Affordance.OPENABLE in graph[place].affordances and graph.is_inside(node_id, place):
            return place
    return None
