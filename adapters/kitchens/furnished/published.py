"""The five kitchens of Tru-POMDP as real furniture: every published area, and no other.

The areas of one place stand side by side: drawers and cupboards under their worktop, further
cupboards and shelves on the wall over it. `Human_Hand` is a small stand with a tray: things are
handed over there. The scenes are those of the loader "kitchen".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from ..layouts import HUMAN_HAND, Layout, english, layout_of
from . import appliances, cabinets
from .builder import Book, UnitBuilder
from .cabinets import TOP_DEPTH
from .parts import Area, Kitchen, Room, Unit
from .plans import BESIDE, FILLER
from .styles import style_of

#: The width of a unit, and the height of the front of a single drawer: everything fits, in m.
_WIDTH, _DRAWER = 0.78, 0.26
#: Seeds of the colours, by kitchen.
_SEEDS = {
    "one_wall": 4,
    "one_wall_large": 9,
    "l_shaped": 2,
    "l_shaped_large": 12,
    "galley": 7,
}
#: The places along each wall, from the left, and at last those of an island.
_RUNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "one_wall": (
        ("cab_1_front", "cab_2_front", "cab_3_front", "oven_front", "cab_4_front", "fridge_front"),
    ),
    "one_wall_large": (
        ("fridge_front", "oven_front", "cab_1_front", "cab_2_front", "cab_3_front", "cab_4_front"),
        ("table_front",),
    ),
    "l_shaped": (
        ("cab_1_front", "cab_2_front", "dishwasher_front", "cab_3_front"),
        ("oven_front", "cab_4_front", "cab_5_front", "fridge_front"),
    ),
    "l_shaped_large": (
        ("oven_front", "dishwasher_front", "cab_1_front", "cab_2_front"),
        ("cab_3_front", "cab_4_front", "cab_5_front", "fridge_front"),
        ("table_front",),
    ),
    "galley": (
        (
            "cab_1_front",
            "cab_2_front",
            "dishwasher_front",
            "cab_3_front",
            "cab_4_front",
            "fridge_front",
        ),
        ("cab_5_front", "cab_6_front", "oven_front", "cab_7_front", "cab_8_front"),
    ),
}
_AISLE = 2.0


@dataclass
class Column:
    """One unit of a place: what stands on the floor, the worktop over it, and what hangs there.

    names: of the areas on the floor, from the top. top: the area of the worktop, "" if it is none.
    wall: the areas over it: a cupboard, or one or two shelves.
    """

    kind: str
    width: float = _WIDTH
    names: list[str] = field(default_factory=list)
    top: str = ""
    microwave: str = ""
    wall_kind: str = ""
    wall: list[str] = field(default_factory=list)


@cache
def published_kitchen(name: str) -> Kitchen:
    """The furnished kitchen of a published layout. Raises BadInput for an unknown name."""
    layout = layout_of(name)
    rng = np.random.default_rng(_SEEDS.get(name, 0))
    style = style_of(rng)
    book = Book(0.9, 0.08, shaker=bool(rng.random() < 0.5))
    runs = [
        [column for place in places for column in columns_of(layout, place)]
        for places in runs_of(layout)
    ]
    units, room, start = _PLACED[_shape(layout)](runs, book)
    areas = {
        area.name: Area(area.name, english(area.name), area.unit, area.spaces, area.front)
        for area in (book.areas[name] for name in layout.areas)
    }
    return Kitchen(name, name, _SEEDS.get(name, 0), style, room, tuple(units), areas, start)


def runs_of(layout: Layout) -> tuple[tuple[str, ...], ...]:
    """The places along each wall; those of a user's own kitchen all along one."""
    return _RUNS.get(layout.name, (tuple(layout.distances),))


def _shape(layout: Layout) -> str:
    if layout.name.startswith("l_shaped"):
        return "L"
    return "galley" if layout.name == "galley" else "wall"


# --- what stands at a place ----------------------------------------------------------------------


def kind_of_area(name: str, closed: bool) -> str:
    """What a published area is, by its name: "drawer", "cabinet", "shelf", "surface" …"""
    words = english(name).split()
    if name == HUMAN_HAND:
        return "hand"
    for word, kind in (
        ("oven", "oven"),
        ("microwave", "microwave"),
        ("dishwasher", "dishwasher"),
        ("freezer", "freezer"),
        ("cooler", "fridge"),
    ):
        if word in words and closed:
            return kind
    if closed:
        return "drawer" if "drawer" in words else "cabinet"
    return "shelf" if "shelf" in words else "surface"


def columns_of(layout: Layout, place: str) -> list[Column]:
    """The units of one place, from left to right."""
    of: dict[str, list[str]] = {}
    for area in layout.areas.values():
        if area.place == place:
            of.setdefault(kind_of_area(area.name, area.closed), []).append(area.name)
    columns = _base_columns(of)
    _add_worktops(columns, of)
    _add_walls(columns, of)
    columns += [Column("stand", 0.5, [name]) for name in of.get("hand", ())]
    return columns


def _base_columns(of: Mapping[str, list[str]]) -> list[Column]:
    """Appliances, drawers and the first cupboards; other cupboards go on the wall."""
    columns = []
    if "fridge" in of or "freezer" in of:
        names = [*of.get("fridge", ()), *of.get("freezer", ())]
        columns.append(Column("fridge", appliances.WIDTHS["fridge"], names))
    for kind in ("oven", "dishwasher"):
        columns += [Column(kind, appliances.WIDTHS[kind], [name]) for name in of.get(kind, ())]
    drawers, cupboards = list(of.get("drawer", ())), list(of.get("cabinet", ()))
    while len(drawers) > 1:
        columns.append(Column("drawers", names=[drawers.pop(0) for _ in drawers[:3]]))
    if drawers:
        columns.append(Column("drawer", names=drawers))
    while cupboards:
        columns.append(Column("cupboard", names=[cupboards.pop(0)]))
        if cupboards:
            columns[-1].wall_kind, columns[-1].wall = "cabinet", [cupboards.pop(0)]
    return columns


_WITH_TOP = frozenset({"drawers", "drawer", "cupboard", "dishwasher", "panel"})


def _add_worktops(columns: list[Column], of: Mapping[str, list[str]]) -> None:
    """Give each surface and microwave a worktop of its own; closed pieces carry what is missing."""
    surfaces, microwaves = list(of.get("surface", ())), list(of.get("microwave", ()))
    free = [column for column in columns if column.kind in _WITH_TOP]
    while len(free) < len(surfaces) + len(microwaves):
        columns.append(Column("panel"))
        free.append(columns[-1])
    for name in microwaves:
        low = [column for column in free if not column.wall]
        column = (low or free)[-1]
        free.remove(column)
        column.microwave = name
    for number, column in enumerate(free):
        if surfaces:
            column.top = surfaces[min(number, len(surfaces) - 1)]


def _add_walls(columns: list[Column], of: Mapping[str, list[str]]) -> None:
    """Shelves over worktops, two over each other."""
    shelves = list(of.get("shelf", ()))
    while shelves:
        spot = next(
            (c for c in columns if c.kind in _WITH_TOP and not c.wall and not c.microwave), None
        )
        if spot is None:
            spot = Column("panel")
            columns.append(spot)
        spot.wall_kind, spot.wall = "shelf", shelves[:2]
        del shelves[:2]


# --- where it stands -----------------------------------------------------------------------------


def _length(columns: list[Column]) -> float:
    return sum(column.width for column in columns)


def _wall(
    runs: list[list[Column]], book: Book
) -> tuple[list[Unit], Room, tuple[float, float, float]]:
    """One wall, and an island before it where there is a second run."""
    half = _length(runs[0]) / 2
    units = _row(runs[0], book, -half, 0.0, 0.0)
    south = -3.3
    if len(runs) > 1:
        units += _island(runs[1], book, 0.0, -TOP_DEPTH - _AISLE)
        south = -2 * TOP_DEPTH - _AISLE - 1.7
    room = Room((-half - BESIDE, south), (half + BESIDE, 0.0), walls=frozenset({"north", "east"}))
    return units, room, (0.0, -TOP_DEPTH - _AISLE / 2, math.pi / 2)


def _island(columns: list[Column], book: Book, x: float, back: float) -> list[Unit]:
    return _row(columns, book, x - _length(columns) / 2, back, 0.0, island=True)


def _l_shape(
    runs: list[list[Column]], book: Book
) -> tuple[list[Unit], Room, tuple[float, float, float]]:
    """Two walls with a corner, and an island in the angle where there is a third run."""
    first, second = runs[0], runs[1]
    piece = Column("filler", FILLER)
    half = _length(first) / 2
    east = half + FILLER + TOP_DEPTH
    units = _row([*first, piece], book, -half, 0.0, 0.0, (False, True))
    maker = UnitBuilder(book, f"unit_{len(book.areas)}_corner", "corner")
    cabinets.corner(maker)
    units.append(maker.unit(half + FILLER + TOP_DEPTH / 2, 0.0, 0.0))
    units += _row([piece, *second], book, east, -TOP_DEPTH, -math.pi / 2, (True, False))
    south = -TOP_DEPTH - FILLER - _length(second) - BESIDE
    if len(runs) > 2:
        units += _island(runs[2], book, -0.3 * half, -TOP_DEPTH - _AISLE)
    room = Room((-half - BESIDE, south), (east, 0.0), walls=frozenset({"north", "east"}))
    return units, room, (0.0, -TOP_DEPTH - _AISLE / 2, math.pi / 2)


def _galley(
    runs: list[list[Column]], book: Book
) -> tuple[list[Unit], Room, tuple[float, float, float]]:
    """Two walls that face each other."""
    south = -2 * TOP_DEPTH - _AISLE
    first, second = _length(runs[0]) / 2, _length(runs[1]) / 2
    units = _row(runs[0], book, -first, 0.0, 0.0)
    units += _row(runs[1], book, second, south, math.pi)
    wide = max(first, second) + BESIDE
    room = Room((-wide, south), (wide, 0.0), walls=frozenset({"north", "south"}))
    return units, room, (0.0, -TOP_DEPTH - _AISLE / 2, math.pi / 2)


_PLACED = {"wall": _wall, "L": _l_shape, "galley": _galley}


def _row(
    columns: list[Column],
    book: Book,
    x: float,
    y: float,
    yaw: float,
    ends: tuple[bool, bool] = (False, False),
    island: bool = False,
) -> list[Unit]:
    units: list[Unit] = []
    along = 0.0
    for number, column in enumerate(columns):
        maker = UnitBuilder(book, f"unit_{len(book.areas)}_{number}_{column.kind}", column.kind)
        _build(maker, column, _hinge(columns, number, ends), island)
        middle = along + column.width / 2
        units.append(maker.unit(x + math.cos(yaw) * middle, y + math.sin(yaw) * middle, yaw))
        along += column.width
    return units


def _hinge(columns: list[Column], number: int, ends: tuple[bool, bool]) -> str:
    """The side of a tall neighbour or corner."""
    near = {"fridge", "filler"}
    left = columns[number - 1].kind in near if number else ends[0]
    return "left" if left or number % 2 else "right"


def _build(maker: UnitBuilder, column: Column, hinge: str, island: bool) -> None:
    book, width = maker.book, column.width - 1e-4
    book.given = list(column.names)
    if column.kind == "filler":
        book.worktop = book.worktop or next(reversed(book.areas))
        cabinets.filler(maker, width)
        return
    if column.kind == "fridge":
        appliances.fridge(maker, width, hinge)
        return
    if column.kind == "stand":
        cabinets.stand(maker, width)
        return
    if column.kind == "oven":
        appliances.oven(maker, width, stove=False)
        appliances.hood(maker, width, lamp=False)
        return
    _build_floor(maker, column, width, hinge)
    _build_top(maker, column, width, island)
    book.given = list(column.wall)
    if column.wall_kind == "shelf":
        cabinets.wall_shelf(maker, width, len(column.wall))
    elif column.wall_kind:
        cabinets.wall_cupboard(maker, width, hinge)


def _build_floor(maker: UnitBuilder, column: Column, width: float, hinge: str) -> None:
    if column.kind == "drawers":
        number = len(column.names)
        cabinets.drawers(maker, width, tuple((i + 1) / number for i in range(number)))
    elif column.kind == "drawer":
        cabinets.drawer_over_panel(maker, width, _DRAWER)
    elif column.kind == "cupboard":
        cabinets.cupboard(maker, width, hinge)
    elif column.kind == "dishwasher":
        appliances.dishwasher(maker, width)
    else:
        maker.owner = column.top or column.microwave or column.wall[0]
        cabinets.panel(maker, width)


def _build_top(maker: UnitBuilder, column: Column, width: float, island: bool) -> None:
    """The worktop: a published surface, or a part of what stands under it."""
    book = maker.book
    if column.top and column.top not in book.areas:
        book.add("surface", maker.name, name=column.top)
    book.worktop = column.top or maker.owner
    cabinets.worktop(maker, width, used=bool(column.top))
    if column.microwave:
        book.given = [column.microwave]
        appliances.microwave(maker, width, button=False)
    if island:
        cabinets.island_end(maker, width)
    else:
        cabinets.tiles(maker, width)
    book.worktop = column.top or maker.owner
