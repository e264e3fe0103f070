"""The suite `blocks:generated`: drawn tasks, their labels, and exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.blocks.scenes import load, read
from peephole.adapters.mujoco.blocks.adapter import BlocksAdapter
from peephole.errors import BadInput
from peephole.observation_text.dialects.blocks.instructions import FORMS, parse_instruction
from peephole.results.exports.instructions import instructions
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.task import Task
from peephole.suites.blocks.exploration import shared_plan
from peephole.suites.blocks.generated import generated
from peephole.suites.blocks.tasks import facts_of
from peephole.suites.registry import load_suite

NUMBER = 20


@pytest.fixture(scope="module")
def tasks() -> tuple[Task, ...]:
    """Drawn here, as other tests need not wait for them."""
    return generated(NUMBER)[:]


def test_the_same_tasks_are_drawn_again_and_a_larger_number_only_adds(
    tasks: tuple[Task, ...],
) -> None:
    generated.cache_clear()
    assert generated(8)[:] == tasks[:8]
    assert generated(8, 1)[:] != tasks[:8]


def test_every_kind_has_its_turn_and_many_tasks_need_exploration(tasks: tuple[Task, ...]) -> None:
    assert {task.labels["category"] for task in tasks} == set(FORMS)
    assert len({task.id for task in tasks}) == len(tasks)
    needed = [task for task in tasks if task.labels["exploration"] == "needed"]
    assert len(needed) >= 0.3 * len(tasks)  # rule 9 of the paper's appendix A.3
    assert all((task.required_evidence is not None) == (task in needed) for task in tasks)


@pytest.mark.parametrize("number", range(NUMBER))
def test_a_goal_is_what_the_sentence_says_and_is_not_reached_yet(
    tasks: tuple[Task, ...], number: int
) -> None:
    task = tasks[number]
    reference = task.scene.removeprefix("blocks:")
    facts, wish = facts_of(read(reference)), parse_instruction(task.instruction)
    assert wish is not None
    assert wish.goal(facts) == task.goal
    assert not satisfied(task.goal, load(reference))
    plan = shared_plan(wish, (facts,), load(reference))
    assert plan is not None
    assert len(plan) == int(task.labels["actions"])


def test_scenes_are_none_of_the_other_suites(tasks: tuple[Task, ...]) -> None:
    others = {t.scene for name in ("blocks", "blocks:more") for t in load_suite(name).tasks}
    assert others.isdisjoint(task.scene for task in tasks)


def test_a_plan_for_one_world_comes_to_nothing_in_another_that_looks_the_same() -> None:
    wish = parse_instruction("<mass> Stack the lighter block on the heavier one.")
    assert wish is not None
    places = "at=0.45,0.15,0|0.45,-0.15,0"
    own, other = f"masses=0.2,0.4;{places}", f"masses=0.4,0.2;{places}"
    plan = shared_plan(wish, (facts_of(read(own)),), load(own))
    assert plan
    fulfilled = []
    for reference in (own, other):
        goal = wish.goal(facts_of(read(reference)))
        assert goal is not None
        adapter = BlocksAdapter()
        try:
            adapter.reset(Task("t", "", goal, f"blocks:{reference}"), 0)
            assert [adapter.attempt(action, 0).failure for action in plan] == [None] * len(plan)
            fulfilled.append(satisfied(goal, adapter.graph()))
        finally:
            adapter.close()
    assert fulfilled == [True, False]


def test_data_says_how_many_and_with_which_seed(tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    file.write_text('{"tasks": 3, "seed": 1}')
    assert load_suite("blocks:generated", file).tasks[:] == generated(3, 1)[:]
    file.write_text('{"tasks": 3, "seed": 998}')
    scenes = [task.scene for task in load_suite("blocks:generated", file).tasks]
    assert all(facts_of(read(scene.removeprefix("blocks:"))) for scene in scenes)


def test_data_adds_settings_to_all_scenes(tmp_path: Path) -> None:
    file = tmp_path / "asked.json"
    file.write_text('{"tasks": 3, "seed": 1, "scene": "pose_noise=0.01;force_noise=0.5"}')
    noisy = load_suite("blocks:generated", file).tasks
    for task, plain in zip(noisy, generated(3, 1), strict=True):
        assert task.scene == f"{plain.scene};pose_noise=0.01;force_noise=0.5"
        assert (task.id, task.goal) == (plain.id, plain.goal)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tasks: 3", "is not JSON"),
        ("[3]", "is not a JSON object such as"),
        ('{"number": 3}', "is not a JSON object such as"),
        ('{"tasks": 0}', "'tasks' is 0; expected 1 to"),
        ('{"tasks": true}', "'tasks' is True"),
        ('{"seed": "a"}', "'seed' is 'a'; expected 0 to"),
        ('{"seed": 999}', "'seed' is 999; expected 0 to 998"),
        ('{"scene": "n=3"}', "'scene' is 'n=3'; expected settings among pose_noise"),
        ('{"scene": 3}', "'scene' is 3; expected settings among"),
        ('{"scene": "pose_noise=9"}', "'pose_noise' is '9'; expected numbers from 0 to 0.1"),
    ],
)
def test_other_data_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "asked.json"
    file.write_text(text)
    with pytest.raises(BadInput) as refused:
        load_suite("blocks:generated", file)
    assert sentence in str(refused.value)


def _play(folder: Path, data: Path, planner: str, model: str | None = None, **more: Any) -> None:
    played = peephole.run(planner, "blocks:generated", data=data, model=model, out=folder, **more)
    assert played.results
    bad = [r.task for r in played.results if not r.success or (model and r.informed is False)]
    assert bad == []


def test_answers_in_the_records_say_what_the_marks_do(
    tmp_path: Path, tasks: tuple[Task, ...]
) -> None:
    data = tmp_path / "asked.json"
    data.write_text(json.dumps({"tasks": 5}))
    more = {"options": {"questions": "cot"}, "adapter": "symbolic_blocks"}
    _play(tmp_path / "run", data, "llm_pop", "scripted", **more)
    records, episodes = instructions(tmp_path / "run")
    assert episodes == 5
    marks = {task.instruction: task.labels["exploration"] for task in tasks[:5]}
    assert set(marks.values()) == {"needed", "no"}
    firsts = {}
    for record in records:
        task = record["instruction"].splitlines()[1].removeprefix("Task: ")
        firsts.setdefault(task, record["output"].startswith("EXPLAIN: Yes"))
    assert firsts == {task: mark == "no" for task, mark in marks.items()}


def test_the_expert_does_what_is_drawn(tmp_path: Path) -> None:
    data = tmp_path / "asked.json"
    data.write_text(json.dumps({"tasks": 4, "seed": 1}))
    _play(tmp_path / "run", data, "expert")
