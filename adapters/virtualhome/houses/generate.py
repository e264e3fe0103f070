"""The generator of houses: rooms, furniture and things, as a VirtualHome graph."""

from __future__ import annotations

from typing import Any

from ...random_draws import RandomDraws
from . import rules
from .rules import FurnitureCount

_RELATIONS = {"in": "INSIDE", "on": "ON"}
#: A small house has one in this many of the things of another house.
_SPARSE = 2
#: But one or two of these wherever there may be one, so that which of two is meant matters.
_TABLES = frozenset({"table", "coffee_table"})


def generate(number: int, rooms: int) -> dict[str, Any]:
    """A house as a VirtualHome graph; deterministic on every machine.

    number: the seed. rooms: how many, at least as many as `ALWAYS` has. The nodes are the rooms,
    the character, the furniture and the things, numbered from 1 in this order.
    """
    chance = RandomDraws(number)
    return _made(chance, _kinds_of_rooms(chance, rooms), 1)


def generate_small(number: int) -> dict[str, Any]:
    """A small house: a kitchen and one more room, with half of the furniture and things.

    Except tables: one or two of them where another house may have one.
    """
    chance = RandomDraws(number)
    kinds = [rules.ALWAYS[0], chance.weighted(rules.FURTHER)]
    return _made(chance, chance.shuffled(kinds), _SPARSE)


def _made(chance: RandomDraws, kinds: list[str], sparse: int) -> dict[str, Any]:
    """A house with rooms of some kinds. sparse: it has one in this many of its things."""
    house = _House(chance)
    for kind in kinds:
        house.add(kind)
    house.add("character", "INSIDE", 1 + house.chance.below(len(kinds)))
    for room, kind in enumerate(kinds, start=1):
        _furnish(house, room, kind, sparse)
    _fill(house, sparse)
    house.face_screens()
    return {"nodes": house.nodes, "edges": house.edges}


def _kinds_of_rooms(chance: RandomDraws, count: int) -> list[str]:
    kinds = list(rules.ALWAYS)
    while len(kinds) < count:
        weights = {
            kind: 3600 * w // (1 + kinds.count(kind)) ** 2 for kind, w in rules.FURTHER.items()
        }
        kinds.append(chance.weighted(weights))
    return chance.shuffled(kinds)


def _furnish(house: _House, room: int, kind: str, sparse: int) -> None:
    standing: dict[str, list[int]] = {}  # in this room, by class
    for furniture in rules.FURNITURE[kind]:
        how, _, keeper = furniture.place.partition(" ")
        if keeper and keeper not in standing:
            continue
        for _ in range(_how_many(house.chance, furniture, sparse)):
            place = house.chance.pick(standing[keeper]) if keeper else room
            thing = house.add(furniture.class_name, _RELATIONS[how or "in"], place)
            standing.setdefault(furniture.class_name, []).append(thing)


def _how_many(chance: RandomDraws, furniture: FurnitureCount, sparse: int) -> int:
    """The number of a kind of furniture in a room; in a sparse house one or two of each table."""
    usual = chance.between(furniture.low, furniture.high)
    if sparse > 1 and furniture.class_name in _TABLES:
        return chance.between(1, 2)
    return _thinned(chance, usual, sparse)


def _thinned(chance: RandomDraws, count: int, sparse: int) -> int:
    """How many of `count` remain if one in `sparse` does."""
    return count if sparse == 1 else sum(chance.one_in(sparse) for _ in range(count))


def _fill(house: _House, sparse: int) -> None:
    chance = house.chance
    surfaces = house.fixed_surfaces()
    for stock in rules.THINGS:
        places = {}
        for place, weight in stock.places.items():
            how, _, keeper = place.partition(" ")
            if keeper in house.called:
                places[_RELATIONS[how], keeper] = weight
        times = 1 if stock.each == "house" else len(house.called.get(stock.each, ()))
        count = sum(chance.between(stock.low, stock.high) for _ in range(times))
        for _ in range(_thinned(chance, count, sparse) if places and surfaces else 0):
            if chance.one_in(rules.ONE_IN_ASTRAY):
                house.add(stock.class_name, "ON", chance.pick(surfaces))
            else:
                relation, keeper = chance.weighted(places)
                house.add(stock.class_name, relation, chance.pick(house.called[keeper]))


class _House:
    """A house under construction.

    called: the nodes by their names in the rules, "sink" and "sink of kitchen".
    """

    def __init__(self, chance: RandomDraws) -> None:
        self.chance = chance
        self.nodes: list[dict[str, Any]] = []
        self.edges: list[dict[str, Any]] = []
        self.called: dict[str, list[int]] = {}
        self._above: dict[int, list[int]] = {}  # the places of each node, its room last

    def add(self, class_name: str, relation: str = "", place: int = 0) -> int:
        """Add a node, kept by a place unless it is a room; returns its id.

        As in the RobotHow graphs, everything is also inside its room and close to everything that
        keeps it; the simulator derives reach from closeness.
        """
        node_id = len(self.nodes) + 1
        self.nodes.append(rules.new_node(node_id, class_name, _states(self.chance, class_name)))
        self.called.setdefault(class_name, []).append(node_id)
        self._above[node_id] = [place, *self._above[place]] if place else []
        if place:
            *keepers, room = self._above[node_id]
            kind = self.nodes[room - 1]["class_name"]
            self.called.setdefault(f"{class_name} of {kind}", []).append(node_id)
            if keepers:
                self._relate(node_id, relation, place)
            self._relate(node_id, "INSIDE", room)
            for keeper in keepers:
                self._relate(node_id, "CLOSE", keeper)
                self._relate(keeper, "CLOSE", node_id)
        return node_id

    def fixed_surfaces(self) -> list[int]:
        """The furniture with a surface that cannot be carried."""
        return [
            node["id"]
            for node in self.nodes
            if "SURFACES" in node["properties"] and "GRABBABLE" not in node["properties"]
        ]

    def face_screens(self) -> None:
        """Make every seat face the screens of its room, so that one can watch from it."""
        seats = [n["id"] for n in self.nodes if "SITTABLE" in n["properties"]]
        for screen in self.called.get("television", []) + self.called.get("computer", []):
            for seat in seats:
                if self._above[seat][-1] == self._above[screen][-1]:
                    self._relate(seat, "FACING", screen)

    def _relate(self, source: int, relation: str, target: int) -> None:
        self.edges.append({"from_id": source, "relation_type": relation, "to_id": target})


def _states(chance: RandomDraws, class_name: str) -> list[str]:
    """The states of a new thing. Running devices are plugged in and closed."""
    category, properties = rules.CLASSES[class_name]
    if category in ("Rooms", "Characters"):
        return []
    states = []
    plugged = True
    if "HAS_PLUG" in properties:
        plugged = class_name in rules.ALWAYS_RUNNING or not chance.one_in(
            rules.ONE_IN_UNPLUGGED["GRABBABLE" in properties]
        )
        states.append("PLUGGED_IN" if plugged else "PLUGGED_OUT")
    running = False
    if "HAS_SWITCH" in properties and class_name not in rules.ALWAYS_RUNNING:
        running = plugged and chance.one_in(rules.ONE_IN_ON.get(class_name, rules.SELDOM_ON))
        states.append("ON" if running else "OFF")
    if "CAN_OPEN" in properties:
        states.append("OPEN" if not running and chance.one_in(rules.ONE_IN_OPEN) else "CLOSED")
    if "EATABLE" not in properties:
        states.append("DIRTY" if chance.one_in(rules.ONE_IN_DIRTY) else "CLEAN")
    return states
