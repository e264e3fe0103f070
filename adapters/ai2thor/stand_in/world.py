"""One loaded scene: the objects as AI2-THOR's metadata tells them, their boxes, the agent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import objects
from .refusals import ActionRefused, unknown_object

Array = npt.NDArray[np.float64]
Thing = dict[str, Any]

CAMERA_ABOVE = 0.675  # the camera over the agent's position, standing
CROUCHED_BY = 0.675  # how much lower it is, crouching
_HAND = (0.38, -0.16)  # before and above the camera

#: What opens, but hides nothing by being closed.
SEE_THROUGH = frozenset(
    {"Blinds", "Book", "Curtains", "Kettle", "Laptop", "ShowerCurtain", "ShowerDoor", "Toilet"}
)
_CHILD_NAMED = frozenset({"SinkBasin", "BathtubBasin"})


@dataclass
class AgentState:
    x: float
    y: float
    z: float
    yaw: float = 0.0
    horizon: float = 0.0
    standing: bool = True

    def camera(self) -> Array:
        up = CAMERA_ABOVE if self.standing else CAMERA_ABOVE - CROUCHED_BY
        return np.array([self.x, self.y + up, self.z])


@dataclass
class Settings:
    """The settings that Initialize changes."""

    grid: float = objects.GRID
    visibility_distance: float = 1.5  # m
    fov: float = 90.0  # vertical, degrees
    rotate_step: float = 90.0
    fast_emit: bool = True  # whether queries are answered by patches


@dataclass
class Boxes:
    """The boxes of all objects as arrays, row by row."""

    ids: list[str]
    row: dict[str, int]
    low: Array
    high: Array


@dataclass
class ThorScene:
    """One loaded scene. Raises BadInput for an unknown one, and Missing without its data."""

    scene: str
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        self.things: dict[str, Thing] = {}
        self.corners: dict[str, Array] = {}
        self.held: str | None = None
        self.unbreakable: set[str] = set()  # object types
        self.changed = 0  # counts what the sight of things depends on
        for thing in objects.objects(self.scene):
            aabb = thing["axisAlignedBoundingBox"]
            oriented = thing["objectOrientedBoundingBox"]
            thing["axisAlignedBoundingBox"] = thing["objectOrientedBoundingBox"] = None
            object_id = thing["objectId"]
            self.things[object_id] = thing
            self.corners[object_id] = (
                np.array(oriented["cornerPoints"]) if oriented else _corners_of(aabb)
            )
        x, y, z = objects.start(self.scene)
        self.agent = AgentState(x, y, z)
        self.points = objects.grid(self.scene)
        self._boxes: Boxes | None = None

    # --- objects -------------------------------------------------------------------------------

    def thing(self, object_id: object) -> Thing:
        """Raises ActionRefused where no object has this id."""
        found = self.things.get(object_id) if isinstance(object_id, str) else None
        if found is None:
            raise unknown_object(object_id)
        return found

    def of_type(self, *types: str) -> list[Thing]:
        return [thing for thing in self.things.values() if thing["objectType"] in types]

    def low(self, object_id: str) -> Array:
        low: Array = self.corners[object_id].min(axis=0)
        return low

    def high(self, object_id: str) -> Array:
        high: Array = self.corners[object_id].max(axis=0)
        return high

    def center(self, object_id: str) -> Array:
        return (self.low(object_id) + self.high(object_id)) / 2

    def boxes(self) -> Boxes:
        if self._boxes is None:
            ids = list(self.things)
            corners = np.stack([self.corners[i] for i in ids])
            rows = {object_id: row for row, object_id in enumerate(ids)}
            self._boxes = Boxes(ids, rows, corners.min(axis=1), corners.max(axis=1))
        return self._boxes

    def touched(self) -> None:
        """To be called after any change to boxes or to the set of objects."""
        self._boxes = None
        self.changed += 1

    def add(self, thing: Thing, corners: Array) -> None:
        self.things[thing["objectId"]] = thing
        self.corners[thing["objectId"]] = corners
        self.touched()

    def remove(self, object_id: str) -> None:
        """Take an object out of the scene, and out of all that held it or was held by it."""
        self.leave(object_id)
        for child in list(self.things[object_id]["receptacleObjectIds"] or ()):
            _without(self.things[child], "parentReceptacles", object_id)
        if self.held == object_id:
            self.held = None
        del self.things[object_id], self.corners[object_id]
        self.touched()

    # --- places --------------------------------------------------------------------------------

    def enter(self, object_id: str, receptacles: Iterable[str]) -> None:
        """Put an object, in name, into receptacles and out of all others."""
        self.leave(object_id)
        parents = list(dict.fromkeys(receptacles))
        for parent in parents:
            inside = self.things[parent]["receptacleObjectIds"] or []
            self.things[parent]["receptacleObjectIds"] = [*inside, object_id]
        self.things[object_id]["parentReceptacles"] = parents or None
        self.changed += 1

    def leave(self, object_id: str) -> None:
        """Take an object, in name, out of all receptacles."""
        thing = self.things[object_id]
        for parent in thing["parentReceptacles"] or ():
            _without(self.things[parent], "receptacleObjectIds", object_id)
        thing["parentReceptacles"] = None
        self.changed += 1

    def contents(self, object_id: str) -> list[str]:
        """The ids of all that is carried along with an object: what is in it, and in that."""
        found: dict[str, None] = {}
        queue = [object_id]
        while queue:
            for child in self.things[queue.pop()]["receptacleObjectIds"] or ():
                if child != object_id and child not in found and self.things[child]["pickupable"]:
                    found[child] = None
                    queue.append(child)
        return list(found)

    def closed_around(self, object_id: str) -> str | None:
        """A closed receptacle that hides the object, however deep, or None.

        Only what can be picked up counts as hidden: the real metadata also tell of cabinets that
        hold the floor.
        """
        seen = {object_id}
        queue = [object_id]
        while queue:
            thing = self.things[queue.pop()]
            if not thing["pickupable"]:
                continue
            for parent in thing["parentReceptacles"] or ():
                holder = self.things[parent]
                shut = holder["openable"] and not holder["isOpen"]
                if shut and holder["objectType"] not in SEE_THROUGH:
                    return str(parent)
                if parent not in seen:
                    seen.add(parent)
                    queue.append(parent)
        return None

    # --- motion of objects ---------------------------------------------------------------------

    def shift(self, object_id: str, by: Array) -> None:
        """Move an object, and what it carries, by (x, y, z)."""
        for one in (object_id, *self.contents(object_id)):
            self.corners[one] = self.corners[one] + by
            position = self.things[one]["position"]
            for axis, delta in zip("xyz", by, strict=True):
                position[axis] = float(position[axis] + delta)
        self.touched()

    def set_pose(self, object_id: str, position: Array, rotation: Array) -> None:
        """Give an object alone a new position and Euler angles (x, y, z, degrees)."""
        thing = self.things[object_id]
        before = np.array([thing["position"][axis] for axis in "xyz"])
        turned = np.array([thing["rotation"][axis] for axis in "xyz"])
        turn = rotation_matrix(rotation) @ rotation_matrix(turned).T
        self.corners[object_id] = (self.corners[object_id] - before) @ turn.T + position
        thing["position"] = dict(zip("xyz", map(float, position), strict=True))
        thing["rotation"] = dict(zip("xyz", map(float, rotation), strict=True))
        self.touched()

    def turn(self, object_id: str, degrees: float) -> None:
        """Turn an object alone about the vertical axis through the middle of its box."""
        middle = self.center(object_id)
        thing = self.things[object_id]
        turn = rotation_matrix(np.array([0.0, degrees, 0.0]))
        self.corners[object_id] = (self.corners[object_id] - middle) @ turn.T + middle
        place = turn @ (np.array(_xyz(thing)) - middle) + middle
        thing["position"] = dict(zip("xyz", map(float, place), strict=True))
        thing["rotation"]["y"] = float((thing["rotation"]["y"] + degrees) % 360)
        self.touched()

    def straighten(self, object_id: str) -> None:
        """Turn an object so that its box along the axes is the smallest."""
        angles = np.radians(np.arange(0, 90, 3.0))
        x, z = self.corners[object_id][:, 0], self.corners[object_id][:, 2]
        across = np.outer(np.cos(angles), x) + np.outer(np.sin(angles), z)
        along = np.outer(np.cos(angles), z) - np.outer(np.sin(angles), x)
        area = np.ptp(across, axis=1) * np.ptp(along, axis=1)
        best = int(np.argmin(area))
        if area[best] < 0.98 * area[0]:
            self.turn(object_id, float(np.degrees(angles[best])))

    def rename(self) -> None:
        """Give every object the id of where it is, as a fresh start of the scene does."""
        new: dict[str, str] = {}
        for plain in (True, False):
            for old, thing in self.things.items():
                if (thing["objectType"] in _CHILD_NAMED) is plain:
                    continue
                if plain:
                    base = "|".join([thing["objectType"], *map(_coordinate, _xyz(thing))])
                else:
                    parent, _, kind = old.rpartition("|")
                    base = f"{new.get(parent, parent)}|{kind}"
                name, copies = base, 0
                while name in new.values():
                    copies += 1
                    name = f"{base}_copy_{copies}"
                new[old] = name
        self.corners = {new[old]: corners for old, corners in self.corners.items()}
        for thing in self.things.values():
            thing["objectId"] = new[thing["objectId"]]
            for key in ("parentReceptacles", "receptacleObjectIds", "controlledObjects"):
                if thing[key] is not None:
                    thing[key] = [new[i] for i in thing[key] if i in new]
        self.things = {thing["objectId"]: thing for thing in self.things.values()}
        self.held = new[self.held] if self.held is not None else None
        self.touched()

    # --- the hand ------------------------------------------------------------------------------

    def hand(self, agent: AgentState | None = None) -> Array:
        """The position of a held object's centre."""
        agent = agent or self.agent
        yaw, pitch = math.radians(agent.yaw), math.radians(agent.horizon)
        ahead, above = _HAND
        forward = ahead * math.cos(pitch) + above * math.sin(pitch)
        up = above * math.cos(pitch) - ahead * math.sin(pitch)
        away = [forward * math.sin(yaw), up, forward * math.cos(yaw)]
        place: Array = agent.camera() + np.array(away)
        return place

    def follow(self) -> None:
        """Bring what is held to where the agent now has its hand."""
        if self.held is not None:
            self.shift(self.held, self.hand() - self.center(self.held))
        self.changed += 1

    def in_hand(self) -> Thing:
        """Raises ActionRefused with an empty hand."""
        if self.held is None:
            raise ActionRefused("Nothing is in the agent's hand to drop!")
        return self.things[self.held]

    def pickupables(self) -> Iterator[Thing]:
        return (thing for thing in self.things.values() if thing["pickupable"])


def rotation_matrix(degrees: Array) -> Array:
    """Unity's Euler angles: about z, then x, then y."""
    x, y, z = np.radians(degrees)
    cx, sx, cy, sy, cz, sz = (
        math.cos(x),
        math.sin(x),
        math.cos(y),
        math.sin(y),
        math.cos(z),
        math.sin(z),
    )
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    turn: Array = about_y @ about_x @ about_z
    return turn


def corners_between(low: Array, high: Array) -> Array:
    """The eight corners of a box, shape (8, 3)."""
    return np.array(
        [[x, y, z] for x in (high[0], low[0]) for y in (high[1], low[1]) for z in (high[2], low[2])]
    )


def _corners_of(box: dict[str, Any]) -> Array:
    center = np.array([box["center"][axis] for axis in "xyz"])
    half = np.array([box["size"][axis] for axis in "xyz"]) / 2
    return corners_between(center - half, center + half)


def _without(thing: Thing, key: str, object_id: str) -> None:
    thing[key] = [other for other in thing[key] or () if other != object_id]


def _xyz(thing: Thing) -> list[float]:
    return [thing["position"][axis] for axis in "xyz"]


def _coordinate(value: float) -> str:
    """As C# writes a float: seven digits first, halves away from zero, no sign for minus zero."""
    rounded = Decimal(f"{value:.7g}").quantize(Decimal("0.01"), ROUND_HALF_UP)
    text = f"{abs(rounded):05.2f}"
    if value >= 0:
        return f"+{text}"
    return text if text == "00.00" else f"-{text}"
