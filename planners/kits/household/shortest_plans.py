"""Following shortest plans in the true state, for the planner that is granted it."""

from __future__ import annotations

from collections.abc import Generator

from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Relation
from ....skills.actions import Action, Verb, go_to, look
from ....skills.events import events_of
from ....skills.reach import bases, reaches
from ...contract import Act, Brief, Decision, Decisions, Done, GiveUp, Percept
from .plan_following import (
    MAX_TRIES,
    PlanFollower,
    failures,
    plan_note,
    walk_into_sight,
    walk_to,
)


def follow_shortest_plans(brief: Brief, percept: Percept) -> Decisions:
    """Follow a shortest plan, and replan when the world differs from what the plan expects.

    Like every planner it may name only what was perceived. Before an action on something in an
    unseen room it goes to that room; the plan does not count this walk.
    """
    yield from _Follower(brief, percept).run()


class _Follower(PlanFollower):
    """A follower that knows the true state."""

    def run(self) -> Decisions:
        actions: list[Action] = []
        looked_around: set[Action] = set()  # for the plan's next action
        while True:
            if not self._is_valid(actions):
                plan = self._find_plan()
                if plan.actions is None and self._capacity.make_room(self._known, self._failed):
                    continue
                if plan.actions is None:
                    yield GiveUp(f"There is no plan: {plan.reason}.")
                    return
                if not plan.actions:
                    yield Done("The goal holds.")
                    return
                actions = list(plan.actions)
                self._percept = yield plan_note(plan, self._name)
            approaches = self._brief.embodiment.approaches
            first = None if approaches else self._walk_to_perceive(actions[0])
            if first is None and not approaches:
                first = self._look_into(actions[0]) or self._walk_around(actions[0])
                if first in looked_around:  # once per action is enough
                    first = None
                elif first is not None:
                    looked_around.add(first)
            if first is None or self._failed[first] >= MAX_TRIES:
                if (yield from self._tidy(actions, ())):
                    continue
                first = actions.pop(0)
                looked_around.clear()
            if not (yield from self._act(first)):
                actions = []
                yield from self._clear_way(first)

    @property
    def _known(self) -> SceneGraph:
        assert self._percept.truth is not None, "the planner is granted the truth"
        return self._percept.truth

    def _act(self, action: Action) -> Generator[Decision, Percept, bool]:
        """Do one action. Returns whether it succeeded."""
        before = self._known
        self._percept = yield Act(action)
        outcome = self._percept.outcome
        if outcome is not None and outcome.success:
            self._events += events_of(before, action, self._percept.step)
            return True
        self._failed[action] += failures(outcome)
        self._capacity.record(action, outcome)
        return False

    def _walk_to_perceive(self, action: Action) -> Action | None:
        """The walk that brings an action's things into view; None where they were perceived."""
        truth, names, agent = self._known, self._percept.names, self._brief.agent
        first = walk_into_sight(action, self._percept.view, truth, agent)
        if first is not None and all(thing in names for thing in first.things):
            return first
        for thing in action.things:
            if thing in names:
                if self._failed[action] and self._is_hidden(thing):
                    return go_to(thing)
                continue
            room = truth.room_of(thing)
            if room is not None and room != truth.room_of(agent):
                return walk_to(truth, room, agent)[0]
            for base in bases(truth, thing):
                if base in names and not truth.has_edge(agent, Relation.CLOSE, base):
                    return walk_to(truth, base, agent)[0]
        return None

    def _is_hidden(self, thing: int) -> bool:
        """Whether a thing cannot be seen from where the agent stands, although it is in reach."""
        truth, agent = self._known, self._brief.agent
        return thing not in self._percept.view.graph and reaches(truth, agent, thing)

    def _look_into(self, action: Action) -> Action | None:
        """The look into what keeps a thing that was not perceived from where the agent stands."""
        truth, names, agent = self._known, self._percept.names, self._brief.agent
        for thing in action.things if Verb.LOOK in self._brief.actions else ():
            for _, place in truth.places(thing) if thing not in names else ():
                if place in names and reaches(truth, agent, place):
                    return look(place)
        return None

    def _walk_around(self, action: Action) -> Action | None:
        """The walk to the room of a thing when neither it nor any base of it was perceived."""
        truth, names = self._known, self._percept.names
        for thing in action.things:
            room = truth.room_of(thing)
            if thing in names or room is None:
                continue
            if all(base not in names for base in bases(truth, thing)):
                return walk_to(truth, room, self._brief.agent)[0]
        return None

    def _name(self, node_id: int) -> str:
        """The name of a perceived thing; the category of any other."""
        return self._percept.names.get(node_id) or f"the {self._known[node_id].category}"
