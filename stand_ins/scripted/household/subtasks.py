"""What has to be done next towards something small: standing at a thing, having it in hand …

Each function yields the next steps to choose from, best first: the first that is on offer and
has not failed again and again is taken. One that yields nothing has nothing left to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..dialects.reactree import category
from ..transcript import Choice
from . import commonsense as sense
from .memory import Memory

Steps = Iterator[Choice]


@dataclass(frozen=True)
class Knowledge:
    """What one knows, and what is on offer now (None: nothing says so)."""

    memory: Memory
    options: frozenset[str] | None

    def offered(self, action: str) -> bool:
        """Whether an action is said to be on offer."""
        return self.options is not None and action in self.options

    def possible(self, action: str) -> bool:
        """Whether an action may be chosen."""
        on_offer = self.options is None or action in self.options
        return on_offer and not self.memory.worn_out(action)


def reach(now: Knowledge, name: str, why: str) -> Steps:
    """Come to stand where a thing can be handled."""
    memory = now.memory
    if memory.in_reach(name) or name in memory.held:
        return
    sighting = memory.things.get(name)
    place = None if sighting is None else sighting.place
    if place is not None and memory.state(place, "closed"):
        yield from uncover(now, place, why)
        return
    yield Choice(f"{why} It is time to go to {name}.", f"go to {name}")
    if sighting is not None:
        for other in (sighting.place, sighting.base):
            if other is not None and not memory.in_reach(other):
                yield Choice(f"{why} I saw {name} at {other}.", f"go to {other}")
    room = memory.room_of(name)
    if room is not None and room != memory.here:
        yield Choice(f"{why} {name} is in the {room}.", f"go to {room}")


def uncover(now: Knowledge, container: str, why: str) -> Steps:
    """Open a container, wherever it is."""
    memory = now.memory
    if not memory.in_reach(container):
        yield from reach(now, container, why)
        return
    if memory.state(container, "on"):
        yield Choice(f"{why} {container} is running and must stop.", f"turn off {container}")
    if memory.hand_to_open and len(memory.held) >= memory.hands:
        yield from lay_down(now, memory.held[-1], "I need a free hand to open it.")
    yield Choice(f"{why} {container} has to be open.", f"open {container}")


def take(now: Knowledge, name: str, why: str, keep: frozenset[str] = frozenset()) -> Steps:
    """Have a thing in hand. keep: what must stay in hand."""
    memory = now.memory
    if name in memory.held:
        return
    if len(memory.held) >= memory.hands:
        for other in memory.held:
            if other not in keep:
                yield from lay_down(now, other, "My hands are full.")
        return
    if not memory.in_reach(name):
        yield from reach(now, name, why)
        return
    yield Choice(f"{why} I take {name}.", f"pick up {name}")


def lay_down(now: Knowledge, name: str, why: str) -> Steps:
    """Put something aside, on whatever is near."""
    memory = now.memory
    beginning = f"put down {name} on "
    for option in sorted(now.options or ()):
        if option.startswith(beginning):
            yield Choice(f"{why} {name} can lie here.", option)
    for place in sorted(memory.close or ()):
        if now.options is None and sense.promise("", category(place), "") >= 1.0:
            yield Choice(f"{why} {name} can lie here.", f"{beginning}{place}")
    yield Choice(f"{why} I let go of {name}.", f"drop {name}")
    for option in sorted(now.options or ()):
        if option.startswith("go to ") and sense.promise("", category(option[6:]), "") >= 1.0:
            yield Choice(f"{why} I look for a place for {name}.", option)


def put(now: Knowledge, name: str, relation: str, place: str, why: str) -> Steps:
    """Put down what is in hand, at a place."""
    memory = now.memory
    if place in memory.rooms:
        yield from _put_in_room(now, name, place, why)
        return
    if not memory.in_reach(place):
        yield from reach(now, place, why)
        return
    if relation == "inside" and is_shut(now, place):
        yield from uncover(now, place, why)
    preposition = {"inside": "in", "under": "under"}.get(relation, "on")
    yield Choice(f"{why} {name} goes here.", f"put down {name} {preposition} {place}")
    if memory.went_to == place:  # what is called short then is not on offer in full
        yield Choice(f"{why} {name} goes here.", f"put down {name}")
    else:  # in sight, and still too far away
        yield Choice(f"{why} It is time to go to {place}.", f"go to {place}")


def is_shut(now: Knowledge, container: str) -> bool:
    """Whether a container in reach is closed, or may be."""
    memory = now.memory
    if memory.state(container, "closed"):
        return True
    if memory.state(container, "open") or container in memory.no_door:
        return False
    if now.options is not None:
        return now.offered(f"open {container}")
    return memory.receptacle != container and sense.has_door(category(container))


def _put_in_room(now: Knowledge, name: str, room: str, why: str) -> Steps:
    if now.memory.here != room:
        yield Choice(f"{why} {name} belongs in the {room}.", f"go to {room}")
        return
    yield from lay_down(now, name, why)
