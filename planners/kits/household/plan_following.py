"""What planners that follow a plan need: whether it is still valid, and where to go first."""

from __future__ import annotations

from collections.abc import Sequence

from ....observation_text.view import View
from ....scene_graph.events import Event
from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Goal
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Relation
from ....skills.actions import Action, go_to, stand_up
from ....skills.appliance_events import events_of
from ....skills.dynamics import SIGHT_VERBS, bases, step
from ....skills.embodiment import Embodiment


def is_valid_plan(
    actions: Sequence[Action],
    goal: Goal,
    graph: SceneGraph,
    body: Embodiment,
    agent: int | None = None,
    events: Sequence[Event] = (),
) -> bool:
    """Whether a plan can be carried out from a graph on, and the goal holds at its end.

    events: what has happened before, oldest first.
    """
    after = graph.copy()
    happened = list(events)
    for action in actions:
        new_events = events_of(after, action, len(happened) + 1)
        if step(after, action, body, agent) is not None:
            return False
        happened += new_events
    return satisfied(goal, after, happened)


def walk_into_sight(action: Action, view: View, graph: SceneGraph, agent: int) -> Action | None:
    """The action that brings the target of a look into view; None where nothing has to be done.

    graph: where things are, as far as the planner knows. Only verbs that need their target in sight
    are concerned, such as look and turn_to.
    """
    target = action.target
    if (
        action.verb not in SIGHT_VERBS
        or target is None
        or target in view.graph
        or target not in graph
    ):
        return None
    for base in bases(graph, target):
        if not graph.has_edge(agent, Relation.CLOSE, base):
            return walk_to(graph, base, agent)[0]
    return None


def walk_to(graph: SceneGraph, place: int, agent: int) -> list[Action]:
    """The actions of going to a place: standing up first where the agent sits or lies."""
    resting = not POSTURES.isdisjoint(graph[agent].states)
    return [*([stand_up()] if resting else []), go_to(place)]
