"""Planners of blocks that ask no model and plan once: rows of grids/arm_*.yaml.

They know the goal and where the blocks are at the start, and take all of them to be movable. Run
from the project's folder: `--planner benchmarks/arm_planners.py:OPEN_LOOP`.
"""

from __future__ import annotations

from collections.abc import Callable

from peephole.planners.contract import Act, Brief, Decisions, Done, Grant, Percept, Planner
from peephole.scene_graph.node import Kind
from peephole.skills.actions import Action
from peephole.skills.arm.blocks.rearrangement import GRIPPER_DOWN, open_loop_plans


def _actions(brief: Brief, percept: Percept) -> tuple[Action, ...]:
    """A plan of the goal from the start; nothing where none is found."""
    goal, truth = brief.goal, percept.truth
    assert goal is not None, "it is granted"
    assert truth is not None, "it is granted"
    blocks = [node for node in truth.nodes() if node.kind is Kind.OBJECT]
    at = {node.id: node.pose.position for node in blocks if node.pose is not None}
    return next(open_loop_plans(goal, at, GRIPPER_DOWN[7]), ())


def _following(tries: int) -> Callable[[Brief, Percept], Decisions]:
    """The plan of the first moment, each of its actions tried at most so often."""

    def plan(brief: Brief, percept: Percept) -> Decisions:
        for action in _actions(brief, percept):
            for _ in range(tries):
                percept = yield Act(action)
                if percept.ended is not None:
                    return
                if percept.outcome is None or percept.outcome.success:
                    break
        yield Done("the plan is carried out")

    return plan


def _planner(name: str, summary: str, tries: int) -> Planner:
    return Planner(
        name,
        summary,
        _following(tries),
        grants=frozenset({Grant.GOAL, Grant.TRUTH}),
        dialects=("blocks",),
    )


OPEN_LOOP = _planner("open_loop", "plans once and looks no more", 1)
STUBBORN = _planner("stubborn", "plans once, and tries each action up to three times", 3)
