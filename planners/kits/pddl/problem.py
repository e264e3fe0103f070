"""Problems in the domain of planners on scene graphs: as data, as text, and of a scene graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, Relation, State
from ....scene_graph.s_expressions import Expression, render, words
from . import domain

#: A fact: a predicate and its arguments.
Fact = tuple[str, ...]

_RELATIONS = {Relation.ON: domain.ON, Relation.INSIDE: domain.INSIDE}
_QUANTIFIERS = {"forall", "exists"}
_PLACES = {domain.ON, domain.INSIDE, domain.OBJECT_ROOM}


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
    return [
        node.id
        for node in graph.nodes()
        if node.kind in (Kind.FIXTURE, Kind.OBJECT)
        and graph.holder(node.id) in (None, agent)
        and not any(
            graph[place].kind is Kind.AGENT and place != agent for place in graph.above(node.id)
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
    for place in graph.above(node_id):
        if Affordance.OPENABLE in graph[place].affordances and graph.is_inside(node_id, place):
            return domain.INSIDE, place
    return domain.OBJECT_ROOM, room


# --- the part that plans need ---------------------------------------------------------------------


def relevant_part(problem: Problem) -> Problem:
    """The part of a problem that its plans need; it has a plan if the whole has one.

    It has the things of the goal, held things, everything that keeps one of these at any depth, and
    their rooms. For each such room it has one piece of furniture that the goal does not name, for
    temporary puts.
    A goal with quantifiers concerns everything, so its problem stays whole.
    """
    # A cheapest plan of the part is a cheapest plan of the whole. It is a plan of the whole, since
    # no action needs that something is absent. The reverse: any plan of the whole gives one of the
    # part that is no longer. Leave out the steps with things outside the part, and put things down
    # on the spare furniture of the same room. This changes only places that the goal leaves open.
    # One exception: a plan that carries a thing outside the part to another room with something
    # on it. It saves at most the two walks between the rooms for each such thing, and needs one
    # more put and pick.
    named = set(words(problem.goal))
    if named & _QUANTIFIERS:
        return problem
    keepers: dict[str, list[str]] = {}
    held: list[str] = []
    for predicate, *terms in problem.facts:
        if predicate in _PLACES:
            keepers.setdefault(terms[0], []).append(terms[1])
        elif predicate == domain.HOLDS:
            held.append(terms[0])
    kept = _with_keepers([*held, *named.intersection(problem.things)], keepers)
    robot_in = [fact[1] for fact in problem.facts if fact[0] == domain.ROBOT_IN]
    rooms = (kept | named | {*robot_in}).intersection(problem.rooms)
    kept |= _spare_places(problem, rooms, named)
    rooms |= _with_keepers(kept, keepers).intersection(problem.rooms)
    kept |= rooms
    return Problem(
        tuple(room for room in problem.rooms if room in rooms),
        tuple(thing for thing in problem.things if thing in kept),
        tuple(fact for fact in problem.facts if all(term in kept for term in fact[1:])),
        problem.goal,
    )


def _with_keepers(things: Iterable[str], keepers: dict[str, list[str]]) -> set[str]:
    """Things with all that keeps them, up to their rooms."""
    kept = dict.fromkeys(things)
    todo = list(kept)
    for thing in todo:  # grows during the loop
        for keeper in keepers.get(thing, ()):
            if keeper not in kept:
                kept[keeper] = None
                todo.append(keeper)
    return {*kept}


def _spare_places(problem: Problem, rooms: set[str], named: set[str]) -> set[str]:
    """For each room its first spare furniture; another room's if it has none."""
    facts = {*problem.facts}
    spare: dict[str, str] = {}
    for predicate, *terms in problem.facts:
        if (
            predicate == domain.OBJECT_ROOM
            and terms[0] not in named
            and ("surface", terms[0]) in facts
            and ("graspable", terms[0]) not in facts
        ):
            spare.setdefault(terms[1], terms[0])
    there = {spare[room] for room in rooms if room in spare}
    return there or {*list(spare.values())[:1]}
