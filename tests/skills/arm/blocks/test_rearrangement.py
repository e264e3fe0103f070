"""Plans for blocks: what a goal asks for is brought about, or at least looked at in the end."""

from __future__ import annotations

import pytest

from peephole.scene_graph.goals import And, EventOccurred, Goal, Not, Or, Related
from peephole.scene_graph.node import Relation
from peephole.skills.actions import Action, Verb, pick_up, wait
from peephole.skills.arm.blocks.rearrangement import GRIPPER_DOWN, open_loop_plans

ARM, A, B = 2, 4, 5
AT = {A: (0.45, 0.15, 0.025), B: (0.45, -0.15, 0.025)}
ON = Related(A, Relation.ON, B)
FREE_HAND = Not(Related(ARM, Relation.HOLDS, A))


def plan(goal: Goal, held: int | None = None, held_s: float = 0.0) -> tuple[Action, ...]:
    return next(open_loop_plans(goal, AT, GRIPPER_DOWN[7], held=held, held_s=held_s), ())


@pytest.mark.parametrize(
    "goal", [ON, And((ON, FREE_HAND)), And((FREE_HAND, Or((And((ON, Not(ON))), ON))))]
)
def test_what_is_not_to_be_does_not_hinder_the_rest(goal: Goal) -> None:
    assert [action.verb for action in plan(goal)] == [Verb.PICK_UP, Verb.PLACE]


def test_a_plan_that_brings_about_what_is_not_to_be_is_none() -> None:
    assert plan(And((ON, Not(ON)))) == ()


def test_a_block_is_held_for_seconds_of_its_own() -> None:
    goal = And((Related(ARM, Relation.HOLDS, B), EventOccurred(("held",), (B,), 10.0)))
    assert plan(goal, held=B, held_s=4.0) == (wait(10.0),)
    put_down, *rest = plan(goal, held=A, held_s=10.0)
    assert put_down.verb is Verb.PLACE
    assert rest == [pick_up(B), wait(10.0)]
