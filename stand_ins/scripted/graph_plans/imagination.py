"""A plan on a told graph: what a careful person would do there, imagined step by step.

The graph is all that there is. First everything in it is looked at, with nothing changed; what is
done then is the plan. Where opening takes an empty hand, it is moved before the taking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....observation_text.dialect import Refusal
from ....observation_text.dialects.reactree.dialect import DIALECT
from ....observation_text.observer import Observer
from ....observation_text.view import Visibility, visible
from ....scene_graph.node import POSTURES, Affordance, Kind, Relation, State
from ....skills.actions import Action, Verb, close, drop, go_to, look, open_, plug_in, put, stand_up
from ....skills.dynamics import bases, step
from ....skills.embodiment import Embodiment
from ....skills.outcomes import Outcome, Reason
from ..household.policy import next_action
from ..household.requirements import Table
from ..transcript import DONE, GIVE_UP, Transcript, Turn
from .told_graph import ToldGraph

#: Actions to find a plan, and failures after which it stays as it is.
_ACTIONS, _FAILURES = 240, 6


class Imagination:
    """A told graph in which one acts in words. graph: as it is now."""

    def __init__(self, told: ToldGraph, body: Embodiment, verbs: frozenset[Verb]) -> None:
        self.graph = told.graph.copy()
        self._observer = Observer(told.names, DIALECT, verbs, body)
        self._body = body
        self.first = self._observer.start(visible(self.graph, Visibility.NEAR))

    def options(self) -> tuple[str, ...]:
        """The actions that are possible now, with the places of puts; things drop on the floor."""
        found = [self._observer.word(action) for _, action in self._observer.menu()]
        if self._floor() is not None:
            held = self.graph.held(self.graph.agent().id)
            found += [self._observer.word(drop(thing)) for thing in held]
        return (*found, DONE, GIVE_UP)

    def say(self, text: str) -> list[tuple[Action | None, str, str]]:
        """Do an action in words: each that was done, None where it failed, its words, and what is
        observed.
        """
        try:
            action = self._observer.parse(text)
        except Refusal as refusal:
            return [(None, text, str(refusal))]
        floor = self._floor()
        if action.verb is not Verb.DROP or action.target is None or floor is None:
            return [self.do(action)]
        return [self.do(go_to(floor)), self.do(put(action.target, Relation.ON, floor))]

    def do(self, action: Action) -> tuple[Action | None, str, str]:
        """Do an action, as `say`."""
        said = self._observer.word(action)
        failure = self._observer.admit(action) or step(self.graph, action, self._body)
        view = visible(self.graph, Visibility.NEAR)
        text, _ = self._observer.after(view, action, Outcome(failure))
        return (None if failure else action), said, text

    def _floor(self) -> int | None:
        """The floor of the room one is in."""
        room = self.graph.room_of(self.graph.agent().id)
        below = () if room is None else self.graph.below(room)
        return next((thing for thing in below if self.graph[thing].category == "floor"), None)


def plan_on(
    told: ToldGraph, instruction: str, table: Table, body: Embodiment, verbs: frozenset[Verb]
) -> tuple[list[Action], bool]:
    """The actions of a plan, and whether all is done then, as far as one can tell."""
    house = Imagination(told, replace(body, needs_free_hand=frozenset()), verbs)
    transcript = Transcript(instruction, house.first, (), None, hands=body.hands)
    seated = not POSTURES.isdisjoint(told.graph.agent().states)
    found = [stand_up()] if seated else []
    for action in (*found, *_tour(told)):
        _, said, observed = house.do(action)
        transcript = _with(transcript, said, observed)
    failures, done = 0, False
    for _ in range(_ACTIONS):
        choice = next_action(replace(transcript, options=house.options()), table)
        if choice.action in (DONE, GIVE_UP) or failures >= _FAILURES:
            done = choice.action == DONE
            break
        for came, said, observed in house.say(choice.action):
            transcript = _with(transcript, said, observed)
            if came is None:
                failures += 1
            else:
                found.append(came)
    return with_free_hands(found, told, body), done


def with_free_hands(actions: list[Action], told: ToldGraph, body: Embodiment) -> list[Action]:
    """A plan in which what takes a free hand is done before something is picked up."""
    found: list[Action] = []
    graph = told.graph.copy()
    for action in actions:
        failure = step(graph, action, body)
        if failure is not None and failure.reason is Reason.HANDS_FULL:
            taken = max((n for n, a in enumerate(found) if a.verb is Verb.PICK_UP), default=None)
            if taken is not None and action.target is not None:
                walks = [each for each in found[:taken] if each.verb is Verb.GO_TO]
                back = walks[-1] if walks else go_to(found[taken].things[0])
                found[taken:taken] = [go_to(action.target), action, back]
                graph = told.graph.copy()
                for each in found:
                    step(graph, each, body)
                continue
        found.append(action)
    return found


def _with(transcript: Transcript, action: str, observed: str) -> Transcript:
    return replace(transcript, turns=(*transcript.turns, Turn(action, observed)))


def _tour(told: ToldGraph) -> Iterator[Action]:
    """The way to see everything, with nothing changed in the end; it ends where one is."""
    graph = told.graph
    me = graph.agent().id
    start = graph.room_of(me)
    for room in graph.room_ids:
        if not graph.below(room):
            continue
        yield go_to(room)
        yield look()
        for thing in graph.below(room):
            if graph[thing].kind not in (Kind.FIXTURE, Kind.OBJECT):
                continue
            keeps = graph[thing].kind is Kind.FIXTURE or thing in bases(graph, thing)
            if keeps and graph.closed_around(thing) is None:
                yield go_to(thing)
                yield from _try_plugs(told, thing)
                yield from _look_into(told, thing)
    if start is not None:
        yield go_to(start)


def _try_plugs(told: ToldGraph, thing: int) -> Iterator[Action]:
    """Try to plug in what is so already: what is observed says so only then."""
    graph = told.graph
    for place in (thing, *graph.below(thing)):
        if State.PLUGGED_IN in graph[place].states and graph.closed_around(place) is None:
            yield plug_in(place)


def _look_into(told: ToldGraph, thing: int) -> Iterator[Action]:
    """Open what is closed there, the outer first, and close it again, the inner first."""
    graph = told.graph
    shut = [
        place
        for place in (thing, *graph.below(thing))
        if State.CLOSED in graph[place].states
        and Affordance.OPENABLE in graph[place].affordances
        and State.ON not in graph[place].states
        and graph[place].kind in (Kind.FIXTURE, Kind.OBJECT)
    ]
    yield from (open_(place) for place in shut)
    yield from (close(place) for place in reversed(shut))
