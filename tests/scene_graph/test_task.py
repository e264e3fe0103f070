"""What a task asks, and the numbers of a suite's rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from peephole.errors import BadInput
from peephole.scene_graph.goals import Not, Related
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Rewards
from peephole.scene_graph.task import Task

GOAL = Related(3, Relation.INSIDE, 4)
TASK = Task("a/1", "Put {3} into {4}.", GOAL, "house:1")


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"id": "b/1"}, True),
        ({"scene": "house:2"}, True),
        ({"labels": {"category": "a"}}, True),
        ({"instruction": "Put {3} there."}, False),
        ({"goal": Not(GOAL)}, False),
        ({"candidates": GOAL}, False),
        ({"required_evidence": GOAL}, False),
    ],
)
def test_what_is_asked_is_the_instruction_and_the_goals(
    changes: dict[str, Any], same: bool
) -> None:
    assert (replace(TASK, **changes).asked == TASK.asked) is same


@pytest.mark.parametrize(
    "rewards",
    [
        {"goal": float("nan")},
        {"step": float("inf")},
        {"verbs": {"put": -float("inf")}},
        {"travel": {"table": {"sink": float("nan")}}},
    ],
)
def test_rewards_are_finite_numbers(rewards: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"A reward is -?(nan|inf); give the suite's rewards finite"):
        Rewards(**rewards)
