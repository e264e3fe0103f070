"""The generator of houses: rooms, furniture and things, as a VirtualHome graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...random_draws import RandomDraws
from .rules import (
    ALWAYS_RUNNING,
    CLASSES,
    RULES,
    FurnitureCount,
    HouseRules,
    Stock,
    new_node,
    numbered,
    split_number,
)

_RELATIONS = {"in": "INSIDE", "on": "ON"}
#: A small house has one in this many of the things of another house.
_SPARSE = 2
#: But one or two of these wherever there may be one, so that which of two is meant matters.
_TABLES = frozenset({"table", "coffee_table"})


def generate(number: int, rooms: int, rules: HouseRules = RULES) -> dict[str, Any]:
    """A house as a VirtualHome graph; deterministic on every machine.

    number: the seed. rooms: how many, at least as many as `rules.always` has. The nodes are the
    rooms, the character, the furniture and the things, numbered from 1 in this order.
    """
    chance = RandomDraws(number)
    return _made(chance, rules, _kinds_of_rooms(chance, rules, rooms), 1)


def generate_small(number: int) -> dict[str, Any]:
    """A small house: a kitchen and one more room, with half of the furniture and things.

    Except tables: one or two of them where another house may have one.
    """
    chance = RandomDraws(number)
    kinds = [RULES.always[0], chance.weighted(RULES.further)]
    return _made(chance, RULES, chance.shuffled(kinds), _SPARSE)


def _made(chance: RandomDraws, rules: HouseRules, kinds: list[str], sparse: int) -> dict[str, Any]:
    """A house with rooms of some kinds. sparse: it has one in this many of its things."""
    house = _House(chance, rules)
    for kind in kinds:
        house.add(kind)
    house.add("character", "INSIDE", 1 + house.chance.below(len(kinds)))
    for room, kind in enumerate(kinds, start=1):
        _furnish(house, room, kind, sparse)
    surfaces = house.fixed_surfaces()
    for stock in rules.things:
        _stock(house, stock, surfaces, sparse)
    house.face_screens()
    return {"nodes": house.nodes, "edges": house.edges}


def _kinds_of_rooms(chance: RandomDraws, rules: HouseRules, count: int) -> list[str]:
    kinds = list(rules.always)
    while len(kinds) < count:
        weights = {
            kind: 3600 * weight // (1 + kinds.count(kind)) ** 2
            for kind, weight in rules.further.items()
            if kinds.count(kind) < rules.most.get(kind, count)
        }
        kinds.append(chance.weighted(weights))
    return chance.shuffled(kinds)


def _furnish(house: _House, room: int, kind: str, sparse: int) -> None:
    standing: dict[str, list[int]] = {}  # in this room, by class
    for piece in house.rules.furniture[kind]:
        how, _, keeper = piece.place.partition(" ")
        each = keeper.startswith("each ")
        keepers = standing.get(keeper.removeprefix("each "), []) if keeper else [room]
        for group in [[one] for one in keepers] if each else [keepers] if keepers else []:
            for _ in range(_how_many(house, piece, sparse)):
                place = room if how == "with" or not keeper else house.chance.pick(group)
                thing = house.add(piece.class_name, _RELATIONS.get(how, "INSIDE"), place)
                standing.setdefault(piece.class_name, []).append(thing)


def _how_many(house: _House, piece: FurnitureCount, sparse: int) -> int:
    """The number of a kind of furniture in a room; in a sparse house one or two of each table."""
    usual = house.chance.between(piece.low, piece.high)
    if sparse > 1 and piece.class_name in _TABLES:
        return house.chance.between(1, 2)
    most = house.rules.most.get(piece.class_name)
    if most is not None:
        usual = min(usual, most - len(house.called.get(piece.class_name, ())))
    return _thinned(house.chance, usual, sparse)


def _thinned(chance: RandomDraws, count: int, sparse: int) -> int:
    """How many of `count` remain if one in `sparse` does."""
    return count if sparse == 1 else sum(chance.one_in(sparse) for _ in range(count))


def _stock(house: _House, stock: Stock, surfaces: list[int], sparse: int) -> None:
    """Add the things of a class. surfaces: where those that are astray lie."""
    chance, astray = house.chance, house.rules.astray
    owners = [0] if stock.each == "house" else house.called.get(stock.each, [])
    counted = [owner for owner in owners for _ in range(chance.between(stock.low, stock.high))]
    places = {owner: house.places(stock, owner) for owner in dict.fromkeys(counted)}
    if not surfaces or not any(places.values()):
        return
    for owner in counted[: _thinned(chance, len(counted), sparse)]:
        if astray and chance.one_in(astray):
            house.add(stock.class_name, "ON", chance.pick(surfaces))
        elif places[owner]:
            place = chance.weighted({place: stock.places[place] for place in places[owner]})
            how = place.partition(" ")[0]
            house.add(stock.class_name, _RELATIONS[how], chance.pick(places[owner][place]))


class _House:
    """A house under construction.

    called: the nodes by their names in the rules, "sink" and "sink of kitchen".
    """

    def __init__(self, chance: RandomDraws, rules: HouseRules) -> None:
        self.chance = chance
        self.rules = rules
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
        soiled = bool(place) and self.nodes[place - 1]["class_name"] in self.rules.soiled_in
        states = _states(self.chance, self.rules, class_name, soiled)
        self.nodes.append(new_node(node_id, class_name, states))
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

    def places(self, stock: Stock, owner: int) -> dict[str, Sequence[int]]:
        """The nodes for each place of a thing that the house has.

        owner: what the thing is counted for, or 0 for the house.
        """
        found = {place: self._called(place.partition(" ")[2], owner) for place in stock.places}
        return {place: nodes for place, nodes in found.items() if nodes}

    def _called(self, name: str, owner: int) -> Sequence[int]:
        """The nodes of a name in the rules, which may be relative to an owner."""
        if name == "it":
            return [owner]
        if name == "here":
            return [self._room(owner)]
        if name.endswith(" here"):
            room, alike = self._room(owner), self.called.get(name.removesuffix(" here"), [])
            return [node for node in alike if self._room(node) == room]
        class_name, number = split_number(name)
        return numbered(self.called.get(class_name, []), number)

    def _room(self, node_id: int) -> int:
        return self._above[node_id][-1] if self._above[node_id] else node_id

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


def _states(chance: RandomDraws, rules: HouseRules, class_name: str, soiled: bool) -> list[str]:
    """The states of a new thing. Running devices are plugged in and closed."""
    category, properties = CLASSES[class_name]
    if category in ("Rooms", "Characters"):
        return []
    states = []
    plugged = True
    if "HAS_PLUG" in properties:
        plugged = class_name in ALWAYS_RUNNING or not _happens(
            chance, rules.unplugged.of(class_name)
        )
        states.append("PLUGGED_IN" if plugged else "PLUGGED_OUT")
    running = False
    if "HAS_SWITCH" in properties and class_name not in ALWAYS_RUNNING:
        running = plugged and _happens(chance, rules.on.of(class_name))
        states.append("ON" if running else "OFF")
    if "CAN_OPEN" in properties:
        ajar = not running and _happens(chance, rules.open.of(class_name))
        states.append("OPEN" if ajar else "CLOSED")
    if "EATABLE" not in properties:
        dirty = soiled or _happens(chance, rules.dirty.of(class_name))
        states.append("DIRTY" if dirty else "CLEAN")
    return states


def _happens(chance: RandomDraws, one_in: int) -> bool:
    """Whether one of so many cases occurs; 0 is never."""
    return one_in > 0 and chance.one_in(one_in)
