"""The real arm's variant from end to end: Euler angles, a safety box, a stop that fails it all."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mujoco")

import peephole
from peephole.adapters.mujoco.blocks.adapter import BlocksAdapter
from peephole.adapters.mujoco.blocks.world import MujocoWorld
from peephole.episodes.environment import Environment
from peephole.episodes.episode import EpisodeContext, run_episode
from peephole.episodes.recording import EpisodeLog
from peephole.episodes.result import EpisodeResult
from peephole.errors import BadInput
from peephole.observation_text.dialects.blocks.dialect import DIALECT
from peephole.planners.contract import Act, Decisions, Planner
from peephole.scene_graph.goals import And, Related
from peephole.scene_graph.node import Relation
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.skills.arm.blocks.world import BlockPose
from peephole.suites.registry import load_suite

A, B = 4, 5
#: cubeA is stacked on cubeB.
STACK = Task(
    "stack",
    "Stack cubeA on cubeB.",
    Related(A, Relation.ON, B),
    "blocks:at=0.5,0.1,0.3|0.45,-0.15,0;arm=real",
    required_evidence=And(()),
)
#: The fingers point down; the gripper's frame is turned by 45 degrees against the blocks'.
DOWN = "3.1416, 0, -0.7854"
ON_B = f"place(0.45, -0.15, 0.077, {DOWN})"


def only_a(world: MujocoWorld) -> dict[int, BlockPose]:
    """What a camera sees that misses cubeB."""
    return {A: world.true_blocks()[A]}


def follow(path: Path, *actions: str, blind: bool = False) -> tuple[EpisodeResult, list[str]]:
    """The result of an episode of STACK in which these actions are said, and what was answered.

    blind: after the first action the camera sees cubeA alone.
    """
    adapter = BlocksAdapter()
    answers: list[str] = []

    def plan(brief: Any, percept: Any) -> Decisions:
        for action in actions:
            percept = yield Act(action)
            answers.append(percept.text)
            if blind:
                world = adapter.world
                world.blocks = partial(only_a, world)

    context = EpisodeContext(
        adapter,
        Planner("fixed", "", plan),
        DIALECT,
        rules=Rules(ends=Ends.PLANNER_DONE),
    )
    try:
        with EpisodeLog(path / "episode.jsonl") as log:
            result = run_episode(context, STACK, log)
    finally:
        adapter.close()
    return result, answers


def test_poses_are_told_and_taken_as_euler_angles_in_the_grippers_frame(tmp_path: Path) -> None:
    at = f"reach(0.5, 0, 0.3, {DOWN})"
    result, answers = follow(tmp_path, at, "pick(cubeA)", ON_B)
    assert (result.success, result.informed, result.ended) == (True, True, "done")
    prefix = "End effector: position [0.500 0.000 0.300], orientation ["
    assert prefix in answers[0]
    numbers = answers[0].partition(prefix)[2].partition("]")[0].split()
    roll, pitch, yaw = map(float, numbers)
    assert roll == pytest.approx(3.142, abs=0.002)
    assert (pitch, yaw) == pytest.approx((0, -0.785), abs=0.002)


def test_a_breach_fails_an_episode_even_after_its_goal_was_reached(tmp_path: Path) -> None:
    above = f"reach(0.5, 0, 0.6, {DOWN})"  # the safety box ends at 0.55 m
    result, answers = follow(tmp_path, "pick(cubeA)", ON_B, above, "reset()")
    assert (result.success, result.informed, result.ended) == (False, False, "stopped")
    assert result.progress == 1.0
    assert result.failures == {"out_of_bounds": 1}
    assert result.steps == 3  # nothing is done after it
    assert len(answers) == 2


def test_a_breach_fails_in_every_kind_of_step_the_world() -> None:
    rules = Rules(ends=Ends.PLANNER_DONE)
    with Environment(BlocksAdapter(), STACK, DIALECT, rules=rules) as environment:
        environment.reset()
        for action in ("pick(cubeA)", ON_B):
            percept = environment.step(action)
        assert (environment.score().success, percept.ended) == (True, None)
        percept = environment.step(f"reach(0.5, 0, 0.6, {DOWN})")
        assert (environment.score().success, percept.ended) == (False, "stopped")
        assert environment.score().informed is False


def test_a_collision_fails_an_episode(tmp_path: Path) -> None:
    into_b = f"place(0.45, -0.15, 0.03, {DOWN})"
    result, _ = follow(tmp_path, "pick(cubeA)", into_b, "reset()", blind=True)
    assert (result.success, result.ended) == (False, "stopped")
    assert (result.failures, result.retries) == ({"stopped": 1}, 0)


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("reach(0.5, 0, 0.3, 1, 0, 0, 0)", "A pose has 6 numbers here"),
        (f"reach(nan, 0, 0.3, {DOWN})", "plain finite numbers"),
        ("pick(cubeZ)", "There is no such block"),
        (f"place(0.5, 0, 0.1, {DOWN})", "The gripper holds nothing; pick a block first."),
    ],
)
def test_what_cannot_be_done_is_told_and_does_not_stop_the_arm(
    tmp_path: Path, said: str, heard: str
) -> None:
    result, answers = follow(tmp_path, said, "pick(cubeA)", ON_B)
    assert heard in answers[0]
    assert (result.success, result.ended) == (True, "done")


def test_the_expert_plays_the_suite(tmp_path: Path) -> None:
    tasks = ("stack/1", "corners/1", "movable_on_fixed/1")
    played = peephole.run("expert", "blocks:real", tasks=tasks, out=tmp_path / "run")
    assert [result.success for result in played.results] == [True] * 3
    assert len(load_suite("blocks:real").tasks) == len(load_suite("blocks").tasks)
    with pytest.raises(BadInput, match="takes no --data"):
        load_suite("blocks:real", Path("x"))
