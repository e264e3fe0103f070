"""What a furnished kitchen consists of: solids, panels, units, areas and things.

A unit is one piece of furniture. Its frame: x along the wall, y INTO the wall (back at y = 0, front
at y < 0), z up from the floor. The frame of the room: x and y on the floor, z up. Lengths in m,
angles in rad, masses in kg.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from ....skills.arm.mobile.world import Button, Front, Pose, Shape, Space, about
from ....skills.arm.rotation import Array

Triple = tuple[float, float, float]
Color = tuple[float, float, float]

#: The owners of solids that belong to no area.
FLOOR, WALL = "floor", "wall"


class Form(StrEnum):
    """A primitive. Cylinders and capsules stand along z of their own frame."""

    BOX = "box"
    CYLINDER = "cylinder"
    CAPSULE = "capsule"
    SPHERE = "sphere"
    ELLIPSOID = "ellipsoid"  # for looks


class Role(StrEnum):
    """What a solid does."""

    WALL = "wall"  # collides
    LOOK = "look"  # is only seen
    HANDLE = "handle"  # collides, and fingers hold it
    HULL = "hull"  # collides, and is not seen


@dataclass(frozen=True)
class Solid:
    """A primitive in the frame of its unit or thing; of fronts, as they are when closed.

    half: of a box, its half sizes; else (radius, radius, half length), half length without a
    capsule's round ends. turn: roll, pitch and yaw about fixed axes. material: a name of a style,
    or a colour. mass: None for what never moves.
    """

    form: Form
    center: Triple
    half: Triple
    material: str | Color
    role: Role = Role.WALL
    turn: Triple = (0.0, 0.0, 0.0)
    mass: float | None = None
    owner: str = ""
    """The front or area that it belongs to; or `FLOOR` or `WALL`."""


@dataclass(frozen=True, eq=False)
class Panel:
    """A front in the frame of its unit, with what moves with it."""

    front: Front
    solids: tuple[Solid, ...]
    damping: float
    friction: float
    """Of its joint: N m or N."""


@dataclass(frozen=True, eq=False)
class Press:
    """A button or knob in the frame of its unit; it slides in against a spring."""

    button: Button
    solid: Solid


@dataclass(frozen=True, eq=False)
class Area:
    """A drawer, cupboard, worktop …: what planners name.

    name: category and number, such as `wall_cabinet_2`. category: in English words.
    """

    name: str
    category: str
    unit: str
    spaces: tuple[str, ...]
    front: str | None = None


@dataclass(frozen=True, eq=False)
class Unit:
    """A piece of furniture, and where it stands in the room."""

    name: str
    category: str
    x: float
    y: float
    yaw: float
    solids: tuple[Solid, ...] = ()
    panels: tuple[Panel, ...] = ()
    spaces: tuple[Space, ...] = ()
    presses: tuple[Press, ...] = ()

    @property
    def rotation(self) -> Array:
        """From its frame to that of the room, shape (3, 3)."""
        return about(np.array([0.0, 0.0, 1.0]), self.yaw)

    def point(self, local: Array) -> Array:
        """A point of its frame in that of the room, shape (3,)."""
        moved: Array = np.array([self.x, self.y, 0.0]) + self.rotation @ local
        return moved

    def front(self, front: Front) -> Front:
        """A front of its frame in that of the room."""
        turn = self.rotation
        return replace(
            front,
            axis=turn @ front.axis,
            anchor=self.point(front.anchor),
            handle=self.point(front.handle),
            bar=turn @ front.bar,
            face=self.point(front.face),
            outward=turn @ front.outward,
        )

    def space(self, space: Space) -> Space:
        """A space of its frame in that of the room."""
        return replace(space, origin=self.point(space.origin), yaw=space.yaw + self.yaw)

    def button(self, button: Button) -> Button:
        """A button of its frame in that of the room."""
        return replace(button, face=self.point(button.face), outward=self.rotation @ button.outward)


@dataclass(frozen=True)
class Paint:
    """How a material looks. pattern: of its texture, "" for none; size: of the pattern, in m."""

    color: Color
    gloss: float = 0.2
    second: Color = (0.5, 0.5, 0.5)
    pattern: str = ""
    size: float = 1.0


@dataclass(frozen=True)
class Style:
    """A scheme of colours and patterns: paints by the material's name."""

    name: str
    paints: Mapping[str, Paint]


@dataclass(frozen=True)
class Room:
    """The floor, a rectangle in m, and which of its walls are built.

    walls: of "north" (y high), "south", "east" (x high), "west". All four stop robot and things;
    the others are not seen, so that pictures can look in.
    """

    low: tuple[float, float]
    high: tuple[float, float]
    height: float = 2.6
    walls: frozenset[str] = frozenset({"north"})


@dataclass(frozen=True, eq=False)
class Kitchen:
    """A furnished kitchen without its things."""

    name: str
    layout: str
    seed: int
    style: Style
    room: Room
    units: tuple[Unit, ...]
    areas: Mapping[str, Area]
    start: Triple
    """Where the robot's base starts: x, y, yaw."""

    @cached_property
    def fronts(self) -> Mapping[str, Front]:
        """All fronts by name, in the frame of the room."""
        return {p.front.name: u.front(p.front) for u in self.units for p in u.panels}

    @cached_property
    def spaces(self) -> Mapping[str, Space]:
        """All spaces by name, in the frame of the room."""
        return {s.name: u.space(s) for u in self.units for s in u.spaces}

    @cached_property
    def buttons(self) -> Mapping[str, Button]:
        """All buttons by name, in the frame of the room."""
        return {p.button.name: u.button(p.button) for u in self.units for p in u.presses}


@dataclass(frozen=True, eq=False)
class Thing:
    """A movable thing: its kind (of `things.yaml`), and where it stands.

    space: where to find a spot for it, if it has no pose yet. pose: of the middle of its body, in
    the frame of the room, with drawers closed.
    """

    name: str
    kind: str
    space: str | None = None
    pose: Pose | None = None


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of thing.

    solids: in its frame, which is in the middle of its body. graspable: False for what is only a
    place, such as a tray.
    """

    name: str
    shape: Shape
    solids: tuple[Solid, ...]
    graspable: bool = True


def rod(
    start: Triple,
    end: Triple,
    radius: float,
    material: str | Color,
    form: Form = Form.CAPSULE,
    *,
    role: Role = Role.WALL,
    mass: float | None = None,
    owner: str = "",
) -> Solid:
    """A capsule or cylinder from one point to another."""
    a, b = np.array(start), np.array(end)
    along = b - a
    length = float(np.linalg.norm(along))
    pitch = math.acos(max(-1.0, min(1.0, along[2] / length)))
    yaw = math.atan2(along[1], along[0])
    x, y, z = (a + b) / 2
    return Solid(
        form,
        (float(x), float(y), float(z)),
        (radius, radius, length / 2),
        material,
        role,
        (0.0, pitch, yaw),
        mass,
        owner,
    )
