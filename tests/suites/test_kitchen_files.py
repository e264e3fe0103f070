"""Kitchen tasks in the published JSON: read, played, written, and refused with one sentence."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput
from peephole.scene_graph.placement_goals import alternatives
from peephole.suites.kitchens.files import document_of, tasks_of_files, write_task
from peephole.suites.registry import load_suite

TASK: dict[str, Any] = {
    "placement": [
        {"area": "Snack_Pantry_Cabinet", "placed_object": "oatmeal_18"},
        {"area": "Prep_Surface", "placed_object": "bowl_9"},
    ],
    "robot": {"name": "Fetch", "location": "Spice_Shelf", "object_in_hand": ""},
    "task": {
        "description": "Something to eat\nfor a late riser.",
        "goal_set": [
            [
                {"target_area": area, "placed_object": "oatmeal_18"},
                {"target_area": "Human_Hand", "placed_object": "bowl_9"},
            ]
            for area in ("Human_Hand", "Coffee_Tea_Surface")
        ],
    },
}
KITCHEN = {
    "room": {
        "left": {"unit": {"Tin_Drawer": {"is_open": False, "objects": []}}},
        "right": {"table": {"Table_Top": {"is_open": True, "objects": []}}},
    },
    "edges": [{"link": ["left", "right"], "cost": 4}],
}


def written(tmp_path: Path, document: Any, name: str = "some_easy_1.json") -> Path:
    path = tmp_path / name
    text = json.dumps(document)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["some_easy_1.json", "some_easy_1.json.gz"])
def test_a_published_task_is_read(tmp_path: Path, name: str) -> None:
    (task,) = tasks_of_files(written(tmp_path, TASK, name))
    assert task.id == "some_easy_1"
    assert task.instruction == "Something to eat for a late riser."
    assert (task.labels["kitchen"], task.labels["level"]) == ("one_wall", "easy")
    assert task.budgets is not None
    assert task.budgets.steps == 25
    assert len(alternatives(task.goal) or ()) == 2


def test_it_is_played(tmp_path: Path) -> None:
    path = written(tmp_path, TASK)
    result = peephole.run("expert", load_suite("kitchens", path), out=tmp_path / "run").results[0]
    assert (result.success, result.steps) == (True, 5)


def test_a_search_in_belief_plays_it_with_a_wanted_thing_in_view_at_the_start(
    tmp_path: Path,
) -> None:
    task = copy.deepcopy(TASK)
    task["placement"][0]["area"] = "Coffee_Tea_Surface"
    del task["task"]["goal_set"][1]
    task["robot"]["location"] = "Coffee_Tea_Surface"
    suite = load_suite("kitchens", written(tmp_path, task))
    assert peephole.run("belief", suite, out=tmp_path / "run").results[0].success


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_what_is_written_is_read_as_the_same_task(tmp_path: Path, level: str) -> None:
    for task in load_suite(f"kitchens:{level}").tasks[:10]:
        write_task(task, tmp_path / f"{task.id}.json")
    again = {task.id: task for task in tasks_of_files(tmp_path)}
    for task in load_suite(f"kitchens:{level}").tasks[:10]:
        read = again[task.id]
        assert (read.instruction, read.scene) == (task.instruction, task.scene)
        assert (read.budgets, read.rules) == (task.budgets, task.rules)
        wanted = alternatives(task.goal)
        found = alternatives(read.goal)
        assert {frozenset(each) for each in found or ()} == {frozenset(e) for e in wanted or ()}
        assert document_of(read)["placement"] == document_of(task)["placement"]
        assert len(document_of(read)["task"]["goal_set"]) == len(wanted or ())


def test_a_document_is_written_as_it_was_read(tmp_path: Path) -> None:
    held = copy.deepcopy(TASK)
    held["robot"]["object_in_hand"] = "spoon_4"
    held["task"]["description"] = "Something to eat."
    held["robot"]["name"] = "robot"
    (task,) = tasks_of_files(written(tmp_path, held))
    document = document_of(task)
    assert sorted(document["placement"], key=str) == sorted(held["placement"], key=str)
    assert document["robot"] == held["robot"]
    assert document["task"]["description"] == held["task"]["description"]

    def as_sets(goals: Any) -> set[frozenset[tuple[str, str]]]:
        return {
            frozenset((each["placed_object"], each["target_area"]) for each in goal)
            for goal in goals
        }

    assert as_sets(document["task"]["goal_set"]) == as_sets(held["task"]["goal_set"])


def test_a_folder_may_bring_a_kitchen(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    written(data, KITCHEN, "hut.json")
    task = {
        "placement": [{"area": "Tin_Drawer", "placed_object": "cup"}],
        "robot": {"location": "Table_Top"},
        "task": {
            "instruction": "A cup.",
            "goal_set": [[{"target_area": "Table_Top", "placed_object": "cup"}]],
        },
    }
    written(data, task)
    suite = load_suite("kitchens:easy", data)
    assert [each.labels["kitchen"] for each in suite.tasks] == ["hut"]
    result = peephole.run("expert", suite, out=tmp_path / "run").results[0]
    assert (result.success, result.steps, result.reward) == (True, 3, 1000 - 15 - 8)
    assert load_suite("kitchens:hard", data).tasks == ()


def spoilt(path: str, value: Any) -> Any:
    """The document with another value at a path such as "task/goal_set/0"."""
    document = copy.deepcopy(TASK)
    *way, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place: Any = document
    for part in way:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return document


HELD_TWICE = {"name": "Fetch", "location": "Spice_Shelf", "object_in_hand": "bowl_9"}
AT_HOME = [[{"target_area": "Prep_Surface", "placed_object": "bowl_9"}]]


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (spoilt("task/goal_set/0/0/target_area", "Human_Hnd"), "Did you mean Human_Hand"),
        (spoilt("task/goal_set/0/0/placed_object", "pan_1"), "object that the placement has"),
        (spoilt("task/goal_set/0/0/placed_object", "bowl_9"), "each object once in a goal"),
        (spoilt("task/goal_set", []), "expected at least one goal"),
        (spoilt("task/goal_set/1", []), "expected at least one object with its area"),
        (spoilt("task/goal_set", AT_HOME), r"task.goal_set\[0\] holds before anything"),
        (spoilt("task/description", None), "'description' of task is missing"),
        (spoilt("placement/1/placed_object", "oatmeal_18"), "that was not placed before"),
        (spoilt("placement/0/area", 3), "expected text"),
        (spoilt("robot/location", "Attic"), "expected an area of One Wall"),
        (spoilt("robot", HELD_TWICE), "an object that lies in no area"),
        (spoilt("robot", None), "'robot' is missing"),
        ([], "expected an object"),
    ],
)
def test_a_bad_task_is_refused_in_a_sentence(tmp_path: Path, document: Any, sentence: str) -> None:
    path = written(tmp_path, document)
    with pytest.raises(BadInput, match=sentence) as refused:
        tasks_of_files(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_bad_kitchen_and_no_task_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no task in"):
        tasks_of_files(tmp_path)
    open_everywhere = copy.deepcopy(KITCHEN)
    open_everywhere["room"]["left"]["unit"]["Tin_Drawer"]["is_open"] = True  # type: ignore[index]
    written(tmp_path, open_everywhere, "hut.json")
    with pytest.raises(BadInput, match="no area is closed"):
        tasks_of_files(tmp_path)
    (tmp_path / "hut.json").write_text("{", encoding="utf-8")
    with pytest.raises(BadInput, match="is not JSON"):
        tasks_of_files(tmp_path)


def test_tasks_of_other_suites_are_not_written() -> None:
    task = load_suite("blocks").tasks[0]
    with pytest.raises(BadInput, match="is not a kitchen task"):
        document_of(task)


def test_a_read_scene_is_the_world_that_it_tells(tmp_path: Path) -> None:
    (task,) = tasks_of_files(written(tmp_path, TASK))
    graph = load_scene(task.scene)
    names = {node.native_id: node.id for node in graph.nodes()}
    assert graph.is_inside(names["oatmeal_18"], names["Snack_Pantry_Cabinet"])
