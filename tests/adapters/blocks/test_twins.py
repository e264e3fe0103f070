"""Scenes that differ only in the welded block: nothing tells them apart until a force does."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import peephole
from peephole.adapters.blocks.scenes import read
from peephole.adapters.process.messages import view_to_data
from peephole.episodes.environment import Environment
from peephole.planners.contract import Percept
from peephole.scene_graph.goals import And
from peephole.scene_graph.rules import Ends, Rules
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite

pytest.importorskip("mujoco")

#: What touches no block; {0} to {2}: numbers in the frame of the arm's base.
UNTOUCHING = (
    "reset()",
    "wait({0})",
    "reach({0}, {1}, {2}, 1, 0, 0, 0)",
    "place({0}, {1}, 0.025, 1, 0, 0, 0)",
)
NOISE = ("", ";pose_noise=0.002;angle_noise=0.02;force_noise=0.2")
numbers = st.tuples(st.floats(0.3, 0.6), st.floats(-0.3, 0.3), st.floats(0.15, 0.4))
untouching = st.tuples(st.sampled_from(UNTOUCHING), numbers).map(
    lambda drawn: drawn[0].format(*(f"{number:.6f}" for number in drawn[1]))
)


def _received(scene: str, actions: Sequence[str], seed: int) -> list[str]:
    """All that a planner receives in a scene, percept by percept, as text."""
    task = Task("twin", "Pick up the movable block.", And(()), f"blocks:{scene}")
    suite = Suite("twins", "", [task], "mujoco", rules=Rules(ends=Ends.PLANNER_DONE))
    with peephole.make(suite, seed=seed) as environment:
        told = [_text(environment, environment.reset())]
        told += [_text(environment, environment.step(action)) for action in actions]
    return told


def _text(environment: Environment, percept: Percept) -> str:
    view, overview = json.dumps(view_to_data(percept.view)), percept.overview()
    outcome = percept.outcome
    said = None if outcome is None else (outcome.failure, outcome.retries, outcome.sim_time_s)
    told = (percept.text, view, overview, environment.menu(), said, percept.refused)
    return "\n".join(map(str, told))


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10**6),
    welded=st.permutations(["A", "B", "C", "none", "A,B"]),
    actions=st.lists(untouching, max_size=3),
    noise=st.sampled_from(NOISE),
)
def test_twins_look_the_same_to_the_byte_before_a_touch(
    seed: int, welded: list[str], actions: list[str], noise: str
) -> None:
    one, other = (f"seed={seed};n=3;tags=mass;welded={which}{noise}" for which in welded[:2])
    assert _received(one, actions, 7) == _received(other, actions, 7)


@pytest.mark.parametrize("seed", range(8))
def test_handling_another_block_does_not_tell_of_a_weld(seed: int) -> None:
    free, welded = (f"seed={seed};n=2;welded={which}" for which in ("none", "B"))
    actions = ["wait(5)", "pick(cubeA)", "reset()", "place(0.42, -0.3, 0.026, 1, 0, 0, 0)"]
    assert _received(free, actions, 0) == _received(welded, actions, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_handling_another_block_often_does_not_tell_of_a_weld(seed: int) -> None:
    free, welded = (f"seed={seed};n=2;welded={which}" for which in ("none", "B"))
    away, chance = read(free).places[1][:2], random.Random(seed)
    actions = ["wait(5)"]
    while len(actions) < 13:
        x, y = chance.uniform(0.36, 0.56), chance.uniform(-0.27, 0.27)
        if math.dist((x, y), away) > 0.16:  # else the open fingers push B, which may tell
            actions += ["pick(cubeA)", f"place({x:.4f}, {y:.4f}, 0.026, 1, 0, 0, 0)"]
    told = _received(free, actions, 0)
    assert told == _received(welded, actions, 0)
    assert len(set(told)) > len(actions) // 2  # something was done


def test_a_force_tells_twins_apart() -> None:
    free, welded = (f"seed=3;n=2;welded={which}" for which in ("none", "B"))
    assert _received(free, ["pick(cubeB)"], 0)[1] != _received(welded, ["pick(cubeB)"], 0)[1]
