"""What an agent sees: profiles, closed containers, and what "covered" tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import PLACEMENTS, Kind, Relation, State
from peephole.skills.reach import reach


def seen(graph, profile, kinds=(Kind.FIXTURE, Kind.OBJECT)):
    view = visible(graph, profile)
    return sorted(n.category for n in view.graph.nodes() if n.kind in kinds)


def test_room_profile_shows_the_present_room_but_not_into_closed_things(house):
    assert ", ".join(seen(house, Visibility.ROOM)) == (
        "apple, apple, bench, bench, chair, fridge, juice, kitchen cabinet, kitchen table, knife, "
        "microwave oven, plate"
    )


def test_near_profile_shows_fixtures_and_what_stands_free(house):
    assert ", ".join(seen(house, Visibility.NEAR)) == (
        "bench, bench, chair, fridge, kitchen cabinet, kitchen table, microwave oven"
    )


def test_near_profile_shows_all_of_what_the_agent_stands_at(house):
    house.relate(house.id("character 1"), "close", house.id("kitchen table 1"))
    assert {"apple", "plate", "knife"} <= set(seen(house, Visibility.NEAR))
    assert "juice" not in seen(house, Visibility.NEAR)


def test_near_profile_does_not_take_a_second_parent_for_standing_free(house):
    house.relate(house.id("apple 1"), "inside", house.id("kitchen 1"))
    assert "apple" not in seen(house, Visibility.NEAR)
    assert "apple" in seen(house, Visibility.ROOM)


@pytest.mark.parametrize("profile", [Visibility.ROOM, Visibility.NEAR])
def test_all_rooms_and_the_agent_are_always_in_view(house, profile):
    rooms = ["bathroom", "bedroom", "kitchen", "living room"]
    assert seen(house, profile, kinds=(Kind.ROOM,)) == rooms
    assert seen(house, profile, kinds=(Kind.AGENT,)) == ["character"]


@pytest.mark.parametrize("profile", [Visibility.ROOM, Visibility.NEAR])
def test_held_things_are_seen_with_what_they_carry(house, profile):
    plate = house.id("plate 1")
    house.detach(plate)
    house.relate(house.id("character 1"), "holds", plate)
    assert {"plate", "knife"} <= set(seen(house, profile))


def test_an_open_door_shows_one_level_and_the_closed_box_behind_it_hides(house):
    fridge = house.id("fridge 1")
    house.set_state(fridge, State.OPEN)
    assert {"juice", "box"} <= set(seen(house, Visibility.ROOM))
    assert "wine" not in seen(house, Visibility.ROOM)
    house.set_state(house.id("box 1"), State.OPEN)
    assert "wine" in seen(house, Visibility.ROOM)


def test_an_open_box_in_a_closed_fridge_stays_hidden(house):
    house.set_state(house.id("box 1"), State.OPEN)
    assert not {"wine", "box"} & set(seen(house, Visibility.ROOM))


@pytest.mark.parametrize("first", ["fridge", "kitchen"])
def test_one_closed_parent_of_several_hides(house, first):
    """The juice in the closed fridge has an edge to the room too, in either order."""
    juice = house.id("juice 1")
    house.detach(juice)
    places = [house.id("fridge 1"), house.id("kitchen 1")]
    for place in places if first == "fridge" else places[::-1]:
        house.relate(juice, "inside", place)
    assert juice not in visible(house, Visibility.ROOM).graph
    house.set_state(house.id("fridge 1"), State.OPEN)
    assert juice in visible(house, Visibility.ROOM).graph


def test_what_stands_on_a_closed_thing_is_seen(house):
    house.set_state(house.id("kitchen cabinet 1"), State.CLOSED)
    assert "microwave oven" in seen(house, Visibility.ROOM)
    assert house.id("juice 2") not in visible(house, Visibility.ROOM).graph


def test_a_thing_behind_the_agents_closed_door_is_not_seen_even_close(house):
    house.relate(house.id("character 1"), "close", house.id("fridge 1"))
    house.relate(house.id("character 1"), "close", house.id("box 1"))
    assert "box" not in seen(house, Visibility.NEAR)


def test_seen_empty_differs_from_not_looked(house):
    bench, fridge, bed = house.id("bench 1"), house.id("fridge 1"), house.id("bed 1")
    view = visible(house, Visibility.ROOM)
    assert view.covered[bench]
    assert not view.graph.contents(bench), "seen empty"
    assert fridge in view.graph
    assert fridge not in view.covered, "closed: not looked into"
    assert bed not in view.graph
    assert bed not in view.covered, "in another room"


def test_under_near_a_fixture_is_covered_only_from_close(house):
    table, bench = house.id("kitchen table 1"), house.id("bench 1")
    house.relate(house.id("character 1"), "close", table)
    view = visible(house, Visibility.NEAR)
    assert view.covered[table]
    assert bench in view.graph
    assert bench not in view.covered
    assert house.id("kitchen 1") in view.covered, "all that stands free in the room was seen"


def test_the_camera_profile_is_the_simulators_to_tell(house):
    with pytest.raises(ValueError, match="camera"):
        visible(house, Visibility.CAMERA)


def test_part_keeps_every_relation_among_its_nodes(house):
    table, apple = house.id("kitchen table 1"), house.id("apple 1")
    partial = house.part({table: None, apple: None})
    assert partial == SceneGraph([house[table], house[apple]], [(apple, Relation.ON, table)])


def _hidden_by_a_door(graph: SceneGraph, thing: int) -> bool:
    """Whether any way up from a thing passes through a closed door (told from the start here)."""
    for relation, place in graph.outgoing(thing):
        if relation in PLACEMENTS:
            if relation is Relation.INSIDE and State.CLOSED in graph[place].states:
                return True
            if _hidden_by_a_door(graph, place):
                return True
    return False


@given(data=st.data())
def test_room_profile_is_all_of_the_room_that_no_door_hides(data, house_strategy):
    graph = data.draw(house_strategy)
    me = graph.agent().id
    expected = {
        node.id
        for node in graph.nodes()
        if node.kind is Kind.ROOM
        or node.id in graph.held(me)
        or (graph.room_of(node.id) == graph.room_of(me) and not _hidden_by_a_door(graph, node.id))
    }
    view = visible(graph, Visibility.ROOM)
    assert {node.id for node in view.graph.nodes()} == expected
    for place in view.covered:
        for thing in graph.contents(place):
            assert thing in expected or _hidden_by_a_door(graph, thing)


@given(data=st.data())
def test_near_profile_is_part_of_room_profile_and_shows_all_in_reach(data, house_strategy):
    graph = data.draw(house_strategy)
    me = graph.agent().id
    far = visible(graph, Visibility.ROOM)
    near = visible(graph, Visibility.NEAR)
    assert {n.id for n in near.graph.nodes()} <= {n.id for n in far.graph.nodes()}
    assert near.covered.keys() <= far.covered.keys()
    for thing in reach(graph, me):
        assert (thing in near.graph) == (not _hidden_by_a_door(graph, thing))


@given(data=st.data())
def test_a_view_is_a_part_of_the_truth(data, house_strategy):
    graph = data.draw(house_strategy)
    profile = data.draw(st.sampled_from([Visibility.ROOM, Visibility.NEAR]))
    before = graph.copy()
    view = visible(graph, profile)
    ids = {node.id: None for node in view.graph.nodes()}
    assert view.graph == graph.part(ids)
    assert graph == before
