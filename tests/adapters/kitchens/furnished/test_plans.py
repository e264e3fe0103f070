"""Rules of layout, over seeds: what makes every area reachable for a mobile arm."""

import numpy as np
import pytest

from peephole.adapters.kitchens.furnished.parts import Role
from peephole.adapters.kitchens.furnished.plans import (
    FEWEST,
    FILLER,
    LAYOUTS,
    MOST,
    draw_kitchen,
)
from peephole.adapters.kitchens.furnished.ways import footprint, out_of_reach
from peephole.errors import BadInput
from peephole.skills.arm.mobile.world import FrontKind, Reach

_SEEDS = range(6)
_TALL = ("fridge", "corner", "filler")


@pytest.fixture(scope="module")
def kitchens():
    return [draw_kitchen(seed, layout) for layout in LAYOUTS for seed in _SEEDS]


def placed(unit):
    """The unit's end points along its wall, in the room, and its direction."""
    xs = [s.center[0] + k * s.half[0] for s in unit.solids if not any(s.turn) for k in (-1, 1)]
    low, high = min(xs), max(xs)
    return unit.point(np.array([low, 0.0, 0.0])), unit.point(np.array([high, 0.0, 0.0]))


def neighbours(kitchen, unit):
    """The units on its left and right along the same wall, or None."""
    left = right = None
    a, b = placed(unit)
    for other in kitchen.units:
        if other is unit or abs(other.yaw - unit.yaw) > 1e-6:
            continue
        c, d = placed(other)
        if np.linalg.norm(d - a) < 0.01:
            left = other
        if np.linalg.norm(c - b) < 0.01:
            right = other
    return left, right


def test_the_same_seed_gives_the_same_kitchen():
    for layout in LAYOUTS:
        first, second = draw_kitchen(5, layout), draw_kitchen(5, layout)
        assert first.style == second.style
        assert list(first.areas) == list(second.areas)
        assert [unit.solids for unit in first.units] == [unit.solids for unit in second.units]
    assert draw_kitchen(5, "L").areas.keys() != draw_kitchen(6, "L").areas.keys()


def test_kitchens_have_what_kitchens_have(kitchens):
    for kitchen in kitchens:
        assert FEWEST <= len(kitchen.areas) <= MOST
        categories = {area.category for area in kitchen.areas.values()}
        assert {"fridge", "freezer", "oven", "stove", "sink", "drawer"} <= categories
        assert {front.kind for front in kitchen.fronts.values()} == set(FrontKind)
        assert {space.reach for space in kitchen.spaces.values()} == set(Reach)
        for area in kitchen.areas.values():
            assert area.front is None or area.front in kitchen.fronts
            assert all(kitchen.spaces[name].area == area.name for name in area.spaces)
            assert area.spaces or area.category == "hood light"
    assert len({draw_kitchen(seed).style.name for seed in range(12)}) > 4
    everything = {area.category for kitchen in kitchens for area in kitchen.areas.values()}
    assert {"wall cabinet", "dishwasher", "microwave", "island counter", "shelf"} <= everything


def test_as_many_areas_as_asked_for():
    for layout in LAYOUTS:
        for seed in range(3):
            assert 30 <= len(draw_kitchen(seed, layout, areas=30).areas) <= MOST


def test_closed_pieces_stand_on_both_sides_of_an_inner_corner(kitchens):
    corners = 0
    for kitchen in kitchens:
        for unit in kitchen.units:
            if unit.category != "corner":
                continue
            corners += 1
            near = [
                other
                for other in kitchen.units
                if other.category == "filler"
                and np.hypot(other.x - unit.x, other.y - unit.y) < 0.85
            ]
            assert len({other.yaw for other in near}) == 2, kitchen.name
            for other in near:
                assert np.linalg.norm(np.subtract(*placed(other))) == pytest.approx(
                    FILLER, abs=1e-3
                )
    assert corners >= 3 * len(_SEEDS)


def test_a_hand_gets_to_the_button_of_a_microwave():
    """It is high enough over the worktop for a level hand, and not beside a fridge."""
    beside = 0
    for kitchen in (draw_kitchen(seed) for seed in range(24)):
        for button in kitchen.buttons.values():
            if kitchen.areas[button.area].category != "microwave":
                continue
            unit = next(u for u in kitchen.units if u.name == kitchen.areas[button.area].unit)
            middle = kitchen.fronts[kitchen.areas[button.area].front].face
            floor = min(s.origin[2] for s in kitchen.spaces.values() if s.area == button.area)
            assert button.face[2] - floor > 0.12
            for fridge in neighbours(kitchen, unit):
                if fridge is None or fridge.category != "fridge":
                    continue
                beside += 1
                away = np.array([fridge.x, fridge.y])
                assert np.linalg.norm(button.face[:2] - away) > np.linalg.norm(middle[:2] - away)
    assert beside >= 4


def test_doors_hinge_beside_what_is_tall_or_in_the_corner(kitchens):
    checked = 0
    for kitchen in kitchens:
        for unit in kitchen.units:
            left, right = neighbours(kitchen, unit)
            tall = [other is not None and other.category in _TALL for other in (left, right)]
            if unit.category == "sink" or tall[0] == tall[1]:
                continue
            wanted = -1.0 if tall[0] else 1.0
            for panel in unit.panels:
                if panel.front.kind is FrontKind.DOOR and "microwave" not in panel.front.name:
                    hinge = panel.front.anchor[0] - panel.front.face[0]
                    assert np.sign(hinge) == wanted, (kitchen.name, panel.front.name)
                    checked += 1
    assert checked > 20


def test_units_neither_overlap_nor_leave_the_room(kitchens):
    for kitchen in kitchens:
        boxes = []
        for unit in kitchen.units:
            low, high = footprint(unit)
            if low is None:
                continue
            ends = [
                unit.point(np.array([x, y, 0.0]))[:2]
                for x in (low[0], high[0])
                for y in (low[1], high[1])
            ]
            boxes.append((np.min(ends, axis=0) + 0.06, np.max(ends, axis=0) - 0.06, unit))
            assert np.all(np.min(ends, axis=0) > np.array(kitchen.room.low) - 0.03)
            assert np.all(np.max(ends, axis=0) < np.array(kitchen.room.high) + 0.03)
        for i, (low, high, one) in enumerate(boxes):
            for other_low, other_high, other in boxes[i + 1 :]:
                apart = np.any(low > other_high) or np.any(other_low > high)
                assert apart, (kitchen.name, one.name, other.name)


def test_the_arm_has_room_beside_a_fridge_at_the_end_of_a_row(kitchens):
    for kitchen in kitchens:
        for unit in kitchen.units:
            if unit.category != "fridge":
                continue
            for other, end, side in zip(
                neighbours(kitchen, unit), placed(unit), (-1, 1), strict=True
            ):
                beyond = end[:2] + side * 1.0 * unit.rotation[:2, 0]
                inside = (beyond > kitchen.room.low) & (beyond < kitchen.room.high)
                assert other is not None or np.all(inside[np.abs(unit.rotation[:2, 0]) > 0.5])


def test_open_fronts_stay_in_the_room(kitchens):
    for kitchen in kitchens:
        low, high = np.array(kitchen.room.low), np.array(kitchen.room.high)
        for front in kitchen.fronts.values():
            across = np.cross(front.outward, [0.0, 0.0, 1.0])
            for side in (-1, 1):
                corner = front.face + side * front.half_width * across
                there = front.point(corner, front.open_value)[:2]
                assert np.all((there > low) & (there < high)), (kitchen.name, front.name)


def test_the_robot_comes_to_every_area(kitchens):
    for kitchen in kitchens:
        assert out_of_reach(kitchen) == [], kitchen.name


def test_an_aisle_that_is_too_narrow_is_no_way():
    assert out_of_reach(draw_kitchen(3, "galley", aisle=0.45))
    assert not out_of_reach(draw_kitchen(3, "galley", aisle=1.2))


def test_names_count_along_the_walls():
    """On the north wall from west to east, within each category."""
    kitchen = draw_kitchen(2, "single_wall")
    for category in ("cabinet", "wall cabinet", "counter"):
        areas = [area for area in kitchen.areas.values() if area.category == category]
        middles = [kitchen.spaces[area.spaces[0]].origin[0] for area in areas]
        assert middles == sorted(middles)
        start = category.replace(" ", "_")
        assert [area.name for area in areas] == [f"{start}_{i + 1}" for i in range(len(areas))]


def test_buttons_switch_what_they_belong_to(kitchens):
    for kitchen in kitchens:
        switched = {kitchen.areas[b.area].category for b in kitchen.buttons.values()}
        assert (
            {"stove", "oven", "hood light"}
            <= switched
            <= {"stove", "oven", "hood light", "microwave"}
        )
        for button in kitchen.buttons.values():
            assert 0.5 < button.face[2] < 1.8


def test_handles_are_bars_that_fingers_get_behind(kitchens):
    for kitchen in kitchens:
        for unit in kitchen.units:
            for panel in unit.panels:
                bars = [s for s in panel.solids if s.role is Role.HANDLE]
                assert len(bars) == 3
                out = (panel.front.handle - panel.front.face) @ panel.front.outward
                assert out == pytest.approx(0.045, abs=1e-3)
                assert bars[0].half[0] == pytest.approx(0.007)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"layout": "round"}, "There is no layout of a kitchen 'round'"),
        ({"areas": 9}, "A kitchen of 9 areas is not possible; ask for 10 to 40."),
        ({"areas": 41}, "A kitchen of 41 areas is not possible; ask for 10 to 40."),
        ({"layout": "L", "aisle": 1.0}, "The layout 'L' has no aisle; leave its width out."),
        ({"layout": "galley", "aisle": 9.0}, "An aisle of 9 m is not possible"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, text):
    with pytest.raises(BadInput, match=text.replace("(", r"\(")):
        draw_kitchen(1, **arguments)
