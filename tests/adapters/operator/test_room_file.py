"""Room files: what they say, and what is wrong with one, in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.operator.room_file import read_room
from peephole.adapters.operator.room_scene import RoomScene, load
from peephole.adapters.operator.room_text import text_of
from peephole.data_files import read_yaml
from peephole.errors import BadInput
from peephole.scene_graph.goals import AtLeast, Exists, Related
from peephole.scene_graph.node import Pose, Relation, State

LAB = Path(__file__).parents[2] / "lab.yaml"


def written(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The room file of these tests with a change."""
    import json

    data = read_yaml(LAB)
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML, too
    return path


def test_a_file_is_a_scene_graph_with_labels() -> None:
    graph = load(f"{LAB};heat_milk")
    by_label = {str(node.native_id): node for node in graph.nodes()}
    assert by_label["cup 2"].category == "cup"
    assert State.CLOSED in by_label["fridge"].states
    milk, table, apple = (by_label[name].id for name in ("milk", "table", "apple"))
    assert graph.places(milk) == [(Relation.ON, table)], "as the task has it"
    assert graph.places(apple) == [(Relation.INSIDE, by_label["fridge"].id)]
    assert graph.room_of(graph.agent().id) == by_label["living room"].id


def test_furniture_may_have_a_position_for_a_robot(tmp_path: Path) -> None:
    at = setting("furniture", 0, "position", to=[1, 2.5, 0])
    path = written(tmp_path / "room.yaml", at)
    graph = load(f"{path};heat_milk")
    assert [node.pose for node in graph.nodes() if node.pose] == [Pose((1, 2.5, 0))]
    path.write_text(text_of(read_room(path)), encoding="utf-8")
    assert load(f"{path};heat_milk") == graph


def test_a_map_has_what_the_file_maps_and_no_start_of_a_task() -> None:
    graph = load(f"{LAB}?map")
    labels = {str(node.native_id) for node in graph.nodes()}
    assert "milk" in labels
    assert "apple" not in labels
    milk = next(node.id for node in graph.nodes() if node.native_id == "milk")
    (place,) = graph.places(milk)
    assert graph[place[1]].native_id == "counter"


def test_criteria_follow_from_the_goal_unless_they_are_written() -> None:
    room = read_room(LAB)
    scene = RoomScene(room)
    assert scene.criteria(room.task("apple_to_table")) == ("The apple is on the table.",)
    assert len(scene.criteria(room.task("heat_milk"))) == 2
    assert scene.criteria(room.task("tidy")) == ("The kitchen looks tidy.",)


def test_goals_name_things_categories_and_formulas(tmp_path: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        two_cups = {"any": "cup", "count": 2, "at": "on sofa"}
        data["tasks"] = [
            {"name": "a", "instruction": "-", "goal": [{"any": "cup", "at": "on table"}]},
            {"name": "b", "instruction": "-", "goal": [two_cups]},
            {"name": "c", "instruction": "-", "formula": {"not": {"on": ["cup 1", "counter"]}}},
            {"name": "d", "instruction": "-", "formula": {"holds": ["robot", "apple"]}},
        ]

    room = read_room(written(tmp_path / "room.yaml", change))
    scene = RoomScene(room)
    assert isinstance(scene.goal(room.task("a")), Exists)
    assert isinstance(scene.goal(room.task("b")), AtLeast)
    assert scene.criteria(room.task("b")) == ("At least 2 cups are on the sofa.",)
    assert scene.criteria(room.task("c")) == ("The cup 1 is not on the counter.",)
    goal = scene.goal(room.task("d"))
    assert goal == Related(1, Relation.HOLDS, scene.ids["apple"])
    assert scene.criteria(room.task("d")) == ("The robot holds the apple.",)


def test_a_task_that_only_a_person_can_judge_is_not_played_by_rules() -> None:
    with pytest.raises(BadInput, match="only a person can judge it; play it with"):
        load(f"{LAB};tidy")


def test_a_file_is_written_as_it_is_read(tmp_path: Path) -> None:
    room = read_room(LAB)
    path = tmp_path / "again.yaml"
    path.write_text(text_of(room), encoding="utf-8")
    assert read_room(path) == room
    assert "- {name: fridge, room: kitchen, safety: Mind the hinge.}" in path.read_text("utf-8")


def setting(*keys: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (setting("version", to=2), "version"),
        (setting("rooms", to=["kitchen", "Kitchen"]), "'Kitchen' is there twice"),
        (setting("robot", to="cellar"), "the robot starts in 'cellar', which is no room"),
        (setting("furniture", 0, "room", to="cellar"), "'fridge' stands in 'cellar'"),
        (setting("furniture", 2, "at", to="on sofa"), "stands in another room, 'living room'"),
        (setting("furniture", 1, "at", to="on counter"), "'counter' is, by way of others, at it"),
        (setting("things", 0, "at", to="on fridge"), "'fridge' is no surface"),
        (setting("things", 0, "at", to="in oven"), "the file has no 'oven'"),
        (setting("things", 0, "at", to="beside fridge"), "'beside fridge' is no place"),
        (setting("things", 0, "at", to="on kitchen"), "write 'in kitchen'"),
        (setting("things", 0, "name", to="fridge"), "'fridge' is there twice"),
        (setting("things", 0, "name", to="a\x07b"), "things.0.name"),
        (setting("kinds", "fridge", to="container cold shiny"), "'shiny' of fridge is neither"),
        (setting("look", to=["often"]), "look.0"),
        (setting("tasks", to=[]), "tasks"),
        (setting("tasks", 0, "goal", 0, "thing", to="pear"), "the goal has 'pear'"),
        (setting("tasks", 0, "goal", 0, "at", to="on moon"), "the file has no 'moon'"),
        (setting("tasks", 0, "goal", 0, to={"thing": "apple"}), "give at, state or event"),
        (setting("tasks", 0, "goal", to=[]), "give criteria, or a goal"),
        (setting("tasks", 0, "start", to={"pear": "on table"}), "'pear', which is no thing"),
        (setting("tasks", 0, "states", to={"pear": "open"}), "'pear', which the file does not"),
        (setting("tasks", 0, "robot", to="cellar"), "the robot starts in 'cellar'"),
        (setting("tasks", 1, "name", to="apple_to_table"), "two tasks have the name"),
        (setting("tasks", 0, "name", to="../x y"), "tasks.0.name"),
        (setting("colour", to="red"), "colour"),
    ],
)
def test_a_mistake_is_one_sentence(
    change: Callable[[dict[str, Any]], None], why: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "room.yaml", change)
    with pytest.raises(BadInput) as caught:
        read_room(path)
    text = str(caught.value)
    assert why in text
    assert str(path) in text
    assert "\n" not in text


def test_things_do_not_stand_on_themselves(tmp_path: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        data["kinds"]["tray"] = "graspable surface"
        data["things"] += [
            {"name": "tray 1", "at": "on tray 2"},
            {"name": "tray 2", "at": "on tray 1"},
        ]

    with pytest.raises(BadInput, match="by way of others, at itself"):
        read_room(written(tmp_path / "room.yaml", change))


def test_a_formula_with_an_unknown_label_is_one_sentence(tmp_path: Path) -> None:
    def change(data: dict[str, Any]) -> None:
        data["tasks"] = [{"name": "a", "instruction": "-", "formula": {"on": ["aple", "table"]}}]

    path = written(tmp_path / "room.yaml", change)
    with pytest.raises(BadInput, match=r"There is no label in the room file 'aple'\."):
        load(f"{path};a")


@pytest.mark.parametrize("content", ["", "[1", "version: 1", "- a", "\x00"])
def test_what_is_no_room_file_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "room.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match="The room file"):
        read_room(path)


@pytest.mark.parametrize("reference", ["missing.yaml;a", str(LAB), f"{LAB};nothing"])
def test_a_scene_that_is_none_is_refused(reference: str) -> None:
    with pytest.raises(BadInput):
        load(reference)
