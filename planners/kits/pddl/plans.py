"""Plans of the domain as actions of the household."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Relation
from ....skills.actions import Action, Verb, go_to, stand_up
from ....skills.dynamics import step
from ....skills.embodiment import Embodiment
from ....skills.reach import bases, reaches
from . import domain
from .domain import PlanStep

_RELATIONS = {"put_on": Relation.ON, "put_inside": Relation.INSIDE}


def actions_of(
    steps: Iterable[PlanStep],
    thing: Callable[[str], int],
    graph: SceneGraph,
    body: Embodiment,
    agent: int,
) -> Iterator[Action]:
    """Yield the actions of a plan: its steps, and the walks to their things.

    The domain distinguishes rooms, not places within them. thing: the node of a name. graph: the
    known scene before the plan.
    """
    after = graph.copy()
    if not POSTURES.isdisjoint(after[agent].states):
        yield _done(after, stand_up(), body, agent)
    for each in steps:
        action = action_of(each, thing)
        if action is None:
            continue
        used = action.target if action.place is None else action.place
        assert used is not None
        if action.verb is not Verb.GO_TO and not reaches(after, agent, used):
            at = next(iter(bases(after, used)), used)  # its base is known even where it is empty
            yield _done(after, go_to(at), body, agent)
        yield _done(after, action, body, agent)


def action_of(each: PlanStep, thing: Callable[[str], int]) -> Action | None:
    """The action of a step; None where it changes nothing in the world."""
    if each.action not in domain.VERBS:
        return None
    verb, target, place = domain.VERBS[each.action]
    return Action(
        verb,
        thing(each.things[target]),
        _RELATIONS.get(each.action),
        None if place is None else thing(each.things[place]),
    )


def _done(after: SceneGraph, action: Action, body: Embodiment, agent: int) -> Action:
    """The action, applied to the graph where possible."""
    step(after, action, body, agent)
    return action
