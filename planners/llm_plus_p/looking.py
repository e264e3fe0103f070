"""Planning on a map that may be wrong: search for missing things, and plan again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ...models.contract import Unusable
from ...scene_graph.node import Kind, Node, State
from ...scene_graph.s_expressions import Expression, words
from ...skills.actions import Action, go_to
from ...skills.dynamics import step
from ...skills.outcomes import Reason
from ...skills.reach import bases
from ..contract import Act, Brief, Decisions, Done, GiveUp, Note, Percept, SubPlan
from ..kits.household import prior
from ..kits.household.missing_objects import MissingObject
from ..kits.household.search_targets import SearchTarget, SearchTargets
from ..kits.map.memory_graph import MemoryGraph
from ..kits.map.names import NodeNames
from ..kits.pddl.domain import CLOSED, actions_of
from ..kits.pddl.problem import Problem, facts_of, relevant_part, things_of
from ..kits.pddl.solving import FastDownward, Solved, Unsolved

#: How often an action may fail.
_TRIES = 3
#: The most plans of an episode; more would only go round in circles.
_PLANS = 100
#: Failures of an action on a thing that is not at its remembered place.
_ELSEWHERE = frozenset({Reason.NOT_HERE, Reason.UNKNOWN, Reason.NOT_SEEN, Reason.NOT_IN_SIGHT})


class LookingPlanner:
    """Achieves a goal on the known graph, which every observation updates."""

    def __init__(
        self,
        brief: Brief,
        percept: Percept,
        memory: MemoryGraph,
        names: NodeNames,
        engine: FastDownward,
        goal: Expression,
    ) -> None:
        self._brief = brief
        self._percept = percept
        self._memory = memory
        self._names = names
        self._engine = engine
        self._goal = goal
        self._targets = SearchTargets(
            prior.load(counted=not prior.Prior.sources & brief.sources),
            memory.observed,
            brief.embodiment,
            brief.agent,
        )
        self._needed = list(_named(goal, names))
        self._failed: Counter[Action] = Counter()
        self._uninspectable: set[int] = set()

    def run(self) -> Decisions:
        """Plan, act and look in turn. Raises Unsolved."""
        for _ in range(_PLANS):
            missing = self._missing()
            if missing:
                targets = self._targets.ranked(
                    missing, {*self._memory.looked_at, *self._uninspectable}
                )
                if not targets:
                    lost = ", ".join(self._names.name(each.thing or 0) for each in missing)
                    yield GiveUp(f"I have looked everywhere and did not find {lost}.")
                    return
                yield from self._look(targets[0], missing)
                continue
            actions = yield from self._planned(self._goal)
            if not actions:
                objects = (t for t in self._needed if self._node(t).kind is Kind.OBJECT)
                unseen = next((t for t in objects if self._memory.is_prior(t)), None)
                if unseen is None:
                    percept = yield Done("As far as I can tell the goal holds.")
                    if percept.feedback is not None:
                        yield GiveUp("The goal holds as far as I can tell, but it does not.")
                    return
                yield from self._confirm(unseen)
                continue
            if not (yield from self._carry_out(actions)):
                yield GiveUp("An action of the plan fails again and again.")
                return
        yield GiveUp(f"{_PLANS} plans did not reach the goal.")

    # --- planning and acting ---------------------------------------------------------------------

    def _planned(self, goal: Expression) -> SubPlan[list[Action]]:
        """The actions of a plan on the known graph."""
        graph, brief = self._memory.graph, self._brief
        located = [room.id for room in graph.nodes(Kind.ROOM)]
        problem = Problem(
            tuple(map(self._names.name, located)),
            tuple(map(self._names.name, things_of(graph, brief.agent))),
            tuple(facts_of(graph, self._names.name, brief.agent)),
            goal,
        )
        part = relevant_part(problem)
        solved = self._engine.solve(brief.embodiment, part)
        yield plan_note(solved, part)
        steps = solved.steps
        return [*actions_of(steps, self._names.id, graph, brief.embodiment, brief.agent)]

    def _carry_out(self, actions: Sequence[Action]) -> SubPlan[bool]:
        """Act until the plan ends or an observation invalidates it; whether to plan again."""
        for number, action in enumerate(actions):
            if not self._is_valid(actions[number:]):
                return True
            if not (yield from self._act(action)):
                return self._failed[action] < _TRIES
        return True

    def _is_valid(self, actions: Iterable[Action]) -> bool:
        """Whether the actions are possible on the known graph, and nothing is missing."""
        if self._missing():
            return False
        after = self._memory.graph.copy()
        body, agent = self._brief.embodiment, self._brief.agent
        return all(step(after, action, body, agent) is None for action in actions)

    def _act(self, action: Action) -> SubPlan[bool]:
        """Do an action and update the graph; whether the action succeeded."""
        self._percept = yield Act(action, continued=True)
        self._memory.update(self._percept)
        outcome = self._percept.outcome
        if outcome is not None and outcome.success:
            return True
        self._failed[action] += 1
        failure = None if outcome is None else outcome.failure
        if failure is not None and failure.reason in _ELSEWHERE:
            for thing in action.things:
                if self._memory.graph[thing].kind is Kind.OBJECT:
                    self._memory.forget_place(thing)
        return False

    # --- looking ---------------------------------------------------------------------------------

    def _missing(self) -> list[MissingObject]:
        """The things of the goal whose place is unknown."""
        return [
            MissingObject(frozenset({self._node(thing).category}), thing)
            for thing in self._needed
            if not self._memory.is_located(thing)
        ]

    def _node(self, thing: int) -> Node:
        return self._memory.graph[thing]

    def _confirm(self, thing: int) -> Decisions:
        """Look at the place where the map has a thing."""
        container = self._memory.graph.closed_around(thing)
        place = thing if container is None else container
        yield from self._look_at(place)
        if self._memory.is_prior(thing):
            self._memory.forget_place(thing)

    def _look(self, target: SearchTarget, missing: Sequence[MissingObject]) -> Decisions:
        """Look at a place that may have missing things."""
        names = ", ".join(str(each) for each in missing)
        place = target.place.id
        yield Note("belief", f"looking for {names} at {self._names.name(place)}")
        yield from self._look_at(place)
        if place not in self._memory.looked_at:
            self._uninspectable.add(place)

    def _look_at(self, place: int) -> Decisions:
        """Open a place where it is closed, or go to it."""
        graph = self._memory.graph
        if State.CLOSED in graph[place].states:
            opened: Expression = ["not", [CLOSED, self._names.name(place)]]
            try:
                actions = yield from self._planned(opened)
            except Unsolved:
                return
            for action in actions:
                if not (yield from self._act(action)):
                    return
            return
        at = place if graph[place].kind is Kind.ROOM else next(iter(bases(graph, place)), place)
        room = graph.room_of(at)
        here = graph.room_of(self._brief.agent)
        if room is not None and room not in (at, here):
            yield from self._act(go_to(room))
        yield from self._act(go_to(at))


def _named(goal: Expression, names: NodeNames) -> Iterable[int]:
    """The things and rooms that a goal names, in its order."""
    for word in dict.fromkeys(words(goal)):
        try:
            yield names.id(word)
        except Unusable:
            continue  # a predicate or a connective


def plan_note(solved: Solved, problem: Problem) -> Note:
    """The note on a plan; it contains no times, so that runs can be resumed."""
    steps = [str(step) for step in solved.steps]
    data = {"steps": steps, "rooms": len(problem.rooms), "things": len(problem.things)}
    return Note("plan", " ".join(steps) or "an empty plan", data)
