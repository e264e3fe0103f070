"""What injected planners do: look, go, and pursue a goal as `expert` does."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from peephole.planners.contract import Act, Brief, Decision, Done, GiveUp, Percept
from peephole.planners.expert import plan as pursue_goal
from peephole.scene_graph.goals import Goal
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, State
from peephole.scene_graph.task import Task
from peephole.skills.actions import Action, go_to, open_

from .tasks import WahGoal, asked_by, things

#: What an injected planner does; it gives the percept after its last action.
Doing = Generator[Decision, Percept, Percept]


def act(action: Action) -> Doing:
    return (yield Act(action))


def pursue(brief: Brief, percept: Percept, goal: Goal) -> Doing:
    """Bring a goal about as `expert` does; that it is done is not said."""
    decisions = pursue_goal(replace(brief, goal=goal), percept)
    decision = next(decisions)
    while not isinstance(decision, Done | GiveUp):
        percept = yield decision
        decision = decisions.send(percept)
    return percept


def truth(percept: Percept) -> SceneGraph:
    assert percept.truth is not None
    return percept.truth


def has_target(graph: SceneGraph, place: int, asked: WahGoal) -> bool:
    """Whether a place, or one that stands on it, keeps anything that is asked for."""
    wanted = {category for category, _ in asked.counts}
    inside = [place]
    for node_id in inside:
        inside += graph.contents(node_id)
    return any(graph[node_id].category in wanted for node_id in inside)


def places_without(percept: Percept, asked: WahGoal, room: int | None = None) -> list[int]:
    """Furniture that stands in its room by itself, at which nothing is that is asked for."""
    graph = truth(percept)
    return [
        node.id
        for node in graph.nodes(Kind.FIXTURE)
        if any(graph[place].kind is Kind.ROOM for _, place in graph.places(node.id))
        and (room is None or graph.room_of(node.id) == room)
        and not has_target(graph, node.id, asked)
    ]


def go(percept: Percept, place: int) -> Doing:
    """Go to a place, through its room where one is in another."""
    graph = truth(percept)
    room = graph.room_of(place)
    assert room is not None
    if room != graph.room_of(graph.agent().id):
        percept = yield from act(go_to(room))
    return (yield from act(go_to(place)))


def look_into(percept: Percept, place: int) -> Doing:
    percept = yield from go(percept, place)
    node = truth(percept)[place]
    if State.CLOSED in node.states and Affordance.OPENABLE in node.affordances:
        percept = yield from act(open_(place))
    return percept


def empty_room(percept: Percept, asked: WahGoal) -> int:
    """The room with the most furniture among those that the search is safe in."""
    graph = truth(percept)
    rooms = [
        room.id
        for room in graph.nodes(Kind.ROOM)
        if not any(
            graph[thing].category in {c for c, _ in asked.counts}
            for thing in graph.contents(room.id)
        )
    ]
    return max(rooms, key=lambda room: len(places_without(percept, asked, room)))


def bases(percept: Percept, asked: WahGoal) -> list[int]:
    """What keeps the things that are asked for, the innermost that can be gone to."""
    graph = truth(percept)
    found = []
    for category, _ in asked.counts:
        for node in things(graph, category):
            found += [place for _, place in graph.places(node.id)]
    return list(dict.fromkeys(found))


def other_category(percept: Percept, task: Task, number: int) -> str:
    """A category of things that can be carried and that nobody asked for."""
    graph, asked = truth(percept), asked_by(task)
    wanted = {category for category, _ in asked.counts}
    others = {
        node.category
        for node in graph.nodes(Kind.OBJECT)
        if Affordance.GRASPABLE in node.affordances
        and node.category not in wanted
        and not graph.contents(node.id)
        and not any(graph[place].category == asked.place for _, place in graph.places(node.id))
    }
    return sorted(others)[number]
