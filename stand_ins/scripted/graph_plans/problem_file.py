"""A problem file in PDDL for a told graph: what the graph says, and a goal for an instruction.

The goal is what is different after a plan that is imagined on the graph: where things are that were
moved, and how things are whose state the instruction speaks of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Relation, State
from ....skills.actions import Verb
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from ..household.requirements import YOU, Requirement, Table, requirements_of
from .imagination import plan_on
from .told_graph import ToldGraph

_VERBS = frozenset(
    {
        Verb.GO_TO,
        Verb.PICK_UP,
        Verb.PUT,
        Verb.OPEN,
        Verb.CLOSE,
        Verb.TURN_ON,
        Verb.TURN_OFF,
        Verb.LOOK,
    }
)
_PLACES = {Relation.ON: "ontop", Relation.INSIDE: "inside"}
_STATES = {
    State.CLOSED: "(closed {})",
    State.OPEN: "(not (closed {}))",
    State.ON: "(on-state {})",
    State.OFF: "(not (on-state {}))",
}
_AFFORDANCES = (
    Affordance.GRASPABLE,
    Affordance.SURFACE,
    Affordance.CONTAINER,
    Affordance.OPENABLE,
    Affordance.SWITCHABLE,
)


def problem_file(told: ToldGraph, instruction: str, table: Table, body: Embodiment) -> str:
    """The problem file."""
    before = _standing(told.graph)
    sayable = {key: tuple(filter(_has_words, required)) for key, required in table.items()}
    actions, _ = plan_on(replace(told, graph=before), instruction, sayable, body, _VERBS)
    after = before.copy()
    for action in actions:
        step(after, action, body)
    used = {thing for action in actions for thing in action.things}
    requirements = requirements_of(table, instruction) or ()
    me = before.agent().id
    goal: list[str] = []
    named = {*before.held(me)}
    room = after.room_of(me)
    if room is not None and any(_is_to_be_in(told, room, required) for required in requirements):
        goal.append(f"(robot-in {told.told(room)})")
        named.add(room)
    for thing in _things(before):
        if thing in used:
            states = _wanted_states(told, after, thing, requirements)
            found = [*_wanted(told, after, thing), *states]
            goal += found
            named |= {thing, *(place for _, place in after.places(thing))} if found else set()
    kept = _with_surroundings(before, named)
    things = [told.told(thing) for thing in _things(before) if thing in kept]
    rooms = [told.told(room) for room in before.room_ids if room in kept]
    facts = "\n    ".join(_facts(told, kept))
    return "\n".join(
        [
            "(define (problem task) (:domain instruction-following)",
            f"  (:objects\n    {' '.join(rooms)} - room\n    {' '.join(things)} - thing)",
            f"  (:init\n    {facts})",
            f"  (:goal (and {' '.join(goal)})))",
        ]
    )


def _standing(graph: SceneGraph) -> SceneGraph:
    """A graph whose agent does not sit or lie: getting up is not what is asked for."""
    standing = graph.copy()
    agent = graph.agent()
    standing.replace_node(replace(agent, states=agent.states - POSTURES))
    return standing


def _has_words(required: Requirement) -> bool:
    """Whether problem files have words for a requirement, as they have none for plugs."""
    return required.relation != "state" or required.state in {str(state) for state in _STATES}


def _things(graph: SceneGraph) -> list[int]:
    return [node.id for node in graph.nodes() if node.kind in (Kind.FIXTURE, Kind.OBJECT)]


# --- the goal ------------------------------------------------------------------------------------


def _is_to_be_in(told: ToldGraph, room: int, required: Requirement) -> bool:
    """Whether the agent is to be in such a room in the end."""
    thing, place = required.thing, required.place
    if thing is None or place is None or required.relation != "inside":
        return False
    return YOU in thing.categories and told.graph[room].category in place.categories


def _wanted(told: ToldGraph, after: SceneGraph, thing: int) -> Iterator[str]:
    """Where a thing is to be."""
    before, name = told.graph, told.told(thing)
    if after.holder(thing) is not None:
        yield f"(agent-hold {name})"
    elif after.places(thing) != before.places(thing) or before.holder(thing) is not None:
        for relation, place in after.places(thing):
            if relation in _PLACES:
                yield f"({_PLACES[relation]} {name} {told.told(place)})"


def _wanted_states(
    told: ToldGraph, after: SceneGraph, thing: int, requirements: Iterable[Requirement]
) -> Iterator[str]:
    """How a thing is to be, as far as the instruction speaks of it."""
    node = after[thing]
    for required in requirements:
        kinds = () if required.thing is None else required.thing.categories
        if required.relation == "state" and node.category in kinds:
            for state in node.states:
                if str(state) == required.state and state in _STATES:
                    yield _STATES[state].format(told.told(thing))


# --- the scene -----------------------------------------------------------------------------------


def _with_surroundings(graph: SceneGraph, named: set[int]) -> set[int]:
    """Things with all that keeps them, and in each room one more asset to put things on."""
    kept = {each for thing in named for each in (thing, *graph.above(thing))}
    here = graph.room_of(graph.agent().id)
    kept |= set() if here is None else {here}
    for room in kept.intersection(graph.room_ids):
        for node in graph.nodes(Kind.FIXTURE):
            free = node.id not in named and graph.room_of(node.id) == room
            if free and Affordance.SURFACE in node.affordances:
                kept.add(node.id)
                break
    return kept


def _facts(told: ToldGraph, kept: set[int]) -> Iterator[str]:
    graph = told.graph
    me = graph.agent().id
    here = graph.room_of(me)
    if here is not None:
        yield f"(robot-in {told.told(here)})"
    held = graph.held(me)
    if not held:
        yield "(hand-empty)"
    for thing in _things(graph):
        if thing in kept:
            yield " ".join(_facts_of(told, thing, held=thing in held))


def _facts_of(told: ToldGraph, thing: int, *, held: bool) -> Iterator[str]:
    graph, name = told.graph, told.told(thing)
    node = graph[thing]
    yield from (f"({can} {name})" for can in _AFFORDANCES if can in node.affordances)
    if State.CLOSED in node.states:
        yield f"(closed {name})"
    if State.ON in node.states:
        yield f"(on-state {name})"
    if held:
        yield f"(agent-hold {name})"
        return
    for relation, place in graph.places(thing):
        if relation in _PLACES and graph[place].kind in (Kind.FIXTURE, Kind.OBJECT):
            yield f"({_PLACES[relation]} {name} {told.told(place)})"
            return
    room = graph.room_of(thing)
    if room is not None:
        yield f"(object-room {name} {told.told(room)})"
