"""The actions that a careful person holds possible, in `reactree`, by what lists tell."""

from __future__ import annotations

from collections.abc import Iterator

from ..dialects.llm_state import ListedScene
from ..dialects.reactree import category
from ..household import commonsense
from ..household.memory import Memory
from .house import ListedHouse
from .log import call_of, phrases_of

_FROM_AFAR = ("go to", "turn to", "point at", "watch", "greet", "look at")
_ALONE = ("stand up", "sleep", "wake up")
#: What is done with what is close, besides what states forbid.
_CLOSE_BY = (
    *("plug in", "unplug", "slice", "sit on", "lie down on", "put on", "take off", "drop"),
    *("eat", "drink", "read", "wash", "rinse", "scrub", "wipe", "touch", "type on"),
    *("squeeze", "push", "pull", "move"),
)
#: What changes a state, which it is no use to bring about twice.
_SWITCHES = (("turn on", "on"), ("turn off", "off"), ("close", "closed"))
#: How things are put at what is in a list.
_PUTS = (("Container List", "in"), ("Surface List", "on"), ("Surface List", "under"))


def offers(house: ListedHouse, scene: ListedScene, memory: Memory) -> frozenset[str]:
    """The actions of which there is a call."""
    called = phrases_of(house.functions)
    found = [
        *_from_anywhere(scene, memory, called),
        *_close_by(house, scene, memory, called),
        *_with_hands(house, scene, memory, called),
        *(phrase for phrase in _ALONE if phrase in called),
    ]
    return frozenset(found)


def is_offered(house: ListedHouse, action: str) -> bool:
    """Whether there is a call for an action."""
    call = call_of(action, house.words)
    return call is not None and call.partition("(")[0] in house.functions


def _from_anywhere(scene: ListedScene, memory: Memory, called: frozenset[str]) -> Iterator[str]:
    phrases = [phrase for phrase in _FROM_AFAR if phrase in called]
    for name in (*scene.rooms, *memory.known_names()):
        yield from (f"{phrase} {name}" for phrase in phrases)


def _close_by(
    house: ListedHouse, scene: ListedScene, memory: Memory, called: frozenset[str]
) -> Iterator[str]:
    phrases = [phrase for phrase in _CLOSE_BY if phrase in called]
    for name in (*scene.close, *scene.held):
        yield from (f"{phrase} {name}" for phrase in phrases)
        for phrase, state in _SWITCHES:
            if phrase in called and memory.state(name, state) is not True:
                yield f"{phrase} {name}"
        if "open" in called and _opens(house, memory, name):
            yield f"open {name}"


def _with_hands(
    house: ListedHouse, scene: ListedScene, memory: Memory, called: frozenset[str]
) -> Iterator[str]:
    takes = "pick up" in called and len(scene.held) < house.hands
    for name in scene.close:
        listed = scene.listed(name)
        if takes and "Object List" in listed and name not in memory.not_graspable:
            yield f"pick up {name}"
        puts = [how for title, how in _PUTS if title in listed and f"put down {how}" in called]
        for thing in scene.held:
            yield from (f"put down {thing} {how} {name}" for how in puts)
            if "pour" in called:
                yield f"pour {thing} into {name}"


def _opens(house: ListedHouse, memory: Memory, name: str) -> bool:
    """Whether a thing may be closed and open."""
    if memory.state(name, "open") or name in memory.not_openable:
        return False
    kind = category(name)
    return commonsense.has_door(kind) or house.wants_in_state(kind, "open")
