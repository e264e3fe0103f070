"""Builds a unit: boxes, boards, fronts and areas in its own frame, with names that count."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ....skills.arm.mobile.world import Button, Front, FrontKind, Reach, Space
from .parts import Area, Form, Panel, Press, Role, Solid, Triple, Unit, rod

#: Thickness of boards and fronts, the gap around a front, and how far a handle stands out.
BOARD, GAP, STANDS_OUT = 0.018, 0.002, 0.045
#: How far `open` opens: doors, drop doors (rad) and drawers (share of their depth). A door at
#: 1.45 rad stood in the way of the robot's base.
DOOR_OPEN, DROP_OPEN, DRAWER_OPEN = 1.7, 1.35, 0.86
_DOOR_LIMIT, _DROP_LIMIT, _DRAWER_LIMIT = 1.92, 1.6, 0.92
_UP, _ALONG, _OUT = np.array([0.0, 0, 1]), np.array([1.0, 0, 0]), np.array([0.0, -1, 0])


@dataclass
class Book:
    """The areas of a kitchen as its units are built, in reading order."""

    height: float
    """Of the worktops, in m."""
    bar: float
    """Half of the length of a cupboard's handle, in m."""
    shaker: bool = False
    """Whether fronts have frames."""
    areas: dict[str, Area] = field(default_factory=dict)
    worktop: str | None = None
    """The worktop that goes on into the next unit."""
    given: list[str] = field(default_factory=list)
    """Names for the next areas, instead of counted ones."""
    _counts: Counter[str] = field(default_factory=Counter)

    def name(self, category: str) -> str:
        """The next name of a category."""
        if self.given:
            return self.given.pop(0)
        self._counts[category] += 1
        return f"{category.replace(' ', '_')}_{self._counts[category]}"

    def add(self, category: str, unit: str, front: str | None = None, name: str = "") -> str:
        """Add an area, and return its name."""
        name = name or self.name(category)
        self.areas[name] = Area(name, category, unit, (), front)
        return name

    def add_space(self, area: str, space: str) -> None:
        old = self.areas[area]
        self.areas[area] = Area(old.name, old.category, old.unit, (*old.spaces, space), old.front)

    def count(self, area: str) -> int:
        return len(self.areas[area].spaces)


class UnitBuilder:
    """One unit. Methods take coordinates in its frame; `owner` is the area of what comes next."""

    def __init__(self, book: Book, name: str, category: str) -> None:
        self.book, self.name, self.category = book, name, category
        self.owner = ""
        self.solids: list[Solid] = []
        self._panels: list[Panel] = []
        self._spaces: list[Space] = []
        self._presses: list[Press] = []

    def unit(self, x: float, y: float, yaw: float) -> Unit:
        """The finished unit at its place in the room."""
        return Unit(
            self.name,
            self.category,
            x,
            y,
            yaw,
            tuple(self.solids),
            tuple(self._panels),
            tuple(self._spaces),
            tuple(self._presses),
        )

    # --- solids ------------------------------------------------------------------------------

    def box(self, low: Triple, high: Triple, material: str, **more: Any) -> None:
        """A box between two corners."""
        self.solids.append(solid_box(low, high, material, owner=self.owner, **more))

    def look(self, low: Triple, high: Triple, material: str) -> None:
        """A box that is only seen."""
        self.box(low, high, material, role=Role.LOOK)

    def rod(self, start: Triple, end: Triple, radius: float, material: str, **more: Any) -> None:
        self.solids.append(rod(start, end, radius, material, owner=self.owner, **more))

    def corpus(
        self, width: float, depth: float, low: float, high: float, material: str = "corpus"
    ) -> None:
        """Sides, back, floor and top, open in front; the sides are painted like the fronts."""
        x, t = width / 2, BOARD
        skin = "front" if material == "corpus" else material
        for side in (-1, 1):
            inner, outer = sorted((side * (x - t), side * (x - 0.001)))
            self.box((inner, -depth, low), (outer, 0, high), material)
            a, b = sorted((side * (x - 0.001), side * x))
            self.look((a, -depth, low), (b, 0, high), skin)
        self.box((-x + t, -0.012, low), (x - t, 0, high), material)
        self.box((-x + t, -depth, low), (x - t, -0.012, low + t), material)
        self.box((-x + t, -depth, high - t), (x - t, -0.012, high), material)

    def toe(self, width: float, depth: float) -> None:
        """The recessed board at the floor."""
        self.box((-width / 2, -depth + 0.06, 0), (width / 2, 0, 0.1), "toe")

    # --- spaces ------------------------------------------------------------------------------

    def space(
        self,
        low: Triple,
        high: Triple,
        reach: Reach,
        front: str | None = None,
        clear: float = math.inf,
        edge: float | None = None,
        word: str = "shelf",
    ) -> None:
        """A board of the present area; its frame is at the front edge of the furniture.

        low, high: in the frame of the unit. edge: y of the front edge.
        """
        edge = low[1] if edge is None else edge
        origin = np.array([(low[0] + high[0]) / 2, edge, low[2]])
        name = f"{self.owner}_{word}_{self.book.count(self.owner) + 1}"
        self._spaces.append(
            Space(
                name,
                self.owner,
                np.array(low) - origin,
                np.array(high) - origin,
                origin,
                0.0,
                reach,
                front,
                clear,
            )
        )
        self.book.add_space(self.owner, name)

    def shelves(
        self,
        left: float,
        right: float,
        depth: float,
        levels: list[float],
        top: float,
        front: str | None,
    ) -> None:
        """Spaces on boards at these heights, up to `top`."""
        for low, high in zip(levels, [*levels[1:], top + 0.02], strict=True):
            self.space(
                (left + 0.03, -depth + 0.03, low),
                (right - 0.03, -0.03, high - 0.02),
                Reach.FRONT,
                front,
                edge=-depth,
            )

    # --- fronts ------------------------------------------------------------------------------

    def door(
        self,
        left: float,
        right: float,
        low: float,
        high: float,
        depth: float,
        hinge: str,
        material: str = "front",
        mass: float = 3.0,
        bar: float | None = None,
        bar_at: float | None = None,
    ) -> str:
        """A door hinged on its "left" or "right". bar_at: height of the handle above `low`."""
        name = f"{self.owner}_front"
        width, height = right - left, high - low
        face = -depth - BOARD
        sign = 1 if hinge == "left" else -1
        at = left if hinge == "left" else right
        bar = self.book.bar if bar is None else bar
        z = bar_at if bar_at is not None else (height - 0.16 if low < 1 else 0.16)
        z = low + min(max(z, bar + 0.03), height - bar - 0.03)
        front = Front(
            name,
            FrontKind.DOOR,
            axis=np.array([0.0, 0.0, -float(sign)]),
            anchor=np.array([at, face, low]),
            handle=np.array([at + sign * (width - 0.05), face - STANDS_OUT, z]),
            bar=_UP,
            bar_half=bar,
            face=np.array([(left + right) / 2, face, (low + high) / 2]),
            outward=_OUT,
            half_width=width / 2 - GAP,
            half_height=height / 2 - GAP,
            open_value=DOOR_OPEN,
            limit=_DOOR_LIMIT,
        )
        self._panel(front, material, mass, [], 0.5, 0.4)
        return name

    def drop(
        self, left: float, right: float, low: float, high: float, depth: float, mass: float = 4.0
    ) -> str:
        """A door that turns down about its lower edge."""
        name = f"{self.owner}_front"
        face = -depth - BOARD
        width = right - left
        front = Front(
            name,
            FrontKind.DROP,
            axis=_ALONG,
            anchor=np.array([(left + right) / 2, face, low]),
            handle=np.array([(left + right) / 2, face - STANDS_OUT, high - 0.06]),
            bar=_ALONG,
            bar_half=min(0.2, width / 2 - 0.06),
            face=np.array([(left + right) / 2, face, (low + high) / 2]),
            outward=_OUT,
            half_width=width / 2 - GAP,
            half_height=(high - low) / 2 - GAP,
            open_value=DROP_OPEN,
            limit=_DROP_LIMIT,
        )
        extra = []
        if self.category == "oven":
            y, z = face - 0.0015, low + 0.05
            half = width / 2 - 0.07
            x = (left + right) / 2
            extra.append(_look((x - half, y, z), (x + half, face, high - 0.13), "glass"))
        self._panel(front, "steel", mass, extra, 1.5, 1.5)
        return name

    def drawer(
        self,
        left: float,
        right: float,
        low: float,
        high: float,
        depth: float,
        material: str = "front",
        mass: float = 1.0,
        deep: float = 0.50,
        bar: float | None = None,
    ) -> str:
        """A drawer with its box, and the space in it."""
        name = f"{self.owner}_front"
        width, height = right - left, high - low
        x, face = (left + right) / 2, -depth - BOARD
        inside = min(height - 0.04, 0.16)
        front = Front(
            name,
            FrontKind.DRAWER,
            axis=_OUT,
            anchor=np.array([x, -depth, low]),
            handle=np.array(
                [x, face - STANDS_OUT, low + (height / 2 if height < 0.25 else height - 0.09)]
            ),
            bar=_ALONG,
            bar_half=bar or (0.075 if self.book.bar > 0.06 else 0.05),
            face=np.array([x, face, (low + high) / 2]),
            outward=_OUT,
            half_width=width / 2 - GAP,
            half_height=height / 2 - GAP,
            open_value=deep * DRAWER_OPEN,
            limit=deep * _DRAWER_LIMIT,
        )
        half, back = width / 2 - 0.02, -depth + deep
        floor, rim = low + 0.03, low + inside
        box = [
            ((x - half, -depth, low + 0.02), (x + half, back, floor)),
            ((x - half, -depth, floor), (x - half + 0.01, back, rim)),
            ((x + half - 0.01, -depth, floor), (x + half, back, rim)),
            ((x - half, back - 0.01, floor), (x + half, back, rim)),
        ]
        solids = [solid_box(a, b, "drawer", mass=0.3) for a, b in box]
        self._panel(front, material, mass, solids, 5.0, 1.5)
        self.space(
            (x - half + 0.01, -depth, floor),
            (x + half - 0.01, back - 0.01, rim),
            Reach.DRAWER,
            name,
            clear=height - 0.05,
            word="floor",
        )
        return name

    def _panel(
        self,
        front: Front,
        material: str,
        mass: float,
        extra: list[Solid],
        damping: float,
        friction: float,
    ) -> None:
        """The board with its frame and handle."""
        x, y, z = (float(value) for value in front.face)
        w, h = front.half_width, front.half_height
        solids = [
            solid_box((x - w, y, z - h), (x + w, y + BOARD, z + h), material, mass=mass),
            *(_frame(x, y, z, w, h) if material == "front" and self.book.shaker else ()),
            *extra,
            *_handle(front),
        ]
        owned = tuple(_owned(solid, front.name) for solid in solids)
        self._panels.append(Panel(front, owned, damping, friction))
        area = self.book.areas[self.owner]
        self.book.areas[self.owner] = Area(
            area.name, area.category, area.unit, area.spaces, front.name
        )

    def press(self, name: str, face: Triple, radius: float, material: str, area: str) -> None:
        """A button or knob that stands out by 2 cm and slides in by 8 mm."""
        out = 0.02
        button = Button(name, area, np.array(face), _OUT, radius, 0.008)
        x, y, z = face
        solid = rod((x, y, z), (x, y + out, z), radius, material, Form.CYLINDER, mass=0.02)
        self._presses.append(Press(button, _owned(solid, name)))


def solid_box(low: Triple, high: Triple, material: str, **more: Any) -> Solid:
    """A box between two corners."""
    (a, b, c), (d, e, f) = low, high
    return Solid(
        Form.BOX,
        ((a + d) / 2, (b + e) / 2, (c + f) / 2),
        ((d - a) / 2, (e - b) / 2, (f - c) / 2),
        material,
        **more,
    )


def _look(low: Triple, high: Triple, material: str) -> Solid:
    return solid_box(low, high, material, role=Role.LOOK)


def _owned(solid: Solid, owner: str) -> Solid:
    return replace(solid, owner=owner)


def _frame(x: float, y: float, z: float, w: float, h: float) -> list[Solid]:
    """The raised frame of a front: two posts and two rails, 3 mm proud."""
    wide = min(0.055, 0.3 * min(w, h) * 2)
    a, b = y - 0.003, y + 0.001
    return [
        _look((x - w, a, z - h), (x - w + wide, b, z + h), "front"),
        _look((x + w - wide, a, z - h), (x + w, b, z + h), "front"),
        _look((x - w + wide, a, z - h), (x + w - wide, b, z - h + wide), "front"),
        _look((x - w + wide, a, z + h - wide), (x + w - wide, b, z + h), "front"),
    ]


def _handle(front: Front, radius: float = 0.007) -> list[Solid]:
    """A bar on two posts: what the fingers hold."""
    ends = [front.handle + side * front.bar_half * front.bar for side in (-1, 1)]
    first, last = (tuple(float(v) for v in end) for end in ends)
    solids = [rod(_triple(first), _triple(last), radius, "handle", role=Role.HANDLE, mass=0.1)]
    for side in (-1, 1):
        end = front.handle + side * 0.96 * front.bar_half * front.bar
        foot = end - front.outward * (STANDS_OUT - 0.003)
        solids.append(
            rod(
                _triple(end),
                _triple(foot),
                0.8 * radius,
                "handle",
                role=Role.HANDLE,
                mass=0.02,
            )
        )
    return solids


def _triple(values: Any) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z
