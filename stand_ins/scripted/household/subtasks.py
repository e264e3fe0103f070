"""Subtasks with one thing: coming within reach of it, picking it up, opening it …

Each gives actions to choose from, the best first, with `why` as the beginning of the thought. One
that gives none has nothing left to do.
"""

from __future__ import annotations

from collections.abc import Collection

from ..dialects.reactree import category
from ..transcript import Choice
from . import commonsense
from .situation import Choices, Situation

#: Furniture is good to lay something down on from this search value on.
_SURFACE = 1.0


def approach(situation: Situation, name: str, why: str) -> Choices:
    """Come to stand where a thing can be handled."""
    memory = situation.memory
    if memory.in_reach(name) or name in memory.held:
        return
    sighting = memory.things.get(name)
    place = None if sighting is None else sighting.place
    if place is not None and memory.state(place, "closed"):
        yield from open_container(situation, place, why)
        return
    yield Choice(f"{why} It is time to go to {name}.", f"go to {name}")
    if sighting is not None:
        for other in (sighting.place, sighting.stood_at):
            if other is not None and not memory.in_reach(other):
                yield Choice(f"{why} I saw {name} at {other}.", f"go to {other}")
    room = memory.room_of(name)
    if room is not None and room != memory.room:
        yield Choice(f"{why} {name} is in the {room}.", f"go to {room}")
    for other in memory.near.get(name, ()):
        yield Choice(f"{why} I saw {name} beside {other}.", f"go to {other}")


def open_container(situation: Situation, container: str, why: str) -> Choices:
    """Open a container, wherever it is."""
    memory = situation.memory
    if not memory.in_reach(container):
        yield from approach(situation, container, why)
        return
    if memory.state(container, "on"):
        yield Choice(f"{why} {container} is running and must stop.", f"turn off {container}")
    if memory.opening_needs_hand and len(memory.held) >= memory.hands:
        yield from set_aside(situation, memory.held[-1], "I need a free hand to open it.")
    yield Choice(f"{why} {container} has to be open.", f"open {container}")


def pick_up(
    situation: Situation, name: str, why: str, keep: frozenset[str] = frozenset()
) -> Choices:
    """Have a thing in hand. keep: what is not set aside for it."""
    memory = situation.memory
    if name in memory.held:
        return
    if len(memory.held) >= memory.hands:
        for other in memory.held:
            if other not in keep:
                yield from set_aside(situation, other, "My hands are full.")
        return
    if not memory.in_reach(name):
        yield from approach(situation, name, why)
        return
    sighting = memory.things.get(name)
    place = None if sighting is None else sighting.place
    if place is not None and memory.state(place, "closed"):  # as a microwave that heated it
        yield from open_container(situation, place, why)
    yield Choice(f"{why} I take {name}.", f"pick up {name}")


def make_room(
    situation: Situation, place: str, belonging: Collection[str] = frozenset()
) -> Choices:
    """Take something out of a place that is full. belonging: what is to be there."""
    memory = situation.memory
    why = f"{place} is full."
    there = [
        name
        for name, sighting in memory.things.items()
        if sighting.place == place and name not in belonging
    ]
    looked = f"look at {place}" in memory.succeeded
    if looked and not there:
        return
    if not memory.in_reach(place):
        yield from approach(situation, place, why)
        return
    if memory.state(place, "closed"):
        yield from open_container(situation, place, why)
        return
    if not looked:
        yield Choice(f"{why} What is there?", f"look at {place}")
    for thing in there:
        yield from pick_up(situation, thing, why)


def set_aside(situation: Situation, name: str, why: str, away_from: str = "") -> Choices:
    """Put down what is in hand on whatever is near, but for what is to be kept free."""
    memory = situation.memory
    beginning = f"put down {name} on "
    places = {*memory.cleared, *memory.refusing, *filter(None, (away_from,))}
    kept_free = tuple(f" {place}" for place in places)
    for option in sorted(situation.options or ()):
        if option.startswith(beginning) and not option.endswith(kept_free):
            yield Choice(f"{why} {name} can lie here.", option)
    for place in sorted(memory.reachable or ()):
        if situation.options is None and _is_surface(place) and place not in places:
            yield Choice(f"{why} {name} can lie here.", f"{beginning}{place}")
    yield Choice(f"{why} I let go of {name}.", f"drop {name}")
    for option in sorted(situation.options or ()):
        if option.startswith("go to ") and _is_surface(option[6:]):
            yield Choice(f"{why} I look for a place for {name}.", option)


def put_down(situation: Situation, name: str, relation: str, place: str, why: str) -> Choices:
    """Put down what is in hand at a place."""
    memory = situation.memory
    if place in memory.rooms:
        yield from _put_in_room(situation, name, place, why)
        return
    if not memory.in_reach(place):
        yield from approach(situation, place, why)
        return
    if relation == "inside" and may_be_closed(situation, place):
        yield from open_container(situation, place, why)
    preposition = {"inside": "in", "under": "under"}.get(relation, "on")
    yield Choice(f"{why} {name} goes here.", f"put down {name} {preposition} {place}")
    if memory.last_target == place:  # the short text may be on offer in place of the full one
        yield Choice(f"{why} {name} goes here.", f"put down {name}")
    else:  # in sight, and still too far away
        yield Choice(f"{why} It is time to go to {place}.", f"go to {place}")


def may_be_closed(situation: Situation, container: str) -> bool:
    """Whether a container in reach is closed, or may be."""
    memory = situation.memory
    if memory.state(container, "closed"):
        return True
    if memory.state(container, "open") or container in memory.not_openable:
        return False
    if situation.options is not None:
        return situation.offered(f"open {container}")
    return memory.last_receptacle != container and commonsense.has_door(category(container))


def _put_in_room(situation: Situation, name: str, room: str, why: str) -> Choices:
    if situation.memory.room != room:
        yield Choice(f"{why} {name} belongs in the {room}.", f"go to {room}")
        return
    yield from set_aside(situation, name, why)


def _is_surface(furniture: str) -> bool:
    return commonsense.search_value("", category(furniture), "") >= _SURFACE
