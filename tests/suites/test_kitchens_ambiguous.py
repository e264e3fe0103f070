"""The suites `kitchens_ambiguous`: what could be meant, and that nothing tells what is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import peephole
from peephole.adapters.scenes import load_scene
from peephole.errors import BadInput
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import And, Or
from peephole.scene_graph.node import Kind
from peephole.scene_graph.placement_goals import Placements, alternatives
from peephole.scene_graph.task import Task
from peephole.suites.registry import load_suite

NEEDS = {"easy": {2}, "medium": {3}, "hard": {4, 5, 6, 7}}


def tasks() -> Iterator[Task]:
    return iter(load_suite("kitchens_ambiguous").tasks)


def candidates(task: Task) -> list[Placements]:
    assert task.candidates is not None
    found = alternatives(task.candidates)
    assert found is not None
    return found


def right(task: Task) -> list[Placements]:
    found = alternatives(task.goal)
    assert found is not None
    return found


@pytest.mark.parametrize("level", NEEDS)
def test_a_level_is_a_suite_of_the_same_tasks(level: str) -> None:
    alone = {task.id: task for task in load_suite(f"kitchens_ambiguous:{level}").tasks}
    assert len(alone) == 100
    assert alone == {task.id: task for task in tasks() if task.labels["level"] == level}
    limits = {task.budgets for task in load_suite(f"kitchens:{level}").tasks}
    assert {task.budgets for task in alone.values()} == limits


def test_what_is_meant_is_among_what_could_be_and_not_all_of_it() -> None:
    most = 0
    for task in tasks():
        could_be = {frozenset(each) for each in candidates(task)}
        meant = {frozenset(each) for each in right(task)}
        assert meant < could_be, task.id
        assert {len(each) for each in could_be} <= NEEDS[task.labels["level"]]
        assert len(meant) <= 700
        most = max(most, len(could_be))
    assert 1500 < most <= 2000


def test_all_that_could_be_meant_is_hidden_and_lies_where_nobody_wants_it() -> None:
    for task in tasks():
        graph = load_scene(task.scene)
        assert len(list(graph.nodes(Kind.OBJECT))) == 20
        for placement in {each for goal in candidates(task) for each in goal}:
            assert not satisfied(placement, graph)
            assert isinstance(placement.source, int)
            assert graph.closed_around(placement.source) is not None, task.id


def test_the_instruction_says_what_is_unclear() -> None:
    for task in tasks():
        assert isinstance(task.candidates, And)
        words = task.instruction.lower()
        unclear = words.count(" either ") + words.startswith("either ")
        assert 1 <= unclear <= len(task.candidates.parts), task.id
        assert "i no longer know which" in words


def test_what_is_meant_may_come_first_or_later() -> None:
    """By chance in about two of five hints the first thing is meant: they tell two or three."""
    first = Counter[bool]()
    for task in tasks():
        wanted = {placement.source for goal in right(task) for placement in goal}
        assert isinstance(task.candidates, And)
        for hint in task.candidates.parts:
            assert isinstance(hint, Or)
            things = [placement.source for placement in hint.parts]  # type: ignore[union-attr]
            if not wanted.issuperset(things):
                first[things[0] in wanted] += 1
    assert 0.35 < first[True] / first.total() < 0.55, first


def started(task: Task, *grants: str) -> dict[str, Any]:
    """All that a planner gets before its first step."""
    with peephole.make("kitchens_ambiguous", task=task, grants=grants) as environment:
        percept = environment.reset()
        given = asdict(environment.brief())
        given["menu"] = environment.menu()
        given["text"] = percept.text
        given["view"] = (list(percept.view.graph.nodes()), list(percept.view.graph.edges()))
        given["percept"] = (percept.names, percept.confirmed, percept.feedback)
        return given


@pytest.mark.parametrize("grants", [(), ("goal",), ("goal", "fixtures", "inventory")])
@pytest.mark.parametrize("name", ["easy/galley-3", "medium/one_wall-1", "hard/l_shaped-2"])
def test_worlds_that_differ_in_what_is_meant_alone_look_the_same(
    name: str, grants: tuple[str, ...]
) -> None:
    task = next(task for task in tasks() if task.id == name)
    other = next(goal for goal in candidates(task) if goal not in right(task))
    twin = replace(task, goal=And(other))
    first = started(task, *grants)
    assert first == started(twin, *grants)
    if "goal" not in grants:
        assert (first["goal"], first["ambiguous"]) == (None, False)
        return
    assert first["ambiguous"]
    assert started(twin, "goal", "truth")["goal"] != started(task, "goal", "truth")["goal"]


def test_only_with_the_true_state_is_the_true_goal_told() -> None:
    task = next(tasks())
    with peephole.make("kitchens_ambiguous", task=task, grants=("goal", "truth")) as environment:
        environment.reset()
        brief = environment.brief()
    assert brief.goal == task.goal
    assert not brief.ambiguous


def test_the_expert_reaches_what_is_meant() -> None:
    run = peephole.run("expert", "kitchens_ambiguous:hard", tasks=3)
    assert all(result.success and result.reward > 600 for result in run.results)


def test_what_was_confirmed_is_what_is_meant(tmp_path: Path) -> None:
    """A thing at the place of a wrong meaning is not confirmed; one at the right place is."""
    task = next(tasks())
    meant = right(task)[0][0]
    wanted = {placement.source for goal in right(task) for placement in goal}
    wrong = next(p for goal in candidates(task) for p in goal if p.source not in wanted)
    from peephole.skills.actions import open_, pick_up, put

    graph = load_scene(task.scene)
    with peephole.make("kitchens_ambiguous", task=task, grants=("goal", "truth")) as environment:
        environment.reset()
        for placement, is_right in ((wrong, False), (meant, True)):
            thing, place = placement.source, placement.target
            assert isinstance(thing, int)
            assert isinstance(place, int)
            for area in (graph.places(thing)[0][1], place):
                environment.step(open_(area))
            environment.step(pick_up(thing))
            percept = environment.step(put(thing, placement.relation, place))
            assert percept.outcome is not None
            assert percept.outcome.success
            assert (thing in percept.confirmed) is is_right


def test_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="play files by --suite kitchens"):
        load_suite("kitchens_ambiguous:easy", tmp_path)
