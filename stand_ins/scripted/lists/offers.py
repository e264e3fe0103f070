"""The actions that a careful person holds possible, in `reactree`, by what lists tell."""

from __future__ import annotations

from collections.abc import Iterator

from ..dialects.llm_state import ListedScene
from ..dialects.reactree import category
from ..household import commonsense
from ..household.memory import Memory
from .house import ListedHouse
from .log import call_of

_FROM_AFAR = ("turn to", "point at", "watch", "greet", "look at")
#: What is done with what is close, besides what states forbid.
_CLOSE_BY = (
    *("plug in", "unplug", "slice", "sit on", "lie down on", "put on", "take off", "drop"),
    *("eat", "drink", "read", "wash", "rinse", "scrub", "wipe", "touch", "type on"),
    *("squeeze", "push", "pull", "move"),
)
#: What changes a state, which it is no use to bring about twice.
_SWITCHES = (("turn on", "on"), ("turn off", "off"), ("close", "closed"))


def offers(house: ListedHouse, scene: ListedScene, memory: Memory) -> frozenset[str]:
    """The actions of which there is a call."""
    return frozenset(
        action for action in _imaginable(house, scene, memory) if is_offered(house, action)
    )


def is_offered(house: ListedHouse, action: str) -> bool:
    """Whether there is a call for an action."""
    call = call_of(action, house.words)
    return call is not None and call.partition("(")[0] in house.functions


def _imaginable(house: ListedHouse, scene: ListedScene, memory: Memory) -> Iterator[str]:
    for name in (*scene.rooms, *memory.known_names()):
        yield f"go to {name}"
        yield from (f"{phrase} {name}" for phrase in _FROM_AFAR)
    for name in (*scene.close, *scene.held):
        yield from (f"{phrase} {name}" for phrase in _CLOSE_BY)
        for phrase, state in _SWITCHES:
            if memory.state(name, state) is not True:
                yield f"{phrase} {name}"
        if _opens(house, memory, name):
            yield f"open {name}"
    full = len(scene.held) >= house.hands
    for name in scene.close:
        listed = scene.listed(name)
        if "Object List" in listed and not full and name not in memory.not_graspable:
            yield f"pick up {name}"
        for thing in scene.held:
            if "Container List" in listed:
                yield f"put down {thing} in {name}"
            if "Surface List" in listed:
                yield from (f"put down {thing} on {name}", f"put down {thing} under {name}")
            yield f"pour {thing} into {name}"
    yield from ("stand up", "sleep", "wake up")


def _opens(house: ListedHouse, memory: Memory, name: str) -> bool:
    """Whether a thing may be closed and open."""
    if memory.state(name, "open") or name in memory.not_openable:
        return False
    kind = category(name)
    return commonsense.has_door(kind) or house.wants_in_state(kind, "open")
