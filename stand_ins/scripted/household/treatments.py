"""Heating, cooling and cleaning something: what one does it with, and whether it was done."""

from __future__ import annotations

from dataclasses import dataclass

from ..dialects.reactree import category
from ..transcript import Choice
from .memory import Memory
from .search import look_for
from .subtasks import Knowledge, Steps, put, reach, take, uncover


@dataclass(frozen=True)
class _Way:
    """place: what the thing is put into. device: what is then used, by which verb."""

    place: tuple[str, ...]
    device: str
    verb: str


_WAYS = {
    "heated": _Way(("microwave",), "microwave", "turn on"),
    "cooled": _Way(("fridge",), "fridge", "close"),
    "cleaned": _Way(("sink basin", "bathtub basin", "sink"), "faucet", "turn on"),
}


def is_treated(memory: Memory, thing: str, how: str) -> bool:
    """Whether something was heated, cooled or cleaned since it was first seen."""
    return (thing, how) in memory.treated


def under_way(memory: Memory, thing: str, how: str) -> bool:
    """Whether something is in hand, or was put where it is heated, cooled or cleaned."""
    return thing in memory.held or _lies_in(memory, thing, how) is not None


def _lies_in(memory: Memory, thing: str, how: str) -> str | None:
    """Where oneself has put a thing to have it treated."""
    sighting = memory.things.get(thing)
    if sighting is None or sighting.place is None or not sighting.mine:
        return None
    return sighting.place if category(sighting.place) in _WAYS[how].place else None


def treat(now: Knowledge, thing: str, how: str) -> Steps:
    """Have a thing heated, cooled or cleaned."""
    memory, way = now.memory, _WAYS[how]
    why = f"{thing} has to be {how}."
    places = [n for kind in way.place for n in memory.known() if category(n) == kind]
    if not places:
        yield from look_for(now, way.place)
        return
    place = _lies_in(memory, thing, how)
    if place is None:
        if thing not in memory.held:
            yield from take(now, thing, why)
        for chosen in places:
            yield from put(now, thing, "inside", chosen, why)
        return
    if not memory.in_reach(place):
        yield from reach(now, place, why)
        return
    if how == "cooled":
        if memory.state(place, "closed"):
            yield from uncover(now, place, why)
        yield Choice(f"{why} It gets cold once the door is shut.", f"close {place}")
        return
    if how == "heated" and not memory.state(place, "closed"):
        yield Choice(f"{why} The door has to be shut.", f"close {place}")
    devices = [name for name in memory.known() if category(name) == way.device]
    devices.sort(key=lambda name: (name != place, not memory.in_reach(name)))
    for device in devices:
        if memory.state(device, "on"):
            yield Choice(f"{why} {device} runs already; once more.", f"turn off {device}")
        yield Choice(f"{why} I use {device}.", f"{way.verb} {device}")
    for device in devices:
        yield from reach(now, device, why)
