"""Kinds of things: their shapes for the hand, and the solids that they consist of.

The data are in `things.yaml`, with the kind of every category of our suites.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ....data_files import read_yaml
from ....errors import BadInput, unknown_name
from ....skills.arm.mobile.world import Shape, ShapeKind
from .parts import Color, Form, Kind, Role, Solid, Triple, rod

_DATA: dict[str, Any] = read_yaml(Path(__file__).with_name("things.yaml"))
_PALETTE: dict[str, Color] = {name: tuple(rgb) for name, rgb in _DATA["palette"].items()}
#: Walls of hollow things and of their bottoms, the radius of a bottle's neck and of handles, in m.
WALL, NECK, _HANDLE = 0.008, 0.013, 0.006
#: How far a mug's handle stands out from the body, and half of its height, in m.
_HANDLE_OUT, _HANDLE_HALF = 0.025, 0.025
#: Hollow things have a wall of so many boards.
_STAVES = {ShapeKind.MUG: 10, ShapeKind.BOWL: 14}
#: By this the walls are over the bottom plate: only the plate touches the table, so there are few
#: contacts.
_LIFTED = 0.0015


class Match(NamedTuple):
    """The kind that stands for a category, and whether it is only alike."""

    kind: str
    alike: bool


def kinds() -> Mapping[str, Shape]:
    """The shape of every kind."""
    return {name: kind(name).shape for name in _DATA["kinds"]}


def match(category: str) -> Match:
    """The kind that stands for a category of objects. Raises BadInput for an unknown one."""
    found = _matches().get(category.replace("_", " ").strip().lower())
    if found is None:
        raise unknown_name("category of things with a shape", category, _matches())
    return found


@cache
def _matches() -> dict[str, Match]:
    found: dict[str, Match] = {}
    for name, groups in _DATA.get("categories", {}).items():
        for alike in (False, True):
            for category in groups.get("alike" if alike else "is", ()):
                found[category] = Match(name, alike)
    for name in _DATA["kinds"]:
        found.setdefault(name.replace("_", " "), Match(name, False))
    return found


@cache
def kind(name: str, variant: int = 0) -> Kind:
    """A kind of things; variant: of its colours. Raises BadInput."""
    data = _DATA["kinds"].get(name)
    if data is None:
        raise unknown_name("kind of things", name, _DATA["kinds"])
    shape = _shape(data)
    colors = data["colors"]
    color = _PALETTE[colors[variant % len(colors)]]
    body = _BODIES[shape.kind](shape, color, data)
    if data.get("hull"):
        body = [replace(solid, role=Role.HULL) for solid in body]
    solids = (*body, *_decor(shape, data), *(_part(row) for row in data.get("parts", ())))
    return Kind(name, shape, solids, data.get("graspable", True))


def kind_of_thing(name: str, kind_name: str) -> Kind:
    """The kind of a thing, in the colour that goes with its name."""
    return kind(kind_name, zlib.crc32(name.encode()) % 97)


def _shape(data: Mapping[str, Any]) -> Shape:
    form = ShapeKind(data["shape"])
    mass = float(data["mass"])
    if form is ShapeKind.BOX:
        wide, long = float(data["wide"]), float(data["long"])
        return Shape(form, data["height"], math.hypot(wide, long) / 2, wide, long / 2, mass=mass)
    radius = float(data["radius"])
    if form is ShapeKind.BALL:
        return Shape(form, 2 * radius, radius, 2 * radius, radius, mass=mass)
    height = float(data["height"])
    if form is ShapeKind.BOWL:
        return Shape(form, height, radius, WALL, radius, mass=mass)
    around = radius + (_HANDLE_OUT + _HANDLE if form is ShapeKind.MUG else 0.0)
    neck, full = float(data.get("neck", 0.0)), bool(data.get("full"))
    return Shape(form, height, around, 2 * radius, radius, neck, mass, full)


# --- bodies --------------------------------------------------------------------------------------


def _cylinder(shape: Shape, color: Color, data: Mapping[str, Any]) -> list[Solid]:
    radius = shape.grip / 2
    return [
        Solid(Form.CYLINDER, (0, 0, 0), (radius, radius, shape.height / 2), color, mass=shape.mass)
    ]


def _box(shape: Shape, color: Color, data: Mapping[str, Any]) -> list[Solid]:
    half = (shape.grip / 2, shape.depth, shape.height / 2)
    return [Solid(Form.BOX, (0, 0, 0), half, color, mass=shape.mass)]


def _ball(shape: Shape, color: Color, data: Mapping[str, Any]) -> list[Solid]:
    radius = shape.grip / 2
    return [Solid(Form.SPHERE, (0, 0, 0), (radius, radius, radius), color, mass=shape.mass)]


def _bottle(shape: Shape, color: Color, data: Mapping[str, Any]) -> list[Solid]:
    body = replace(_cylinder(shape, color, data)[0], mass=shape.mass - 0.01)
    half, radius = shape.height / 2, shape.grip / 2
    neck = Solid(
        Form.CYLINDER,
        (0, 0, half + shape.neck / 2),
        (NECK, NECK, shape.neck / 2),
        color,
        mass=0.01,
    )
    shoulder = Solid(
        Form.ELLIPSOID, (0, 0, half), (radius * 0.98, radius * 0.98, 0.022), color, Role.LOOK
    )
    return [body, neck, shoulder]


def _hollow(shape: Shape, color: Color, data: Mapping[str, Any]) -> list[Solid]:
    """A ring of boards over a bottom plate."""
    mug = shape.kind is ShapeKind.MUG
    radius = shape.grip / 2 if mug else shape.radius
    if data.get("full"):
        solids = [
            Solid(
                Form.CYLINDER,
                (0, 0, 0),
                (radius, radius, shape.height / 2),
                color,
                mass=shape.mass - 0.03,
            )
        ]
    else:
        count = _STAVES[shape.kind]
        mass = (shape.mass - (0.03 if mug else 0.0)) / (count + 2)
        middle, half = radius - WALL / 2, shape.height / 2
        # The boards meet on the outside too: a finger would jam between them.
        across = radius * math.tan(math.pi / count)
        solids = [
            Solid(
                Form.BOX,
                (middle * math.cos(angle), middle * math.sin(angle), _LIFTED),
                (WALL / 2, across, half - _LIFTED),
                color,
                turn=(0.0, 0.0, angle),
                mass=mass,
            )
            for angle in (2 * math.pi * number / count for number in range(count))
        ]
        solids.append(
            Solid(
                Form.CYLINDER,
                (0, 0, -half + WALL / 2),
                (radius - 0.002, radius - 0.002, WALL / 2),
                color,
                mass=2 * mass,
            )
        )
    return [*solids, *(_mug_handle(radius, color) if mug else ())]


def _mug_handle(radius: float, color: Color) -> list[Solid]:
    out, half = radius + _HANDLE_OUT, _HANDLE_HALF
    ends: tuple[tuple[Triple, Triple], ...] = (
        ((out, 0, half), (out, 0, -half)),
        ((radius, 0, half), (out, 0, half)),
        ((radius, 0, -half), (out, 0, -half)),
    )
    return [rod(start, end, _HANDLE, color, mass=0.01) for start, end in ends]


_BODIES = {
    ShapeKind.CYLINDER: _cylinder,
    ShapeKind.BOX: _box,
    ShapeKind.BALL: _ball,
    ShapeKind.BOTTLE: _bottle,
    ShapeKind.MUG: _hollow,
    ShapeKind.BOWL: _hollow,
}


# --- what is only seen ---------------------------------------------------------------------------


def _decor(shape: Shape, data: Mapping[str, Any]) -> list[Solid]:
    """Lids, labels, caps and stems."""
    colors = {
        key: _PALETTE[data[key]] for key in ("lid", "band", "cap", "stem", "patch") if key in data
    }
    half, radius = shape.height / 2, shape.grip / 2
    found = []
    if "lid" in colors:
        found.append(_disc(half - 0.005, radius + 0.0006, 0.0057, colors["lid"]))
    if "band" in colors:
        found.append(_disc(-0.1 * half, radius + 0.0005, 0.45 * half, colors["band"]))
    if "cap" in colors:
        high = min(0.012, shape.neck / 2)
        found.append(_disc(half + shape.neck - high, NECK + 0.0008, high + 0.0008, colors["cap"]))
    if "stem" in colors:
        found.append(
            rod(
                (0, 0, half - 0.004),
                (0.004, 0, half + 0.010),
                0.0022,
                colors["stem"],
                role=Role.LOOK,
            )
        )
        found.append(
            Solid(
                Form.ELLIPSOID,
                (0.012, 0, half + 0.004),
                (0.011, 0.006, 0.002),
                _PALETTE["green"],
                Role.LOOK,
                (0.0, -0.3, 0.0),
            )
        )
    if "patch" in colors:
        size = (radius + 0.0006, 0.62 * shape.depth, 0.30 * half)
        found.append(Solid(Form.BOX, (0, 0, 0.28 * half), size, colors["patch"], Role.LOOK))
        side = (0.62 * radius, shape.depth + 0.0006, 0.30 * half)
        found.append(Solid(Form.BOX, (0, 0, 0.28 * half), side, colors["patch"], Role.LOOK))
    return found


def _disc(z: float, radius: float, half: float, color: Color) -> Solid:
    return Solid(Form.CYLINDER, (0, 0, z), (radius, radius, half), color, Role.LOOK)


def _part(row: list[Any]) -> Solid:
    form, center, half, color, *turn = row
    return Solid(
        Form(form),
        _triple(center),
        _triple(half),
        _PALETTE[color],
        Role.LOOK,
        _triple(turn[0]) if turn else (0.0, 0.0, 0.0),
    )


def _triple(row: list[float]) -> Triple:
    x, y, z = (float(value) for value in row)
    return x, y, z


def too_large(shape: Shape) -> bool:
    """Whether the hand cannot take a thing at all."""
    return shape.grip > 0.076


def require_graspable(name: str, kind_name: str) -> None:
    """Raises BadInput if a thing cannot be taken."""
    found = kind(kind_name)
    if not found.graspable or too_large(found.shape):
        raise BadInput(f"The thing '{name}' is too large to grasp; things are up to 76 mm across.")
