"""The planner `expert`: knows the true state and takes shortest plans. The upper bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ...scene_graph.events import Event
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Relation
from ...skills.actions import ARM, Action, to_data
from ...skills.appliance_events import events_of
from ...skills.dynamics import bases
from ..contract import Act, Brief, Decisions, Done, GiveUp, Grant, Note, Percept, Planner
from ..task_planning.learned_capacity import LearnedCapacity
from ..task_planning.search import find_plan, still_leads_to, to_see, walk_to
from ..task_planning.wording import in_words
from . import blocks as blocks_expert

#: An action that failed so often is not tried again.
TRIES = 2


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Follow a shortest plan, and make another one when the world is not as it foresaw.

    It may name only what was perceived, as every planner: before it deals with something in a
    room not yet seen it goes to that room, which the plan does not count.
    """
    if brief.actions & ARM:
        yield from blocks_expert.plan(brief, percept)
        return
    assert brief.goal is not None, "the expert is granted the goal"
    actions: list[Action] = []
    crowding = LearnedCapacity(brief.embodiment)
    failed: Counter[Action] = Counter()
    looked: set[Action] = set()
    events: list[Event] = []
    while True:
        truth = percept.truth
        assert truth is not None, "the expert is granted the truth"
        if not actions or not still_leads_to(
            brief.goal, truth, actions, crowding.body, brief.agent, events
        ):
            avoid = frozenset(action for action, times in failed.items() if times >= TRIES)
            found = find_plan(
                truth,
                brief.goal,
                crowding.body,
                brief.actions,
                brief.agent,
                avoid=avoid,
                events=events,
            )
            if found.actions is None and crowding.make_room(truth, failed):
                continue
            if found.actions is None:
                yield GiveUp(f"There is no plan: {found.reason}.")
                return
            if not found.actions:
                yield Done("The goal holds.")
                return
            actions = list(found.actions)
            percept = yield Note(
                "plan",
                in_words(actions, _namer(percept, truth)),
                {
                    "actions": [to_data(action) for action in actions],
                    "exact": found.exact,
                    "expanded": found.expanded,
                },
            )
        action = _to_see(percept, truth, actions[0], brief.agent)
        if action is None:
            action = _to_find(percept, truth, actions[0], brief.agent)
            if action in looked:  # once a step is enough
                action = None
            elif action is not None:
                looked.add(action)
        if action is None or failed[action] >= TRIES:
            action = actions.pop(0)
            looked.clear()
        percept = yield Act(action)
        if percept.outcome is not None and percept.outcome.success:
            events += events_of(truth, action, percept.step)
        else:
            failed[action] += 1
            actions = []
            crowding.learn(action, percept.outcome)


def _to_see(percept: Percept, truth: SceneGraph, action: Action, agent: int) -> Action | None:
    """Where to go first, to perceive what the action is about; None where that is perceived."""
    first = to_see(action, percept.view, truth, agent)
    if first is not None and all(thing in percept.names for thing in first.things):
        return first
    for thing in action.things:
        if thing in percept.names:
            continue
        room = truth.room_of(thing)
        if room is not None and room != truth.room_of(agent):
            return walk_to(truth, room, agent)[0]
        for base in bases(truth, thing):
            if base in percept.names and not truth.has_edge(agent, Relation.CLOSE, base):
                return walk_to(truth, base, agent)[0]
    return None


def _to_find(percept: Percept, truth: SceneGraph, action: Action, agent: int) -> Action | None:
    """Looking around the room for what lies somewhere in it and was never perceived."""
    for thing in action.things:
        room = truth.room_of(thing)
        unseen = thing not in percept.names
        if unseen and room is not None and all(b not in percept.names for b in bases(truth, thing)):
            return walk_to(truth, room, agent)[0]
    return None


def _namer(percept: Percept, truth: SceneGraph) -> Callable[[int], str]:
    """Names of what was perceived, categories of the rest."""
    return lambda node_id: percept.names.get(node_id) or f"the {truth[node_id].category}"


PLANNER = Planner(
    name="expert",
    summary="knows the true state and takes shortest plans: the upper bound",
    plan=plan,
    grants=frozenset({Grant.TRUTH, Grant.GOAL}),
    dialects=("reactree", "blocks", "alfworld"),
)
