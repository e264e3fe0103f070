"""What the robot sees and knows: occlusion, distance, looks into furniture, errors."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from peephole.adapters.mujoco.kitchens.noise import Errors, draw, unnoticed
from peephole.adapters.mujoco.kitchens.settings import VARIABLE, Settings, parse
from peephole.adapters.mujoco.kitchens.sight import COMPLETE, Gaze
from peephole.errors import BadInput
from peephole.scene_graph.json_codec import graph_to_data

OPEN = 0.43


def glimpse(played, eye, aim):
    episode = played.episode
    return episode._sight.look(episode.world.data, Gaze(eye, aim), episode.values())


def test_what_stands_open_is_seen_and_what_is_shut_in_is_not(played):
    assert played.known().keys() == {"mug_1", "bowl_1"}
    assert played.known()["mug_1"] == [("on", "counter_1")]
    assert played.covered("drawer_1") is None


def test_an_open_drawer_shows_its_contents_from_above_only(played):
    played.set_open("drawer_1", OPEN)
    middle = played.episode.middle("drawer_1")
    outward = played.episode.kitchen.spaces["drawer_1_floor_1"].outward
    above = glimpse(played, middle + outward * 0.3 + [0, 0, 0.9], middle)
    level = glimpse(played, middle + outward * 1.2 + [0, 0, 0.1], middle)
    assert "can_1" in above.things
    assert "can_1" not in level.things
    shares = [played.episode._sight.shares(each.points)["drawer_1"] for each in (above, level)]
    assert shares[0] >= COMPLETE > shares[1]


def test_behind_another_thing_nothing_is_seen(played):
    mug = played.episode.middle("mug_1")
    towards = played.episode.eye - mug
    eye = mug + towards / np.linalg.norm(towards) * 1.0
    assert "mug_1" in glimpse(played, eye, mug).things
    played.move("can_1", mug + towards / np.linalg.norm(towards) * 0.1)
    assert "mug_1" not in glimpse(played, eye, mug).things


def test_small_things_are_not_seen_from_afar(played):
    mug = played.episode.middle("mug_1")
    assert "mug_1" not in glimpse(played, mug + np.array([0.1, -7.9, 0.6]), mug).things


def test_seen_empty_differs_from_not_all_seen(played):
    """An empty drawer that was looked into is covered; one glimpsed from the side only partly."""
    played.set_open("drawer_2", OPEN)
    episode = played.episode
    result = episode.look_into("drawer_2")
    assert result.failed is None
    assert played.covered("drawer_2") is True
    played.set_open("drawer_2", 0.0)
    played.look()
    assert played.covered("drawer_2") is None


def test_what_was_seen_stays_known_until_the_robot_looks_there_again(played):
    mug, episode = played.id("mug_1"), played.episode
    along = episode.kitchen.spaces["counter_1_top_1"].rotation[:, 0]
    before = episode.middle("mug_1")
    bowl = episode.middle("bowl_1")
    played.move("mug_1", before + along * (0.25 if (bowl - before) @ along < 0 else -0.25))
    episode.look([Gaze(episode.eye, episode.eye + np.array([0.1, 0.0, 3.0]))])  # at the ceiling
    assert np.allclose(episode.view.graph[mug].pose.position, before, atol=1e-3)
    played.look()
    assert episode.view.graph[mug].pose == episode.graph()[mug].pose


def test_what_is_gone_from_where_it_was_seen_is_forgotten(played):
    played.move("mug_1", played.episode.middle("drawer_4"))
    played.episode.look([Gaze(played.episode.eye, played.episode.eye + np.array([0.1, 0.0, 3.0]))])
    assert "mug_1" in played.known()
    played.look()
    assert "mug_1" not in played.known()


def test_what_is_shut_in_is_known_no_longer(played):
    played.set_open("drawer_1", OPEN)
    played.episode.look_into("drawer_1")
    assert "can_1" in played.known()
    played.set_open("drawer_1", 0.0)
    played.look()
    assert "can_1" not in played.known()


def test_a_view_says_nothing_of_what_is_hidden(played):
    """The same view whatever lies in closed drawers."""
    played.look()
    before = played.adapter.view()
    played.move("can_1", played.episode.middle("drawer_4"))
    played.look()
    after = played.adapter.view()
    assert graph_to_data(before.graph) == graph_to_data(after.graph)
    assert before.covered == after.covered


# --- errors --------------------------------------------------------------------------------------


def test_without_settings_there_are_no_errors():
    assert draw(Settings(), 0, 3, ["a", "b"], ["can"]) == Errors()


def test_errors_of_a_thing_depend_on_no_other_thing():
    noisy = Settings(missed=0.5, merged=0.5, misnamed=0.5, pose=0.01)
    few = draw(noisy, 4, 7, ["can_1"], ["mug", "box"])
    many = draw(noisy, 4, 7, ["apple_9", "can_1", "zucchini_1"], ["mug", "box"])
    assert ("can_1" in few.missed) == ("can_1" in many.missed)
    assert few.named.get("can_1") == many.named.get("can_1")
    np.testing.assert_array_equal(few.offsets["can_1"], many.offsets["can_1"])


def test_errors_are_as_frequent_and_large_as_asked_for():
    noisy = Settings(missed=0.2, misnamed=0.1, pose=0.02)
    names = [f"can_{number}" for number in range(40)]
    drawn = [draw(noisy, 1, action, names, ["mug"]) for action in range(50)]
    assert np.mean([len(each.missed) / 40 for each in drawn]) == pytest.approx(0.2, abs=0.03)
    assert np.mean([len(each.named) / 40 for each in drawn]) == pytest.approx(0.1, abs=0.03)
    offsets = np.array([list(each.offsets.values()) for each in drawn])
    assert offsets.std() == pytest.approx(0.02, rel=0.05)
    assert drawn[0] != drawn[1]


def test_of_two_things_side_by_side_the_less_seen_one_is_merged():
    places = {"can_1": np.zeros(3), "can_2": np.array([0.1, 0, 0]), "mug_1": np.array([2.0, 0, 0])}
    seen = {"can_1": 40.0, "can_2": 90.0, "mug_1": 30.0}
    everything = Errors(merging=frozenset(places))
    assert unnoticed(everything, seen, places) == {"can_1"}


def test_missed_and_misnamed_things_reach_the_view(played):
    episode = played.episode
    episode._errors = Errors(missed=frozenset({"mug_1"}), named={"bowl_1": "plate"})
    episode.perception._known.clear()
    played.look()
    assert played.known().keys() == {"bowl_1"}
    assert episode.view.graph[played.id("bowl_1")].category == "plate"
    assert episode.graph()[played.id("bowl_1")].category == "bowl"


def test_views_and_skills_perceive_the_same_positions(played):
    episode = played.episode
    off = np.array([0.02, -0.01, 0.0])
    episode._errors = Errors(offsets={"mug_1": off})
    played.look()
    episode.begin_try(None)
    seen = np.array(episode.view.graph[played.id("mug_1")].pose.position)
    np.testing.assert_allclose(seen, episode.world.thing("mug_1").position, atol=6e-4)
    np.testing.assert_allclose(seen - episode.middle("mug_1"), off, atol=6e-4)


# --- settings ------------------------------------------------------------------------------------


def test_settings_are_read_from_one_variable():
    read = parse("missed=0.1, pose=0.01 look=no")
    assert read == Settings(look=False, missed=0.1, pose=0.01)
    assert json.loads(json.dumps(read.to_data()))["look"] is False
    assert parse("") == Settings()
    assert not replace(read, missed=0.0, pose=0.0).noisy


@pytest.mark.parametrize("text", ["missed=2", "pose=x", "pose=0.5", "look=maybe", "loud=1"])
def test_a_wrong_setting_is_told(text):
    with pytest.raises(BadInput, match=VARIABLE):
        parse(text)
