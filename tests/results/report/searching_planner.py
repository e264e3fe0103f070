"""A planner that opens one area after the other, and notes what it believes and what it searched.

It believes in granola and oats, which may be in any closed area, the likelier the earlier that
comes in the alphabet, and in a cookie jar on the display surface.
"""

from __future__ import annotations

from typing import Any

from peephole.planners.contract import (
    Act,
    Brief,
    Decisions,
    Done,
    Note,
    Percept,
    Planner,
)
from peephole.scene_graph.node import Kind, State
from peephole.skills.actions import open_

_Belief = dict[str, dict[str, float]]


def plan(brief: Brief, percept: Percept) -> Decisions:
    belief = _belief(percept)
    while closed := _closed(percept):
        before, belief = belief, _belief(percept)
        goals = [{"weight": 0.75, "targets": {"cookie_jar": "prep_surface", "oats": "spice_shelf"}}]
        data: dict[str, Any] = {"before": before, "after": belief, "goals": goals}
        data |= {"survived": 0.875, "replenished": percept.step == 1}
        percept = yield Note("belief", "88% of the belief agrees", data)
        area = percept.view.graph[closed[0]].category
        branch = [
            {"action": f"open {area}", "observation": f"oats in {area}"},
            {"action": "pick up oats", "observation": ""},
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


def _closed(percept: Percept) -> list[int]:
    graph = percept.view.graph
    closed = [n for n in graph.nodes(Kind.FIXTURE) if State.CLOSED in n.states]
    return [node.id for node in sorted(closed, key=lambda node: node.category)]


def _belief(percept: Percept) -> _Belief:
    closed = [percept.view.graph[area].category.replace(" ", "_") for area in _closed(percept)]
    shares = [1 / (1 + place) for place in range(len(closed))]
    likely = {
        area: round(share / sum(shares), 3)
        for area, share in list(zip(closed, shares, strict=True))[:8]
    }
    return {"cookie_jar": {"display_surface": 1.0}, "granola": likely, "oats": likely}


PLANNER = Planner("searching", "opens everything", plan, dialects=("tru_pomdp",))
