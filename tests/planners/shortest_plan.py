"""Shortest plans as lists of actions."""

from __future__ import annotations

from peephole.planners.kits.household.search import find_plan
from peephole.scene_graph.goals import Goal
from peephole.scene_graph.graph import SceneGraph
from peephole.skills.actions import Action, Verb
from peephole.skills.embodiment import Embodiment


def shortest_plan(
    graph: SceneGraph,
    goal: Goal,
    body: Embodiment,
    actions: frozenset[Verb],
    agent: int | None = None,
    limit: int = 1000,
) -> list[Action] | None:
    """The actions of `find_plan`, or None."""
    plan = find_plan(graph, goal, body, actions, agent, limit).actions
    return None if plan is None else list(plan)
