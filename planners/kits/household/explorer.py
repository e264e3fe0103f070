"""Rule-based search for missing things, and acting on what was observed."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ....scene_graph.goal_evaluation import satisfied
from ....scene_graph.goals import And, HasState
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Affordance, Kind, State
from ....scene_graph.placement_goals import alternatives, short_form
from ....skills.actions import Action, Verb, look
from ....skills.events import events_of
from ....skills.outcomes import Reason
from ....skills.reach import reaches
from ...contract import Act, Brief, Decision, Decisions, Done, GiveUp, Note, Percept
from . import prior
from .missing_objects import MissingObject, MissingObjects
from .observed_graph import ObservedGraph
from .plan_following import (
    MAX_TRIES,
    PlanFollower,
    enumeration,
    failures,
    plan_note,
    walk_into_sight,
    walk_to,
)
from .search_targets import SearchTarget, SearchTargets

#: The number of search targets in a note on the belief.
LISTED_TARGETS = 5

#: The object to search for where no certain one is missing.
ANYTHING = MissingObject(frozenset())


class Explorer(PlanFollower):
    """One episode: what was observed, what failed, and what cannot be inspected.

    Planners with the same search and other words derive from it.
    """

    def __init__(self, brief: Brief, percept: Percept) -> None:
        super().__init__(brief, percept)
        assert brief.goal_things is not None, "the planner is granted the names of its things"
        self._things = brief.goal_things
        self._objects = MissingObjects(self._goal, brief.goal_things, brief.agent)
        self._observed = ObservedGraph()
        self._targets = SearchTargets(
            prior.load(counted=not prior.Prior.sources & brief.sources),
            self._observed,
            brief.embodiment,
            brief.agent,
        )
        self._uninspectable: set[int] = set()  # places
        self._observed.update(percept.view, percept.step)

    def run(self) -> Decisions:
        actions: list[Action] = []
        while True:
            missing = self._objects.missing(self._observed)
            reason = ""
            if not missing:
                if not self._is_valid(actions):
                    plan = self._find_plan()
                    if plan.actions is None and self._capacity.make_room(
                        self._observed.graph, self._failed
                    ):
                        continue
                    actions = list(plan.actions or ())
                    reason = plan.reason
                    if actions:
                        yield from self._tell(plan_note(plan, self._name))
                if actions:
                    first = walk_into_sight(
                        actions[0], self._percept.view, self._observed.graph, self._brief.agent
                    )
                    if first is None or self._failed[first] >= MAX_TRIES:
                        if (yield from self._tidy(actions, ())):
                            continue
                        first = actions.pop(0)
                    if not (yield from self._act(first)):
                        yield from self._clear_way(first)
                    continue
                # An unseen object may allow a plan, or break a goal on all objects of a domain.
                missing = self._objects.quantified(universal=not reason)
                if not missing and not reason:
                    is_over = yield from self._say_done("As far as I can tell the goal holds.")
                    if is_over:
                        return
                    continue
            targets = self._targets.ranked(missing or [ANYTHING], self._uninspectable)
            if not targets:
                yield self._end(missing, reason)
                return
            yield from self._inspect(targets)

    def _say_done(self, reason: str) -> Generator[Decision, Percept, bool]:
        """Say that the goal holds. Returns whether nothing is left to try.

        If the episode goes on, the answer was wrong: an ambiguous goal means another of its
        alternatives.
        """
        self._percept = yield Done(reason)
        candidates = alternatives(self._goal) if self._brief.ambiguous else None
        graph = self._observed.graph
        left = [each for each in candidates or () if not satisfied(And(each), graph)]
        if left:
            self._goal = short_form(left)
            self._objects = MissingObjects(self._goal, self._things, self._brief.agent)
        return not left

    # --- acting on what was observed -----------------------------------------------------------

    @property
    def _known(self) -> SceneGraph:
        return self._observed.graph

    def _act(self, action: Action, thought: str = "") -> Generator[Decision, Percept, bool]:
        """Do one action and observe the result. Returns whether it succeeded."""
        missing = self._objects.missing(self._observed)
        expected = events_of(self._observed.graph, action, self._percept.step + 1)
        percept = yield Act(action, thought)
        outcome = percept.outcome
        success = outcome is not None and outcome.success
        if success:
            self._events += expected
        else:
            self._failed[action] += failures(outcome)
            self._capacity.record(action, outcome)
            failure = None if outcome is None else outcome.failure
            if failure is not None and failure.reason in (Reason.NOT_HERE, Reason.UNKNOWN):
                for thing in action.things:
                    self._observed.forget_location(thing)
        self._percept = percept
        self._observed.update(percept.view, percept.step)
        yield from self._tell(self._found_note(missing))
        return success

    # --- looking for what is missing -------------------------------------------------------------

    def _inspect(self, targets: Sequence[SearchTarget]) -> Generator[Decision, Percept, None]:
        """Look at the best reachable target, unless a missing object comes into sight before."""
        chosen = targets[0]
        place = chosen.place.id
        yield from self._tell(self._belief_note(targets))
        thought = self._thought(targets)
        missing = self._objects.missing(self._observed)
        actions = self._actions_to(chosen)
        for number, action in enumerate(actions):
            if self._failed[action] >= MAX_TRIES:
                break
            yield from self._tidy(actions[number:], self._goal_places(), searches=True)
            went_well = yield from self._act(action, thought)
            thought = ""
            if not went_well:
                yield from self._clear_way(action)
                if self._failed[action] < MAX_TRIES:
                    return
                break
            if self._objects.missing(self._observed) != missing:
                return
        yield from self._look_closer(place)
        if place not in self._observed.inspected:
            self._uninspectable.add(place)
        self._uninspectable.update(self._not_shown_at(place))

    def _goal_places(self) -> set[int]:
        """The places that the goal names, and those that keep its things."""
        graph = self._observed.graph
        keep = (graph.above(thing) for thing in self._things if thing in graph)
        return {*self._things, *(place for places in keep for place in places)}

    def _not_shown_at(self, place: int) -> list[int]:
        """The open places in reach that a visit to their base did not show: none will."""
        graph, observed = self._observed.graph, self._observed
        return [
            each.id
            for each in observed.uninspected_places()
            if observed.base(each.id) == place
            and State.CLOSED not in each.states
            and graph.closed_around(each.id) is None
        ]

    def _look_closer(self, place: int) -> Decisions:
        """Look into an open place in reach that going there and opening it did not show whole."""
        graph = self._observed.graph
        is_shown = place in self._observed.inspected or place not in graph
        if is_shown or Verb.LOOK not in self._brief.actions:
            return
        if State.CLOSED not in graph[place].states and reaches(graph, self._brief.agent, place):
            yield from self._act(look(place))

    def _actions_to(self, target: SearchTarget) -> Sequence[Action]:
        place = target.place
        if State.CLOSED in place.states:
            return self._find_plan(HasState(place.id, State.OPEN)).actions or ()
        return walk_to(self._observed.graph, place.id, self._brief.agent)

    # --- words -----------------------------------------------------------------------------------

    def _tell(self, note: Note | None) -> Generator[Decision, Percept, None]:
        if note is not None:
            self._percept = yield note

    def _name(self, node_id: int) -> str:
        return self._percept.names.get(node_id, str(node_id))

    def _found_note(self, missing: Sequence[MissingObject]) -> Note | None:
        """A note on the missing objects that have come into sight."""
        located = [
            each.thing
            for each in missing
            if each.thing is not None and self._observed.located(each.thing)
        ]
        if not located:
            return None
        graph = self._observed.graph
        where = [
            f"{self._name(thing)} is {relation} {self._name(place)}"
            for thing in located
            for relation, place in graph.places(thing)[:1]
        ]
        return Note("memory", enumeration(where), {"found": located})

    def _belief_note(self, targets: Sequence[SearchTarget]) -> Note | None:
        """A note on the best targets, with each missing object's probability there.

        They are in the order of the search: by the objects that are expected to be found per step.
        """
        missing = list(targets[0].probabilities)
        top = targets[:LISTED_TARGETS]
        places = [
            {
                "id": each.place.id,
                "name": self._name(each.place.id),
                "room": None if each.room is None else self._name(each.room.id),
                "probabilities": [round(each.probabilities[sought], 4) for sought in missing],
                "steps": each.steps,
            }
            for each in top
        ]
        names = [str(each) for each in missing]
        best = [
            f"{self._name(each.place.id)} ({each.probabilities[each.likeliest]:.2f} in "
            f"{each.steps:g} step{'s' if each.steps != 1 else ''})"
            for each in top
        ]
        text = f"looking for {enumeration(names)} where a step finds most: {enumeration(best)}"
        return Note("belief", text, {"missing": names, "places": places})

    def _thought(self, targets: Sequence[SearchTarget]) -> str:
        """ "The milk is most likely inside fridge 1 in the kitchen (0.41)." """
        chosen = targets[0]
        missing = chosen.likeliest
        probability = chosen.probabilities[missing]
        plural = str(missing).endswith("s") and not str(missing).endswith("ss")
        what = f"{'The' if missing.thing is not None or plural else 'A'} {missing}"
        where = f"{self._where(chosen)} ({probability:.2f})"
        if all(each.probabilities[missing] <= probability for each in targets):
            return f"{what} {'are' if plural else 'is'} most likely {where}."
        return f"{what} may be {where}, and that is quick to check."

    def _where(self, target: SearchTarget) -> str:
        place = target.place
        if place.kind is Kind.ROOM:
            return f"in the {place.category}, where I have not been yet"
        room = "" if target.room is None else f" in the {target.room.category}"
        if State.CLOSED in place.states:
            relation = "inside"
        else:
            relation = "on" if Affordance.SURFACE in place.affordances else "at"
        return f"{relation} {self._name(place.id)}{room}"

    def _end(self, missing: Sequence[MissingObject], reason: str) -> Decision:
        """The last decision, once every place was inspected."""
        if reason:
            return GiveUp(f"I have looked everywhere and see no way: {reason}.")
        if self._objects.missing(self._observed):
            lost = enumeration([f"the {each}" for each in missing])
            return GiveUp(f"I have looked everywhere and did not find {lost}.")
        return Done("I have looked everywhere, and as far as I can tell the goal holds.")
