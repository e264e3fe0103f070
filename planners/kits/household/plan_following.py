"""Following plans: whether one is still valid, what to do about what is in the way, replanning."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import replace

from ....observation_text.view import View
from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import Event, Goal, HasState, Or, Related
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import POSTURES, Affordance, Kind, Relation, State
from ....skills.actions import (
    PUT_RELATIONS,
    Action,
    Verb,
    close,
    go_to,
    put,
    stand_up,
    to_data,
)
from ....skills.dynamics import SIGHT_VERBS, achieved, check, step
from ....skills.embodiment import Embodiment
from ....skills.events import events_of
from ....skills.outcomes import Outcome, Reason
from ....skills.reach import bases, reaches
from ...contract import Brief, Decision, Note, Percept
from .search import Plan, find_plan

#: After so many failures an action is not tried again, nor a place inspected that needs it.
MAX_TRIES = 2


def walk_into_sight(action: Action, view: View, graph: SceneGraph, agent: int) -> Action | None:
    """The action that brings the target of a look into view; None where none is needed.

    graph: where things are, as far as the planner knows. This concerns only verbs that need their
    target in sight, such as look and turn_to.
    """
    target = action.target
    if (
        action.verb not in SIGHT_VERBS
        or target is None
        or target in view.graph
        or target not in graph
    ):
        return None
    for base in bases(graph, target):
        if not graph.has_edge(agent, Relation.CLOSE, base):
            return walk_to(graph, base, agent)[0]
    return None


def walk_to(graph: SceneGraph, place: int, agent: int) -> list[Action]:
    """The actions of going to a place; a seated or lying agent stands up first."""
    resting = not POSTURES.isdisjoint(graph[agent].states)
    return [*([stand_up()] if resting else []), go_to(place)]


def failures(outcome: Outcome | None) -> int:
    """How often an action failed by its outcome. What is denied is not tried again."""
    failure = None if outcome is None else outcome.failure
    return MAX_TRIES if failure is not None and failure.reason is Reason.DENIED else 1


class LearnedCapacity:
    """An embodiment whose capacities shrink with the failures of an episode.

    body: the embodiment to plan with. A place without a free spot is assumed full, but only where
    there is no other plan. Then a plan takes something away first. Capacities belong to categories:
    other places of the category with as much in them count as full, too.
    """

    def __init__(self, body: Embodiment) -> None:
        self.body = body
        self._failed_puts: set[Action] = set()

    def record(self, action: Action, outcome: Outcome | None) -> None:
        """Remember an action that failed because its place had no free spot."""
        failure = None if outcome is None else outcome.failure
        if failure is not None and failure.reason is Reason.NO_FREE_SPOT:
            self._failed_puts.add(action)

    def make_room(self, graph: SceneGraph, failed: Counter[Action]) -> bool:
        """Lower the capacities of the places without a free spot; False where nothing changes.

        Call it when there is no plan. failed: how often each action failed. Puts that found no free
        spot are removed from it, since they may work once there is room.
        """
        capacity = dict(self.body.capacity)
        for action in self._failed_puts:
            if action.place is not None and action.place in graph:
                category, there = graph[action.place].category, len(graph.contents(action.place))
                capacity[category] = min(there, capacity.get(category, there))
        if capacity == self.body.capacity:
            return False
        self.body = replace(self.body, capacity=capacity)
        failed.subtract(self._failed_puts)
        self._failed_puts.clear()
        return True


class PlanFollower(ABC):
    """One episode of a planner that follows shortest plans: what has happened and failed so far."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        assert brief.goal is not None, "the planner is granted the goal"
        self._brief = brief
        self._goal = brief.goal
        self._percept = percept
        self._capacity = LearnedCapacity(brief.embodiment)
        self._failed: Counter[Action] = Counter()
        self._events: list[Event] = []
        self._cleared: Counter[tuple[Action, int]] = Counter()

    @property
    @abstractmethod
    def _known(self) -> SceneGraph:
        """The graph to plan in."""

    @abstractmethod
    def _act(self, action: Action) -> Generator[Decision, Percept, bool]:
        """Do one action. Returns whether it succeeded."""

    def _clear_way(self, action: Action) -> Generator[Decision, Percept, bool]:
        """Close the open doors and drawers that blocked the last action, and do the action again.

        A thing in the way is put aside, once for each action. Returns whether something could be
        out of the way; then the first failure does not count.
        """
        was_blocked = False
        while True:
            front = self._front_in_the_way(action)
            obstacle = self._thing_in_the_way(action) if front is None else front
            if obstacle is None:
                break
            if not was_blocked:
                self._failed[action] -= 1
            was_blocked = True
            self._cleared[action, obstacle] += 1
            clear = self._put_aside if front is None else self._close
            is_clear = yield from clear(obstacle, action)
            if not is_clear or not (yield from self._return_to(action)):
                break
            if (yield from self._act(action)):
                break
        return was_blocked

    def _return_to(self, action: Action) -> Generator[Decision, Percept, bool]:
        """Go back to where an action can be done, with what it needs in the hand. Returns whether
        it can be done there.
        """
        body, me = self._capacity.body, self._brief.agent
        failure = check(self._known, action, body, me)
        if failure is not None and failure.reason is Reason.NOT_HELD and failure.thing is not None:
            held = Related(me, Relation.HOLDS, failure.thing)
            if not (yield from self._reach_goal(held, {action})):
                return False
            failure = check(self._known, action, body, me)
        if failure is not None and failure.reason is Reason.NOT_CLOSE:
            base = next(iter(bases(self._known, action.things[-1])), None)
            if base is None or not (yield from self._act(go_to(base))):
                return False
            failure = check(self._known, action, body, me)
        return failure is None

    def _front_in_the_way(self, action: Action) -> int | None:
        """The open door or drawer that the last action failed for, unless it has to stay open.

        None for one that was closed for this action twice, and opened again. Where no way leads to
        a place, it may be any that is in reach, for a body that fronts block.
        """
        outcome = self._percept.outcome
        failure = None if outcome is None else outcome.failure
        suspects: list[int] = []
        if failure is not None and failure.reason is Reason.BLOCKED and failure.thing is not None:
            suspects = [failure.thing]
        elif failure is not None and failure.reason is Reason.UNREACHABLE:
            suspects = self._open_in_reach() if self._capacity.body.blocked_by_fronts else []
        used = self._used_by([action])
        for each in suspects:
            front = self._known.get(each)
            is_open = front is not None and State.OPEN in front.states
            is_new = self._cleared[action, each] < MAX_TRIES
            if is_open and is_new and each not in used:
                return each
        return None

    def _thing_in_the_way(self, action: Action) -> int | None:
        """The thing that the last action failed for, if it can be put aside."""
        outcome = self._percept.outcome
        failure = None if outcome is None else outcome.failure
        if failure is None or failure.reason is not Reason.BLOCKED or failure.thing is None:
            return None
        thing = self._known.get(failure.thing)
        if thing is None or thing.kind is not Kind.OBJECT or thing.id in action.things:
            return None
        can = Affordance.GRASPABLE in thing.affordances and not self._cleared[action, thing.id]
        return thing.id if can else None

    def _open_in_reach(self) -> list[int]:
        """The open doors and drawers that the robot reaches, in order of their nodes."""
        known, me = self._known, self._brief.agent
        nodes = sorted(known.nodes(Kind.FIXTURE), key=lambda node: node.id)
        opened = (node.id for node in nodes if State.OPEN in node.states)
        return [each for each in opened if reaches(known, me, each)]

    def _close(self, front: int, then: Action) -> Generator[Decision, Percept, bool]:
        """Close a door or drawer for the sake of an action. Returns whether it could."""
        in_hand = self._known.held(self._brief.agent)
        away = {put(thing, how, front) for thing in in_hand for how in PUT_RELATIONS}
        return (yield from self._reach_goal(HasState(front, State.CLOSED), {then, *away}))

    def _put_aside(self, thing: int, then: Action) -> Generator[Decision, Percept, bool]:
        """Put a thing on another surface for the sake of an action. Returns whether it could."""
        known = self._known
        under = known.above(thing)
        surfaces = [
            node.id
            for node in known.nodes(Kind.FIXTURE)
            if Affordance.SURFACE in node.affordances and node.id not in under
        ]
        aside = Or(tuple(Related(thing, Relation.ON, each) for each in surfaces))
        return bool(surfaces) and (yield from self._reach_goal(aside, {then}))

    def _reach_goal(
        self, goal: Goal, without: Collection[Action]
    ) -> Generator[Decision, Percept, bool]:
        """Follow a plan to a goal on the way. Returns whether it could.

        without: actions that the plan must not have.
        """
        plan = self._find_plan(goal, without=frozenset(without)).actions
        for each in plan or ():
            if not (yield from self._act(each)):
                yield from self._clear_way(each)
                if not achieved(self._known, each, self._brief.agent):
                    return False
        return plan is not None

    def _tidy(
        self, actions: Sequence[Action], kept: Collection[int], *, searches: bool = False
    ) -> Generator[Decision, Percept, bool]:
        """Close the idle doors and drawers in reach, if others are opened next or in a search.

        Only for a body that open fronts block, and while it has a hand for it. kept: the fronts
        that have to stay open besides those that the actions need. searches: whether more will be
        opened after the actions. Returns whether it acted.
        """
        body, me = self._capacity.body, self._brief.agent
        if not body.blocked_by_fronts or actions[0].verb not in (Verb.GO_TO, Verb.OPEN):
            return False
        if not searches and all(action.verb is not Verb.OPEN for action in actions):
            return False
        if Verb.CLOSE in body.needs_free_hand and len(self._known.held(me)) >= body.hands:
            return False
        acted = False
        needed = self._used_by(actions) | set(kept)
        for front in self._open_in_reach():
            closing = close(front)
            if front not in needed and not self._failed[closing]:
                acted = True
                if not (yield from self._act(closing)):
                    yield from self._clear_way(closing)
        return acted

    def _used_by(self, actions: Iterable[Action]) -> set[int]:
        """The places that actions need open."""
        used: set[int] = set()
        for action in actions:
            for thing in action.things:
                used.update(self._known.above(thing) if thing in self._known else ())
            if action.verb in (Verb.PUT, Verb.LOOK):
                used.add(action.things[-1])
        return used

    def _is_valid(self, actions: Sequence[Action]) -> bool:
        """Whether a plan still leads to the goal in the known world."""
        body, agent = self._capacity.body, self._brief.agent
        return bool(actions) and is_valid_plan(
            actions, self._goal, self._known, body, agent, self._events
        )

    def _find_plan(
        self, goal: Goal | None = None, without: frozenset[Action] = frozenset()
    ) -> Plan:
        """A shortest plan in the known world, to the episode's goal or to another one.

        without: actions that it must not have.
        """
        brief = self._brief
        avoid = {a for a, times in self._failed.items() if times >= MAX_TRIES}
        return find_plan(
            self._known,
            self._goal if goal is None else goal,
            self._capacity.body,
            brief.actions,
            brief.agent,
            avoid=without | avoid,
            events=self._events,
            rewards=brief.rules.rewards,
        )


def is_valid_plan(
    actions: Sequence[Action],
    goal: Goal,
    graph: SceneGraph,
    body: Embodiment,
    agent: int | None = None,
    events: Sequence[Event] = (),
) -> bool:
    """Whether a plan can be executed from a graph, and the goal holds at its end.

    events: past events, oldest first.
    """
    after = graph.copy()
    happened = list(events)
    for action in actions:
        new_events = events_of(after, action, len(happened) + 1)
        if step(after, action, body, agent) is not None:
            return False
        happened += new_events
    return satisfied(goal, after, happened)


# --- plans in words -------------------------------------------------------------------------------


def plan_note(plan: Plan, name: Callable[[int], str]) -> Note:
    """Make the note on a plan. name: the words for a node id."""
    actions = plan.actions or ()
    data = {
        "actions": [to_data(action) for action in actions],
        "exact": plan.exact,
        "expanded": plan.expanded,
    }
    return Note("plan", plan_text(actions, name), data)


def plan_text(actions: Sequence[Action], name: Callable[[int], str]) -> str:
    """Word a plan: "go to fridge 1, open fridge 1"; "nothing" where it is empty."""
    return ", ".join(_action_text(action, name) for action in actions) or "nothing"


def enumeration(items: Sequence[str]) -> str:
    """Join items with commas and a last "and": "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _action_text(action: Action, name: Callable[[int], str]) -> str:
    words = [action.verb.replace("_", " ")]
    if action.target is not None:
        words.append(name(action.target))
    if action.relation is not None and action.place is not None:
        words += [str(action.relation), name(action.place)]
    return " ".join(words)
