"""The scene loader furnished_kitchen, and the published kitchens as furniture."""

import json
import re

import pytest

from peephole.adapters.kitchens.furnished.boxes import area_box
from peephole.adapters.kitchens.furnished.plans import draw_kitchen
from peephole.adapters.kitchens.furnished.published import kind_of_area, published_kitchen
from peephole.adapters.kitchens.furnished.scenes import (
    furnished,
    graph_of,
    open_values,
    opened_poses,
    read,
    read_published,
    scene_of,
)
from peephole.adapters.kitchens.furnished.things import kinds
from peephole.adapters.kitchens.furnished.ways import out_of_reach
from peephole.adapters.kitchens.layouts import layouts
from peephole.adapters.mujoco.kitchens.model import model_of, start_of
from peephole.adapters.mujoco.kitchens.world import MujocoRoom
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.skills.arm.mobile.world import FrontKind, Reach
from peephole.suites.registry import load_suite

_OBJECTS = {"apple_1": "fridge_1", "mug_2": "counter_1", "spice_jar_7": "drawer_2"}


def scene(**more):
    return json.dumps({"seed": 1, "objects": _OBJECTS, **more})


def test_a_scene_is_a_graph_of_areas_and_things():
    graph = load_scene(scene_of(1, _OBJECTS, opened=["fridge_1"], on=["stove_1"]))
    by_name = {node.native_id: node for node in graph.nodes()}
    assert by_name["fridge_1"].states == {State.OPEN}
    assert by_name["drawer_2"].states == {State.CLOSED}
    assert by_name["stove_1"].states == {State.ON}
    assert by_name["stove_1"].affordances == {Affordance.SURFACE, Affordance.SWITCHABLE}
    assert by_name["oven_1"].affordances == {
        Affordance.CONTAINER,
        Affordance.OPENABLE,
        Affordance.SWITCHABLE,
    }
    assert by_name["hood_light_1"].affordances == {Affordance.SWITCHABLE}
    assert by_name["spice_jar_7"].category == "spice jar"
    assert graph.has_edge(by_name["apple_1"].id, Relation.INSIDE, by_name["fridge_1"].id)
    assert graph.has_edge(by_name["mug_2"].id, Relation.ON, by_name["counter_1"].id)
    assert graph.has_edge(by_name["fridge_1"].id, Relation.CLOSE, by_name["freezer_1"].id)
    rooms = {graph.room_of(node.id) for node in graph.nodes() if node.kind is not Kind.ROOM}
    assert rooms == {by_name["kitchen"].id}


def test_moving_a_hidden_thing_moves_none_that_is_seen():
    """Also where the hidden one finds a spot only after some tries."""
    moved = 0
    for seed in range(4):
        kitchen = draw_kitchen(seed)
        closed = [area.name for area in kitchen.areas.values() if area.front and area.spaces]
        seen = {f"{kind}_1": "counter_1" for kind in ("apple", "can", "tin", "spice_jar")}
        poses = set()
        for area in closed:
            hidden = {f"coffee_mug_{number}": area for number in range(3)}
            try:
                things = furnished(kitchen, {**seen, **hidden}).things
            except BadInput:  # they do not fit there
                continue
            moved += 1
            poses.add(tuple(t.pose.position.tobytes() for t in things if t.name in seen))
        assert len(poses) == 1
    assert moved > 15


def test_a_worktop_around_a_corner_has_a_box_along_each_wall():
    kitchen = draw_kitchen(2, "U")
    boxes = [
        area_box(kitchen, area) for area in kitchen.areas.values() if area.category == "counter"
    ]
    cornered = [box for box in boxes if box is not None and box.more]
    assert cornered
    for main in cornered:
        for (x, y, z), (width, depth, height) in main.more:
            assert (width - depth) * (main.size[0] - main.size[1]) < 0, "along another wall"
            assert main.size[0] * main.size[1] >= width * depth
            assert z == main.center[2]
            assert height == main.size[2]
            assert abs(x - main.center[0]) + abs(y - main.center[1]) > 0.5


def test_ids_of_things_reveal_no_places():
    moved = {"apple_1": "drawer_2", "mug_2": "fridge_1", "spice_jar_7": "counter_1"}
    first, second = (load_scene(scene_of(1, objects)) for objects in (_OBJECTS, moved))
    ids = [{node.native_id: node.id for node in graph.nodes()} for graph in (first, second)]
    assert ids[0] == ids[1]


def test_what_lies_in_an_open_drawer_is_out_with_it():
    found = read(scene(open=["drawer_2", "fridge_1"]))
    values = open_values(found)
    assert values == {
        name: found.kitchen.fronts[name].open_value for name in ("drawer_2_front", "fridge_1_front")
    }
    before = {thing.name: thing.pose.position for thing in found.things}
    for thing in opened_poses(found):
        shift = abs(thing.pose.position - before[thing.name]).sum()
        expected = values["drawer_2_front"] if thing.name == "spice_jar_7" else 0.0
        assert shift == pytest.approx(expected, abs=1e-9)


def test_the_same_reference_gives_the_same_spots():
    first, second = read(scene()), read(scene())
    for one, two in zip(first.things, second.things, strict=True):
        assert (one.name, one.space) == (two.name, two.space)
        assert (one.pose.position == two.pose.position).all()
    assert list(graph_of(first).nodes()) == list(graph_of(second).nodes())


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("x", "is not JSON; give an object with the fields seed and objects."),
        ('{"objects": {}}', "the field 'seed' is missing"),
        ('{"seed": -1}', "expected a whole number from 0"),
        ('{"seed": 1, "sea": 1}', "the field 'sea' is unknown"),
        (scene(objects={"apple_1": "fridge_9"}), "There is no area of the kitchen 'fridge_9'"),
        (scene(objects={"unicorn_1": "fridge_1"}), "no category of things with a shape 'unicorn'"),
        (scene(objects={"big_plate_1": "counter_1"}), "'big_plate_1' is too large to grasp"),
        (scene(objects={"salad_bowl_1": "fridge_1"}), "'salad_bowl_1' does not fit in fridge_1"),
        (scene(objects={"cereal_1": "drawer_1"}), "too tall for the drawer to close"),
        (scene(objects={"apple_1": "hood_light_1"}), "The area 'hood_light_1' keeps no things"),
        (scene(objects={"fridge_1": "drawer_1"}), "'fridge_1' is no name of a thing"),
        (scene(objects={f"cereal_{i}": "microwave_1" for i in range(9)}), "There is no free spot"),
        (scene(open=["counter_1"]), "'counter_1' has no door or drawer"),
        (scene(on=["counter_1"]), "'counter_1' has no switch"),
        (scene(on=["microwave_1"], open=["microwave_1"]), "runs only while closed"),
        (scene(areas=99), "ask for 10 to 40"),
        ('{"seed": 3, "layout": "galley", "aisle": 0.4}', "no way leads the robot to"),
        ('{"seed": 3, "layout": "round"}', "There is no layout of a kitchen 'round'"),
    ],
)
def test_a_wrong_reference_is_one_clear_sentence(reference, text):
    with pytest.raises(BadInput, match=re.escape(text)) as caught:
        read(reference)
    assert "\n" not in str(caught.value)


# --- the published kitchens ----------------------------------------------------------------------


def test_published_kitchens_have_exactly_their_areas():
    for layout in layouts():
        kitchen = published_kitchen(layout.name)
        assert list(kitchen.areas) == list(layout.areas)
        closed = {area.name for area in kitchen.areas.values() if area.front is not None}
        assert closed == set(layout.closed)
        assert all(area.spaces for area in kitchen.areas.values())
        assert not kitchen.buttons
        assert out_of_reach(kitchen) == []


def test_published_areas_are_what_their_names_say():
    for layout in layouts():
        kitchen = published_kitchen(layout.name)
        for area in layout.areas.values():
            spaces = [kitchen.spaces[name] for name in kitchen.areas[area.name].spaces]
            kind = kind_of_area(area.name, area.closed)
            front = kitchen.areas[area.name].front
            how = None if front is None else kitchen.fronts[front].kind
            wanted = {
                "drawer": (Reach.DRAWER, FrontKind.DRAWER),
                "freezer": (Reach.DRAWER, FrontKind.DRAWER),
                "cabinet": (Reach.FRONT, FrontKind.DOOR),
                "fridge": (Reach.FRONT, FrontKind.DOOR),
                "microwave": (Reach.FRONT, FrontKind.DOOR),
                "oven": (Reach.FRONT, FrontKind.DROP),
                "dishwasher": (Reach.FRONT, FrontKind.DROP),
                "shelf": (Reach.FRONT, None),
                "surface": (Reach.ABOVE, None),
                "hand": (Reach.ABOVE, None),
            }[kind]
            assert ({space.reach for space in spaces}, how) == ({wanted[0]}, wanted[1]), area.name


def test_areas_of_one_place_stand_together():
    for layout in layouts():
        kitchen = published_kitchen(layout.name)
        for place in layout.distances:
            at = [
                kitchen.spaces[kitchen.areas[area.name].spaces[0]].origin
                for area in layout.areas.values()
                if area.place == place
            ]
            x, y = (max(p[i] for p in at) - min(p[i] for p in at) for i in (0, 1))
            assert max(x, y) < 3.6, (layout.name, place)


def test_the_scenes_of_the_suite_can_be_furnished():
    """Every seventh, and the two with the fullest places."""
    tasks = load_suite("kitchens").tasks
    fullest = {"medium/one_wall_large-2", "medium/galley-15"}
    for task in [*tasks[::7], *(task for task in tasks if task.id in fullest)]:
        reference = task.scene.split(":", 1)[1]
        found = read_published(reference)
        objects = json.loads(reference)["objects"]
        assert {t.name: found.kitchen.spaces[t.space].area for t in found.things} == objects


def test_a_published_kitchen_rests_in_physics():
    task = next(t for t in load_suite("kitchens").tasks if '"l_shaped"' in t.scene)
    found = read_published(task.scene.split(":", 1)[1])
    kitchen = found.kitchen
    shapes = {thing.name: kinds()[thing.kind] for thing in found.things}
    model = model_of(kitchen, found.things).compile()
    world = MujocoRoom(model, kitchen.fronts, kitchen.spaces, shapes, kitchen.buttons)
    world.start(start_of(kitchen))
    for _ in range(60):
        assert not world.step()
    for thing in found.things:
        assert thing.name in world.things_in(thing.space)
