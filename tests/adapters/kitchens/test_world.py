"""The world of a kitchen: one hand, actions that approach by themselves, ways that cost."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from peephole.adapters.kitchens.adapter import KitchenAdapter
from peephole.adapters.kitchens.layouts import layout_of
from peephole.adapters.kitchens.scenes import ids_of, kind_of, load, scene_of
from peephole.episodes.environment import Environment
from peephole.errors import BadInput
from peephole.observation_text.dialects.tru_pomdp.dialect import DIALECT
from peephole.scene_graph.goals import And, Or, Related
from peephole.scene_graph.node import Relation, State
from peephole.scene_graph.task import Task
from peephole.suites.kitchens.drawn_suites import rules_of

LAYOUT = layout_of("one_wall")
OBJECTS = {"tea_box_3": "Snack_Pantry_Cabinet", "apple_1": "Prep_Surface", "apple_7": "Spice_Shelf"}
IDS = ids_of(LAYOUT, OBJECTS)


def at(thing: str, area: str, relation: Relation = Relation.ON) -> Related:
    return Related(IDS[thing], relation, IDS[area])


GOAL = Or(
    (
        And((at("tea_box_3", "Coffee_Tea_Surface"), at("apple_1", "Human_Hand"))),
        And((at("tea_box_3", "Human_Hand"), at("apple_1", "Human_Hand"))),
    )
)


@pytest.fixture
def kitchen() -> Environment:
    task = Task("t", "Tea, please.", GOAL, scene_of(LAYOUT, OBJECTS, "Fridge_Cooler_Layer"))
    environment = Environment(KitchenAdapter(), task, DIALECT, rules=rules_of(LAYOUT))
    environment.reset()
    return environment


def test_a_scene_has_areas_at_their_places_and_numbered_kinds() -> None:
    graph = load(scene_of(LAYOUT, OBJECTS, "Prep_Surface", held="egg_2").partition(":")[2])
    categories = sorted(node.category for node in graph.nodes() if node.category == "apple")
    assert categories == ["apple", "apple"]
    assert graph.held(graph.agent().id) == [ids_of(LAYOUT, OBJECTS, "egg_2")["egg_2"]]
    cabinet = graph[IDS["Snack_Pantry_Cabinet"]]
    assert State.CLOSED in cabinet.states
    assert graph.is_inside(ids_of(LAYOUT, OBJECTS, "egg_2")["tea_box_3"], cabinet.id)
    assert kind_of("gluten_free_flour_15") == "gluten free flour"


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("one_wall", "is not JSON"),
        (json.dumps({"kitchen": "one_wall", "at": "Roof", "objects": {}}), "no area of one_wall"),
        (json.dumps({"kitchen": "one_wall", "objects": {}}), "'at' is missing"),
    ],
)
def test_a_bad_scene_is_refused_in_a_sentence(reference: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        load(reference)


def test_only_what_a_closed_area_hides_is_unseen(kitchen: Environment) -> None:
    assert "tea_box" not in kitchen.text
    assert "apple on prep_surface, apple_2 on spice_shelf" in kitchen.text
    opened = kitchen.step("open snack_pantry_cabinet").text
    assert "In snack_pantry_cabinet you see: tea_box." in opened


def test_actions_go_by_themselves_and_are_charged_the_way(kitchen: Environment) -> None:
    """From the fridge: 14 to the second cabinet, 2 to the first, 2 back; each action takes 5."""
    for said, reward in (
        ("open snack_pantry_cabinet", -5 - 14),
        ("pick tea_box", -5),
        ("place coffee_tea_surface", -5),
        ("wait", 0),
        ("pick apple", -5 - 2),
        ("place human_hand", -5 + 1000),
    ):
        before = kitchen.score().reward
        percept = kitchen.step(said)
        assert percept.outcome is not None
        assert percept.outcome.success, said
        assert kitchen.score().reward - before == reward, said
    assert percept.ended == "goal_reached"
    assert kitchen.score().success


@pytest.mark.parametrize(
    "said",
    [
        "open prep_surface",  # opens never
        "place human_hand",  # nothing is held
        "pick tea_box",  # was not seen
        "pick apple_9",
        "fly",
    ],
)
def test_what_cannot_be_done_costs_a_step_and_25_and_changes_nothing(
    kitchen: Environment, said: str
) -> None:
    before = kitchen.adapter.graph()
    percept = kitchen.step(said)
    assert percept.outcome is not None
    assert not percept.outcome.success
    assert (kitchen.steps, kitchen.score().reward) == (1, -25)
    assert kitchen.adapter.graph() == before


def test_one_thing_is_held_and_opening_takes_the_other_hand(kitchen: Environment) -> None:
    kitchen.step("pick apple")
    full = kitchen.step("pick apple_2")
    assert full.outcome is not None
    assert not full.outcome.success
    opened = kitchen.step("open fridge_cooler_layer")
    assert opened.outcome is not None
    assert opened.outcome.success
    assert "You hold apple." in opened.text


def test_what_lies_right_is_reported_while_it_does(kitchen: Environment) -> None:
    kitchen.step("pick apple")
    assert kitchen.step("place prep_surface").confirmed == ()
    kitchen.step("pick apple")
    percept = kitchen.step("place human_hand")
    assert [percept.names[thing] for thing in percept.confirmed] == ["apple 1"]
    assert "Objects already in target areas: apple." in percept.text
    assert "Arrangements tried: 1. apple on prep_surface; 2. apple on human_hand." in percept.text
    assert kitchen.step("pick apple").confirmed == ()


def test_nothing_of_that_is_reported_under_other_rules(kitchen: Environment) -> None:
    rules = replace(rules_of(LAYOUT), confirms_placements=False)
    other = Environment(KitchenAdapter(), kitchen.task, DIALECT, rules=rules)
    other.reset()
    other.step("pick apple")
    percept = other.step("place human_hand")
    assert percept.confirmed == ()
    assert "target areas" not in percept.text


def test_the_menu_has_what_can_be_done_from_anywhere(kitchen: Environment) -> None:
    menu = kitchen.menu()
    assert {"open snack_pantry_cabinet", "pick apple", "pick apple_2", "wait"} <= set(menu)
    assert len(menu) == len(LAYOUT.closed) + 2 + 1
    kitchen.step("pick apple")
    places = [text for text in kitchen.menu() if text.startswith("place ")]
    assert sorted(places) == sorted(f"place {area.lower()}" for area in LAYOUT.open)
