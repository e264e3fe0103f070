"""The planner `explore`: knows the goal, but not where its things are.

It looks at places in the order of what the prior promises per step, remembers all it has seen,
and takes shortest plans on what it believes as soon as nothing is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence

from ...scene_graph.events import Event
from ...scene_graph.goals import HasState
from ...scene_graph.node import Affordance, Kind, State
from ...skills.actions import Action, to_data
from ...skills.appliance_events import events_of
from ...skills.outcomes import Reason
from ..contract import (
    Act,
    Brief,
    Decision,
    Decisions,
    Done,
    GiveUp,
    Grant,
    Note,
    Percept,
    Planner,
    Think,
)
from ..exploration import prior
from ..exploration.missing_objects import MissingObject, MissingObjects
from ..exploration.observed_graph import ObservedGraph
from ..exploration.search_targets import SearchTarget, SearchTargets
from ..task_planning.learned_capacity import LearnedCapacity
from ..task_planning.search import Plan, find_plan, still_leads_to, to_see, walk_to
from ..task_planning.wording import in_words, listed

#: An action that failed so often is not tried again, nor is a place looked at that needs it.
TRIES = 2
#: How many places a note on the belief lists.
TOP = 5

_ANYTHING = MissingObject(frozenset())


def plan(brief: Brief, percept: Percept) -> Decisions:
    """Look for what is missing, then act, and look again where the belief proves wrong."""
    yield from _Explorer(brief, percept).run()


class _Explorer:
    """One episode: what is believed, what was tried, and the plan being followed."""

    def __init__(self, brief: Brief, percept: Percept) -> None:
        assert brief.goal is not None, "explore is granted the goal"
        assert brief.goal_things is not None, "and the names of its things"
        self._brief = brief
        self._goal = brief.goal
        self._things = brief.goal_things
        self._wants = MissingObjects(brief.goal, brief.goal_things, brief.agent)
        self._belief = ObservedGraph()
        self._outlook = SearchTargets(
            prior.load(counted=not prior.Prior.sources & brief.sources),
            self._belief,
            brief.embodiment,
            brief.agent,
        )
        self._events: list[Event] = []
        self._failed: Counter[Action] = Counter()
        self._crowding = LearnedCapacity(brief.embodiment)
        self._closed_off: set[int] = set()  # places that cannot be looked at
        self._percept = percept
        self._belief.update(percept.view, percept.step)

    def run(self) -> Decisions:
        actions: list[Action] = []
        while True:
            wants = self._wants.missing(self._belief)
            reason = ""
            if not wants:
                if not self._still_right(actions):
                    found = self._search()
                    if found.actions is None and self._crowding.make_room(
                        self._belief.graph, self._failed
                    ):
                        continue
                    actions = list(found.actions or ())
                    reason = found.reason
                    if actions:
                        yield from self._tell(self._plan_note(found))
                if actions:
                    first = to_see(
                        actions[0], self._percept.view, self._belief.graph, self._brief.agent
                    )
                    seen = first is None or self._failed[first] >= TRIES
                    yield from self._act(actions.pop(0) if seen or first is None else first)
                    continue
                # Something never seen may give a plan, or break a goal on all things of a sort.
                wants = self._wants.unseen(universal=not reason)
                if not wants and not reason:
                    yield Done("As far as I can tell the goal holds.")
                    return
            prospects = self._outlook.prospects(wants or [_ANYTHING], self._closed_off)
            if not prospects:
                yield self._end(wants, reason)
                return
            yield from self._look(prospects)

    # --- acting on what is believed ------------------------------------------------------------

    def _still_right(self, actions: Sequence[Action]) -> bool:
        """Whether a plan still leads to the goal, in the world as it is believed to be now."""
        brief = self._brief
        return bool(actions) and still_leads_to(
            self._goal, self._belief.graph, actions, self._crowding.body, brief.agent, self._events
        )

    def _search(self, goal: HasState | None = None) -> Plan:
        """A shortest plan in the believed world, to the episode's goal or to a smaller one."""
        brief = self._brief
        return find_plan(
            self._belief.graph,
            self._goal if goal is None else goal,
            self._crowding.body,
            brief.actions,
            brief.agent,
            avoid=frozenset(a for a, times in self._failed.items() if times >= TRIES),
            events=self._events,
        )

    def _act(self, action: Action) -> Generator[Decision, Percept, bool]:
        """Do one thing and take in what follows. Whether it succeeded."""
        missing = self._wants.missing(self._belief)
        expected = events_of(self._belief.graph, action, self._percept.step + 1)
        percept = yield Act(action)
        outcome = percept.outcome
        success = outcome is not None and outcome.success
        if success:
            self._events += expected
        else:
            self._failed[action] += 1
            self._crowding.learn(action, outcome)
            failure = None if outcome is None else outcome.failure
            if failure is not None and failure.reason in (Reason.NOT_HERE, Reason.UNKNOWN):
                for thing in action.things:
                    self._belief.lose(thing)
        self._percept = percept
        self._belief.update(percept.view, percept.step)
        yield from self._tell(self._found_note(missing))
        return success

    # --- looking for what is missing -------------------------------------------------------------

    def _look(self, prospects: Sequence[SearchTarget]) -> Generator[Decision, Percept, None]:
        """Look at the first of some places, as far as nothing wanted comes in sight before."""
        chosen = prospects[0]
        place = chosen.place.id
        yield from self._tell(self._belief_note(prospects))
        self._percept = yield Think(self._thought(prospects))
        missing = self._wants.missing(self._belief)
        for action in self._way_to(chosen):
            if self._failed[action] >= TRIES:
                break
            if not (yield from self._act(action)):
                if self._failed[action] < TRIES:
                    return
                break
            if self._wants.missing(self._belief) != missing:
                return
        if place not in self._belief.looked:
            self._closed_off.add(place)

    def _way_to(self, prospect: SearchTarget) -> Sequence[Action]:
        place = prospect.place
        if State.CLOSED in place.states:
            return self._search(HasState(place.id, State.OPEN)).actions or ()
        return walk_to(self._belief.graph, place.id, self._brief.agent)

    # --- words -----------------------------------------------------------------------------------

    def _tell(self, note: Note | None) -> Generator[Decision, Percept, None]:
        if note is not None:
            self._percept = yield note

    def _name(self, node_id: int) -> str:
        return self._percept.names.get(node_id, str(node_id))

    def _plan_note(self, found: Plan) -> Note:
        actions = found.actions or ()
        return Note(
            "plan",
            in_words(actions, self._name),
            {
                "actions": [to_data(action) for action in actions],
                "exact": found.exact,
                "expanded": found.expanded,
            },
        )

    def _found_note(self, missing: Sequence[MissingObject]) -> Note | None:
        """What has come in sight of the things that were missing."""
        found = [
            want.thing
            for want in missing
            if want.thing is not None and self._belief.located(want.thing)
        ]
        if not found:
            return None
        graph = self._belief.graph
        where = [
            f"{self._name(thing)} is {relation} {self._name(place)}"
            for thing in found
            for relation, place in graph.places(thing)[:1]
        ]
        return Note("memory", listed(where), {"found": found})

    def _belief_note(self, prospects: Sequence[SearchTarget]) -> Note:
        """The places most worth a look, and how likely each missing thing is there."""
        wants = list(prospects[0].chances)
        top = prospects[:TOP]
        places = [
            {
                "id": each.place.id,
                "name": self._name(each.place.id),
                "room": None if each.room is None else self._name(each.room.id),
                "probabilities": [round(each.chances[want], 4) for want in wants],
                "steps": each.steps,
            }
            for each in top
        ]
        sought = listed([str(want) for want in wants])
        best = [f"{self._name(p.place.id)} ({p.chances[p.likeliest]:.2f})" for p in top]
        data = {"wants": [str(want) for want in wants], "places": places}
        return Note("belief", f"looking for {sought}: {listed(best)}", data)

    def _thought(self, prospects: Sequence[SearchTarget]) -> str:
        """ "The milk is most likely inside fridge 1 in the kitchen (0.41)." """
        chosen = prospects[0]
        want = chosen.likeliest
        probability = chosen.chances[want]
        plural = str(want).endswith("s") and not str(want).endswith("ss")
        what = f"{'The' if want.thing is not None or plural else 'A'} {want}"
        where = f"{self._where(chosen)} ({probability:.2f})"
        if all(each.chances[want] <= probability for each in prospects):
            return f"{what} {'are' if plural else 'is'} most likely {where}."
        return f"{what} may be {where}, and that is quick to check."

    def _where(self, prospect: SearchTarget) -> str:
        place = prospect.place
        if place.kind is Kind.ROOM:
            return f"in the {place.category}, where I have not been yet"
        room = "" if prospect.room is None else f" in the {prospect.room.category}"
        if State.CLOSED in place.states:
            relation = "inside"
        else:
            relation = "on" if Affordance.SURFACE in place.affordances else "at"
        return f"{relation} {self._name(place.id)}{room}"

    def _end(self, wants: Sequence[MissingObject], reason: str) -> Decision:
        """What to say when every place was looked at."""
        if reason:
            return GiveUp(f"I have looked everywhere and see no way: {reason}.")
        if self._wants.missing(self._belief):
            lost = listed([f"the {want}" for want in wants])
            return GiveUp(f"I have looked everywhere and did not find {lost}.")
        return Done("I have looked everywhere, and as far as I can tell the goal holds.")


PLANNER = Planner(
    name="explore",
    summary="knows the goal, searches for its things where they are usually kept, then acts",
    plan=plan,
    grants=frozenset({Grant.GOAL}),
    dialects=("reactree", "alfworld"),
    missing=prior.missing,
)
