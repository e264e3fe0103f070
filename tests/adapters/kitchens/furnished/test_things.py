"""Things have shapes that the hand can take, and stand where the rules of layout allow."""

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from peephole.adapters.kitchens.furnished.arranging import (
    APART,
    FRONT_ROOM,
    SIDE_ROOM,
    SIDEWAYS,
    arrange,
    fits,
    scatter,
)
from peephole.adapters.kitchens.furnished.parts import Form, Role, Thing
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.things import kind, kinds, match
from peephole.adapters.scenes import load_scene
from peephole.data_files import read_yaml
from peephole.errors import BadInput
from peephole.scene_graph.node import Affordance, Kind
from peephole.skills.arm.mobile.world import Reach, ShapeKind
from peephole.suites.registry import load_suite

#: What the hand spans, in m.
_SPAN = 0.076


def test_there_are_many_kinds_in_all_shapes():
    shapes = kinds()
    assert len(shapes) >= 60
    assert {shape.kind for shape in shapes.values()} == set(ShapeKind)
    outlines = {(s.kind, s.height, s.radius, s.grip, s.neck) for s in shapes.values()}
    assert len(outlines) > 40


def test_the_hand_can_take_all_that_is_graspable():
    for name, shape in kinds().items():
        found = kind(name)
        assert (shape.grip <= _SPAN) is found.graspable, name
        assert 0.03 <= shape.mass <= 0.7
        solid = [s for s in found.solids if s.role is not Role.LOOK]
        assert sum(s.mass or 0.0 for s in solid) == pytest.approx(shape.mass, abs=0.02), name


def test_solids_are_as_large_as_the_shape_says():
    """What collides stands on the shape's foot, ends at its top and is within its circle."""
    for name, shape in kinds().items():
        solid = [s for s in kind(name).solids if s.role is not Role.LOOK]
        lows, highs, far = [], [], []
        for part in solid:
            half, tall = part.half[2], 0.0
            if part.form is Form.CAPSULE:
                tall = abs(math.cos(part.turn[1])) * half + part.half[0]
            else:
                tall = half
            lows.append(part.center[2] - tall)
            highs.append(part.center[2] + tall)
            reach = part.half[0] if part.form is not Form.BOX else math.hypot(*part.half[:2])
            far.append(math.hypot(*part.center[:2]) + reach)
        assert min(lows) == pytest.approx(-shape.height / 2, abs=1e-4), name
        assert max(highs) == pytest.approx(shape.height / 2 + shape.neck, abs=2e-3), name
        slack = 0.02 if shape.kind in (ShapeKind.BOWL, ShapeKind.MUG) else 1e-6
        assert shape.radius - 1e-6 <= max(far) <= shape.radius + slack, name


def test_the_boards_of_a_hollow_thing_leave_no_gap_for_a_finger():
    found = 0
    for name in kinds():
        boards = [s for s in kind(name).solids if s.form is Form.BOX and s.role is not Role.LOOK]
        if kinds()[name].kind not in (ShapeKind.MUG, ShapeKind.BOWL) or not boards:
            continue
        for board in boards:
            face = math.hypot(*board.center[:2]) + board.half[0]
            assert math.atan2(board.half[1], face) >= math.pi / len(boards) - 1e-9, name
        found += 1
    assert found >= 3


def test_only_the_plate_of_a_hollow_thing_touches_the_table():
    for name, shape in kinds().items():
        lowest = sum(
            abs(s.center[2] - s.half[2] + shape.height / 2) < 1e-4
            for s in kind(name).solids
            if s.role is not Role.LOOK and s.form is not Form.CAPSULE
        )
        assert lowest == 1, name


@pytest.mark.parametrize("suite", ["kitchens", "household", "houses", "wah"])
def test_every_category_of_the_suites_has_a_shape(suite):
    tasks = load_suite(suite).tasks
    scenes = sorted({task.scene for task in tasks})[:: max(1, len(tasks) // 4)]
    for scene in scenes:
        for node in load_scene(scene).nodes():
            if node.kind is Kind.OBJECT and Affordance.GRASPABLE in node.affordances:
                found = match(node.category)
                assert kind(found.kind).graspable, node.category


def test_every_type_of_alfred_has_a_shape():
    types = read_yaml(Path("adapters/ai2thor/object_types.yaml").resolve())["allowed"]
    for names in types:
        for name in names.split():
            words = "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
            match("cd" if name == "CD" else words)


def test_what_is_only_alike_is_told():
    assert match("apple") == ("apple", False)
    assert match("Coffee_Mug") == ("mug", False)
    assert match("bicycle") == ("device", True)
    assert match("frying pan") == ("pan", True)
    with pytest.raises(BadInput, match="There is no category of things with a shape 'unicorn'"):
        match("unicorn")


def test_things_stand_by_the_rules():
    """Near the front; on shelves apart, with room for the hand; in drawers low enough to close."""
    names = [name for name in kinds() if kind(name).graspable]
    counted = dict.fromkeys(Reach, 0)
    for seed in range(6):
        kitchen = draw_kitchen(seed)
        things = scatter(kitchen, names[seed % 3 :: 2], seed)
        stand: dict[str, list] = {}
        for thing in things:
            space, shape = kitchen.spaces[thing.space], kinds()[thing.kind]
            assert not fits(shape, space)
            local = space.rotation.T @ (thing.pose.position - space.origin)
            assert local[2] == pytest.approx(space.low[2] + shape.height / 2, abs=2e-3)
            assert np.all(local[:2] >= space.low[:2] + shape.radius)
            assert np.all(local[:2] <= space.high[:2] - shape.radius)
            counted[space.reach] += 1
            if space.reach is Reach.FRONT:
                assert local[0] - space.low[0] >= SIDE_ROOM - 1e-9
                assert space.high[0] - local[0] >= SIDE_ROOM - 1e-9
                assert local[1] < 0.34
                assert shape.kind is not ShapeKind.BOWL
                handle = space.rotation.T @ thing.pose.rotation[:, 0]
                assert shape.kind is not ShapeKind.MUG or handle[1] > 0.9
            elif space.reach is Reach.DRAWER:
                assert space.low[1] + FRONT_ROOM - 1e-9 <= local[1] <= space.low[1] + 0.30 + 1e-9
                if space.front is not None:
                    front = kitchen.fronts[space.front]
                    assert shape.tall <= 2 * front.half_height - 0.04
            else:
                assert local[1] <= 0.38
            stand.setdefault(thing.space, []).append((local, shape.radius))
        for space, spots in stand.items():
            for (a, r), (b, q) in combinations(spots, 2):
                assert math.hypot(*(a - b)[:2]) >= r + q + APART - 1e-9
                if kitchen.spaces[space].reach is Reach.FRONT:
                    assert abs(a[0] - b[0]) >= SIDEWAYS - 1e-9
    assert min(counted.values()) > 8


def test_a_thing_without_a_spot_is_refused():
    kitchen = draw_kitchen(1)
    with pytest.raises(BadInput, match="'salad_bowl_1' does not fit in fridge_1"):
        arrange(kitchen, [Thing("salad_bowl_1", "salad_bowl", "fridge_1_shelf_1")])
    with pytest.raises(BadInput, match="no place"):
        arrange(kitchen, [Thing("apple_1", "apple")])
    many = [Thing(f"cereal_{i}", "cereal", "fridge_1_shelf_1") for i in range(9)]
    with pytest.raises(BadInput, match="There is no free spot for 'cereal_"):
        arrange(kitchen, many)
