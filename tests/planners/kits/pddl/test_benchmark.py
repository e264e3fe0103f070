"""Tasks of behavior in PDDL: plans can be executed, and are as good on the relevant part."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from peephole.planners.kits.pddl.problem import relevant_part
from peephole.planners.kits.pddl.solving import FastDownward

SCRIPT = Path(__file__).parents[4] / "benchmarks" / "pddl.py"
QUICK = ["sorting_potatoes", "sorting_books_on_shelf", "packing_cleaning_suppies_into_car"]


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pddl_benchmark", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(benchmark: ModuleType, engine: FastDownward, task) -> None:
    graph = benchmark.scenes.scene_of(benchmark.activities.read(task.id))
    names = benchmark.names_of(graph)
    problem = benchmark.problem_of(graph, benchmark.goal_of(task, graph, names), names)
    part = relevant_part(problem)
    assert len(part.things) < len(problem.things)
    answers = [benchmark.Answer(engine, each) for each in (problem, part)]
    costs = [answer.cost for answer in answers]
    assert costs[0] is not None
    assert costs[0] == costs[1], f"{task.id}: {costs[1]} sliced, {costs[0]} whole"
    for answer in answers:
        failures, after = answer.failures(graph, names)
        assert not failures, task.id
        assert benchmark.satisfied(task.goal, after), task.id


@pytest.mark.parametrize("task_id", QUICK)
def test_a_plan_of_the_part_that_matters_is_carried_out_and_as_good(
    benchmark, engine: FastDownward, task_id: str
) -> None:
    (task,) = (task for task in benchmark.load().tasks if task.id == task_id)
    check(benchmark, engine, task)


@pytest.mark.slow
def test_plans_of_every_sixth_task_are_carried_out_and_as_good(
    benchmark, engine: FastDownward
) -> None:
    tasks = [task for task in benchmark.load().tasks if task.id != "stacking_wood"]
    for task in tasks[::6]:
        check(benchmark, engine, task)


def test_replans_of_a_house_of_200_objects_are_valid(benchmark, engine: FastDownward) -> None:
    benchmark.REPLANS = 2
    assert [valid for _, valid in benchmark.replans(engine)] == [True, True]
