"""The example of each dialect shows the real observations of its decisions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peephole.planners.kits.agent_tree import as_replies

DIALECTS = ("reactree", "reactree_plain", "reactree_thor", "reactree_thor_plain")


@pytest.mark.parametrize(("recalls", "briefing"), [(False, True), (True, False)])
@pytest.mark.parametrize("control_flow", ["all", "seq_fallback", "seq"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_example_is_what_comes_of_its_decisions(
    dialect: str, control_flow: str, recalls: bool, briefing: bool, play: Any
) -> None:
    options = {
        "control_flow": control_flow,
        "working_memory": recalls,
        "briefing": briefing,
        "dialect": dialect,
    }
    first = play("Stop.", {"act": "done"}, **options)
    example = first.model.asked[0][0]["content"].partition("\nExample\n")[2]
    lines = example.splitlines()
    replies = [json.loads(line)["decision"] for line in lines if line.startswith("{")]
    goal = lines[0].removeprefix("Your task is to: ")
    played = play(goal, *replies, **options)
    assert "\n".join(as_replies(node["text"]) for node in played.agents) == example
    assert {node["state"] for node in played.agents} >= {"success", "expand"}
    assert any("recall" in reply for reply in replies) == recalls
