"""Bringing things into states: open, on, sliced and so on."""

from __future__ import annotations

from collections.abc import Iterable

from ..dialects.reactree import category
from ..transcript import GIVE_UP, Choice
from . import whole_house
from .requirements import Requirement, Term
from .search import search_for
from .situation import Choices, Situation
from .subtasks import approach, open_container, pick_up

#: The verb that brings a thing into a state, in the order in which such things are done.
_VERBS = {
    "plugged_out": "unplug",
    "off": "turn off",
    "open": "open",
    "clean": "wash",
    "sliced": "slice",
    "closed": "close",
    "plugged_in": "plug in",
    "on": "turn on",
}
_KNIFE = Term(("knife", "butter knife"))


def in_order(requirements: Iterable[Requirement]) -> list[Requirement]:
    """Requirements of states in the order in which they are seen to."""
    order = list(_VERBS)
    return sorted(
        requirements,
        key=lambda required: order.index(required.state) if required.state in order else len(order),
    )


def bring_about(situation: Situation, required: Requirement) -> Choices:
    """Bring as many things as are required into a state."""
    memory, state = situation.memory, required.state
    if required.thing is None or state not in _VERBS:
        return
    things = situation.instances(required.thing)
    if required.room:
        things = [
            thing for thing in things if category(memory.room_of(thing) or "") == required.room
        ]
        if not things:
            yield from whole_house.go_to_room(situation, required.room)
            return
    count = max(len(things), 1) if required.count is None else required.count
    lacking = count - sum(memory.state(thing, state) is True for thing in things)
    if lacking <= 0:
        if required.count is None:
            yield from whole_house.see_every_room(situation)
        return
    for thing in things:
        if not memory.state(thing, state):
            yield from _bring_into(situation, thing, state)
    if required.count is None:
        yield from whole_house.see_every_room(situation)
    if lacking > sum(memory.state(thing, state) is not True for thing in things):
        yield from search_for(situation, required.thing.categories)
        yield Choice(f"I looked everywhere for the {required.thing.categories[0]}.", GIVE_UP)


def _bring_into(situation: Situation, thing: str, state: str) -> Choices:
    memory = situation.memory
    why = f"{thing} has to be {state.replace('_', ' ')}."
    lacks_knife = state == "sliced" and not any("knife" in category(t) for t in memory.held)
    if lacks_knife:
        yield from _get_knife(situation)
        return
    if not memory.in_reach(thing) and thing not in memory.held:
        yield from approach(situation, thing, why)
        return
    if state == "open":
        yield from open_container(situation, thing, why)
        return
    no_power = situation.offered(f"plug in {thing}") and not situation.offered(f"turn on {thing}")
    if state == "on" and (memory.state(thing, "plugged_out") or no_power):
        yield Choice(f"{why} It has no power yet.", f"plug in {thing}")
    if state == "plugged_out" and memory.state(thing, "on"):
        yield Choice(f"{why} It is still running.", f"turn off {thing}")
    yield Choice(why, f"{_VERBS[state]} {thing}")


def _get_knife(situation: Situation) -> Choices:
    for tool in situation.instances(_KNIFE):
        yield from pick_up(situation, tool, "I need a knife.")
    yield from search_for(situation, _KNIFE.categories)
