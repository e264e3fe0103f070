"""A planner that opens one area after the other, and notes what it believes and what it searched.

Every closed area may hold what is in sight nowhere, and what comes earlier in the alphabet is
likelier to.
"""

from __future__ import annotations

from typing import Any

from peephole.planners.contract import (
    Act,
    Brief,
    Decisions,
    Done,
    Grant,
    Note,
    Percept,
    Planner,
)
from peephole.scene_graph.node import Kind, State
from peephole.skills.actions import open_

_Belief = dict[str, dict[str, float]]


def plan(brief: Brief, percept: Percept) -> Decisions:
    assert brief.goal_things is not None
    wanted = [t.name for t in brief.goal_things.values() if t.category not in _areas(percept)][:4]
    belief = _belief(percept, wanted)
    while closed := _closed(percept):
        before, belief = belief, _belief(percept, wanted)
        goals = [{"weight": 0.75, "targets": {wanted[0]: "prep_surface", wanted[1]: "spice_shelf"}}]
        data: dict[str, Any] = {"before": before, "after": belief, "goals": goals}
        data |= {"survived": 0.875, "replenished": percept.step == 1}
        percept = yield Note("belief", "88% of the belief agrees", data)
        area = percept.view.graph[closed[0]].category
        branch = [
            {"action": f"open {area}", "observation": f"{wanted[0]} in {area}"},
            {"action": f"pick up {wanted[0]}", "observation": ""},
        ]
        percept = yield Note(
            "search",
            f"open {area}",
            {
                "action": f"open {area}",
                "value": 712.5,
                "lower": 700.0,
                "upper": 731.0,
                "simulations": 10,
                "nodes": 1234,
                "seconds": 0.021,
                "branch": branch,
            },
        )
        percept = yield Act(open_(closed[0]))
    yield Done("everything is open")


def _areas(percept: Percept) -> set[str]:
    return {node.category for node in percept.view.graph.nodes(Kind.FIXTURE)}


def _closed(percept: Percept) -> list[int]:
    graph = percept.view.graph
    closed = [n for n in graph.nodes(Kind.FIXTURE) if State.CLOSED in n.states]
    return [node.id for node in sorted(closed, key=lambda node: node.category)]


def _belief(percept: Percept, wanted: list[str]) -> _Belief:
    graph, closed = percept.view.graph, _closed(percept)
    found: _Belief = {}
    for name in wanted:
        seen = [n.id for n in graph.nodes(Kind.OBJECT) if percept.names.get(n.id) == name]
        places = [graph[p].category.replace(" ", "_") for s in seen for _, p in graph.places(s)]
        if places:
            found[name] = {places[0]: 1.0}
        else:
            areas = sorted(graph[area].category.replace(" ", "_") for area in closed)
            shares = [1 / (1 + place) for place in range(len(areas))]
            pairs = zip(areas, shares, strict=True)
            found[name] = {area: round(each / sum(shares), 3) for area, each in list(pairs)[:8]}
    return found


PLANNER = Planner(
    "searching", "opens everything", plan, grants=frozenset({Grant.GOAL}), dialects=("tru_pomdp",)
)
