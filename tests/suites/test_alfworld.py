"""The suite `alfworld`: the user's files, and what is wrong with them."""

import pytest

from peephole.adapters.alfworld.drawing import KINDS, write
from peephole.errors import BadInput
from peephole.suites.registry import load_suite


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json_2.1.1")
    write(folder / "train", range(6))
    write(folder / "valid_seen", [6], "put")
    sliced = folder / "valid_seen" / "look_at_obj_in_light-AppleSliced-None-1" / "trial_1"
    sliced.mkdir(parents=True)
    (sliced / "game.tw-pddl").write_text("{}")
    unsolved = folder / "train" / "pick_and_place_simple-Mug-None-Desk-1" / "trial_2"
    unsolved.mkdir(parents=True)
    (unsolved / "game.tw-pddl").write_text('{"solvable": false}')
    return folder


def test_drawn_games_are_played_without_data():
    suite = load_suite("alfworld")
    assert len(suite.tasks) == 60
    assert [task.labels["category"] for task in suite.tasks[:6]] == list(KINDS)
    assert suite.tasks[0].instruction == "put a creditcard in desk"
    assert len({task.id for task in suite.tasks[:6]}) == 6


def test_a_folder_has_its_games_by_path_and_split(data):
    suite = load_suite("alfworld", data)
    assert suite.tasks[0].id == "train/look_at_obj_in_light-drawn/trial_00001"
    assert len(suite.tasks) == 7
    assert suite.skipped == {
        "that ALFWorld's generator could not solve": 1,
        "with slices, which ALFWorld leaves out": 1,
    }
    assert {task.labels["category"] for task in suite.tasks[:6]} == set(KINDS)
    seen = load_suite("alfworld:valid_seen", data)
    assert [task.id for task in seen.tasks] == [
        "valid_seen/pick_and_place_simple-drawn/trial_00006"
    ]
    assert seen.name == "alfworld:valid_seen"


def test_one_file_is_a_suite(data):
    file = next((data / "valid_seen").rglob("trial_00006/game.tw-pddl"))
    tasks = load_suite("alfworld", file).tasks
    assert [task.id for task in tasks] == ["trial_00006"]


def test_what_is_wrong_with_data_is_said_in_one_sentence(data, tmp_path):
    with pytest.raises(BadInput, match="is neither a folder nor a file"):
        load_suite("alfworld", tmp_path / "none")
    with pytest.raises(BadInput, match=r"no game\.tw-pddl of valid_unseen; give"):
        load_suite("alfworld:valid_unseen", data)
    (tmp_path / "traj_data.json").write_text("{}")
    with pytest.raises(BadInput, match="make the games with ALFWorld's alfworld-generate"):
        load_suite("alfworld", tmp_path)
    with pytest.raises(BadInput, match=r"No game of .* can be played \(1 with slices"):
        load_suite("alfworld", next((data / "valid_seen").rglob("*Sliced*/trial_1")))
    with pytest.raises(BadInput, match="plays ALFWorld's own files; give their folder"):
        load_suite("alfworld:train")


def test_a_goal_of_another_kind_is_named(data, tmp_path):
    file = next((data / "train").rglob("trial_00001/game.tw-pddl"))
    other = tmp_path / "game.tw-pddl"
    other.write_text(file.read_text().replace("(isToggled ?ot)", "(forall (?x) (isHot ?x))"))
    with pytest.raises(BadInput, match="its goal is none of ALFWorld's six kinds"):
        load_suite("alfworld", other).tasks[0]
