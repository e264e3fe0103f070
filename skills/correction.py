"""Correction of actions by rule: inserts the prerequisites of an action.

After Onishchenko et al., LookPlanGraph (2025), section IV-C. It uses only the given graph, which is
what was perceived; errors there become errors of the correction. Containers that it opens stay
open, and things that it lays aside stay there unless the action needs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Affordance, Kind, Relation, State
from .actions import Action, close, go_to, open_, pick_up, plug_in, put, stand_up, turn_off
from .dynamics import apply, check
from .embodiment import Embodiment
from .outcomes import Failure, Reason
from .reach import bases, reach

#: The most actions of a correction.
_MOST_ACTIONS = 24
#: The action on the thing of a failure that removes its reason.
_REMEDIES = {
    Reason.ENCLOSED: open_,
    Reason.CONTAINER_CLOSED: open_,
    Reason.NOT_HELD: pick_up,
    Reason.STILL_ON: turn_off,
    Reason.STILL_OPEN: close,
    Reason.UNPLUGGED: plug_in,
}


@dataclass(frozen=True)
class Correction:
    """An action with its prerequisites.

    actions: in order, the action last; empty if no rule helps. added: the inserted actions with the
    failure that each prevents, "go_to (not_close)". failure: why the action cannot be done, or
    None.
    """

    actions: tuple[Action, ...] = ()
    added: tuple[str, ...] = ()
    failure: Failure | None = None


def correct(action: Action, graph: SceneGraph, embodiment: Embodiment) -> Correction:
    """Complete an action with its prerequisites: going there, opening, freeing a hand, picking up.

    graph: the known state, which is not modified.
    """
    return _Attempt(graph, embodiment).completed([action])


def rearrange(
    thing: int, relation: Relation, place: int, graph: SceneGraph, embodiment: Embodiment
) -> Correction:
    """Bring a thing to a place, by the shorter way: opening first or fetching first."""
    bring = put(thing, relation, place)
    fetched_first = _Attempt(graph, embodiment).completed([bring])
    closed = place in graph and State.CLOSED in graph[place].states
    if relation is not Relation.INSIDE or not closed:
        return fetched_first
    opened_first = _Attempt(graph, embodiment).completed([open_(place), bring])
    possible = [each for each in (opened_first, fetched_first) if each.failure is None]
    return min(possible, key=lambda each: len(each.actions), default=fetched_first)


class _Attempt:
    """Tries actions on a copy of the known graph."""

    def __init__(self, graph: SceneGraph, body: Embodiment) -> None:
        self._graph = graph.copy()
        self._body = body
        self._done: list[Action] = []
        self._added: list[str] = []

    def completed(self, wanted: list[Action]) -> Correction:
        """The actions with their prerequisites."""
        for number, action in enumerate(wanted, start=1):
            failure = self._do(action, wanted, ())
            if failure is not None:
                return Correction(failure=failure)
            if number < len(wanted):
                self._added.append(f"{action.verb} (ahead)")
        return Correction(tuple(self._done), tuple(self._added))

    def _do(
        self, action: Action, wanted: list[Action], needed_by: tuple[Action, ...]
    ) -> Failure | None:
        """Do an action after its prerequisites. needed_by: the actions that it serves."""
        if action in needed_by:
            return Failure(Reason.UNREACHABLE, action.target)
        for _ in range(_MOST_ACTIONS):
            failure = check(self._graph, action, self._body)
            if failure is None:
                apply(self._graph, action, approaches=self._body.approaches)
                self._done.append(action)
                return None
            before = self._prerequisite(action, failure, (*wanted, *needed_by))
            if before is None or len(self._done) >= _MOST_ACTIONS:
                return failure
            if self._do(before, wanted, (*needed_by, action)) is not None:
                return failure
            self._added.append(f"{before.verb} ({failure.reason})")
        return Failure(Reason.UNREACHABLE, action.target)

    def _prerequisite(
        self, action: Action, failure: Failure, needed_by: tuple[Action, ...]
    ) -> Action | None:
        """The action that removes the reason of a failure; None if no rule does."""
        thing = failure.thing
        if failure.reason is Reason.SEATED:
            return stand_up()
        if failure.reason is Reason.HANDS_FULL:
            return self._laid_aside({t for each in (action, *needed_by) for t in each.things})
        if thing is None:
            return None
        if failure.reason in (Reason.NOT_CLOSE, Reason.NOT_IN_SIGHT):
            container = self._graph.closed_around(thing)
            if container is not None:
                return open_(container)
            # go to the furniture: things on it may not have been seen yet
            return go_to(next(iter(bases(self._graph, thing)), thing))
        remedy = _REMEDIES.get(failure.reason)
        return None if remedy is None else remedy(thing)

    def _laid_aside(self, needed: set[int]) -> Action | None:
        """Put down a held thing nearby, preferably one that is not needed."""
        graph = self._graph
        held = sorted(graph.held(graph.agent().id), key=lambda thing: thing in needed)
        for thing in held:
            for place in self._surfaces():
                aside = put(thing, Relation.ON, place)
                if check(self._near(place), aside, self._body) is None:
                    return aside
        return None

    def _near(self, place: int) -> SceneGraph:
        """The graph with the agent at a place, if it can go there."""
        there = self._graph.copy()
        if check(there, go_to(place), self._body) is None:
            apply(there, go_to(place))
        return there

    def _surfaces(self) -> Iterator[int]:
        """Surfaces to put things on: within reach first, then in the room, then elsewhere."""
        graph = self._graph
        me = graph.agent().id
        room, near = graph.room_of(me), reach(graph, me)
        surfaces = [
            node.id
            for node in graph.nodes(Kind.FIXTURE)
            if Affordance.SURFACE in node.affordances and graph.room_of(node.id) is not None
        ]
        yield from sorted(surfaces, key=lambda p: (p not in near, graph.room_of(p) != room))
