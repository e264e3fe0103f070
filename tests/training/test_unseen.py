"""What models are trained on has no house, no task and no placement of any test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from peephole.adapters.ai2thor import objects
from peephole.scene_graph.goal_codec import goal_to_data
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite
from peephole.suites.registry import load_suite

TRAINING = ("wah:generated", "wah:small", "houses:generated", "household:generated")
#: Suites that are played in generated houses.
TESTS = ("wah", "wah:train", "houses", "vh_dynamic", "household")
#: Number of tasks to check in each training suite; their houses have rising numbers.
MANY = 200
needs_procthor = pytest.mark.skipif(objects.missing() is not None, reason=str(objects.missing()))


def suite(name: str) -> Suite:
    return load_suite(name)


def house_of(task: Task) -> str:
    """The house of a scene, "house:105" of "arranged:house:105;88 in 40"."""
    return task.scene.removeprefix("arranged:").split(";")[0]


def placements(tasks: list[Task]) -> Iterator[tuple[str, str]]:
    for task in tasks:
        _, *changes = task.scene.split(";")
        yield from ((house_of(task), change) for change in changes)


@pytest.mark.parametrize("name", TRAINING)
def test_training_tasks_share_no_house_task_or_placement_with_tests(name: str) -> None:
    tasks = list(islice(suite(name).tasks, MANY))
    tested = [task for other in TESTS for task in suite(other).tasks]
    assert {house_of(task) for task in tasks}.isdisjoint(map(house_of, tested))
    assert {task.id for task in tasks}.isdisjoint(task.id for task in tested)
    assert set(placements(tasks)).isdisjoint(placements(tested))


@pytest.mark.parametrize("name", TRAINING)
def test_houses_of_training_tasks_lie_above_those_of_all_tests(name: str) -> None:
    """So do those of all two thousand."""
    numbers = [
        int(house_of(task).removeprefix("house:").removesuffix("?small"))
        for task in islice(suite(name).tasks, MANY)
    ]
    assert numbers == sorted(numbers)
    assert min(numbers) > 1000
    for other in TESTS:
        for task in suite(other).tasks:
            kind, _, number = house_of(task).partition(":")
            assert kind != "house" or int(number) <= 1000


@pytest.mark.parametrize("name", TRAINING)
def test_training_tasks_are_many_and_differ(name: str) -> None:
    found = suite(name)
    assert len(found.tasks) == 2000
    tasks = list(islice(found.tasks, MANY))
    assert len({(task.scene, str(goal_to_data(task.goal))) for task in tasks}) == MANY
    assert len({task.labels["category"] for task in tasks}) >= 5


@needs_procthor
def test_floor_plans_to_train_in_are_none_of_the_unseen_ones() -> None:
    """iTHOR has 120 floor plans and no more, so that some are kept apart."""
    trained, unseen = suite("ithor:generated").tasks, suite("ithor:unseen").tasks
    assert len(trained) == 1600
    assert len(unseen) == 60
    seen = {task.labels["scene"] for task in trained}
    assert seen.isdisjoint(task.labels["scene"] for task in unseen)
    assert len({task.labels["category"] for task in unseen}) == 7
    whole = list(suite("ithor").tasks)
    assert all(task in whole for task in unseen)


@needs_procthor
def test_no_task_to_train_on_is_one_of_ithor() -> None:
    """A goal of another task may be the same, in the same floor plan; no episode begins alike."""
    tasks = suite("ithor:generated").tasks
    known = {(task.id, task.scene) for task in suite("ithor").tasks}
    assert len({task.scene for task in tasks}) == len(tasks)
    assert known.isdisjoint((task.id, task.scene) for task in tasks)
    assert {task.scene for task in tasks}.isdisjoint(scene for _, scene in known)
