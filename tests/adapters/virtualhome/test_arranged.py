"""Scenes in which things were put elsewhere: the same house in every world, refused in words."""

from __future__ import annotations

import copy
import json

import pytest

from peephole.adapters.scenes import load_scene
from peephole.adapters.symbolic import SymbolicAdapter
from peephole.adapters.virtualhome import package
from peephole.adapters.virtualhome.evolving_graph import EvolvingGraphAdapter
from peephole.adapters.virtualhome.houses.rules import CLASSES
from peephole.adapters.virtualhome.scenes import raw
from peephole.errors import BadInput
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.skills.actions import close, go_to, open_, pick_up, put

HOUSE = "house:105"
NEVER_ADDED = ("Rooms", "Characters")


def one(graph: SceneGraph, category: str) -> int:
    return next(node.id for node in graph.nodes() if node.category == category)


@pytest.fixture(scope="module")
def before() -> SceneGraph:
    return load_scene(HOUSE)


@pytest.fixture(scope="module")
def places(before) -> tuple[int, int, int]:
    """A thing that can be moved, a fridge and a desk or table."""
    plate = next(
        n.id for n in before.nodes() if n.category == "plate" and not before.contents(n.id)
    )
    return plate, one(before, "fridge"), one(before, "coffee table")


def test_things_are_moved_and_added_and_all_else_stays(before, places):
    plate, fridge, table = places
    after = load_scene(
        f"arranged:{HOUSE};{plate} in {fridge};food_apple on {table}; milk in {fridge}"
    )
    new = sorted(node.id for node in after.nodes() if node.id not in before)
    highest = max(node.id for node in before.nodes())
    assert new == [highest + 1, highest + 2], "in the order that they are named"
    apple, milk = new
    assert after[apple].category == "apple"
    assert after[milk].category == "milk"
    assert after.places(plate) == after.places(milk) == [(Relation.INSIDE, fridge)]
    assert after.places(apple) == [(Relation.ON, table)]
    for node in before.nodes():
        assert after[node.id] == node
        if node.id != plate:
            assert after.places(node.id) == before.places(node.id)


def test_the_scene_that_is_arranged_is_left_as_it_was(places):
    plate, fridge, _ = places
    start = copy.deepcopy(raw(HOUSE))
    assert raw(f"arranged:{HOUSE};{plate} in {fridge}") != start
    assert raw(HOUSE) == start


def test_an_arranged_scene_can_be_arranged_further(places):
    plate, fridge, table = places
    once = f"arranged:{HOUSE};{plate} in {fridge}"
    assert load_scene(f"arranged:{once};milk on {table}") == load_scene(f"{once};milk on {table}")


@pytest.mark.parametrize("world", [SymbolicAdapter, EvolvingGraphAdapter])
def test_what_was_put_somewhere_is_found_there_and_can_be_handled(world, task, places):
    if world.missing() is not None:
        pytest.skip(world.missing())
    plate, fridge, table = places
    scene = f"arranged:{HOUSE};{plate} in {fridge};food_apple in {fridge}"
    apple = max(node.id for node in load_scene(scene).nodes())
    adapter = world()
    adapter.reset(task(scene), 0)
    assert adapter.graph() == load_scene(scene)
    assert adapter.attempt(go_to(fridge), 0).success
    if State.CLOSED in adapter.graph()[fridge].states:
        assert apple not in adapter.view().graph
        assert adapter.attempt(open_(fridge), 0).success
    assert adapter.attempt(pick_up(plate), 0).success
    assert adapter.attempt(pick_up(apple), 0).success
    assert adapter.attempt(go_to(table), 0).success
    assert adapter.attempt(put(apple, Relation.ON, table), 0).success
    assert adapter.graph().places(apple) == [(Relation.ON, table)]
    assert adapter.attempt(go_to(fridge), 0).success
    assert adapter.attempt(close(fridge), 0).success
    adapter.close()


@pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
def test_the_real_house_is_arranged_as_well():
    before = load_scene("virtualhome-eval:1021_1")
    freezer = one(before, "freezer")
    after = load_scene(f"arranged:virtualhome-eval:1021_1;food_egg in {freezer}")
    egg = next(node.id for node in after.nodes() if node.id not in before)
    assert after.places(egg) == [(Relation.INSIDE, freezer)]
    assert after.room_of(egg) == before.room_of(freezer)


def test_everything_new_is_unused(before):
    names = sorted(name for name, (category, _) in CLASSES.items() if category not in NEVER_ADDED)
    kitchen = one(before, "kitchen")
    after = load_scene(f"arranged:{HOUSE};" + ";".join(f"{name} in {kitchen}" for name in names))
    added = [node for node in after.nodes() if node.id not in before]
    assert len(added) > 0.9 * len(names), "few classes are left out of every scene graph"
    for new in added:
        assert State.OPEN not in new.states, new
        assert State.ON not in new.states, new
        assert State.DIRTY not in new.states, new
        assert (State.CLOSED in new.states) == (Affordance.OPENABLE in new.affordances), new


def test_a_unity_house_loses_the_pose_of_what_is_moved(unity_house, tmp_path):
    for node in unity_house["nodes"]:
        node["obj_transform"] = {"position": [1, 2, 3], "rotation": [0, 0, 0, 1]}
    path = tmp_path / "house.json"
    path.write_text(json.dumps(unity_house))
    after = load_scene(f"arranged:virtualhome:{path};33 in 22")
    assert after[33].pose is None
    assert after[22].pose is not None
    assert after.places(33) == [(Relation.INSIDE, 22)]


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        (f"{HOUSE};plate under 3", "'plate under 3' is malformed"),
        (f"{HOUSE};", "'' is malformed"),
        (f"{HOUSE};fod_apple in 3", "no class of things and furniture 'fod_apple'.*food_apple"),
        (f"{HOUSE};kitchen in 3", "no class of things and furniture 'kitchen'"),
        (f"{HOUSE};food_apple in 9999", "'food_apple in 9999' cannot be: there is no 9999"),
        (f"{HOUSE};9999 in {{fridge}}", "there is no 9999"),
        (f"{HOUSE};food_apple on {{fork}}", "nothing can be on the fork"),
        (f"{HOUSE};{{sink}} on {{table}}", "the sink .* cannot be carried"),
        (f"{HOUSE};{{plate}} on {{plate}}", "is moved itself"),
        (f"{HOUSE};{{plate}} on {{table}};{{plate}} in {{fridge}}", "was put elsewhere before"),
        ("json:house.json;food_apple on 3", "json:house.json' cannot be arranged"),
        ("nowhere;food_apple on 3", "give LOADER:REFERENCE"),
    ],
)
def test_what_cannot_be_put_there_is_refused_in_words(before, places, reference, told):
    plate, fridge, table = places
    ids = {"fridge": fridge, "plate": plate, "table": table}
    ids |= {name: one(before, name) for name in ("fork", "sink")}
    with pytest.raises(BadInput, match=told):
        load_scene("arranged:" + reference.format(**ids))


def test_what_holds_other_things_stays_where_it_is(before, places):
    _, _, table = places
    holder = next(
        n.id
        for n in before.nodes(Kind.OBJECT)
        if before.contents(n.id) and Affordance.GRASPABLE in n.affordances
    )
    with pytest.raises(BadInput, match="holds other things"):
        load_scene(f"arranged:{HOUSE};{holder} on {table}")


def test_states_are_set_last_so_that_new_things_can_have_them(before, places):
    _, fridge, table = places
    new = 1 + max(node.id for node in before.nodes())
    scene = f"arranged:{HOUSE};{new} is fixed;food_apple on {table};{fridge} is open"
    after = load_scene(scene)
    assert Affordance.GRASPABLE not in after[new].affordances
    assert after[new].kind is Kind.OBJECT, "food that cannot be taken is no furniture"
    assert State.OPEN in after[fridge].states
    assert State.CLOSED not in after[fridge].states
    again = load_scene(f"{scene};{fridge} is closed")
    assert {State.OPEN, State.CLOSED} & again[fridge].states == {State.CLOSED}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("{table} is open", "lacks the property CAN_OPEN"),
        ("99999 is on", "there is no 99999"),
        ("{fridge} is broken", "no state of a thing 'broken'"),
        ("{fridge} is fixed", "lacks the property GRABBABLE"),
    ],
)
def test_a_state_that_a_thing_cannot_have_is_refused(places, change, told):
    _, fridge, table = places
    with pytest.raises(BadInput, match=told):
        load_scene(f"arranged:{HOUSE};{change.format(table=table, fridge=fridge)}")
