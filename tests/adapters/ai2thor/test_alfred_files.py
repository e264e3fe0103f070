"""ALFRED's tasks in the user's own files: both forms, and one sentence for what is wrong."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path

import pytest

from peephole.adapters.ai2thor.alfred_files import files_of, tasks_of
from peephole.adapters.ai2thor.initial_state import initial_pose
from peephole.adapters.ai2thor.scenes import initial_state_of
from peephole.errors import BadInput

POSE = {
    "objectName": "Apple_1a",
    "position": {"x": 1.0, "y": 0.9, "z": -0.5},
    "rotation": {"x": 0.0, "y": 90.0, "z": 0.0},
}
TASK = {
    "task_id": "trial_1",
    "task_type": "pick_heat_then_place_in_recep",
    "instructions": ["Heat  an apple slice.", "Warm apple in the fridge."],
    "scene": {
        "floor_plan": "FloorPlan10",
        "init_action": {"x": 0, "y": 0.9, "z": 1.25, "rotation": 90, "horizon": 30},
        "object_poses": [POSE, POSE],
        "object_toggles": [{"objectType": "FloorLamp", "isOn": False}],
        "dirty_and_empty": True,
    },
    "pddl_params": {
        "object_target": "Apple",
        "parent_target": "Fridge",
        "mrecep_target": "",
        "toggle_target": "",
        "object_sliced": True,
    },
}


@pytest.fixture
def write(tmp_path):
    """Writes tasks as JSON lines; gives the path."""

    def write(*tasks: object, name: str = "tasks.jsonl") -> str:
        text = "\n".join(json.dumps(task) for task in tasks)
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return str(path)

    return write


@pytest.mark.parametrize("name", ["tasks.jsonl", "tasks.jsonl.gz"])
def test_a_line_is_a_task_with_its_start(write, name):
    path = write(TASK, name=name)
    task = tasks_of(path)["trial_1"]
    assert task.name == "pick_heat_then_place_in_recep-AppleSliced-None-Fridge-10/trial_1"
    assert task.instructions == ("Heat an apple slice.", "Warm apple in the fridge.")
    start = initial_state_of(f"alfred:{path}#trial_1")
    assert (start.floor_plan, start.dirty_and_empty) == ("FloorPlan10", True)
    assert start.object_poses == (POSE, POSE)
    assert start.object_toggles == ({"objectType": "FloorLamp", "isOn": False},)
    assert initial_pose(start, []) == {"x": 0, "y": 0.9, "z": 1.25, "rotation": 90, "horizon": 30}


def test_a_folder_of_published_files_is_searched(tmp_path):
    published = copy.deepcopy(TASK) | {"images": [], "plan": {"high_pddl": []}}
    sentences = published.pop("instructions")
    published["turk_annotations"] = {"anns": [{"task_desc": text} for text in sentences]}
    for trial in ("trial_1", "trial_2"):
        folder = tmp_path / "valid" / "pick-it" / trial
        folder.mkdir(parents=True)
        (folder / "traj_data.json").write_text(json.dumps(published | {"task_id": trial}))
    found = [task for path in files_of(tmp_path) for task in tasks_of(str(path)).values()]
    assert [task.trial for task in found] == ["trial_1", "trial_2"]
    assert found[0].instructions == ("Heat an apple slice.", "Warm apple in the fridge.")
    assert initial_state_of(f"alfred:{found[1].file}#trial_2").object_poses == (POSE, POSE)


def test_a_folder_may_hold_both_forms_at_any_depth(write, tmp_path):
    published = copy.deepcopy(TASK) | {"task_id": "trial_1"}
    (tmp_path / "traj_data.json").write_text(json.dumps(published))
    write(TASK | {"task_id": "trial_2"}, TASK | {"task_id": "trial_3"})
    (tmp_path / "more").mkdir()
    write(TASK | {"task_id": "trial_4"}, name="more/tasks.jsonl.gz")
    found = {name for path in files_of(tmp_path) for name in tasks_of(str(path))}
    assert found == {"trial_1", "trial_2", "trial_3", "trial_4"}


def test_a_folder_without_tasks_says_so(tmp_path):
    with pytest.raises(BadInput, match=r"has no traj_data\.json and no \.jsonl"):
        files_of(tmp_path)


def _without(task, *path):
    changed = copy.deepcopy(task)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return changed


def _with(task, value, *path):
    changed = copy.deepcopy(task)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (_without(TASK, "scene"), "the field 'scene' is missing"),
        (
            _without(TASK, "pddl_params", "object_target"),
            "'object_target' of pddl_params is missing",
        ),
        (_without(TASK, "scene", "object_poses"), "'object_poses' of scene is missing"),
        (_without(TASK, "instructions"), "the field 'turk_annotations' is missing"),
        (_with(TASK, [], "instructions"), "instructions is []; expected at least one"),
        (_with(TASK, "dance", "task_type"), "task_type is 'dance'; expected one of look_at_obj"),
        (_with(TASK, "", "pddl_params", "parent_target"), "pddl_params.parent_target is ''"),
        (_with(TASK, "FloorPlan31", "scene", "floor_plan"), "scene.floor_plan is 'FloorPlan31'"),
        (_with(TASK, "far", "scene", "init_action", "x"), "scene.init_action.x is 'far'"),
        (_with(TASK, "no", "scene", "dirty_and_empty"), "scene.dirty_and_empty is 'no'"),
        ([], "the document is []; expected an object"),
    ],
)
def test_what_is_wrong_is_reported_with_file_line_and_field(write, task, said):
    path = write(TASK, task)
    with pytest.raises(BadInput) as caught:
        tasks_of(path)
    assert str(caught.value).startswith(f"In {path}, line 2, ")
    assert said in str(caught.value)


def test_files_that_cannot_be_read_are_reported_in_a_sentence(write, tmp_path):
    with pytest.raises(BadInput, match="There is no file"):
        tasks_of(str(tmp_path / "none.jsonl"))
    bad, packed = tmp_path / "bad.jsonl", tmp_path / "bad.jsonl.gz"
    bad.write_text("{")
    packed.write_text("{}")
    with pytest.raises(BadInput, match="line 1 is not JSON"):
        tasks_of(str(bad))
    with pytest.raises(BadInput, match="cannot be read"):
        tasks_of(str(packed))
    twice, empty = write(TASK, TASK), write(name="empty.jsonl")
    with pytest.raises(BadInput, match="earlier task has the task_id"):
        tasks_of(twice)
    with pytest.raises(BadInput, match="has no task"):
        tasks_of(empty)


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        ("ithor:FloorPlan31", "no scene 'ithor:FloorPlan31'; give a floor plan"),
        ("ithor:FloorPlan7#x", "is no whole number"),
        ("alfred:trial_1", "names no task"),
        ("house:1", "AI2-THOR has no scene"),
    ],
)
def test_scenes_that_do_not_exist_are_reported_in_a_sentence(scene, said):
    with pytest.raises(BadInput, match=said):
        initial_state_of(scene)


def test_an_unknown_task_offers_the_nearest(write):
    path = write(TASK)
    with pytest.raises(BadInput, match="Did you mean trial_1"):
        initial_state_of(f"alfred:{path}#trial_9")


def test_the_agent_of_a_generated_task_stands_by_its_seed():
    points = [{"x": x / 4, "y": 0.9, "z": 1.0} for x in range(40)]
    poses = [
        initial_pose(initial_state_of(f"ithor:FloorPlan7#{seed}"), points) for seed in range(5)
    ]
    again = initial_pose(initial_state_of("ithor:FloorPlan7#0"), list(reversed(points)))
    assert again == poses[0]
    assert len({(pose["x"], pose["rotation"]) for pose in poses}) > 1
    assert all({axis: pose[axis] for axis in "xyz"} in points for pose in poses)


def test_lamps_are_off_at_the_start_of_a_generated_task():
    toggles = initial_state_of("ithor:FloorPlan201#1").object_toggles
    assert {toggle["objectType"]: toggle["isOn"] for toggle in toggles} == {
        "DeskLamp": False,
        "FloorLamp": False,
    }


def test_the_published_names_are_those_of_the_sample():
    sample = Path(__file__).parents[4] / "shared/data/alfred/valid_unseen_sample.jsonl.gz"
    if not sample.is_file():
        pytest.skip("the sample of ALFRED's tasks is not there")
    told = [
        json.loads(line)["goal_id"] for line in gzip.decompress(sample.read_bytes()).splitlines()
    ]
    tasks = tasks_of(str(sample)).values()
    assert [task.name.split("/")[0] for task in tasks] == told
