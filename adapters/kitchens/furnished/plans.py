"""Kitchens from a seed: five layouts, by the rules that keep every area in reach.

A filler on both sides of an inner corner; doors hinged on the side of a tall neighbour or corner;
appliances with drop doors never face each other closely. Walls are read clockwise: west, north,
east, south; names of areas count in this order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from ....errors import BadInput, unknown_name
from . import appliances, cabinets
from .builder import Book, UnitBuilder
from .cabinets import TOP_DEPTH
from .parts import Kitchen, Room, Triple, Unit
from .styles import style_of

LAYOUTS = ("single_wall", "L", "U", "galley", "island")
#: The fewest and most areas of a kitchen on request.
FEWEST, MOST = 10, 40
#: The width of the closed piece on both sides of an inner corner, in m.
FILLER = 0.26
#: Between the end of a row and a wall beside it, in m: the arm closes an open fridge from there.
BESIDE = 1.15
#: Widths of base and wall cupboards, in m. The hand needs 125 mm to both sides of a thing.
WIDTHS = (0.42, 0.45, 0.5, 0.55, 0.6)
_MICROWAVE_NEEDS = 0.55
#: Areas of a kitchen of the usual length, and how often a kitchen is drawn at most.
_USUAL = {"single_wall": 19, "L": 23, "U": 29, "galley": 27, "island": 23}
_DRAWS = 96
_AISLES = frozenset({"galley", "island"})
WIDEST_AISLE = 4.0
_TALL = frozenset({"fridge"})
#: Beside these a door has its hinge.
_BESIDE_HINGES = frozenset({"corner", "filler", *_TALL})
_HALF_TURN = math.pi / 2


@dataclass(frozen=True)
class Item:
    """A unit of a run, before it is built. upper: "cabinet", "shelf" or "" over it."""

    kind: str
    width: float
    upper: str = ""
    microwave: bool = False


@dataclass(frozen=True)
class Run:
    """A row of units along a wall, from a corner of the room's frame in direction `yaw`.

    ends: whether there is an inner corner at its start and end.
    """

    x: float
    y: float
    yaw: float
    items: tuple[Item, ...]
    ends: tuple[bool, bool] = (False, False)
    island: bool = False

    @property
    def length(self) -> float:
        return sum(item.width for item in self.items)


@dataclass(frozen=True)
class Plan:
    """Runs and the room around them; corners: x, y and yaw of closed corner squares."""

    runs: tuple[Run | Triple, ...]
    room: Room
    start: Triple


def draw_kitchen(
    seed: int, layout: str | None = None, areas: int | None = None, aisle: float | None = None
) -> Kitchen:
    """The kitchen of a seed: the same bits for the same arguments.

    layout: one of LAYOUTS, or any. areas: at least so many named areas, or as they come. aisle: in
    a galley, and to an island, in m. Raises BadInput for an unknown layout and for numbers out of
    range.
    """
    if layout is not None and layout not in LAYOUTS:
        raise unknown_name("layout of a kitchen", layout, LAYOUTS)
    if areas is not None and not FEWEST <= areas <= MOST:
        raise BadInput(f"A kitchen of {areas} areas is not possible; ask for {FEWEST} to {MOST}.")
    rng = np.random.default_rng(seed)
    wanted = layout or LAYOUTS[int(rng.integers(len(LAYOUTS)))]
    if aisle is not None and wanted not in _AISLES:
        raise BadInput(f"The layout '{wanted}' has no aisle; leave its width out.")
    if aisle is not None and not 0 < aisle <= WIDEST_AISLE:
        raise BadInput(
            f"An aisle of {aisle:g} m is not possible; give a width up to {WIDEST_AISLE:g} m."
        )
    # An additional cupboard brings about three areas; some draws with each number of them.
    longer = max(0, (areas - _USUAL[wanted]) // 3 - 1) if areas else 0
    for draw in range(_DRAWS):
        rng, more = np.random.default_rng([seed, draw]), longer + draw // 12
        kitchen = _drawn(rng, wanted, seed, more, areas, aisle)
        if FEWEST <= len(kitchen.areas) <= MOST and len(kitchen.areas) >= (areas or 0):
            return kitchen
    raise BadInput(
        f"The layout '{wanted}' has no kitchen of {areas} areas for seed {seed}; ask for fewer."
    )


def _drawn(
    rng: Generator,
    layout: str,
    seed: int,
    more: int,
    areas: int | None,
    aisle: float | None,
) -> Kitchen:
    """One draw, longer by `more` cupboards than usual."""
    style = style_of(rng)
    book = Book(
        height=float(rng.uniform(0.86, 0.93)),
        bar=(0.08, 0.055)[int(rng.integers(2))],
        shaker=bool(rng.random() < 0.55),
    )
    plan = _PLANS[layout](rng, more if areas else 0, aisle)
    upper = 1.0 if areas else 0.8
    units = build(plan, book, rng, upper)
    return Kitchen(
        f"{layout}_{seed}",
        layout,
        seed,
        style,
        plan.room,
        units,
        dict(book.areas),
        plan.start,
    )


# --- what stands where ---------------------------------------------------------------------------


def _cabinets(rng: Generator, number: int) -> list[Item]:
    kinds = ["drawers", "cupboard", "drawer_over_door"]
    rng.shuffle(kinds)
    return [
        Item(kinds[i % 3], float(WIDTHS[int(rng.integers(len(WIDTHS)))])) for i in range(number)
    ]


def _row(rng: Generator, appliance: Sequence[str], number: int, fridge: str = "") -> list[Item]:
    """Appliances and cupboards in a random order; sink and dishwasher stay together.

    fridge: "first" or "last" puts one there, never beside the oven where that can be helped.
    """
    groups = [[item] for item in _cabinets(rng, number)]
    wet = [name for name in ("sink", "dishwasher") if name in appliance]
    rng.shuffle(wet)
    if wet:
        groups.append([Item(name, appliances.WIDTHS[name]) for name in wet])
    if "oven" in appliance:
        groups.append([Item("oven", appliances.WIDTHS["oven"])])
    order = rng.permutation(len(groups))
    items = [item for number in order for item in groups[number]]
    if fridge:
        if items[0 if fridge == "first" else -1].kind == "oven":
            items.reverse()
        cold = Item("fridge", appliances.WIDTHS["fridge"])
        items = [cold, *items] if fridge == "first" else [*items, cold]
    return items


def _length(items: Sequence[Item]) -> float:
    return sum(item.width for item in items)


def _single(rng: Generator, more: int, aisle: float | None) -> Plan:
    side = ("first", "last")[int(rng.integers(2))]
    number = int(rng.integers(2, 4)) + more
    items = _row(rng, ("oven", "sink", "dishwasher"), number, side)
    half = _length(items) / 2
    room = Room((-half - BESIDE, -3.3), (half + BESIDE, 0.0), walls=frozenset({"north", "east"}))
    return Plan((Run(-half, 0, 0, tuple(items)),), room, (0.0, -1.45, _HALF_TURN))


def _l_shape(rng: Generator, more: int, aisle: float | None) -> Plan:
    items = _row(rng, ("oven", "sink", "dishwasher"), int(rng.integers(1, 3)) + more // 2)
    cold = _row(rng, (), int(rng.integers(2, 4)) + (more + 1) // 2, "last")
    half = _length(items) / 2
    wall = half + FILLER + TOP_DEPTH
    runs = (
        Run(-half, 0, 0, (*items, Item("filler", FILLER)), (False, True)),
        (half + FILLER + TOP_DEPTH / 2, 0.0, 0.0),
        Run(wall, -TOP_DEPTH, -_HALF_TURN, (Item("filler", FILLER), *cold), (True, False)),
    )
    far = -TOP_DEPTH - FILLER - _length(cold)
    room = Room(
        (-half - BESIDE, min(far - BESIDE, -3.3)), (wall, 0.0), walls=frozenset({"north", "east"})
    )
    return Plan(runs, room, (0.0, -1.45, _HALF_TURN))


def _u_shape(rng: Generator, more: int, aisle: float | None) -> Plan:
    items = _row(rng, ("sink", "dishwasher"), int(rng.integers(1, 3)))
    west = _row(rng, ("oven",), int(rng.integers(2, 3)) + more // 2)
    if west[-1].kind == "oven":  # its door would meet that of the corner's neighbour
        west.reverse()
    east = _row(rng, (), int(rng.integers(2, 4)) + (more + 1) // 2, "last")
    half = _length(items) / 2
    wall = half + FILLER + TOP_DEPTH
    begin = TOP_DEPTH + FILLER
    piece = Item("filler", FILLER)
    runs = (
        Run(-wall, -begin - _length(west), _HALF_TURN, (*west, piece), (False, True)),
        (-wall, -TOP_DEPTH / 2, _HALF_TURN),
        Run(-half - FILLER, 0, 0, (piece, *items, piece), (True, True)),
        (half + FILLER + TOP_DEPTH / 2, 0.0, 0.0),
        Run(wall, -TOP_DEPTH, -_HALF_TURN, (piece, *east), (True, False)),
    )
    far = -begin - max(_length(west), _length(east))
    room = Room((-wall, far - 1.2), (wall, 0.0), walls=frozenset({"north", "east", "west"}))
    return Plan(runs, room, (0.0, -1.45, _HALF_TURN))


def _galley(rng: Generator, more: int, aisle: float | None) -> Plan:
    aisle = aisle or float(rng.uniform(1.7, 2.2))
    items = _row(rng, ("sink", "dishwasher"), int(rng.integers(2, 4)) + more // 2)
    side = ("first", "last")[int(rng.integers(2))]
    cold = _row(rng, ("oven",), int(rng.integers(2, 4)) + (more + 1) // 2, side)
    a, b = _length(items) / 2, _length(cold) / 2
    south = -2 * TOP_DEPTH - aisle
    runs = (
        Run(-a, 0, 0, tuple(items)),
        Run(b, south, math.pi, tuple(cold)),
    )
    wide = max(a, b) + BESIDE
    room = Room((-wide, south), (wide, 0.0), walls=frozenset({"north", "south"}))
    return Plan(runs, room, (0.0, -TOP_DEPTH - aisle / 2, _HALF_TURN))


def _island(rng: Generator, more: int, aisle: float | None) -> Plan:
    side = ("first", "last")[int(rng.integers(2))]
    items = _row(rng, ("oven", "sink"), int(rng.integers(2, 4)) + more // 2, side)
    washer = ("dishwasher",) if rng.random() < 0.5 else ()
    inner = _row(rng, washer, int(rng.integers(2, 4)) - len(washer) + more // 3)
    half, wide = _length(items) / 2, _length(inner) / 2
    aisle = aisle or float(rng.uniform(1.6, 1.8))
    back = -TOP_DEPTH - aisle
    runs = (Run(-half, 0, 0, tuple(items)), Run(-wide, back, 0, tuple(inner), island=True))
    out = max(half + BESIDE, wide + BESIDE)
    room = Room((-out, back - TOP_DEPTH - 1.7), (out, 0.0), walls=frozenset({"north", "east"}))
    return Plan(runs, room, (0.0, -TOP_DEPTH - aisle / 2, _HALF_TURN))


_PLANS = {
    "single_wall": _single,
    "L": _l_shape,
    "U": _u_shape,
    "galley": _galley,
    "island": _island,
}


# --- building ------------------------------------------------------------------------------------


def build(plan: Plan, book: Book, rng: Generator, upper: float) -> tuple[Unit, ...]:
    """The units of a plan. upper: the share of cupboards with a wall cupboard over them."""
    runs = _with_uppers(_with_microwave(plan.runs, rng), rng, upper)
    units: list[Unit] = []
    for run in runs:
        if not isinstance(run, Run):
            maker = UnitBuilder(book, f"corner_{len(units) + 1}", "corner")
            cabinets.corner(maker)
            units.append(maker.unit(*run))
            continue
        if not run.ends[0]:
            book.worktop = None
        along = 0.0
        for number, item in enumerate(run.items):
            maker = UnitBuilder(book, f"unit_{len(units) + 1}", item.kind)
            _build(maker, run, number, rng)
            middle = along + item.width / 2
            units.append(
                maker.unit(
                    run.x + math.cos(run.yaw) * middle,
                    run.y + math.sin(run.yaw) * middle,
                    run.yaw,
                )
            )
            along += item.width
    return tuple(units)


def _with_microwave(runs: Sequence[Run | Triple], rng: Generator) -> list[Run | Triple]:
    """A microwave on one cupboard's worktop, made wide enough; nowhere on islands."""
    spots = [
        (r, i)
        for r, run in enumerate(runs)
        if isinstance(run, Run) and not run.island
        for i, item in enumerate(run.items)
        if item.kind in _CABINETS and item.width >= _MICROWAVE_NEEDS
    ]
    if not spots:
        return list(runs)
    where, which = spots[int(rng.integers(len(spots)))]
    return [
        replace(
            run,
            items=tuple(
                replace(item, microwave=(r, i) == (where, which))
                for i, item in enumerate(run.items)
            ),
        )
        if isinstance(run, Run)
        else run
        for r, run in enumerate(runs)
    ]


def _with_uppers(runs: Sequence[Run | Triple], rng: Generator, share: float) -> list[Run | Triple]:
    done: list[Run | Triple] = []
    for run in runs:
        if isinstance(run, Run) and not run.island:
            items = [
                replace(item, upper=_upper(rng, share))
                if item.kind in _CABINETS or item.kind == "dishwasher"
                else item
                for item in run.items
            ]
            run = replace(run, items=tuple(items))
        done.append(run)
    return done


def _upper(rng: Generator, share: float) -> str:
    draw = rng.random()
    return "" if draw > share else "shelf" if draw < 0.12 else "cabinet"


_CABINETS = frozenset({"drawers", "cupboard", "drawer_over_door"})


def side_of(run: Run, number: int, kinds: Set[str]) -> str | None:
    """The side on which a unit has such a neighbour; None if on none, or on both."""
    items = run.items
    left = items[number - 1].kind if number else ("corner" if run.ends[0] else "")
    right = items[number + 1].kind if number + 1 < len(items) else ("corner" if run.ends[1] else "")
    if (left in kinds) == (right in kinds):
        return None
    return "left" if left in kinds else "right"


def _build(maker: UnitBuilder, run: Run, number: int, rng: Generator) -> None:
    item, book = run.items[number], maker.book
    width = item.width - 1e-4
    drawn = ("left", "right")[int(rng.integers(2))]
    hinge = side_of(run, number, _BESIDE_HINGES) or drawn
    if item.kind == "filler":
        cabinets.filler(maker, width)
        return
    if item.kind == "fridge":
        appliances.fridge(maker, width, hinge)
        book.worktop = None
        return
    if item.kind == "oven":
        appliances.oven(maker, width)
        appliances.hood(maker, width)
        book.worktop = None
        return
    if item.kind == "sink":
        appliances.sink(maker, width)
        appliances.window(maker, width)
        book.worktop = None
        return
    _build_cabinet(maker, run, number, hinge)


def _build_cabinet(maker: UnitBuilder, run: Run, number: int, hinge: str) -> None:
    item = run.items[number]
    width = item.width - 1e-4
    if item.kind == "dishwasher":
        appliances.dishwasher(maker, width)
    elif item.kind == "drawers":
        cabinets.drawers(maker, width)
    elif item.kind == "cupboard":
        cabinets.cupboard(maker, width, hinge)
    else:
        cabinets.drawer_over_door(maker, width, hinge)
    category = "island counter" if run.island else "counter"
    cabinets.worktop(maker, width, category, used=not item.microwave)
    if item.microwave:
        appliances.microwave(maker, width, side_of(run, number, _TALL) or "left")
    if run.island:
        cabinets.island_end(maker, width)
        return
    cabinets.tiles(maker, width)
    if item.upper == "shelf":
        cabinets.wall_shelf(maker, width)
    elif item.upper:
        cabinets.wall_cupboard(maker, width, hinge)
