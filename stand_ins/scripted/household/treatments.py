"""Heating, cooling and cleaning something: what one does it with, and whether it was done."""

from __future__ import annotations

from dataclasses import dataclass

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Memory
from .search import search_for
from .situation import Choices, Situation
from .subtasks import approach, make_room, open_container, pick_up, put_down


@dataclass(frozen=True)
class _Treatment:
    """How things are treated.

    places: categories of what a thing is put into. device: the category of what is then used, and
    verb, how.
    """

    places: tuple[str, ...]
    device: str
    verb: str


#: By the state that comes of it.
_TREATMENTS = {
    "heated": _Treatment(("microwave",), "microwave", "turn on"),
    "cooled": _Treatment(("fridge",), "fridge", "close"),
    "filled": _Treatment(("coffee machine",), "coffee machine", "turn on"),
    "cleaned": _Treatment(("sink basin", "bathtub basin", "sink"), "faucet", "turn on"),
}


def is_treated(memory: Memory, thing: str, state: str) -> bool:
    """Whether something was heated, cooled or cleaned since it was first seen."""
    return (thing, state) in memory.treated


def where_treated(state: str) -> str:
    """The category of what a thing is put into to come to a state by a treatment."""
    return _TREATMENTS[state].places[0]


def treatment_begun(memory: Memory, thing: str, state: str) -> bool:
    """Whether something is in hand, or was put where it is heated, cooled or cleaned."""
    return thing in memory.held or _treated_in(memory, thing, state) is not None


def _treated_in(memory: Memory, thing: str, state: str) -> str | None:
    """Where one has put a thing oneself to have it treated."""
    sighting = memory.things.get(thing)
    if sighting is None or sighting.place is None or not sighting.placed_by_me:
        return None
    return sighting.place if category(sighting.place) in _TREATMENTS[state].places else None


def _places(memory: Memory, treatment: _Treatment) -> list[str]:
    """Where things can be put to be treated: at a sink itself only where it has no basin."""
    known = memory.known_names()
    places = [name for kind in treatment.places for name in known if category(name) == kind]
    return [name for name in places if category(name) != "sink"] or places


def treat(situation: Situation, thing: str, state: str) -> Choices:
    """Have a thing heated, cooled or cleaned."""
    memory, treatment = situation.memory, _TREATMENTS[state]
    why = f"{thing} has to be {state}."
    devices = [name for name in memory.known_names() if category(name) == treatment.device]
    beside = {place for device in devices for place in (device, *memory.near.get(device, ()))}
    places = _places(memory, treatment)
    places.sort(
        key=lambda name: (
            name in memory.refusing,
            treatment.places.index(category(name)),
            name not in beside,
        )
    )
    if not places:
        yield from search_for(situation, treatment.places)
        return
    place = _treated_in(memory, thing, state)
    if place is not None and place not in beside:
        alike = {name for name in places if category(name) == category(place)}
        place = None if alike & beside else place  # the device is at another one
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
    devices.sort(key=lambda name: (name != place, not memory.in_reach(name)))
    for device in devices:
        stops = f"turn off {device}"
        starts_not = situation.offered(stops) and not situation.offered(f"turn on {device}")
        if memory.state(device, "on") or starts_not:
            yield Choice(f"{why} {device} runs already; once more.", f"turn off {device}")
        yield Choice(f"{why} I use {device}.", f"{treatment.verb} {device}")
    for device in devices:
        yield from approach(situation, device, why)
