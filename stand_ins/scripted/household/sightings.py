"""Where things are, as far as observations show it: on arriving, opening and looking.

Each function updates a memory by the names that were listed in an observation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..dialects.reactree import category
from .memory import Memory, Sighting


def arrive(memory: Memory, target: str, listed: Sequence[str]) -> None:
    """See all that is in reach of a thing walked to, what is beside it included."""
    room = memory.room_of(target)
    if room is None and memory.room is not None and not memory.located(target):
        beside = next((name for name in listed if name in memory.furniture), None)
        if beside is None:
            memory.furniture.setdefault(target, None)  # seen where the transcript has a gap
        else:  # known from the actions on offer
            room = memory.room
            memory.things[target] = Sighting(room, beside)
    furniture = memory.furniture_of(target)
    if target in memory.furniture or furniture is None:
        memory.last_receptacle = target
    memory.room = room
    memory.reachable = reachable = set(listed)
    if category(target) == category(memory.last_target or "") and memory.last_target != target:
        _pass_by(memory)
    memory.last_target = target
    memory.inspected.add(target)
    _note_near(memory, listed)
    for name, sighting in list(memory.things.items()):
        hidden = sighting.place is not None and memory.state(sighting.place, "closed")
        if target in (sighting.stood_at, sighting.place) and name not in reachable and not hidden:
            del memory.things[name]
    for name in listed:
        if name in memory.held:
            continue
        if name in memory.furniture:
            memory.glimpsed.add(name)
            continue
        before = memory.things.get(name)
        if before is not None and before.place is not None and before.place in reachable:
            continue
        memory.things[name] = Sighting(room, furniture or target)


def _pass_by(memory: Memory) -> None:
    """Note a place that one goes away from with what one came with."""
    *_, before, _ = ["", "", *memory.succeeded]
    if memory.last_target is not None and before.endswith(memory.last_target):
        memory.passed_by.update((memory.last_target, thing) for thing in memory.held)


def _note_near(memory: Memory, listed: Sequence[str]) -> None:
    """Note what furniture is within reach together with each thing."""
    furniture = tuple(name for name in listed if name in memory.furniture)
    for name in listed if furniture else ():
        memory.near[name] = tuple(other for other in furniture if other != name)


def see_into(memory: Memory, container: str, listed: Sequence[str]) -> None:
    """See what is inside a container: what has come in sight on opening it."""
    before = memory.reachable
    memory.reachable = set(listed)
    memory.seen_into.add(container)
    memory.inspected.add(container)
    _note_near(memory, listed)
    furniture = memory.furniture_of(container)
    for name in listed:
        if name in memory.held or name in memory.furniture:
            continue
        if before is None or name in before:
            memory.things.setdefault(name, Sighting(memory.room, furniture or container))
            if before is not None:
                memory.not_inside.add((name, container))
        else:
            memory.things[name] = Sighting(memory.room, furniture or container, container, "inside")


def inspect(memory: Memory, place: str, listed: Sequence[str]) -> None:
    """See what a place that was looked at keeps, and what therefore is beside it."""
    memory.inspected.add(place)
    if place in memory.rooms:
        return
    furniture = memory.furniture_of(place)
    for name in listed:
        if name == place or name in memory.held or name in memory.furniture:
            continue
        before = memory.things.get(name)
        if before is None or before.place != place:
            relation = "on" if (name, place) in memory.not_inside else None
            memory.things[name] = Sighting(memory.room, furniture or place, place, relation)
    for name, sighting in list(memory.things.items()):
        if name not in listed and sighting.place == place and not memory.state(place, "closed"):
            memory.things[name] = replace(sighting, place=None, relation=None)
        if name not in listed:
            memory.not_at.add((name, place))


def see_within_reach(memory: Memory, listed: Sequence[str] | None) -> None:
    """See what is within reach after any other action, where that is told."""
    if listed is None or memory.reachable is None:
        return
    memory.reachable = set(listed)
    _note_near(memory, listed)
    for name in listed:
        if name not in memory.held and not memory.located(name):
            memory.things[name] = Sighting(memory.room, memory.last_target)


def see_offered(memory: Memory, options: Iterable[str]) -> None:
    """See what the actions on offer name: it is in sight."""
    offered = frozenset(options)
    for option in sorted(offered):
        name = option.removeprefix("go to ")
        if name == option or category(name) == name or name in memory.rooms:
            continue
        if name in memory.held or name in memory.worn or memory.located(name):
            continue
        if f"pick up {name}" in offered:
            memory.things[name] = Sighting(memory.room)
        else:
            memory.furniture[name] = memory.room
