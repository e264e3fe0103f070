"""The example planner of docs/planners.md is one folder, and works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from peephole.models.config import ModelConfig, ModelEndpoint
from peephole.models.connection import ModelConnection
from peephole.planners.contract import Act, Brief, Done, Internal, Note, Percept, Think, counts
from peephole.planners.options import parse_options
from peephole.planners.registry import load_planner
from peephole.scene_graph.rules import Budgets
from peephole.skills.embodiment import Embodiment

PAGE = (Path(__file__).parents[2] / "docs" / "planners.md").read_text()


def test_the_planner_of_the_page_plays(tmp_path: Path, endpoint: Any) -> None:
    for name, text in re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    planner = load_planner(str(tmp_path / "picker" / "planner.py"))
    view: Any = None
    options: Any = [("wait", None), ("go to kitchen 1", None)]
    percept = Percept("You see nothing.", view, {}, 0, menu=lambda: options)
    endpoint.pick = lambda body, menu: menu[min(len(body["messages"]) // 2 - 1, 2)]
    with ModelConnection(ModelConfig("m"), ModelEndpoint(endpoint.url, "m")) as connection:
        brief = Brief(
            instruction="Find the milk.",
            agent=1,
            rooms=(),
            embodiment=Embodiment(),
            actions=frozenset(),
            budgets=Budgets(),
            dialect="reactree",
            seed=0,
            models={"planner": connection.for_episode("planner", lambda event: None)},
            options=parse_options(planner, {"hurry": "true"}),
        )
        turns = planner.plan(brief, percept)
        found = [next(turns), turns.send(percept), turns.send(percept)]
    assert found == [Act("wait"), Act("go to kitchen 1"), Done()]
    first, *_, last = endpoint.requests
    assert "in a hurry" in first["messages"][0]["content"]
    assert "Task: Find the milk.\nYou see nothing." in first["messages"][1]["content"]
    assert [message["content"] for message in last["messages"]][2::2] == ["wait", "go to kitchen 1"]


def test_the_rule_of_counting_is_that_of_the_page() -> None:
    counted = {
        "Act(action, thought)": Act("wait", "So be it."),
        "Act(action, continued=True)": Act("wait", continued=True),
        "Think(text)": Think("Hm."),
        "Internal(name)": Internal("verify"),
        "Note(name, text, data)": Note("plan", "wait"),
    }
    for row, decision in counted.items():
        (number,) = re.findall(rf"^\| `{re.escape(row)}` \|.*\| (\d) \|$", PAGE, re.MULTILINE)
        assert counts(decision) is (number == "1")
