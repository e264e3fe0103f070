"""A plan on a told graph: what a careful person would do there, imagined step by step.

The graph is all that there is. First everything in it is looked at, with nothing changed; what is
done then is the plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ....observation_text.dialect import Refusal
from ....observation_text.dialects.reactree.dialect import DIALECT
from ....observation_text.observer import Observer
from ....observation_text.view import Visibility, visible
from ....scene_graph.node import Affordance, Kind, State
from ....skills.actions import Action, Verb, close, go_to, open_
from ....skills.dynamics import bases, step
from ....skills.embodiment import Embodiment
from ....skills.outcomes import Outcome
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
        """The actions that are possible now, with the places of puts."""
        return tuple(self._observer.word(action) for _, action in self._observer.menu())

    def say(self, text: str) -> tuple[Action | None, str]:
        """Do an action in words: it, None where it failed, and what is observed."""
        try:
            action = self._observer.parse(text)
        except Refusal as refusal:
            return None, str(refusal)
        return self.do(action)

    def do(self, action: Action) -> tuple[Action | None, str]:
        """Do an action, as `say`."""
        failure = self._observer.admit(action) or step(self.graph, action, self._body)
        view = visible(self.graph, Visibility.NEAR)
        text, _ = self._observer.after(view, action, Outcome(failure))
        return (None if failure else action), text

    def word(self, action: Action) -> str:
        """An action in words."""
        return self._observer.word(action)


def plan_on(
    told: ToldGraph, instruction: str, table: Table, body: Embodiment, verbs: frozenset[Verb]
) -> tuple[list[Action], bool]:
    """The actions of a plan, and whether all is done then, as far as one can tell."""
    house = Imagination(told, body, verbs)
    transcript = Transcript(
        instruction,
        house.first,
        (),
        None,
        hands=body.hands,
        opening_needs_hand=Verb.OPEN in body.needs_free_hand,
    )
    for action in _tour(told):
        _, observed = house.do(action)
        transcript = _with(transcript, house.word(action), observed)
    found: list[Action] = []
    failures = 0
    for _ in range(_ACTIONS):
        choice = next_action(replace(transcript, options=house.options()), table)
        if choice.action in (DONE, GIVE_UP) or failures >= _FAILURES:
            return found, choice.action == DONE
        done, observed = house.say(choice.action)
        transcript = _with(transcript, choice.action, observed)
        if done is None:
            failures += 1
        else:
            found.append(done)
    return found, False


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
        seen: set[int] = set()
        for thing in graph.below(room):
            if graph[thing].kind not in (Kind.FIXTURE, Kind.OBJECT) or thing in seen:
                continue
            keeps = graph[thing].kind is Kind.FIXTURE or thing in bases(graph, thing)
            if keeps and graph.closed_around(thing) is None:
                yield go_to(thing)
                yield from _look_into(told, thing)
    if start is not None:
        yield go_to(start)


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
