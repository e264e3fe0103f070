"""One loaded scene: the objects as in AI2-THOR's metadata, their boxes, the agent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import objects

Array = npt.NDArray[np.float64]
Thing = dict[str, Any]

CAMERA_ABOVE = 0.675  # height of the camera above the agent's position when standing
CROUCHED_BY = 0.675  # by which crouching lowers it
_HAND = (0.38, -0.16)  # ahead of and above the camera

#: Types that open but hide nothing when closed.
SEE_THROUGH = frozenset(
    {"Blinds", "Book", "Curtains", "Kettle", "Laptop", "ShowerCurtain", "ShowerDoor", "Toilet"}
)
_CHILD_NAMED = frozenset({"SinkBasin", "BathtubBasin"})


class ActionRefused(Exception):
    """A failed action: the world is unchanged.

    code: AI2-THOR's ServerActionErrorCode; the Controller turns the four about wrong calls into
    ValueError.
    """

    def __init__(self, message: str, code: str = "Undefined") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


@dataclass
class AgentState:
    """The agent's pose."""

    x: float
    """In m."""
    y: float
    """In m, upwards."""
    z: float
    """In m."""
    yaw: float = 0.0
    """In degrees."""
    horizon: float = 0.0
    """Of the camera, in degrees downwards."""
    standing: bool = True
    """False while it crouches."""

    def camera(self) -> Array:
        up = CAMERA_ABOVE if self.standing else CAMERA_ABOVE - CROUCHED_BY
        return np.array([self.x, self.y + up, self.z])


@dataclass
class Settings:
    """The settings of Initialize."""

    grid: float = objects.GRID
    """Length of a step, in m."""
    visibility_distance: float = 1.5
    """In m."""
    fov: float = 90.0
    """Vertical field of view, in degrees."""
    rotate_step: float = 90.0
    """In degrees."""
    fast_emit: bool = True
    """Whether queries are answered by patches."""


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
        self.changed = 0  # counts changes that affect visibility
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
        """The object of an id. Raises ActionRefused if there is none."""
        thing = self.things.get(object_id) if isinstance(object_id, str) else None
        if thing is None:
            raise ActionRefused(f"{object_id} is not the objectId on any object in the scene!")
        return thing

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
        """Call after any change to boxes or to the set of objects."""
        self._boxes = None
        self.changed += 1

    def add(self, thing: Thing, corners: Array) -> None:
        self.things[thing["objectId"]] = thing
        self.corners[thing["objectId"]] = corners
        self.touched()

    def remove(self, object_id: str) -> None:
        """Remove an object from the scene and from everything related to it."""
        self.leave(object_id)
        for child in list(self.things[object_id]["receptacleObjectIds"] or ()):
            _without(self.things[child], "parentReceptacles", object_id)
        if self.held == object_id:
            self.held = None
        del self.things[object_id], self.corners[object_id]
        self.touched()

    # --- places --------------------------------------------------------------------------------

    def enter(self, object_id: str, receptacles: Iterable[str]) -> None:
        """List an object in receptacles, and in no others."""
        self.leave(object_id)
        parents = list(dict.fromkeys(receptacles))
        for parent in parents:
            inside = self.things[parent]["receptacleObjectIds"] or []
            self.things[parent]["receptacleObjectIds"] = [*inside, object_id]
        self.things[object_id]["parentReceptacles"] = parents or None
        self.changed += 1

    def leave(self, object_id: str) -> None:
        """Remove an object from the lists of all receptacles."""
        thing = self.things[object_id]
        for parent in thing["parentReceptacles"] or ():
            _without(self.things[parent], "receptacleObjectIds", object_id)
        thing["parentReceptacles"] = None
        self.changed += 1

    def contents(self, object_id: str) -> list[str]:
        """The ids of everything that moves with an object: its contents, at any depth."""
        moving: dict[str, None] = {}
        queue = [object_id]
        while queue:
            for child in self.things[queue.pop()]["receptacleObjectIds"] or ():
                if child != object_id and child not in moving and self.things[child]["pickupable"]:
                    moving[child] = None
                    queue.append(child)
        return list(moving)

    def closed_around(self, object_id: str) -> str | None:
        """A closed receptacle that hides the object, at any depth, or None.

        Only things that can be picked up are hidden: the real metadata also have cabinets that
        contain the floor.
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
        """Move an object with its contents by (x, y, z)."""
        for one in (object_id, *self.contents(object_id)):
            self.corners[one] = self.corners[one] + by
            position = self.things[one]["position"]
            for axis, delta in zip("xyz", by, strict=True):
                position[axis] = float(position[axis] + delta)
        self.touched()

    def set_pose(self, object_id: str, position: Array, rotation: Array) -> None:
        """Set the position and Euler angles (x, y, z, degrees) of an object alone."""
        thing = self.things[object_id]
        before = np.array([thing["position"][axis] for axis in "xyz"])
        turned = np.array([thing["rotation"][axis] for axis in "xyz"])
        turn = rotation_matrix(rotation) @ rotation_matrix(turned).T
        self.corners[object_id] = (self.corners[object_id] - before) @ turn.T + position
        thing["position"] = dict(zip("xyz", map(float, position), strict=True))
        thing["rotation"] = dict(zip("xyz", map(float, rotation), strict=True))
        self.touched()

    def turn(self, object_id: str, degrees: float) -> None:
        """Turn an object alone about the vertical axis through the centre of its box."""
        middle = self.center(object_id)
        thing = self.things[object_id]
        turn = rotation_matrix(np.array([0.0, degrees, 0.0]))
        self.corners[object_id] = (self.corners[object_id] - middle) @ turn.T + middle
        place = turn @ (np.array(_xyz(thing)) - middle) + middle
        thing["position"] = dict(zip("xyz", map(float, place), strict=True))
        thing["rotation"]["y"] = float((thing["rotation"]["y"] + degrees) % 360)
        self.touched()

    def straighten(self, object_id: str) -> None:
        """Turn an object so that its axis-aligned box is the smallest."""
        angles = np.radians(np.arange(0, 90, 3.0))
        x, z = self.corners[object_id][:, 0], self.corners[object_id][:, 2]
        across = np.outer(np.cos(angles), x) + np.outer(np.sin(angles), z)
        along = np.outer(np.cos(angles), z) - np.outer(np.sin(angles), x)
        area = np.ptp(across, axis=1) * np.ptp(along, axis=1)
        best = int(np.argmin(area))
        if area[best] < 0.98 * area[0]:
            self.turn(object_id, float(np.degrees(angles[best])))

    def rename(self) -> None:
        """Give every object the id for its place, as a fresh start of the scene does."""
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
        """Move the held object to the agent's hand."""
        if self.held is not None:
            self.shift(self.held, self.hand() - self.center(self.held))
        self.changed += 1

    def in_hand(self) -> Thing:
        """The held object. Raises ActionRefused with an empty hand."""
        if self.held is None:
            raise ActionRefused("Nothing is in the agent's hand to drop!")
        return self.things[self.held]

    def pickupables(self) -> Iterator[Thing]:
        return (thing for thing in self.things.values() if thing["pickupable"])


def rotation_matrix(degrees: Array) -> Array:
    """The matrix of Unity's Euler angles: about z, then x, then y."""
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
    """A float as C# writes it: seven digits, halves away from zero, no sign for minus zero."""
    rounded = Decimal(f"{value:.7g}").quantize(Decimal("0.01"), ROUND_HALF_UP)
    text = f"{abs(rounded):05.2f}"
    if value >= 0:
        return f"+{text}"
    return text if text == "00.00" else f"-{text}"
