"""The limits of a robot: what is never sent to it."""

from __future__ import annotations

from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Kind
from ...skills.actions import Action
from ...skills.outcomes import Failure, Reason
from .fields import position_of
from .mapping import Limits


def forbidden(limits: Limits, action: Action, graph: SceneGraph) -> Failure | None:
    """Why the limits forbid an action, or None. What is at an unknown position is out of bounds."""
    if action.verb in limits.forbidden:
        return Failure(Reason.DENIED, action.target, f"the robot's file forbids {action.verb}")
    box = limits.workspace
    if box is None:
        return None
    held = graph.held(graph.agent().id)
    for thing in action.things:
        position = position_of(graph, thing)
        if position is None:
            is_in = thing in held or graph[thing].kind is Kind.ROOM
        else:
            sides = zip(box.min, position, box.max, strict=True)
            is_in = all(low <= at <= high for low, at, high in sides)
        if not is_in:
            return Failure(Reason.OUT_OF_BOUNDS, thing)
    return None
