"""A person beside the robot prepares the room, and confirms it after an interruption."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.operator.questions import Confirm, Prepare
from peephole.adapters.rosbridge.adapter import RosbridgeAdapter
from peephole.errors import BadInput
from peephole.scene_graph.task import Task
from peephole.skills.actions import go_to

TESTS = Path(__file__).parents[2]
EXAMPLES = TESTS.parent / "examples"


def scripted_desk() -> Any:
    spec = importlib.util.spec_from_file_location("scripted_desk", TESTS / "scripted_desk.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ScriptedDesk(goes_on=True)


def ask_person(data: dict[str, Any]) -> None:
    data["start"] = "operator"
    data["check_rules"] = False


@pytest.fixture
def lab() -> Task:
    """The first task of the example's room."""
    from peephole.suites.registry import load_suite

    return load_suite("room", EXAMPLES / "fake_lab.yaml").tasks[0]


def test_a_scene_that_is_no_room_file_is_refused(
    fake: Callable[..., Any], mapped: Callable[..., Path], apple_to_table: Task
) -> None:
    server = fake()
    mapped(server.url, ask_person)
    adapter = RosbridgeAdapter(scripted_desk())
    with pytest.raises(BadInput, match="A person can prepare rooms of a room file only"):
        adapter.reset(apple_to_table, 0)
    adapter.close()


def test_the_person_is_asked_once(
    fake: Callable[..., Any], mapped: Callable[..., Path], lab: Task, tmp_path: Path
) -> None:
    server = fake()
    server.robot.reset(lab.scene)  # what the person does
    mapped(server.url, ask_person)
    desk = scripted_desk()
    for _ in range(2):  # the second time before anything was recorded
        adapter = RosbridgeAdapter(desk)
        adapter.keep(tmp_path / "kept")
        adapter.reset(lab, 0)
    assert [type(question) for question in desk.asked] == [Prepare]
    assert any("apple" in line for line in desk.asked[0].lines)
    fridge = next(n.id for n in adapter.view().graph.nodes() if n.category == "fridge")
    assert adapter.attempt(go_to(fridge), 0).success
    adapter.close()
    again = RosbridgeAdapter(desk)
    again.keep(tmp_path / "kept")
    again.resume(lab, 0)
    again.recall(lab, go_to(fridge))
    again.view()
    assert desk.asked[-1].pending == ""
    assert [type(question) for question in desk.asked] == [Prepare, Confirm]
    assert "It stands at the fridge." in desk.asked[1].lines
    again.close()
