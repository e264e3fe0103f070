"""Common sense of homes: where to look for things, and which furniture has a door."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ....data_files import read_yaml


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KNOWN = read_yaml(Path(__file__).with_suffix(".yaml"))
_OBJECT_PLACES = [
    (_words(kind["things"]), _words(kind["furniture"]), _words(kind["rooms"]))
    for kind in _KNOWN["object_places"]
]
_NOT_SEARCHED, _STORAGE, _SURFACES, _AT_A_GLANCE = (
    _words(_KNOWN[name]) for name in ("not_searched", "storage", "surfaces", "at_a_glance")
)
#: Last words of furniture.
_FURNITURE = _NOT_SEARCHED | _STORAGE | _SURFACES | _words(_KNOWN["other_furniture"])
_FURNITURE -= _words(_KNOWN["no_furniture"])
_ROOMS = {room: _words(furniture) for room, furniture in _KNOWN["rooms"].items()}


@cache
def search_value(thing: str, furniture: str, room: str) -> float:
    """How likely a thing is at a piece of furniture in a room, by their categories.

    From 0, on the scale of `room_search_value`.
    """
    words = set(furniture.split())
    if thing and thing.split()[-1] in _FURNITURE:
        return 0.05  # visible from the door of its room
    nothing_at = furniture.split()[-1:] and furniture.split()[-1] in _NOT_SEARCHED
    if nothing_at or (words & _NOT_SEARCHED and not words & _SURFACES):
        return 0.02
    places, rooms = usual_places(thing)
    value = 1.0 if words & (_STORAGE | _SURFACES) else 0.15
    if words & places:
        value += 2.0
    if rooms and not rooms & set(room.split()):
        value *= 0.4
    return value


@cache
def room_search_value(thing: str, room: str) -> float:
    """How likely a thing is in a room that was not seen yet."""
    _, rooms = usual_places(thing)
    if not rooms:
        return 1.0
    return 3.0 if rooms & set(room.split()) else 0.5


@cache
def usual_places(thing: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the furniture and rooms where such a thing usually is."""
    words = set(thing.split())
    kinds = [kind for kind in _OBJECT_PLACES if words & kind[0]]
    places = frozenset(word for _, furniture, _ in kinds for word in furniture)
    return places, frozenset(word for *_, rooms in kinds for word in rooms)


def is_seen_at_a_glance(thing: str) -> bool:
    """Whether such a thing is visible from the door: furniture and other fixed things."""
    *_, last = ["", *thing.split()]
    return last != "lamp" and last in _FURNITURE | _AT_A_GLANCE


def usual_room(furniture: str) -> str:
    """The usual room of a piece of furniture, or ""."""
    words = set(furniture.split())
    return next((room for room, usual in _ROOMS.items() if words & usual), "")


def has_door(furniture: str) -> bool:
    """Whether furniture of this category usually has a door."""
    return bool(set(furniture.split()) & _STORAGE)
