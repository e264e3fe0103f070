"""Heating, cooling and cleaning in text games, where each is one action with a held thing.

What a goal asks to be hot, cold or clean is taken in hand, carried to an appliance and treated
there. All else is left to shortest plans.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import NamedTuple

from ....scene_graph.goals import AtLeast, Exists, Goal, HasState, Related, within
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Node, Relation, State
from ....skills.actions import Action, Verb, go_to
from ...contract import Act, Brief, Decision, Decisions, Done, Percept

#: How a state comes about, and where.
_TREATMENTS = {
    State.HOT: (Verb.HEAT, Affordance.HEATS),
    State.COLD: (Verb.COOL, Affordance.COOLS),
    State.CLEAN: (Verb.CLEAN, Affordance.RINSES),
}


class Treatment(NamedTuple):
    """A thing that a goal asks to be treated."""

    thing: Node
    """The thing."""
    action: Action
    """What is done to it."""


def treated_first(
    follow: Callable[[Brief, Percept], Decisions], brief: Brief, percept: Percept
) -> Decisions:
    """Treat what the goal asks for, then follow shortest plans to the goal.

    follow: follows shortest plans.
    """
    goal = brief.goal
    assert goal is not None, "the planner is granted the goal"
    assert percept.truth is not None, "the planner is granted the truth"
    for thing, action in treatments(goal, percept.truth):
        holding = replace(brief, goal=Related(brief.agent, Relation.HOLDS, thing.id))
        percept = yield from _until_done(follow(holding, percept), percept)
        assert action.place is not None
        percept = yield Act(go_to(action.place))
        percept = yield Act(action)
    yield from follow(brief, percept)


def treatments(goal: Goal, truth: SceneGraph) -> Iterator[Treatment]:
    """What has to be treated for a goal, as far as it is not yet."""
    for part in within(goal):
        if not isinstance(part, Exists | AtLeast) or not part.domain.categories:
            continue
        count = part.count if isinstance(part, AtLeast) else 1
        states = [
            each.state
            for each in within(part.body)
            if isinstance(each, HasState) and each.thing == part.variable
        ]
        for state in states:
            if state not in _TREATMENTS:
                continue
            verb, affordance = _TREATMENTS[state]
            device = next((n for n in truth.nodes() if affordance in n.affordances), None)
            things = [node for node in truth.nodes() if part.domain.admits(node)]
            left = [node for node in things if state not in node.states]
            missing = count - (len(things) - len(left))
            if device is not None:
                for thing in left[: max(0, missing)]:
                    yield Treatment(thing, Action(verb, thing.id, None, device.id))


def _until_done(decisions: Decisions, percept: Percept) -> Generator[Decision, Percept, Percept]:
    """The decisions until one says that it is done; returns the last percept."""
    sent: Percept | None = None
    while True:
        decision = next(decisions) if sent is None else decisions.send(sent)
        if isinstance(decision, Done):
            return percept
        sent = percept = yield decision
