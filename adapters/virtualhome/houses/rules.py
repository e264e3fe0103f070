"""The rules of generated houses, from `rules.yaml`: rooms, furniture, things and their classes.

Classes are in the terms of VirtualHome's first ontology. The frequencies of open doors and lit
lamps are ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ....data_files import read_yaml


class FurnitureCount(NamedTuple):
    """From `low` to `high` pieces of a class: in the room, or "on" or "in" a class there.

    Without that class in the room, there are none.
    """

    class_name: str
    low: int
    high: int
    place: str = ""


class Stock(NamedTuple):
    """The number and the places of things of a class."""

    class_name: str
    """Of the things."""
    each: str
    """The numbers are per room, furniture or thing of this class."""
    low: int
    """The least number."""
    high: int
    """The largest number."""
    places: dict[str, int]
    """Weights by place: "on" or "in" a class, optionally "of" a kind of room; or "in" a kind of
    room for free-standing things. Places that a house lacks are skipped.
    """


_RULES = read_yaml(Path(__file__).with_name("rules.yaml"))
#: Rooms that every house has.
ALWAYS: tuple[str, ...] = tuple(_RULES["rooms"]["always"])
#: The weight of each kind for further rooms; divided by (n + 1)² if it exists n times.
FURTHER: dict[str, int] = _RULES["rooms"]["further"]
#: The furniture of each kind of room; pieces on other furniture come after it.
FURNITURE = {
    kind: [FurnitureCount(*piece) for piece in pieces]
    for kind, pieces in _RULES["furniture"].items()
}
#: The things of a house. A class comes before those that it keeps.
THINGS = [Stock(*stock) for stock in _RULES["things"]]
#: For each class, its category and its properties.
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    name: (category, tuple(properties.split()))
    for category, groups in _RULES["classes"].items()
    for properties, names in groups.items()
    for name in names.split()
}

#: One in this many things lies on any surface of the house instead of its own place.
ONE_IN_ASTRAY = 10
#: One in this many doors is open.
ONE_IN_OPEN = 6
#: One in this many things is dirty; food never is.
ONE_IN_DIRTY = 8
#: One in this many is unplugged: of furniture and appliances, and of portable things.
ONE_IN_UNPLUGGED = {False: 10, True: 3}
#: One in this many devices is on, by class; one in 10 by default.
ONE_IN_ON = {"floor_lamp": 3, "light": 2, "tablelamp": 3, "television": 4}
SELDOM_ON = 10
#: Classes with a switch that is never used and, as in the RobotHow graphs, has no state.
ALWAYS_RUNNING = frozenset({"freezer", "fridge"})
#: The initial states of a thing, by property.
_UNUSED = {"HAS_PLUG": "PLUGGED_OUT", "HAS_SWITCH": "OFF", "CAN_OPEN": "CLOSED"}


def new_node(node_id: int, class_name: str, states: list[str] | None = None) -> dict[str, Any]:
    """A node of a class as in VirtualHome; by default clean, closed and off."""
    category, properties = CLASSES[class_name]
    if states is None:
        states = [state for given, state in _UNUSED.items() if given in properties]
        states += [] if "EATABLE" in properties else ["CLEAN"]
    return {
        "id": node_id,
        "class_name": class_name,
        "category": category,
        "properties": list(properties),
        "states": states,
        "prefab_name": None,
        "bounding_box": None,
    }
