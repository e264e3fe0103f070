"""The simulator's metadata of a scene as a scene graph.

The graph has one room, the agent, and a node for every object except parts of the building. Things
that can be picked up are objects, all others fixtures. All fixtures stand directly in the room.
(The simulator reports a table on its chairs and a counter in its sink, and one goes to a microwave,
not to the counter below.) A thing on the floor is in the room.

A fixture that belongs to another is CLOSE to it, so that an agent at one can use both. Examples are
a faucet with its basin and a knob with its burner. Only a faucet at a sink's basin RINSES. The
agent is CLOSE to a lamp in sight, as ALFRED scores it, wherever it went.

A cut thing exists only as its pieces, but some versions still report it. The graph keeps it in the
room, SLICED, so that its outcome can be told; no view has it. Its pieces have its category and are
SLICED too.

The frame is that of the floor plan in metres with z up: the simulator's (x, y, z) is (x, z, y).
Fixtures keep their first pose and box. Movable things have neither: their last digits differ
between runs, but a restored episode must reach the same state.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...errors import BadInput
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import (
    Affordance,
    Box,
    Edge,
    Kind,
    Node,
    Pose,
    Quaternion,
    Relation,
    State,
    Vector,
)
from .object_types import (
    BASINS,
    BUILDING,
    CONTAINERS,
    LAMPS,
    SINK_BASIN,
    TREATING,
    category_of,
    whole_of,
)

#: Ids of the room and the agent; those of objects follow.
ROOM, AGENT = 1, 2

#: Rooms by the hundreds of the floor plan's number.
_ROOMS = {0: "kitchen", 2: "living room", 3: "bedroom", 4: "bathroom"}
_FLOOR_PLAN = re.compile(r"FloorPlan(\d+)")
#: Changeable keys of an object that decide its node.
_CHANGING = (
    "isOpen",
    "isToggled",
    "isDirty",
    "isSliced",
    "isFilledWithLiquid",
    "isCooked",
    "isBroken",
    "temperature",
    "ObjectTemperature",  # in versions before 3.3
)
_AFFORDANCES = (
    ("openable", Affordance.OPENABLE),
    ("toggleable", Affordance.SWITCHABLE),
    ("pickupable", Affordance.GRASPABLE),
    ("sliceable", Affordance.SLICEABLE),
    ("moveable", Affordance.MOVABLE),
)
#: Key, the state if true, the key of whether a thing can have it, the state if false.
_HAVING = (
    ("isOpen", State.OPEN, "openable", State.CLOSED),
    ("isToggled", State.ON, "toggleable", State.OFF),
    ("isDirty", State.DIRTY, "dirtyable", State.CLEAN),
    ("isSliced", State.SLICED, None, None),
    ("isFilledWithLiquid", State.FILLED, None, None),
    ("isCooked", State.COOKED, None, None),
    ("isBroken", State.BROKEN, None, None),
)
_TEMPERATURES = {"Hot": State.HOT, "Cold": State.COLD}
#: The largest distance of a faucet from its basin, in m.
_BESIDE = 1.5


def graph_of(metadata: Mapping[str, Any]) -> SceneGraph:
    """The scene graph of an agent's metadata, `event.metadata`. Raises BadInput."""
    return ThorGraphReader().read(metadata)


def room_of(scene_name: str) -> str:
    """The room of a floor plan by its number: FloorPlan1 to 30 are kitchens, and so on."""
    match = _FLOOR_PLAN.search(scene_name)
    return _ROOMS.get(int(match[1]) // 100, "room") if match else "room"


def exists_as_pieces(node: Node) -> bool:
    """Whether a thing was cut, so that only its pieces can be seen and handled."""
    return State.SLICED in node.states and Affordance.SLICEABLE in node.affordances


class ThorGraphReader:
    """Reads the successive metadata of one episode.

    ids: our ids by the simulator's objectId, numbered at the first reading. Fixed things are sorted
    by objectId, others by name, since an objectId reveals a thing's place. Things that appear
    later, such as slices, are appended.
    """

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.names: dict[int, str] = {}  # the objectId of each id
        self._nodes: dict[str, tuple[tuple[Any, ...], Node]] = {}
        self._beside: list[Edge] = []
        self._rinsing: frozenset[str] = frozenset()  # the faucets of sinks
        self._fixed: Collection[str] = ()  # the fixtures whose neighbours are in _beside
        self._keepers: dict[str, tuple[str, ...]] = {}  # what keeps each thing, by objectId

    def read(self, metadata: Mapping[str, Any], at: Iterable[int] = ()) -> SceneGraph:
        """The scene graph of an agent's metadata.

        at: the nodes where the agent stands. Raises BadInput for malformed metadata.
        """
        try:
            return self._read(metadata, at)
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInput(
                f"The simulator's metadata cannot be read ({type(error).__name__}: {error})."
            ) from None

    def _read(self, metadata: Mapping[str, Any], at: Iterable[int]) -> SceneGraph:
        objects = [o for o in metadata["objects"] if o["objectType"] not in BUILDING]
        self._number(objects)
        self._find_neighbours(objects)
        held = [o["objectId"] for o in metadata["inventoryObjects"]]
        room = room_of(str(metadata["sceneName"]))
        kept = {o["objectId"]: o for o in objects}
        gone = self._gone(kept)
        graph = SceneGraph(
            [
                Node(ROOM, room, Kind.ROOM, room),
                Node(AGENT, "agent", Kind.AGENT, "agent"),
                *map(self._node, objects),
                *gone,
            ],
            [Edge(node_id, Relation.INSIDE, ROOM) for node_id in (AGENT, *(n.id for n in gone))],
        )
        self._keepers = self._kept_by(kept, held)
        for name in kept:
            if name in held:
                graph.add_edge(AGENT, Relation.HOLDS, self.ids[name])
                continue
            places = self._keepers[name]
            for place in places:
                inside = kept[place]["objectType"] in CONTAINERS
                relation = Relation.INSIDE if inside else Relation.ON
                graph.add_edge(self.ids[name], relation, self.ids[place])
            if not places:
                graph.add_edge(self.ids[name], Relation.INSIDE, ROOM)
        for edge in self._beside:
            graph.add_edge(*edge)
        lamps = {self.ids[o["objectId"]]: o["visible"] for o in objects if _is_lamp(o)}
        for near in (*at, *lamps):
            if near in graph and lamps.get(near, True):
                graph.add_edge(AGENT, Relation.CLOSE, near)
        return graph

    def _number(self, objects: Iterable[Mapping[str, Any]]) -> None:
        new = sorted((o for o in objects if o["objectId"] not in self.ids), key=_by_name)
        for number, raw in enumerate(new, AGENT + 1 + len(self.ids)):
            name = raw["objectId"]
            self.ids[name], self.names[number] = number, name

    def _gone(self, kept: Mapping[str, Mapping[str, Any]]) -> list[Node]:
        """The nodes of things that exist only as their pieces now."""
        wholes = {
            name.rpartition("|")[0]: None
            for name, raw in kept.items()
            if whole_of(raw["objectType"]) != raw["objectType"]
        }
        known = [
            self._nodes[name][1] for name in wholes if name in self._nodes.keys() - kept.keys()
        ]
        return [
            replace(node, affordances=node.affordances & {Affordance.SLICEABLE}).having(
                State.SLICED
            )
            for node in known
        ]

    def _node(self, raw: Mapping[str, Any]) -> Node:
        name = raw["objectId"]
        mark = (name in self._rinsing, *map(raw.get, _CHANGING))
        known = self._nodes.get(name)
        if known is None or known[0] != mark:
            before = None if known is None else known[1]
            node = _node_of(raw, self.ids[name], before)
            if name in self._rinsing:
                node = replace(node, affordances=node.affordances | {Affordance.RINSES})
            known = self._nodes[name] = mark, node
        return known[1]

    def _kept_by(
        self, kept: Mapping[str, Mapping[str, Any]], held: Collection[str]
    ) -> dict[str, tuple[str, ...]]:
        """The receptacles that keep each thing.

        The engine may report no receptacle, or the old ones too, for what is in a held receptacle.
        Its contents stay in it until it is put down.
        """
        now = {name: () if _is_cut(raw) else self._places(raw, kept) for name, raw in kept.items()}
        carried = set(held)

        def keepers_in_hand(name: str) -> tuple[str, ...]:
            places = now[name] or (() if _is_cut(kept[name]) else self._keepers.get(name, ()))
            return tuple(place for place in places if place in carried)

        while inside := {
            name: places for name in now.keys() - carried if (places := keepers_in_hand(name))
        }:
            now |= inside
            carried |= inside.keys()
        return now

    def _places(
        self, raw: Mapping[str, Any], kept: Mapping[str, Mapping[str, Any]]
    ) -> tuple[str, ...]:
        """The receptacles that keep a thing."""
        if not raw["pickupable"]:
            return ()
        name = raw["objectId"]
        return tuple(
            place
            for place in dict.fromkeys(raw.get("parentReceptacles") or ())
            if place in kept
            and place != name
            and not (  # if two report to keep each other, the first by name does
                name < place
                and name in (kept[place].get("parentReceptacles") or ())
                and kept[place]["pickupable"]
            )
        )

    def _find_neighbours(self, objects: Collection[Mapping[str, Any]]) -> None:
        """Find the fixtures that belong to each other, which never changes."""
        fixed = {o["objectId"] for o in objects if not o["pickupable"]}
        if fixed != self._fixed:
            basins = {
                faucet: basin for faucet, basin in _faucets(objects) if fixed >= {faucet, basin}
            }
            sinks = {o["objectId"] for o in objects if o["objectType"] == SINK_BASIN}
            faucets = {o["objectId"] for o in objects if o["objectType"] == "Faucet"}
            self._rinsing = frozenset(name for name in faucets if basins.get(name) in sinks)
            pairs = [
                *((raw["objectId"], other) for raw in objects for other in _controlled(raw)),
                *basins.items(),
            ]
            self._fixed = fixed
            self._beside = [
                Edge(self.ids[a], Relation.CLOSE, self.ids[b])
                for pair in pairs
                if fixed.issuperset(pair)
                for a, b in (pair, pair[::-1])
            ]


def _by_name(raw: Mapping[str, Any]) -> tuple[str, str, str]:
    moves = raw["pickupable"] or raw["moveable"]
    return raw["objectType"], raw["name"] if moves else "", raw["objectId"]


def _node_of(raw: Mapping[str, Any], node_id: int, before: Node | None) -> Node:
    object_type = raw["objectType"]
    kind = Kind.OBJECT if raw["pickupable"] else Kind.FIXTURE
    affordances = {affordance for key, affordance in _AFFORDANCES if raw[key]}
    if raw["receptacle"]:
        inside = object_type in CONTAINERS
        affordances.add(Affordance.CONTAINER if inside else Affordance.SURFACE)
    if object_type in TREATING:
        affordances.add(TREATING[object_type])
    if raw["isSliced"]:  # only its pieces are left
        affordances &= {Affordance.SLICEABLE}
    states = {
        state if raw.get(key) else otherwise
        for key, state, capability, otherwise in _HAVING
        if capability is None or raw.get(capability)
    }
    states.add(_TEMPERATURES.get(raw.get("temperature") or raw.get("ObjectTemperature") or ""))
    if whole_of(object_type) != object_type:
        states.add(State.SLICED)
    pose = box = None
    if before is not None:
        pose, box = before.pose, before.box
    elif kind is Kind.FIXTURE:
        pose, box = _geometry(raw)
    return Node(
        node_id,
        category_of(object_type),
        kind,
        raw["objectId"],
        frozenset(state for state in states if state is not None),
        frozenset(affordances),
        pose,
        box,
    )


def _is_cut(raw: Mapping[str, Any]) -> bool:
    """Whether a thing exists only as its pieces."""
    return bool(raw["isSliced"]) and whole_of(raw["objectType"]) == raw["objectType"]


def _is_lamp(raw: Mapping[str, Any]) -> bool:
    """Whether a thing is a lamp with a switch."""
    return raw["objectType"] in LAMPS and not raw["pickupable"]


def _controlled(raw: Mapping[str, Any]) -> Iterable[str]:
    """The ids of the things that a knob or switch controls; some versions give a list."""
    return raw.get("controlledObjects") or ()


def _faucets(objects: Collection[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    """Each faucet with the basin of its water."""
    basins = [o for o in objects if o["objectType"] in BASINS]
    for faucet in objects:
        if faucet["objectType"] in ("Faucet", "ShowerHead") and basins:
            nearest = min(basins, key=lambda basin: (_apart(faucet, basin), basin["objectId"]))
            if _apart(faucet, nearest) <= _BESIDE:
                yield faucet["objectId"], nearest["objectId"]


def _apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """The horizontal distance of two things, in m."""
    a, b = one["position"], other["position"]
    return math.hypot(a["x"] - b["x"], a["z"] - b["z"])


# --- geometry ------------------------------------------------------------------------------------


def _geometry(raw: Mapping[str, Any]) -> tuple[Pose, Box | None]:
    pose = Pose(_vector(raw["position"]), _orientation(raw["rotation"]))
    bounds = raw.get("axisAlignedBoundingBox") or {}
    if not (bounds.get("center") and bounds.get("size")):
        return pose, None
    return pose, Box(_vector(bounds["center"]), _vector(bounds["size"]))


def _vector(raw: Mapping[str, float]) -> Vector:
    return float(raw["x"]), float(raw["z"]), float(raw["y"])


def _orientation(raw: Mapping[str, float]) -> Quaternion:
    """The quaternion of Unity's Euler angles in degrees: about z, x, y, in a left-handed frame."""
    half = {axis: math.radians(raw[axis]) / 2 for axis in "xyz"}
    (sx, cx), (sy, cy), (sz, cz) = ((math.sin(half[a]), math.cos(half[a])) for a in "xyz")
    x = cy * sx * cz + sy * cx * sz
    y = sy * cx * cz - cy * sx * sz
    z = cy * cx * sz - sy * sx * cz
    w = cy * cx * cz + sy * sx * sz
    return -x, -z, -y, w  # swapping two axes makes the frame right-handed and inverts rotations
