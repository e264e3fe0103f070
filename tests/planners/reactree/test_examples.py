"""The example of each dialect shows the real observations of its decisions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peephole.planners.kits.agent_tree import as_replies
from peephole.skills.actions import Verb
from peephole.skills.embodiment import Embodiment

DIALECTS = ("reactree", "reactree_plain", "reactree_thor", "reactree_thor_plain")
DOORS = frozenset({Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF})


def assert_plays(play: Any, **options: Any) -> list[dict[str, Any]]:
    """Play the example's own decisions, and find its own observations; return them."""
    first = play("Stop.", {"act": "done"}, **options)
    example = first.model.asked[0][0]["content"].partition("\nExample\n")[2]
    lines = example.splitlines()
    replies = [json.loads(line)["decision"] for line in lines if line.startswith("{")]
    goal = lines[0].removeprefix("Your task is to: ")
    played = play(goal, *replies, **options)
    assert "\n".join(as_replies(node["text"]) for node in played.agents) == example
    assert {node["state"] for node in played.agents} >= {"success", "expand"}
    return replies


@pytest.mark.parametrize(("recalls", "briefing"), [(False, True), (True, False)])
@pytest.mark.parametrize("control_flow", ["all", "seq_fallback", "seq"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_example_is_what_comes_of_its_decisions(
    dialect: str, control_flow: str, recalls: bool, briefing: bool, play: Any
) -> None:
    replies = assert_plays(
        play,
        control_flow=control_flow,
        working_memory=recalls,
        briefing=briefing,
        dialect=dialect,
    )
    assert any("recall" in reply for reply in replies) == recalls


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_example_works_with_one_hand_that_doors_need(dialect: str, play: Any) -> None:
    assert_plays(play, dialect=dialect, body=Embodiment(hands=1, needs_free_hand=DOORS))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_example_keeps_to_the_papers_actions(dialect: str, play: Any) -> None:
    assert_plays(play, dialect=dialect, actions="paper")
