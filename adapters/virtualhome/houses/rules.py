"""The rules of generated houses: rooms, furniture, things, and where things are kept.

`RULES`, of `rules.yaml`, made the houses that results up to November 2026 are of. `LIVED_IN`, of
`lived_in.yaml`, makes houses as people live in them. Classes, of `classes.yaml`, are in the terms
of VirtualHome's first ontology. The frequencies of open doors and lit lamps are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ....data_files import read_yaml
from ....scene_graph.graph import SceneGraph
from ....scene_graph.node import Kind, Node
from ..ontology import english

_T = TypeVar("_T")
_FOLDER = Path(__file__).parent


class FurnitureCount(NamedTuple):
    """From `low` to `high` pieces of a class.

    place: "" for in the room, or "on", "in" or "with" a class there. Without that class in the
    room, there are none. With "each" before the class, there are so many for each of them.
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
    """The numbers are per room, furniture or thing of this class, optionally "of" a kind of room,
    or per "house".
    """
    low: int
    """The least number."""
    high: int
    """The largest number."""
    places: dict[str, int]
    """Weights by place: "on" or "in" a class, optionally "of" a kind of room; or "in" a kind of
    room for free-standing things. With "here" after it, the class is in the room of the one that
    the thing is counted for; "it" is that one itself, and "in here" is its room. With a number
    after it, it is that one of the house's; after the last comes the first again. Places that a
    house lacks are skipped.
    """


class KeptAt(NamedTuple):
    """A place where things of a category belong."""

    preposition: str
    """"on" or "in"."""
    category: str
    """Category of the furniture."""
    rooms: frozenset[str] = frozenset()
    """Categories of rooms in which the furniture stands; empty for all."""
    number: int = 0
    """Which one of the house's it is, from 1; 0 for any."""

    def suits(self, category: str, room: str) -> bool:
        """Whether furniture of a category in a kind of room is such a place."""
        return category == self.category and (not self.rooms or room in self.rooms)

    def furniture(self, graph: SceneGraph) -> Sequence[Node]:
        """The furniture of a house that is such a place."""
        rooms = {n.id: graph.room_of(n.id) for n in graph.nodes(Kind.FIXTURE)}
        suited = [
            graph[thing]
            for thing, room in rooms.items()
            if room is not None and self.suits(graph[thing].category, graph[room].category)
        ]
        return numbered(suited, self.number)


def numbered(alike: Sequence[_T], number: int) -> Sequence[_T]:
    """The one with a number, from 1, where after the last comes the first again; all for 0."""
    return [alike[(number - 1) % len(alike)]] if number and alike else alike


def split_number(name: str) -> tuple[str, int]:
    """A name without its number, and the number, or 0."""
    class_name, _, number = name.rpartition(" ")
    return (class_name, int(number)) if number.isdigit() else (name, 0)


class OneIn:
    """One in so many, by class; 0 is none at all.

    numbers: by class, with "portable" for other things that can be carried and "anything" for all
    others.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers

    def of(self, class_name: str) -> int:
        """One in how many things of a class."""
        anything = self._numbers["anything"]
        if "GRABBABLE" in CLASSES[class_name][1]:
            anything = self._numbers.get("portable", anything)
        return self._numbers.get(class_name, anything)


@dataclass(frozen=True)
class HouseRules:
    """The rules by which houses are made."""

    always: tuple[str, ...]
    """Rooms that every house has."""
    further: dict[str, int]
    """The weight of each kind for further rooms; divided by (n + 1)² if it exists n times."""
    most: dict[str, int]
    """The largest number in a house of rooms of a kind or of furniture of a class."""
    furniture: dict[str, list[FurnitureCount]]
    """The furniture of each kind of room; pieces on other furniture come after it."""
    things: list[Stock]
    """The things of a house. A class comes before those that it keeps."""
    astray: int
    """One in this many things lies on any surface of the house instead of its own place; or 0."""
    soiled_in: frozenset[str]
    """Classes in which all things are dirty."""
    asked_on: frozenset[str]
    """Classes that a person may ask to switch on."""
    open: OneIn
    """Which things with a door or lid stand open."""
    dirty: OneIn
    """Which things are dirty. Food never is."""
    unplugged: OneIn
    """Which things with a plug are unplugged."""
    on: OneIn
    """Which devices that are plugged in run."""

    def kept_at(self) -> dict[str, list[tuple[KeptAt, int]]]:
        """Where the things of each category belong, with weights."""
        kept: dict[str, list[tuple[KeptAt, int]]] = {}
        for stock in self.things:
            kept.setdefault(english(stock.class_name), []).extend(
                (self._kept_at(place, stock.each), weight) for place, weight in stock.places.items()
            )
        return kept

    def _kept_at(self, place: str, each: str) -> KeptAt:
        preposition, _, keeper = place.partition(" ")
        name, number = split_number(each if keeper == "it" else keeper)
        class_name, _, room = name.partition(" of ")
        rooms = {room} - {""}
        if class_name.endswith(" here"):
            class_name = class_name.removesuffix(" here")
            rooms = set(self._rooms_with(each))
        return KeptAt(preposition, english(class_name), frozenset(map(english, rooms)), number)

    def _rooms_with(self, each: str) -> Iterator[str]:
        """The kinds of rooms that are of a class, or have it as furniture."""
        class_name, _, room = each.partition(" of ")
        for kind, furniture in self.furniture.items():
            there = {kind, *(piece.class_name for piece in furniture)}
            if room in ("", kind) and class_name in there:
                yield kind


#: For each class, its category and its properties.
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    name: (category, tuple(properties.split()))
    for category, groups in read_yaml(_FOLDER / "classes.yaml").items()
    for properties, names in groups.items()
    for name in names.split()
}


def _read(name: str) -> HouseRules:
    data = read_yaml(_FOLDER / name)
    rooms, one_in = data["rooms"], data["one_in"]
    return HouseRules(
        always=tuple(rooms["always"]),
        further=rooms["further"],
        most=data.get("most", {}),
        furniture={
            kind: [FurnitureCount(*piece) for piece in pieces]
            for kind, pieces in data["furniture"].items()
        },
        things=[Stock(*stock) for stock in data["things"]],
        astray=one_in["astray"],
        soiled_in=frozenset(data.get("soiled_in", ())),
        asked_on=frozenset(data.get("asked_on", CLASSES)),
        open=OneIn(one_in["open"]),
        dirty=OneIn(one_in["dirty"]),
        unplugged=OneIn(one_in["unplugged"]),
        on=OneIn(one_in["on"]),
    )


RULES = _read("rules.yaml")
LIVED_IN = _read("lived_in.yaml")

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
