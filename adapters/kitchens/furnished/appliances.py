"""Fridge, oven with stove and hood, dishwasher, microwave, and sink."""

from __future__ import annotations

from ....skills.arm.mobile.world import Reach
from .builder import BOARD, UnitBuilder
from .cabinets import DEPTH, TOP_DEPTH, TOP_THICK, shelf, tiles
from .parts import Form, Role, rod

#: Their widths, in m.
WIDTHS = {"fridge": 0.72, "oven": 0.6, "dishwasher": 0.6, "sink": 0.8}
FRIDGE_DEPTH, FRIDGE_HIGH, _FREEZER_HIGH = 0.62, 1.78, 0.62
_HOOD_LOW, _HOOD_HIGH = 1.62, 1.72
#: The microwave's button over the worktop, in m: a level hand needs room under it.
_START_HIGH = 0.14


def fridge(unit: UnitBuilder, width: float, hinge: str) -> None:
    """A fridge with three boards over a freezer drawer."""
    depth, half = FRIDGE_DEPTH, width / 2
    cool = unit.owner = unit.book.add("fridge", unit.name)
    unit.box((-half, -depth + 0.05, 0), (half, 0, 0.06), "toe")
    unit.corpus(width, depth, 0.06, FRIDGE_HIGH, "steel")
    unit.look((-half + BOARD, -0.014, 0.08), (half - BOARD, -0.012, FRIDGE_HIGH - BOARD), "white")
    for side in (-1, 1):  # the lining
        a, b = sorted((side * (half - BOARD), side * (half - BOARD - 0.002)))
        unit.look((a, -depth + 0.001, 0.08), (b, -0.014, FRIDGE_HIGH - BOARD), "white")
    shelf(unit, width, depth, _FREEZER_HIGH, "white")
    for z in (0.98, 1.32):
        shelf(unit, width, depth, z, "shelf glass")
    front = unit.door(
        -half,
        half,
        _FREEZER_HIGH + 0.01,
        FRIDGE_HIGH,
        depth,
        hinge,
        "steel",
        mass=8.0,
        bar=0.16,
        bar_at=(FRIDGE_HIGH - _FREEZER_HIGH - 0.01) / 2,
    )
    levels = [_FREEZER_HIGH + BOARD, 0.98 + BOARD, 1.32 + BOARD]
    unit.shelves(-half, half, depth, levels, FRIDGE_HIGH - 0.03 - 0.02, front)
    unit.owner = unit.book.add("freezer", unit.name)
    unit.drawer(-half, half, 0.06, _FREEZER_HIGH, depth, "steel", mass=3.0, bar=0.14)
    unit.owner = cool


def oven(unit: UnitBuilder, width: float, stove: bool = True) -> None:
    """An oven with a drop door under a strip with knobs; the stove is on it.

    stove: whether it is an area, and both can be switched.
    """
    half, high = width / 2, unit.book.height
    top = high - TOP_THICK
    name = unit.owner = unit.book.add("oven", unit.name)
    unit.toe(width, DEPTH)
    unit.corpus(width, DEPTH, 0.1, top, "dark")
    shelf(unit, width, DEPTH, 0.34, "dark")
    unit.box((-half, -DEPTH - BOARD, 0.1), (half, -DEPTH, 0.138), "steel")
    unit.box((-half, -DEPTH - BOARD, high - 0.135), (half, -DEPTH, top), "steel")
    front = unit.drop(-half, half, 0.14, high - 0.14, DEPTH)
    unit.shelves(-half, half, DEPTH, [0.34 + BOARD], high - 0.16, front)
    face, z = -DEPTH - BOARD, high - 0.0875
    unit.look((-0.07, face - 0.002, z - 0.022), (0.07, face, z + 0.022), "glass")
    if stove:
        unit.press(f"{name}_button", (-0.14, face - 0.02, z), 0.017, "metal", name)
    for x in (-0.21, 0.21):
        unit.rod(
            (x, face - 0.02, z),
            (x, face, z),
            0.017,
            "metal",
            form=Form.CYLINDER,
            role=Role.LOOK,
        )
    if stove:
        unit.owner = unit.book.add("stove", unit.name)
    _plate(unit, width)
    if stove:
        _stove(unit, width)


def _plate(unit: UnitBuilder, width: float) -> None:
    """A glass plate with four rings in the worktop."""
    half, high = width / 2, unit.book.height
    unit.box((-half, -TOP_DEPTH, high - TOP_THICK), (half, 0, high), "counter")
    unit.box((-half + 0.02, -0.57, high), (half - 0.02, -0.06, high + 0.006), "glass")
    for x in (-0.14, 0.14):
        for y in (-0.43, -0.19):
            for radius, material in ((0.09, "ring"), (0.082, "glass")):
                z = high + 0.0062 if material == "ring" else high + 0.0065
                unit.rod(
                    (x, y, z - 0.001),
                    (x, y, z),
                    radius,
                    material,
                    form=Form.CYLINDER,
                    role=Role.LOOK,
                )
    tiles(unit, width)


def _stove(unit: UnitBuilder, width: float) -> None:
    """What makes the plate an area; its knob is on the oven's strip."""
    half, high, name = width / 2, unit.book.height, unit.owner
    unit.space(
        (-half + 0.06, -TOP_DEPTH + 0.06, high + 0.006),
        (half - 0.06, -TOP_DEPTH + 0.38, high + 0.4),
        Reach.ABOVE,
        edge=-TOP_DEPTH,
        word="top",
    )
    unit.press(f"{name}_knob", (0.14, -DEPTH - BOARD - 0.02, high - 0.0875), 0.017, "metal", name)


def hood(unit: UnitBuilder, width: float, lamp: bool = True) -> None:
    """A hood over the stove with a lamp. lamp: whether this is an area, with a switch."""
    half = width / 2
    if lamp:
        unit.owner = unit.book.add("hood light", unit.name)
    name = unit.owner
    unit.box((-half, -0.45, _HOOD_LOW), (half, 0, _HOOD_HIGH), "steel")
    unit.solids.append(
        rod(
            (0, -0.165, 1.76),
            (0, -0.165, 1.84),
            0.15,
            "steel",
            Form.CYLINDER,
            role=Role.LOOK,
            owner=name,
        )
    )
    unit.box((-0.14, -0.28, _HOOD_HIGH), (0.14, 0, 2.6), "steel")
    unit.look((-half + 0.05, -0.40, _HOOD_LOW - 0.003), (half - 0.05, -0.06, _HOOD_LOW), "metal")
    unit.look((-0.12, -0.30, _HOOD_LOW - 0.006), (0.12, -0.26, _HOOD_LOW - 0.003), "lamp")
    if lamp:
        unit.press(f"{name}_switch", (half - 0.1, -0.47, 1.67), 0.014, "metal", name)


def dishwasher(unit: UnitBuilder, width: float) -> None:
    """A dishwasher behind a drop door; the hand reaches its upper rack, over the open door."""
    half, top = width / 2, unit.book.height - TOP_THICK
    unit.owner = unit.book.add("dishwasher", unit.name)
    unit.toe(width, DEPTH)
    unit.corpus(width, DEPTH, 0.1, top, "dark")
    rack = 0.1 + 0.5 * (top - 0.1)
    shelf(unit, width, DEPTH, rack, "metal")
    front = unit.drop(-half, half, 0.1, top, DEPTH)
    unit.shelves(-half, half, DEPTH, [rack + BOARD], top - BOARD - 0.02, front)


def microwave(unit: UnitBuilder, width: float, hinge: str = "left", button: bool = True) -> None:
    """A microwave on a worktop of some width, with a start button beside its door.

    hinge: "left", or "right" beside something tall there, which would hide the button.
    """
    wide, deep, tall, t = min(0.62, width - 0.03), 0.38, 0.29, 0.015
    low, back = unit.book.height, -0.08
    high, front_y, half = low + tall, back - deep, wide / 2
    face, side = front_y - BOARD, 1 if hinge == "left" else -1
    end, split = -side * half, side * (half - 0.11)  # of the oven; its panel is beyond the split
    inner = end + side * t
    name = unit.owner = unit.book.add("microwave", unit.name)
    for first, second, y, to_y, z, to_z, material in (
        (end, inner, front_y, back, low, high, "dark"),
        (split, side * half, front_y, back, low, high, "dark"),
        (inner, split, back - t, back, low, high, "dark"),
        (inner, split, front_y, back - t, low, low + t, "dark"),
        (inner, split, front_y, back - t, high - t, high, "dark"),
        (split, side * half, face, front_y, low, high, "steel"),
    ):
        x, to_x = sorted((first, second))
        unit.box((x, y, z), (to_x, to_y, to_z), material)
    x, to_x = sorted((split + side * 0.02, side * (half - 0.02)))
    unit.look((x, face - 0.002, high - 0.09), (to_x, face, high - 0.03), "glass")
    left, right = sorted((end, split))
    front = unit.door(
        left, right, low, high, -front_y, hinge, "steel", mass=1.0, bar=0.08, bar_at=tall / 2
    )
    unit.space(
        (left + 0.03, front_y + 0.03, low + t),
        (right - 0.03, back - 0.04, high - t),
        Reach.FRONT,
        front,
        edge=front_y,
    )
    if button:
        place = ((split + side * half) / 2, face - 0.02, low + _START_HIGH)
        unit.press(f"{name}_button", place, 0.016, "metal", name)


def sink(unit: UnitBuilder, width: float) -> None:
    """A basin with a tap in the worktop, over two cupboards with a wall between."""
    high, half, a = unit.book.height, width / 2, 0.24
    top, t = high - TOP_THICK, BOARD
    basin = unit.owner = unit.book.add("sink", unit.name)
    for low, up in (
        ((-half, -TOP_DEPTH, top), (-a, 0, high)),
        ((a, -TOP_DEPTH, top), (half, 0, high)),
        ((-a, -TOP_DEPTH, top), (a, -0.52, high)),
        ((-a, -0.12, top), (a, 0, high)),
    ):
        unit.box(low, up, "counter")
    floor = high - 0.17
    unit.box((-a, -0.52, floor - 0.01), (a, -0.12, floor), "metal")
    for low, up in (
        ((-a, -0.52, floor), (-a + 0.008, -0.12, high + 0.002)),
        ((a - 0.008, -0.52, floor), (a, -0.12, high + 0.002)),
        ((-a, -0.52, floor), (a, -0.512, high + 0.002)),
        ((-a, -0.128, floor), (a, -0.12, high + 0.002)),
    ):
        unit.box(low, up, "metal")
    unit.rod(
        (0, -0.32, floor),
        (0, -0.32, floor + 0.002),
        0.03,
        "dark",
        form=Form.CYLINDER,
        role=Role.LOOK,
    )
    unit.rod((0, -0.07, high), (0, -0.07, high + 0.27), 0.013, "metal")
    unit.rod((0, -0.07, high + 0.27), (0, -0.25, high + 0.25), 0.011, "metal")
    unit.rod((0, -0.25, high + 0.25), (0, -0.25, high + 0.22), 0.012, "metal", role=Role.LOOK)
    unit.rod((0.02, -0.07, high + 0.08), (0.08, -0.07, high + 0.11), 0.006, "metal", role=Role.LOOK)
    unit.space(
        (-a + 0.03, -0.48, floor),
        (a - 0.03, -0.16, high),
        Reach.DRAWER,
        edge=-TOP_DEPTH,
        word="basin",
    )
    tiles(unit, width)
    _under_sink(unit, width, floor - 0.03, t)
    unit.owner = basin


def _under_sink(unit: UnitBuilder, width: float, under: float, t: float) -> None:
    """Two cupboards with a wall between: one front an area."""
    half, top = width / 2, unit.book.height - TOP_THICK
    names = [unit.book.add("cabinet", unit.name) for _ in range(2)]
    unit.owner = names[0]
    unit.toe(width, DEPTH)
    unit.box((-t / 2, -DEPTH, 0.1), (t / 2, 0, under), "corpus")
    for name, side, hinge in ((names[0], -1, "left"), (names[1], 1, "right")):
        unit.owner = name
        left, right = sorted((0.0, side * half))
        for a, b, back, low, up in (
            (half - t, half - 0.001, 0.0, 0.1, top),  # the side
            (t / 2, half - t, -0.012, 0.1, 0.1 + t),  # the floor
        ):
            x0, x1 = sorted((side * a, side * b))
            unit.box((x0, -DEPTH, low), (x1, back, up), "corpus")
        x0, x1 = sorted((side * (half - 0.001), side * half))
        unit.look((x0, -DEPTH, 0.1), (x1, 0, top), "front")
        x0, x1 = sorted((side * t / 2, side * (half - t)))
        unit.box((x0, -0.012, 0.1), (x1, 0, top), "corpus")
        front = unit.door(left, right, 0.1, top, DEPTH, hinge)
        unit.shelves(left, right, DEPTH, [0.1 + t], under, front)


def window(unit: UnitBuilder, width: float) -> None:
    """A window over the worktop, with a frame, a cross and a sill."""
    half, low, high = width / 2 - 0.02, 1.30, 2.12
    unit.look((-half, -0.012, low), (half, -0.009, high), "sky")
    for a, b in (
        ((-half - 0.05, -0.03, low - 0.05), (-half, 0, high + 0.05)),
        ((half, -0.03, low - 0.05), (half + 0.05, 0, high + 0.05)),
        ((-half, -0.03, low - 0.05), (half, 0, low)),
        ((-half, -0.03, high), (half, 0, high + 0.05)),
        ((-0.015, -0.025, low), (0.015, -0.008, high)),
        ((-half, -0.025, 1.78), (half, -0.008, 1.81)),
    ):
        unit.look(a, b, "window frame")
    unit.look((-half - 0.07, -0.09, low - 0.08), (half + 0.07, 0, low - 0.05), "window frame")
