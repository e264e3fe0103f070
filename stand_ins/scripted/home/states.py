"""Bring things into states: open, on, sliced; heated, cooled, cleaned, toasted."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..table import Requirement, Term, category
from .handling import (
    approach,
    go_to_room,
    make_room,
    open_container,
    pick_up,
    put_down,
    search_for,
    see_every_room,
)
from .memory import GIVE_UP, Choice, Choices, HouseSituation, Memory

#: The verb for each state, in the order in which states are reached.
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
KNIFE = Term(("knife", "butter knife"))
TOASTED, TOASTER = "toasted", "toaster"
_TOAST = "The bread is to be toasted."
#: By the resulting state: the container of the thing, the device, and the device's action.
_TREATMENTS = {
    "heated": (("microwave",), "microwave", "turn on"),
    "cooled": (("fridge",), "fridge", "close"),
    "filled": (("coffee machine",), "coffee machine", "turn on"),
    "cleaned": (("sink basin", "bathtub basin", "sink"), "faucet", "turn on"),
}


def in_order(requirements: Iterable[Requirement]) -> list[Requirement]:
    """Requirements of states, in the order in which they are fulfilled."""
    order = list(_VERBS)
    return sorted(
        requirements,
        key=lambda required: order.index(required.state) if required.state in order else len(order),
    )


def bring_about(situation: HouseSituation, required: Requirement) -> Choices:
    """Bring the required number of things into a state."""
    memory, state = situation.memory, required.state
    if required.thing is None or state not in _VERBS:
        return
    things = situation.instances(required.thing)
    if required.room:
        things = [n for n in things if category(memory.room_of(n) or "") == required.room]
        if not things:
            yield from go_to_room(situation, required.room)
            return
    count = max(len(things), 1) if required.count is None else required.count
    lacking = count - sum(memory.state(thing, state) is True for thing in things)
    if lacking <= 0:
        if required.count is None:
            yield from see_every_room(situation)
        return
    for thing in things:
        if not memory.state(thing, state):
            yield from _bring_into(situation, thing, state)
    if required.count is None:
        yield from see_every_room(situation)
    if lacking > sum(memory.state(thing, state) is not True for thing in things):
        yield from search_for(situation, required.thing.categories)
        yield Choice(f"I looked everywhere for the {required.thing.categories[0]}.", GIVE_UP)


def _bring_into(situation: HouseSituation, thing: str, state: str) -> Choices:
    memory = situation.memory
    why = f"{thing} has to be {state.replace('_', ' ')}."
    if state == "sliced" and not any("knife" in category(held) for held in memory.held):
        for tool in situation.instances(KNIFE):
            yield from pick_up(situation, tool, "I need a knife.")
        yield from search_for(situation, KNIFE.categories)
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


# --- heating, cooling, cleaning, filling ---------------------------------------------------------


def is_treated(memory: Memory, thing: str, state: str) -> bool:
    """Whether a thing was heated, cooled or cleaned since it was first seen."""
    return (thing, state) in memory.treated


def where_treated(state: str) -> str:
    """The category of the container for a treatment."""
    return TOASTER if state == TOASTED else _TREATMENTS[state][0][0]


def treatment_begun(memory: Memory, thing: str, state: str) -> bool:
    """Whether a thing is in hand, or at its device."""
    if thing in memory.held or state == TOASTED:
        return thing in memory.held or category(_place(memory, thing) or "") == TOASTER
    return _treated_in(memory, thing, state) is not None


def _place(memory: Memory, thing: str) -> str | None:
    known = memory.things.get(thing)
    return None if known is None else known.place


def _treated_in(memory: Memory, thing: str, state: str) -> str | None:
    """The place where the agent has put a thing for its treatment."""
    known = memory.things.get(thing)
    if known is None or known.place is None or not known.mine:
        return None
    return known.place if category(known.place) in _TREATMENTS[state][0] else None


def treat(situation: HouseSituation, thing: str, state: str) -> Choices:
    """Heat, cool or clean a thing."""
    memory, (kinds, kind_of_device, verb) = situation.memory, _TREATMENTS[state]
    why = f"{thing} has to be {state}."
    known = memory.known_names()
    devices = [name for name in known if category(name) == kind_of_device]
    places = [name for kind in kinds for name in known if category(name) == kind]
    # Things go to a sink itself only if it has no basin.
    places = [name for name in places if category(name) != "sink"] or places
    places.sort(key=lambda name: name in memory.refusing)
    if not places:
        yield from search_for(situation, kinds)
        return
    place = _treated_in(memory, thing, state)
    if place is None:
        free = [chosen for chosen in places if chosen not in memory.refusing]
        for chosen in () if free else places:
            yield from make_room(situation, chosen)
        if thing not in memory.held:
            yield from pick_up(situation, thing, why)
        for chosen in free:
            yield from put_down(situation, thing, "inside", chosen, why)
        return
    if not memory.in_reach(place):
        yield from approach(situation, place, why)
        return
    if state == "cooled":
        if memory.state(place, "closed"):
            yield from open_container(situation, place, why)
        yield Choice(f"{why} It gets cold once the door is shut.", f"close {place}")
        return
    if state == "heated" and not memory.state(place, "closed"):
        yield Choice(f"{why} The door has to be shut.", f"close {place}")
    number = place.rpartition(" ")[2]
    devices.sort(
        key=lambda name: (name != place, not memory.in_reach(name), not name.endswith(f" {number}"))
    )
    for device in devices:
        stops = f"turn off {device}"
        starts_not = situation.offered(stops) and not situation.offered(f"turn on {device}")
        if memory.state(device, "on") or starts_not:
            yield Choice(f"{why} {device} runs already; once more.", f"turn off {device}")
        yield Choice(f"{why} I use {device}.", f"{verb} {device}")
    for device in devices:
        yield from approach(situation, device, why)


# --- toast: a toaster takes one slice at a time --------------------------------------------------


def toast(
    situation: HouseSituation, term: Term, count: int, placed: Collection[str], *, bring: bool
) -> Choices:
    """Toast slices. placed: things at their places. bring: whether toast goes somewhere.

    Yields nothing while toast waits in the toaster, because the next slice needs its place.
    """
    memory = situation.memory
    slices = situation.instances(term)
    done = [name for name in slices if is_treated(memory, name, TOASTED)]
    if len(done) >= count or (bring and any(name not in placed for name in done)):
        return
    toasters = [name for name in memory.known_names() if category(name) == TOASTER]
    if not toasters:
        yield from search_for(situation, (TOASTER,))
        return
    raw = [name for name in slices if name not in done]
    for toaster in toasters:
        if any(_place(memory, name) == toaster for name in raw):
            yield from approach(situation, toaster, _TOAST)
            if memory.state(toaster, "on"):
                yield Choice(f"{_TOAST} {toaster} is on already; once more.", f"turn off {toaster}")
            yield Choice(_TOAST, f"turn on {toaster}")
            return
    for name in [name for name in raw if name in memory.held]:
        for toaster in toasters:
            for other in done:
                if _place(memory, other) == toaster:
                    yield from pick_up(situation, other, f"{toaster} takes one slice at a time.")
            yield from put_down(situation, name, "inside", toaster, _TOAST)
        return
    for name in raw:
        if not _cannot_be_taken(situation, name):
            yield from pick_up(situation, name, _TOAST)
    yield from search_for(situation, term.categories)


def _cannot_be_taken(situation: HouseSituation, name: str) -> bool:
    """Whether a slice in reach is not on offer, although a hand is free."""
    memory = situation.memory
    if memory.is_futile(f"pick up {name}"):
        return True
    waits = memory.in_reach(name) and len(memory.held) < memory.hands
    return waits and situation.menu is not None and not situation.offered(f"pick up {name}")
