"""Correction of actions by rule: what has to be done before an action can be done.

After Onishchenko et al., LookPlanGraph (2025), section IV-C. It knows the graph that it is given,
which is what was perceived, and nothing else: where that is wrong, so may be what it inserts. What
it opens on the way it leaves open, and what it lays aside it does not take up again unless the
action needs it.
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

#: So many actions a correction has at most.
_MOST_ACTIONS = 24


@dataclass(frozen=True)
class Correction:
    """An action with its prerequisites.

    actions: in their order, the action last; empty where no rule helps. added: what was inserted
    and which failure it prevents, "go_to (not_close)". failure: why the action cannot be done, None
    where it can.
    """

    actions: tuple[Action, ...] = ()
    added: tuple[str, ...] = ()
    failure: Failure | None = None


def correct(action: Action, graph: SceneGraph, embodiment: Embodiment) -> Correction:
    """Complete an action with what it needs: going there, opening, a free hand, the thing in hand.

    graph: what is known, which is left as it is.
    """
    return _Attempt(graph, embodiment).completed([action])


def rearrange(
    thing: int, relation: Relation, place: int, graph: SceneGraph, embodiment: Embodiment
) -> Correction:
    """Bring a thing to a place: the shorter of opening first and of fetching first."""
    bring = put(thing, relation, place)
    fetched_first = _Attempt(graph, embodiment).completed([bring])
    if relation is not Relation.INSIDE or State.CLOSED not in _states(graph, place):
        return fetched_first
    opened_first = _Attempt(graph, embodiment).completed([open_(place), bring])
    found = [each for each in (opened_first, fetched_first) if each.failure is None]
    return min(found, key=lambda each: len(each.actions), default=fetched_first)


class _Attempt:
    """Actions tried out on a copy of what is known."""

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
        """Do an action after whatever it needs. needed_by: the actions that it is done for."""
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
        """What takes the reason of a failure away; None where no rule does."""
        thing = failure.thing
        match failure.reason:
            case Reason.SEATED:
                return stand_up()
            case Reason.HANDS_FULL:
                return self._laid_aside({t for each in (action, *needed_by) for t in each.things})
        if thing is None:
            return None
        match failure.reason:
            case Reason.NOT_CLOSE | Reason.NOT_IN_SIGHT:
                container = self._graph.closed_around(thing)
                if container is not None:
                    return open_(container)
                # the furniture: what stands on it may never have been seen
                return go_to(next(iter(bases(self._graph, thing)), thing))
            case Reason.ENCLOSED | Reason.CONTAINER_CLOSED:
                return open_(thing)
            case Reason.NOT_HELD:
                return pick_up(thing)
            case Reason.STILL_ON:
                return turn_off(thing)
            case Reason.STILL_OPEN:
                return close(thing)
            case Reason.UNPLUGGED:
                return plug_in(thing)
        return None

    def _laid_aside(self, needed: set[int]) -> Action | None:
        """Put down something held, if possible nothing that is needed, as near as may be."""
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
        """What things can be put on: furniture within reach, in the room, then elsewhere."""
        graph = self._graph
        me = graph.agent().id
        room, near = graph.room_of(me), reach(graph, me)
        found = [
            node.id
            for node in graph.nodes(Kind.FIXTURE)
            if Affordance.SURFACE in node.affordances and graph.room_of(node.id) is not None
        ]
        yield from sorted(found, key=lambda p: (p not in near, graph.room_of(p) != room))


def _states(graph: SceneGraph, node_id: int) -> frozenset[State]:
    node = graph.get(node_id)
    return frozenset() if node is None else node.states
