"""Verification of plans: executed on the graph that they were made for, before the robot moves.

This is the scene graph simulator of SayPlan (Rana et al., 2023). It explains to the model why the
first impossible step is impossible. The graph is the planner's granted one, never the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....models.contract import Unusable
from ....observation_text.dialects.lookplangraph.dialect import failure_text
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind
from ....skills.actions import Action, Verb
from ....skills.embodiment import Embodiment
from ....skills.outcomes import Failure, Reason
from .names import NodeNames
from .plan_language import ImaginedRun, PlanCall, PlanLanguage


@dataclass(frozen=True)
class PlanProblem:
    """Why a plan cannot be executed.

    step: the first impossible step, from 1. sentence: for the model, in its names. reason: why the
    action is impossible; None for a call that cannot be read.
    """

    step: int
    sentence: str
    reason: Reason | None = None


def verify(
    plan: Sequence[str], language: PlanLanguage, graph: SceneGraph, body: Embodiment
) -> list[Action] | PlanProblem:
    """The actions of a plan if each is possible in its turn, else its first problem."""
    run = ImaginedRun(graph, body, language.placing)
    actions: list[Action] = []
    for number, text in enumerate(plan, start=1):
        try:
            calls = language.calls([text])
        except Unusable as error:
            return PlanProblem(number, f"Step {number} cannot be read. {error}")
        if not calls:
            break
        why = _misuse(calls[0], language, run.graph)
        if why is not None:
            return PlanProblem(number, f"Step {number}, {calls[0].text}, is impossible: {why}.")
        for action in run.actions(calls[0]):
            failure = run.do(action)
            if failure is not None:
                why = _why(failure, action, run.graph, language.names)
                sentence = f"Step {number}, {calls[0].text}, is impossible: {why}"
                return PlanProblem(number, sentence, failure.reason)
            actions.append(action)
    return actions if actions else PlanProblem(0, "The plan has no step.")


def _misuse(call: PlanCall, language: PlanLanguage, graph: SceneGraph) -> str | None:
    """Why a function does not apply to a node that one could walk to; None where it applies."""
    node = None if call.node is None else graph.get(call.node)
    if node is None or call.function.verb is not Verb.GO_TO:
        return None
    named = language.names.name
    name, here, room = named(node.id), graph.room_of(graph.agent().id), graph.room_of(node.id)
    where = "" if room is None else f", which is in {named(room)}"
    if call.function.name == "go_to":
        return None if node.kind is Kind.ROOM else f"{name}{where}, is no room"
    if node.kind is Kind.ROOM:
        return f"{name} is a room, to which one goes by go_to"
    if room == here or here is None:
        return None
    return f"you are in {named(here)}, and not at {name}{where}"


def _why(failure: Failure, action: Action, graph: SceneGraph, names: NodeNames) -> str:
    thing = failure.thing
    room = None if thing is None or thing not in graph else graph.room_of(thing)
    if failure.reason is Reason.NOT_CLOSE and thing is not None and room is not None:
        return f"You are not at {names.name(thing)}, which is in {names.name(room)}."
    return failure_text(names.name, None, action, failure)
