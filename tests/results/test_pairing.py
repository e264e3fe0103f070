"""Two recorded runs compared task by task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import peephole
from peephole.results.pairing import Paired, paired, paired_lines, results_by_key
from peephole.scene_graph.rules import Budgets
from peephole.suites.registry import load_suite

TASKS = ("turn_on_light/11_1", "wash_clothes/27_2")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pairs")
    suite = replace(load_suite("robothow"), budgets=Budgets(steps=20))
    for planner in ("explore", "random"):
        peephole.run(planner, suite, tasks=TASKS, repeats=2, seed=3, out=folder / planner)
    return folder / "explore", folder / "random"


def test_episodes_are_paired_by_task_and_seed(runs: tuple[Path, Path]) -> None:
    assert list(results_by_key(runs[0])[0]) == [(task, seed) for seed in (3, 4) for task in TASKS]
    found = paired(*runs)
    assert isinstance(found, Paired)
    assert (found.success.tasks, found.success.pairs) == (2, 4)
    assert found.success.test == "sign-flip over tasks"
    assert found.success.sentence.startswith("paired by task and seed")
    assert found.progress is not None


def test_what_is_told_of_several_runs(runs: tuple[Path, Path]) -> None:
    explore, random = runs
    lines = paired_lines(["explore", "random", "again"], [explore, random, explore])
    assert lines[0].startswith("Of 2 tasks that both have (4 pairs of episodes), explore did ")
    assert (
        lines[1]
        == "explore and again are not compared: the same run is named twice; name two runs."
    )
    assert lines[-1].startswith("Assumed: paired by task and seed; a task is one draw with all its")
