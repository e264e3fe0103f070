"""The furniture of BEHAVIOR-1K's 51 scenes, room by room.

From the inventory, only furniture to search or put things on is used, at most three of a sort per
room, and one floor. The inventory does not say where smaller things lie.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import NamedTuple

from . import package
from .taxonomy import Synset, synset_of

#: The most things of a sort in one room.
MOST = 3
_FLOORS = frozenset({"floor.n.01", "lawn.n.01", "driveway.n.01"})
_FURNITURE = ("furniture.n.01", "home_appliance.n.01", "tabletop.n.01", "shelf.n.01")


class InventoryItem(NamedTuple):
    """A thing of the inventory. name: of the object in OmniGibson's scenes."""

    name: str
    synset: str


#: The furniture of each room, by the room's name, such as "kitchen_0".
Rooms = dict[str, tuple[InventoryItem, ...]]


@cache
def sort_of(room: str) -> str:
    """ "living_room" from "living_room_1"."""
    name, _, number = room.rpartition("_")
    return name if number.isdecimal() else room


@cache
def scenes() -> dict[str, Rooms]:
    """The rooms of each scene, by name. Raises Missing."""
    path = package.data_path("combined_room_object_list.json")
    inventory: dict[str, dict[str, dict[str, int]]] = json.loads(path.read_bytes())["scenes"]
    rooms_of: dict[str, Rooms] = {}
    for scene, rooms in sorted(inventory.items()):
        seen: Counter[str] = Counter()
        rooms_of[scene] = {room: _furniture(things, seen) for room, things in sorted(rooms.items())}
    return rooms_of


def is_floor(name: str) -> bool:
    """Whether a synset is a floor."""
    return name in _FLOORS


def _furniture(things: dict[str, int], seen: Counter[str]) -> tuple[InventoryItem, ...]:
    """The furniture of a room. seen: how many of each model earlier rooms have."""
    by_sort: dict[str, list[InventoryItem]] = {}
    for model, count in sorted(things.items()):
        category, _, mesh = model.rpartition("-")
        sort = synset_of(category)
        if sort is None or not _is_taken(sort):
            continue
        taken = by_sort.setdefault(sort.name, [])
        most = 1 if is_floor(sort.name) else MOST
        for number in range(seen[model], seen[model] + count):
            if len(taken) < most:
                taken.append(InventoryItem(f"{category}_{mesh}_{number}", sort.name))
        seen[model] += count
    return tuple(each for taken in by_sort.values() for each in taken)


def _is_taken(sort: Synset) -> bool:
    if is_floor(sort.name):
        return True
    return "sceneObject" in sort.abilities and any(map(sort.is_a, _FURNITURE))
