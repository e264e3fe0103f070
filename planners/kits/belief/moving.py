"""How the body of an episode makes a move of the belief search.

The search knows a body that approaches by itself and can open with full hands. Any other body goes
there first. Where opening takes its hand, it puts down what it holds before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ....models.contract import NoAnswer
from ....scene_graph.node import Affordance, State
from ....skills.actions import Action, Verb, close, look, put
from ....skills.outcomes import Failure, Reason
from ....skills.reach import reaches
from ...contract import Act, Brief, Percept, SubPlan
from ..household.plan_following import walk_to
from .search.kitchen import OPEN
from .world import KitchenWorld, Move

#: Attempts at a move. Then an area that was to be opened counts as empty; else there is no way on.
_TRIES = 3


class MoveMaker:
    """Makes moves in the world of one episode."""

    def __init__(self, brief: Brief, world: KitchenWorld) -> None:
        """world: it takes in what the actions of a move show."""
        self._brief, self._world = brief, world
        self._vain: Counter[Move] = Counter()
        self._full: set[int] = set()  # where nothing could be put down

    def make(self, move: Move) -> SubPlan[Percept]:
        """Make a move; the newest percept. Raises NoAnswer where it failed too often."""
        action = self._world.action(move)
        if action is None or self._brief.embodiment.approaches:
            return (yield Act(action or Action(Verb.WAIT)))
        percept = yield from self._do(self._steps(action))
        front = self._in_the_way(action, _failure(percept))
        if front is not None and percept.ended is None:
            percept = yield from self._do(self._steps(close(front)))
        elif percept.ended is None:
            self._count(move, _failure(percept))
        return percept

    def _do(self, steps: Iterable[Action]) -> SubPlan[Percept]:
        """Act until one action fails. There is at least one."""
        for action in steps:
            percept = yield Act(action)
            self._world.update(percept)
            if percept.ended is not None:
                break
            if _failure(percept) is not None:
                if action.verb is Verb.PUT and action.place is not None:
                    self._full.add(action.place)
                break
        return percept

    def _count(self, move: Move, failure: Failure | None) -> None:
        area = self._world.areas.get(move.what)
        is_done = failure is None if move.verb != OPEN else area is None or area.is_open
        self._vain[move] = 0 if is_done else self._vain[move] + 1
        if self._vain[move] < _TRIES:
            return
        if move.verb != OPEN or area is None:
            raise NoAnswer(f"The robot could not {move}, {_TRIES} times.")
        self._world.given_up.add(area.id)

    # --- the actions of a move -------------------------------------------------------------------

    def _steps(self, action: Action) -> Iterator[Action]:
        """The actions that lead to one, and this last; each is chosen as the world is then."""
        graph, me, body = self._world.graph, self._brief.agent, self._brief.embodiment
        thing = action.target if action.place is None else action.place
        assert thing is not None
        in_sight = action.verb is Verb.OPEN and State.CLOSED not in graph[thing].states
        held = graph.held(me)
        if not in_sight and action.verb in body.needs_free_hand and len(held) >= body.hands:
            yield from self._put_down(held[-1], action)
        if not reaches(graph, me, thing):
            yield from walk_to(graph, self._world.observed.base(thing) or thing, me)
            if in_sight:  # going there shows it
                return
        yield look(thing) if in_sight else action

    def _put_down(self, held: int, then: Action) -> Iterator[Action]:
        """Put down what is held on what is open, as near and as flat as may be."""
        graph, me = self._world.graph, self._brief.agent
        spots = [
            area.id
            for area in self._world.areas.values()
            if area.is_open and area.id in graph and area.id not in {*self._full, then.target}
        ]
        if not spots:
            raise NoAnswer("The robot's hand is full, and there is no place to put it down.")

        def awkward(place: int) -> tuple[bool, bool]:
            front = Affordance.OPENABLE in graph[place].affordances
            return front, not reaches(graph, me, place)

        spot = min(spots, key=awkward)
        yield from self._steps(put(held, self._world.relation(held, spot), spot))

    def _in_the_way(self, action: Action, failure: Failure | None) -> int | None:
        """The open door or drawer that an action failed for, unless it has to stay open."""
        if failure is None or failure.reason is not Reason.BLOCKED or failure.thing is None:
            return None
        graph = self._world.graph
        needed = {action.place, *(p for thing in action.things for p in graph.above(thing))}
        is_open = failure.thing in graph and State.OPEN in graph[failure.thing].states
        return failure.thing if is_open and failure.thing not in needed else None


def _failure(percept: Percept) -> Failure | None:
    return None if percept.outcome is None else percept.outcome.failure
