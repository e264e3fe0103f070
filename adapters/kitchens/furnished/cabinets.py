"""Cupboards, drawers, worktops, wall cupboards, shelves and what fills corners."""

from __future__ import annotations

from itertools import pairwise

from ....skills.arm.mobile.world import Reach
from .builder import BOARD, GAP, UnitBuilder
from .parts import Form, Role

#: Depths of base units, worktops and wall cupboards, and the heights between which these hang.
DEPTH, TOP_DEPTH, WALL_DEPTH = 0.58, 0.62, 0.34
WALL_LOW, WALL_HIGH = 1.42, 2.08
TOP_THICK = 0.04
#: The height of the front of a drawer over a cupboard.
DRAWER_HIGH = 0.17
#: From the front edge of a worktop, the strip where things are reached.
TOP_NEAR, TOP_FAR = 0.04, 0.38


#: Heights of the drawers of a unit, from the lowest, as shares of the whole.
_DRAWERS = (0.40, 0.72, 1.0)


def drawers(unit: UnitBuilder, width: float, shares: tuple[float, ...] = _DRAWERS) -> None:
    """A base unit of drawers; names count from the top. shares: where each drawer ends."""
    high = unit.book.height - TOP_THICK
    edges = [0.1, *(0.1 + (high - 0.1) * share for share in shares)]
    names = [unit.book.add("drawer", unit.name) for _ in shares]
    unit.owner = names[-1]
    unit.toe(width, DEPTH)
    _sides(unit, width, 0.1, high)
    rows = list(pairwise(edges))[::-1]
    for name, (low, top) in zip(names, rows, strict=True):
        unit.owner = name
        unit.drawer(-width / 2, width / 2, low, top, DEPTH)


def drawer_over_door(unit: UnitBuilder, width: float, hinge: str) -> None:
    """A drawer, and a cupboard with one door under it."""
    high = unit.book.height - TOP_THICK
    between = high - DRAWER_HIGH
    unit.owner = unit.book.add("drawer", unit.name)
    _sides(unit, width, between, high)
    unit.drawer(-width / 2, width / 2, between, high, DEPTH)
    unit.owner = unit.book.add("cabinet", unit.name)
    unit.toe(width, DEPTH)
    unit.corpus(width, DEPTH, 0.1, between)
    front = unit.door(-width / 2, width / 2, 0.1, between, DEPTH, hinge)
    unit.shelves(-width / 2, width / 2, DEPTH, [0.1 + BOARD], between - BOARD - 0.02, front)


def drawer_over_panel(unit: UnitBuilder, width: float, drawer: float = DRAWER_HIGH) -> None:
    """A drawer over a closed piece."""
    high = unit.book.height - TOP_THICK
    between = high - drawer
    unit.owner = unit.book.add("drawer", unit.name)
    unit.toe(width, DEPTH)
    unit.box((-width / 2, -DEPTH - BOARD, 0.1), (width / 2, 0, between - GAP), "front")
    _sides(unit, width, between, high)
    unit.drawer(-width / 2, width / 2, between, high, DEPTH)


def panel(unit: UnitBuilder, width: float) -> None:
    """A closed piece that only carries a worktop."""
    unit.toe(width, DEPTH)
    unit.box(
        (-width / 2, -DEPTH - BOARD, 0.1),
        (width / 2, 0, unit.book.height - TOP_THICK),
        "front",
    )


def cupboard(unit: UnitBuilder, width: float, hinge: str) -> None:
    """A base cupboard with one door and two boards."""
    high = unit.book.height - TOP_THICK
    middle = 0.1 + (high - 0.1) * 0.5
    unit.owner = unit.book.add("cabinet", unit.name)
    unit.toe(width, DEPTH)
    unit.corpus(width, DEPTH, 0.1, high)
    shelf(unit, width, DEPTH, middle)
    front = unit.door(-width / 2, width / 2, 0.1, high, DEPTH, hinge)
    unit.shelves(
        -width / 2, width / 2, DEPTH, [0.1 + BOARD, middle + BOARD], high - BOARD - 0.02, front
    )


def shelf(
    unit: UnitBuilder, width: float, depth: float, z: float, material: str = "corpus"
) -> None:
    """A board inside a corpus, its lower face at z."""
    unit.box(
        (-width / 2 + BOARD, -depth + 0.02, z),
        (width / 2 - BOARD, -0.012, z + BOARD),
        material,
    )


def wall_cupboard(unit: UnitBuilder, width: float, hinge: str) -> None:
    """A wall cupboard with one door and two boards."""
    middle = (WALL_LOW + WALL_HIGH) / 2 - 0.02
    unit.owner = unit.book.add("wall cabinet", unit.name)
    unit.corpus(width, WALL_DEPTH, WALL_LOW, WALL_HIGH)
    shelf(unit, width, WALL_DEPTH, middle)
    front = unit.door(-width / 2, width / 2, WALL_LOW, WALL_HIGH, WALL_DEPTH, hinge, mass=2.0)
    unit.shelves(
        -width / 2,
        width / 2,
        WALL_DEPTH,
        [WALL_LOW + BOARD, middle + BOARD],
        WALL_HIGH - BOARD - 0.02,
        front,
    )


def wall_shelf(unit: UnitBuilder, width: float, names: int = 1, depth: float = 0.26) -> None:
    """Open boards on the wall; each is an area."""
    step = (WALL_HIGH - WALL_LOW) / 2
    for number in range(names):
        z = WALL_LOW + 0.02 + number * step
        unit.owner = unit.book.add("shelf", unit.name)
        unit.box((-width / 2, -depth, z), (width / 2, 0, z + 0.025), "wood")
        for side in (-1, 1):
            x = side * (width / 2 - 0.06)
            unit.look((x - 0.01, -depth * 0.8, z - 0.02), (x + 0.01, 0, z), "metal")
            unit.look((x - 0.01, -0.015, z - 0.14), (x + 0.01, 0, z), "metal")
        unit.space(
            (-width / 2 + 0.02, -depth + 0.02, z + 0.025),
            (width / 2 - 0.02, -0.03, z + step - 0.03),
            Reach.FRONT,
            edge=-depth,
        )


def worktop(unit: UnitBuilder, width: float, category: str = "counter", used: bool = True) -> None:
    """A slab; it goes on the worktop of the unit before.

    used: whether things can stand there. Else it begins no area, but belongs to what is under it.
    """
    book = unit.book
    if book.worktop is None and used:
        book.worktop = book.add(category, unit.name)
    unit.owner = book.worktop or unit.owner
    high = book.height
    unit.box((-width / 2, -TOP_DEPTH, high - TOP_THICK), (width / 2, 0, high), "counter")
    if used:
        unit.space(
            (-width / 2 + 0.06, -TOP_DEPTH + TOP_NEAR, high),
            (width / 2 - 0.06, -TOP_DEPTH + TOP_FAR, high + 0.4),
            Reach.ABOVE,
            edge=-TOP_DEPTH,
            word="top",
        )


def tiles(unit: UnitBuilder, width: float, low: float | None = None) -> None:
    """The backsplash between worktop and wall cupboards."""
    unit.look(
        (-width / 2, -0.008, unit.book.height if low is None else low),
        (width / 2, 0, WALL_LOW),
        "tile",
    )


def filler(unit: UnitBuilder, width: float) -> None:
    """A closed piece beside an inner corner, so that fronts near it can open."""
    high = unit.book.height
    unit.owner = unit.book.worktop or unit.book.add("counter", unit.name)
    unit.book.worktop = unit.owner
    unit.box((-width / 2, -0.6, 0.1), (width / 2, 0, high - TOP_THICK), "front")
    unit.toe(width, DEPTH)
    unit.box((-width / 2, -TOP_DEPTH, high - TOP_THICK), (width / 2, 0, high), "counter")
    tiles(unit, width)


def corner(unit: UnitBuilder) -> None:
    """The closed square in an inner corner."""
    high, half = unit.book.height, TOP_DEPTH / 2
    unit.owner = unit.book.worktop or unit.book.add("counter", unit.name)
    unit.book.worktop = unit.owner
    unit.box((-half, -0.6, 0.1), (half, 0, high - TOP_THICK), "front")
    unit.box((-half, -0.56, 0), (half, 0, 0.1), "toe")
    unit.box((-half, -TOP_DEPTH, high - TOP_THICK), (half, 0, high), "counter")
    tiles(unit, TOP_DEPTH)


def island_end(unit: UnitBuilder, width: float) -> None:
    """The back of an island, painted like its fronts, and a slab that reaches over it."""
    high = unit.book.height
    unit.box((-width / 2, 0, 0.1), (width / 2, 0.02, high - TOP_THICK), "front")
    unit.box((-width / 2, 0, high - TOP_THICK), (width / 2, 0.12, high), "counter")
    if width > 0.48:  # a lamp that hangs from the ceiling
        unit.rod((0, -0.3, 1.86), (0, -0.3, 2.6), 0.004, "dark", role=Role.LOOK)
        unit.rod(
            (0, -0.3, 1.74), (0, -0.3, 1.86), 0.09, "handle", form=Form.CYLINDER, role=Role.LOOK
        )
        unit.rod(
            (0, -0.3, 1.735), (0, -0.3, 1.74), 0.08, "lamp", form=Form.CYLINDER, role=Role.LOOK
        )


def stand(unit: UnitBuilder, width: float = 0.5) -> None:
    """A small table with a tray: things are handed over there."""
    high, half = unit.book.height, width / 2
    unit.owner = unit.book.add("stand", unit.name)
    unit.box((-half, -width, high - 0.03), (half, 0, high), "wood")
    for x in (-half + 0.03, half - 0.03):
        for y in (-width + 0.03, -0.03):
            unit.box((x - 0.02, y - 0.02, 0), (x + 0.02, y + 0.02, high - 0.03), "wood")
    unit.look((-half + 0.03, -width + 0.03, high), (half - 0.03, -0.03, high + 0.003), "tray")
    unit.space(
        (-half + 0.05, -width + TOP_NEAR, high + 0.003),
        (half - 0.05, -width + TOP_FAR, high + 0.4),
        Reach.ABOVE,
        edge=-width,
        word="top",
    )


def _sides(unit: UnitBuilder, width: float, low: float, high: float) -> None:
    x = width / 2
    for side in (-1, 1):
        inner, outer = sorted((side * (x - BOARD), side * (x - 0.001)))
        unit.box((inner, -DEPTH, low), (outer, 0, high), "corpus")
        a, b = sorted((side * (x - 0.001), side * x))
        unit.look((a, -DEPTH, low), (b, 0, high), "front")
    unit.box((-x + BOARD, -0.012, low), (x - BOARD, 0, high), "corpus")
