"""The furniture and things of a house by category, for drawing tasks.

It is read from the VirtualHome graph, in a tenth of the time of a scene graph, because a suite
reads dozens of houses whenever it loads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...adapters.virtualhome.houses.rules import KeptAt, numbered
from ...adapters.virtualhome.ontology import english, kind_of
from ...scene_graph.node import Kind

_KEEPING = frozenset({"ON", "INSIDE"})


class PutTarget(NamedTuple):
    """A place for things: "in" or "on" furniture of a category, in a room."""

    preposition: str
    category: str
    place: int
    room: int


@dataclass
class Inventory:
    """The furniture and things of a house, by id."""

    furniture: dict[str, list[int]] = field(default_factory=dict)
    """Furniture by category."""
    room_kinds: dict[int, str] = field(default_factory=dict)
    """Categories of rooms."""
    spots: list[PutTarget] = field(default_factory=list)
    """Places for things, without running appliances, which cannot be opened."""
    things: dict[str, list[int]] = field(default_factory=dict)
    """Things by category that can be carried and hold nothing."""
    kept_by: dict[int, set[int]] = field(default_factory=dict)
    """All nodes that hold a thing, by thing."""
    fixed: set[str] = field(default_factory=set)
    """Categories with a thing that holds something or is held, so that it cannot be moved."""

    lived_in: bool = False
    """Whether the house is furnished and kept as people do it."""
    _at: dict[KeptAt, Sequence[PutTarget]] = field(default_factory=dict)

    def at(self, kept_at: KeptAt) -> Sequence[PutTarget]:
        """The places that the house has where things are kept."""
        if kept_at not in self._at:
            suited = [
                spot
                for spot in self.spots
                if spot.preposition == kept_at.preposition
                and kept_at.suits(spot.category, self.room_kinds[spot.room])
            ]
            self._at[kept_at] = numbered(suited, kept_at.number)
        return self._at[kept_at]

    def count(self, category: str) -> int:
        """The number of things of a category that can be moved."""
        return len(self.things.get(category, ()))


def inventory(graph: Mapping[str, Any], lived_in: bool = False) -> Inventory:
    """The inventory of a VirtualHome graph."""
    found = Inventory(lived_in=lived_in)
    for node in graph["nodes"]:
        if node["category"] == "Rooms":
            found.room_kinds[node["id"]] = english(node["class_name"])
    rooms = found.room_kinds.keys()
    parents: dict[int, list[int]] = {}
    keeping, held = set(), set()
    for edge in graph["edges"]:
        if edge["relation_type"] in _KEEPING:
            parents.setdefault(edge["from_id"], []).append(edge["to_id"])
            keeping.add(edge["to_id"])
        elif edge["relation_type"].startswith("HOLDS"):
            held.add(edge["to_id"])
    for node in graph["nodes"]:
        number, properties, states = node["id"], node["properties"], node["states"]
        kind = kind_of(node["class_name"], node["category"] or "", properties)
        category = english(node["class_name"])
        if kind is Kind.FIXTURE:
            found.furniture.setdefault(category, []).append(number)
            within = [place for place in _above(number, parents) if place in rooms]
            if len(within) == 1 and "ON" not in states:
                for given, preposition in (("SURFACES", "on"), ("CONTAINERS", "in")):
                    if given in properties:
                        found.spots.append(PutTarget(preposition, category, number, within[0]))
        elif kind is Kind.OBJECT and "GRABBABLE" in properties:
            if number in keeping or number in held:
                found.fixed.add(category)
            else:
                found.things.setdefault(category, []).append(number)
                found.kept_by[number] = _above(number, parents) - rooms
    return found


def _above(node_id: int, parents: Mapping[int, list[int]]) -> set[int]:
    above: set[int] = set()
    waiting = [node_id]
    while waiting:
        for place in parents.get(waiting.pop(), ()):
            if place not in above:
                above.add(place)
                waiting.append(place)
    return above
