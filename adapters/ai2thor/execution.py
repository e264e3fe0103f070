"""Planners' actions as actions of the simulator.

The simulator allows puts by a table of types, unless forced. ALFRED's tasks were made with force
and ask for pencils in bowls, so puts that the table refuses are forced here too. Receptacles with
one slot take only matching things, forced or not.

The simulator's error messages are matched by substring: versions add the name of an exception
before and a trace after. The accompanying `errorCode` is too vague to use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...data_files import read_yaml
from ...scene_graph.node import Relation
from ...skills.actions import Action, Verb
from ...skills.dynamics import stands_at
from ...skills.outcomes import Failure, RawResult, Reason
from .approach import (
    VARIATIONS,
    come_near,
    is_movable,
    kept,
    look_over,
    look_over_from_here,
    stand_at,
    turn_to,
)
from .connection import EngineAnswer
from .graph import ROOM
from .object_types import ONE_SLOT, allowed, category_of
from .world import ThorWorld

#: For `Embodiment.capacity` and `Embodiment.accepts`.
CAPACITY = {category_of(place): 1 for place in ONE_SLOT}
TAKES = {
    category_of(place): frozenset(map(category_of, things)) for place, things in ONE_SLOT.items()
}

#: The simulator's actions whose only argument is the target.
_SIMPLE = {
    Verb.PICK_UP: "PickupObject",
    Verb.OPEN: "OpenObject",
    Verb.CLOSE: "CloseObject",
    Verb.TURN_ON: "ToggleObjectOn",
    Verb.TURN_OFF: "ToggleObjectOff",
    Verb.SLICE: "SliceObject",
}
#: What a message is about: a part of it, and the reason.
_REASONS: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("failures.yaml"))
_NO_RECEPTACLE = "This target object is NOT a receptacle"


def execute(world: ThorWorld, action: Action, variation: int) -> RawResult:
    """One try of an action of VERBS that our model of household actions allows.

    variation: from 1 on from other poses; the last one is forced.
    """
    return _EXECUTIONS[action.verb](world, action, variation)


def _go_to(world: ThorWorld, action: Action, variation: int) -> RawResult:
    target = _target(action)
    if target == ROOM:
        world.leave()
        floor = world.graph().contents(ROOM)
        look_over(world, (thing for thing in floor if is_movable(world, thing)))
        world.looked.add(ROOM)
        return RawResult()
    arrived = stand_at(world, target, variation)
    if arrived.failure is not None:
        return arrived
    world.leave()
    world.arrive(stands_at(world.graph(), target))
    look_over_from_here(world, kept(world, world.at))
    world.looked.update(world.at)
    return arrived


def _use(world: ThorWorld, action: Action, variation: int) -> RawResult:
    """Do an action whose only argument is the target."""
    target = _target(action)
    near = come_near(world, target, variation)
    if near.failure is not None:
        return near
    name = _SIMPLE[action.verb]
    answer = world.step(name, objectId=world.native_id(target), **_forced(variation))
    result = _result(answer, action)
    if result.success and action.verb is Verb.OPEN:
        look_over_from_here(world, kept(world, [target]))
        world.looked.add(target)
    elif result.success and action.verb is Verb.SLICE:
        look_over_from_here(world, kept(world, world.at))
    return result


def _put(world: ThorWorld, action: Action, variation: int) -> RawResult:
    assert action.place is not None
    near = come_near(world, action.place, variation)
    if near.failure is not None:
        return near
    target = _target(action)
    held, place = world.native_id(target), world.native_id(action.place)
    force = _forced(variation)
    if not allowed(world.type_of(target), world.type_of(action.place)):
        force = {"forceAction": True}
    answer = world.put(held, place, placeStationary=True, **force)
    if answer.success:
        world.seen.add(held)
    return _result(answer, action)


def _drop(world: ThorWorld, action: Action, variation: int) -> RawResult:
    answer = world.step("DropHandObject", **_forced(variation))
    result = _result(answer, action)
    if result.success:
        target = _target(action)
        world.seen.add(world.native_id(target))
        world.arrive(dict.fromkeys((*world.at, *stands_at(world.graph(), target))))
    return result


def _look(world: ThorWorld, action: Action, variation: int) -> RawResult:
    """Look around, or turn to one thing, without walking."""
    if action.target is not None:
        turned, message = turn_to(world, action.target, variation)
        return RawResult() if turned else RawResult(failure_of(message, action), message)
    for _ in range(4):
        answer = world.step("RotateRight")
        if not answer.success:  # a held thing blocks the view: not everything was seen
            break
    return _result(answer, action)


def _wait(world: ThorWorld, action: Action, variation: int) -> RawResult:
    return _result(world.step("Pass"), action)


_EXECUTIONS: Mapping[Verb, Callable[[ThorWorld, Action, int], RawResult]] = {
    **dict.fromkeys(_SIMPLE, _use),
    Verb.GO_TO: _go_to,
    Verb.PUT: _put,
    Verb.DROP: _drop,
    Verb.LOOK: _look,
    Verb.WAIT: _wait,
}
#: The verbs with an action of the simulator.
VERBS = frozenset(_EXECUTIONS)


def _target(action: Action) -> int:
    assert action.target is not None  # guaranteed by `actions`
    return action.target


def _forced(variation: int) -> dict[str, Any]:
    """Whether a try skips the simulator's checks of geometry: the last one does."""
    return {"forceAction": True} if variation >= VARIATIONS - 1 else {}


def _result(answer: EngineAnswer, action: Action) -> RawResult:
    if answer.success:
        return RawResult()
    return RawResult(failure_of(answer.message, action), answer.message)


def failure_of(message: str, action: Action) -> Failure:
    """The typed failure of an error message; REFUSED if the message is unknown."""
    place = action.target if action.place is None else action.place
    if _NO_RECEPTACLE in message:
        inside = action.relation is Relation.INSIDE
        return Failure(Reason.NOT_A_CONTAINER if inside else Reason.NOT_A_SURFACE, place)
    for about, reasons in _REASONS.items():
        for words, name in reasons.items():
            if words in message:
                reason = Reason(name)
                about_place = about == "place" or reason is Reason.UNREACHABLE
                return Failure(reason, place if about_place else action.target)
    return Failure(Reason.REFUSED, action.target)
