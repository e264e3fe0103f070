"""Readable names of LIBERO's things, and the node that each name belongs to."""

from collections import Counter

import pytest

from peephole.adapters.libero import names


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("wooden_cabinet_1_top_side", "wooden_cabinet_1"),
        ("wooden_cabinet_1_top_region", "wooden_cabinet_1_top_region"),
        ("flat_stove_1_cook_region", "flat_stove_1"),
        ("microwave_1_heating_region", "microwave_1"),
        ("wine_rack_1_top_region", "wine_rack_1"),
        ("basket_1_contain_region", "basket_1"),
        ("desk_caddy_1_front_contain_region", "desk_caddy_1_front_contain_region"),
        ("wooden_two_layer_shelf_1_top_region", "wooden_two_layer_shelf_1_top_region"),
        ("wooden_two_layer_shelf_1_top_side", "wooden_two_layer_shelf_1"),
        ("main_table_plate_right_region", "main_table_plate_right_region"),
        ("chefmate_8_frypan_1", "chefmate_8_frypan_1"),
    ],
)
def test_a_region_that_is_all_of_a_top_or_inside_belongs_to_its_thing(name, place):
    assert names.place_of(name) == place


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("akita_black_bowl_1", "black bowl"),
        ("wooden_cabinet_1", "wooden cabinet"),
        ("glazed_rim_porcelain_ramekin_2", "ramekin"),
        ("chefmate_8_frypan_1", "frying pan"),
        ("kitchen_table", "table"),
    ],
)
def test_categories_are_english(name, words):
    assert names.words_of(name) == words


def test_places_are_named_by_what_they_are_of():
    drawer = names.drawer_words("white_cabinet_1_bottom_region", "white_cabinet_1")
    assert drawer == "bottom drawer"
    caddy = "desk_caddy_1_back_contain_region", "desk_caddy_1"
    assert names.region_words(*caddy) == "back compartment"
    shelf = "wooden_two_layer_shelf_1_top_region", "wooden_two_layer_shelf_1"
    assert names.region_words(*shelf) == "upper shelf level"
    zone = "kitchen_table_porcelain_mug_front_region"
    assert names.zone_words(zone, "kitchen_table") == "area before the white mug"
    assert names.zone_words("study_table_milk_init_region", "study_table") == "area of the milk"


def test_a_room_is_that_of_its_table():
    assert names.room_words("living_room_table") == "living room"
    assert names.room_words("floor") == "room"


def test_ids_tell_nothing_but_the_name():
    assert names.node_id("plate_1", "3/0") == names.node_id("plate_1", "3/0") > names.AGENT_ID
    assert names.node_id("plate_1", "3/0") != names.node_id("plate_2", "3/0")


def test_neither_of_two_bowls_has_the_lower_number_in_all_tasks():
    lower = Counter(
        names.node_id("bowl_1", salt) < names.node_id("bowl_2", salt)
        for salt in (f"{task}/{start}" for task in range(10) for start in range(10))
    )
    assert min(lower[True], lower[False]) > 30
