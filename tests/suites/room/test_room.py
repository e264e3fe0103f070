"""The suite of a room file, protocols of papers, and rooms from other suites."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from peephole.adapters.operator.room_file import read_room
from peephole.adapters.operator.room_text import text_of
from peephole.adapters.scenes import load_scene
from peephole.api import run
from peephole.errors import BadInput
from peephole.observation_text.view import innermost_place
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import conjuncts
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind
from peephole.scene_graph.rules import Ends
from peephole.scene_graph.task import ONLY_A_PERSON_JUDGES
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite
from peephole.suites.room.from_suite import room_of, with_criteria
from peephole.suites.room.templates import template_names, template_text

LAB = Path(__file__).parents[2] / "lab.yaml"


def suite_of(text: str, path: Path) -> Suite:
    path.write_text(text, encoding="utf-8")
    return load_suite("room", path)


def test_the_tasks_of_a_file() -> None:
    suite = load_suite("room", LAB)
    assert [task.id for task in suite.tasks] == ["apple_to_table", "heat_milk", "tidy"]
    assert suite.adapter == "operator"
    assert suite.rules.ends is Ends.PLANNER_DONE
    budgets = [task.budgets.steps for task in suite.tasks if task.budgets]
    assert budgets == [50, 30, 50]


def test_without_a_file_it_says_how_to_make_one() -> None:
    with pytest.raises(BadInput, match="peephole operator new FILE"):
        load_suite("room")


def test_a_path_that_scenes_cannot_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a;b.yaml"
    path.write_text(LAB.read_text("utf-8"), encoding="utf-8")
    with pytest.raises(BadInput, match="rename it"):
        load_suite("room", path)


@pytest.mark.parametrize("name", template_names())
def test_protocols_can_be_played(name: str, tmp_path: Path) -> None:
    suite = suite_of(template_text(name), tmp_path / "room.yaml")
    for task in suite.tasks:
        if task.goal != ONLY_A_PERSON_JUDGES:
            graph = load_scene(task.scene)
            assert not satisfied(task.goal, graph), f"{task.id} holds at the start"


def test_the_protocols_are_those_of_the_papers() -> None:
    heat = template_text("heat_food")
    assert "tries: 3" in heat
    assert "steps: 30" in heat
    with pytest.raises(BadInput, match="template"):
        template_text("lunch")


def test_the_office_has_its_size_and_a_map_of_before(tmp_path: Path) -> None:
    suite = suite_of(template_text("office"), tmp_path / "office.yaml")
    room = read_room(tmp_path / "office.yaml")
    assert (len(room.rooms), len(room.furniture), len(room.things)) == (7, 75, 130)
    assert len(suite.tasks) == 15
    before = load_scene(suite.tasks[0].map)
    now = load_scene(suite.tasks[0].scene)
    labels = [{str(node.native_id) for node in graph.nodes()} for graph in (before, now)]
    assert labels[0] < labels[1], "some things came later"


def things_of(graph: SceneGraph) -> Counter[object]:
    """How many things of each category lie in each state at each category of place."""
    found: Counter[object] = Counter()
    for thing in graph.nodes(Kind.OBJECT):
        place = innermost_place(graph, thing.id)
        if place is not None and graph[place[1]].kind is not Kind.AGENT:
            found[thing.category, thing.states, graph[place[1]].category] += 1
    return found


@pytest.mark.parametrize(
    ("name", "count"), [("office:real", 3), ("houses", 1), ("household", 2), ("vh_dynamic", 1)]
)
def test_a_suites_tasks_are_the_same_in_a_room_file(name: str, count: int, tmp_path: Path) -> None:
    original = load_suite(name)
    tasks = original.tasks[:count]
    text = text_of(with_criteria(room_of(original, tasks)))
    twin = suite_of(text, tmp_path / "room.yaml")
    for task, copy in zip(tasks, twin.tasks, strict=True):
        before, after = load_scene(task.scene), load_scene(copy.scene)
        assert len(list(before.nodes())) - len(before.agent_ids) <= len(after) - 1
        assert things_of(before) <= things_of(after), task.id
        assert len(list(conjuncts(task.goal))) == len(list(conjuncts(copy.goal)))
        agreed = satisfied(task.goal, before) == satisfied(copy.goal, after)
        assert agreed, task.id
        assert "{" not in copy.instruction


def test_tasks_of_several_scenes_are_refused() -> None:
    suite = load_suite("robothow")
    with pytest.raises(BadInput, match="set in 2 scenes; choose tasks of one"):
        room_of(suite, suite.tasks[:2])


def test_a_planner_that_is_granted_the_goal_needs_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no goal that can be granted"):
        run("explore", "room", data=LAB, tasks=["tidy"], adapter="operator", out=tmp_path / "run")
