"""Actions as the calls of plans: rooms are gone to; furniture is accessed, or taken for granted."""

from __future__ import annotations

from collections.abc import Sequence

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Relation
from ....skills.actions import Action, Verb
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from .told_graph import ToldGraph

_PUTS = {
    Relation.ON: "put_on",
    Relation.INSIDE: "put_inside",
    Relation.UNDER: "put_under",
}
_RELEASES = {Relation.ON: "ontop_of", Relation.INSIDE: "inside_of"}
#: What says nothing in a plan.
_SILENT = (Verb.LOOK, Verb.WAIT)


def calls_of(
    actions: Sequence[Action],
    told: ToldGraph,
    body: Embodiment,
    *,
    releases: bool,
    to_the_end: bool,
) -> list[str]:
    """The calls of a plan. releases: with SayPlan's access and release. to_the_end: where one is in
    the end matters, and is no leftover of a search.
    """
    graph = told.graph.copy()
    me = graph.agent().id
    room = graph.room_of(me)  # as far as the plan has gone
    accessed: int | None = None
    calls: list[str] = []
    for action in actions:
        here = graph.room_of(me)
        at = action.target if action.place is None else action.place
        if action.verb is Verb.STAND_UP:
            calls.append("stand_up()")
        if action.verb is Verb.GO_TO or action.verb in _SILENT or at is None:
            step(graph, action, body)
            continue
        if here is not None and here != room:
            calls.append(f"go_to({told.told(here)})")
            room, accessed = here, None
        if releases and _needs_access(action, at, accessed, graph):
            calls.append(f"access({told.told(at)})")
            accessed = at
        calls.append(_call(action, told, graph, releases=releases))
        step(graph, action, body)
    end = graph.room_of(me)
    if to_the_end and end is not None and end != room:
        calls.append(f"go_to({told.told(end)})")
    at_last = actions[-1].target if actions and actions[-1].verb is Verb.GO_TO else None
    if to_the_end and releases and at_last is not None and at_last != end:
        calls.append(f"access({told.told(at_last)})")
    return calls


def _needs_access(action: Action, at: int, accessed: int | None, graph: SceneGraph) -> bool:
    """Whether one has not accessed what an action is done at."""
    if at == accessed or at in graph.held(graph.agent().id):
        return False
    return action.verb is Verb.PUT or accessed is None or at not in graph.below(accessed)


def _call(action: Action, told: ToldGraph, graph: SceneGraph, *, releases: bool) -> str:
    if action.verb is Verb.PUT:
        assert action.target is not None
        assert action.place is not None
        assert action.relation is not None
        if not releases:
            last = graph.held(graph.agent().id)[-1:] == [action.target]
            which = "" if last else f", {told.told(action.target)}"
            return f"{_PUTS[action.relation]}({told.told(action.place)}{which})"
        how = _RELEASES.get(action.relation)
        thing = told.told(action.target)
        return f"release({thing}, {how})" if how else f"release({thing})"
    return f"{action.verb}({'' if action.target is None else told.told(action.target)})"
