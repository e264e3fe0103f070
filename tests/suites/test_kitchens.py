"""The suites `kitchens`: what the tasks are, and that they are what the paper says of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import peephole
from peephole.adapters.kitchens.layouts import HUMAN_HAND, layout_of, layouts
from peephole.adapters.scenes import load_scene
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import Or
from peephole.scene_graph.node import Kind, State
from peephole.scene_graph.placement_goals import alternatives
from peephole.scene_graph.rules import Ends, Feedback
from peephole.scene_graph.task import Task
from peephole.suites.kitchens.knowledge import areas_for, families, homes
from peephole.suites.registry import load_suite

NEEDS = {"easy": {2}, "medium": {3}, "hard": {4, 5, 6, 7, 8}}
STEPS = {"easy": 25, "medium": 30, "hard": 35}


def tasks() -> Iterator[Task]:
    return iter(load_suite("kitchens").tasks)


def test_there_are_a_hundred_of_each_level_and_twenty_in_each_kitchen() -> None:
    counted = Counter((task.labels["level"], task.labels["kitchen"]) for task in tasks())
    assert set(counted.values()) == {20}
    assert len(counted) == 15
    first = [task.id for task in list(tasks())[:4]]
    assert first[:3] == ["easy/one_wall-1", "medium/one_wall-1", "hard/one_wall-1"]
    assert first[3] == "easy/one_wall_large-1"


@pytest.mark.parametrize("level", NEEDS)
def test_a_level_is_a_suite_of_the_same_tasks(level: str) -> None:
    alone = {task.id: task for task in load_suite(f"kitchens:{level}").tasks}
    assert len(alone) == 100
    assert alone == {task.id: task for task in tasks() if task.labels["level"] == level}


def test_limits_and_costs_are_the_papers() -> None:
    for task in tasks():
        rules, budgets = task.rules, task.budgets
        assert rules is not None
        assert budgets is not None
        assert (budgets.steps, budgets.planning_s) == (STEPS[task.labels["level"]], 600)
        assert (rules.ends, rules.feedback) == (Ends.GOAL_REACHED, Feedback.GOAL_CHECK)
        assert rules.confirms_placements
        rewards = rules.rewards
        assert (rewards.goal, rewards.failed, rewards.progress) == (1000, -25, 0)
        assert dict(rewards.verbs) == {"open": -5, "pick_up": -5, "put": -5}
        ways = [way for ends in rewards.travel.values() for way in ends.values()]
        assert max(ways) < 0
        assert min(ways) >= -27


def test_goals_ask_for_as_many_things_as_the_level_says_and_none_holds() -> None:
    most = 0
    for task in tasks():
        goals = alternatives(task.goal)
        assert goals is not None
        assert isinstance(task.goal, Or)
        sizes = {len(goal) for goal in goals}
        assert len(sizes) == 1
        assert sizes <= NEEDS[task.labels["level"]]
        most = max(most, len(goals))
        graph = load_scene(task.scene)
        assert not satisfied(task.goal, graph)
        for goal in goals:
            assert not any(satisfied(placement, graph) for placement in goal)
    assert 500 < most <= 700


def test_every_scene_has_twenty_objects_and_hides_all_that_is_asked_for() -> None:
    for task in tasks():
        graph = load_scene(task.scene)
        assert len(list(graph.nodes(Kind.OBJECT))) == 20
        hand = next(n.id for n in graph.nodes() if n.native_id == HUMAN_HAND)
        assert not graph.contents(hand)
        wanted = {each.source for goal in alternatives(task.goal) or () for each in goal}
        for thing in wanted:
            assert isinstance(thing, int)
            assert graph.closed_around(thing) is not None, task.id
        assert len(wanted) <= 8


def test_two_in_three_things_asked_for_lie_where_they_do_not_belong() -> None:
    """Where one of three lies; anywhere is by chance also where a thing belongs."""
    at_home = count = 0
    for task in tasks():
        layout = layout_of(task.labels["kitchen"])
        graph = load_scene(task.scene)
        for thing in {each.source for goal in alternatives(task.goal) or () for each in goal}:
            assert isinstance(thing, int)
            ((_, area),) = graph.places(thing)[:1]
            home = areas_for(layout, homes()[graph[thing].category])
            at_home += graph[area].native_id in home
            count += 1
    assert 0.2 < at_home / count < 0.5, at_home / count


def test_kept_things_lie_at_home_or_in_view_and_never_where_they_are_wanted() -> None:
    at_home = in_view = count = 0
    for task in load_suite("kitchens_kept:easy").tasks:
        layout = layout_of(task.labels["kitchen"])
        graph = load_scene(task.scene)
        assert not satisfied(task.goal, graph)
        for thing in {each.source for goal in alternatives(task.goal) or () for each in goal}:
            assert isinstance(thing, int)
            ((_, area),) = graph.places(thing)[:1]
            hidden = graph.closed_around(thing) is not None
            home = areas_for(layout, homes()[graph[thing].category])
            at_home += hidden and graph[area].native_id in home
            in_view += not hidden
            count += 1
    assert 0.2 < in_view / count < 0.35
    assert at_home / (count - in_view) > 0.45


def test_instructions_name_no_object_and_no_area() -> None:
    for task in tasks():
        graph = load_scene(task.scene)
        text = task.instruction.lower()
        named = {node.category for node in graph.nodes() if node.category in text}
        assert named <= {"kitchen", "robot"}, task.id


def test_no_distractor_would_do() -> None:
    kinds = {family.name: family.kinds for family in families()}
    for task in tasks():
        graph = load_scene(task.scene)
        wanted = {each.source for goal in alternatives(task.goal) or () for each in goal}
        for node in graph.nodes(Kind.OBJECT):
            assert (node.category in kinds[task.labels["category"]]) == (node.id in wanted)


def test_a_family_meets_every_need_with_kinds_of_its_own() -> None:
    for family in families():
        kinds = [kind for need in family.needs for kind in need.kinds]
        assert len(set(kinds)) == len(kinds), family.name
        assert set(kinds) <= homes().keys(), family.name
        assert len(family.needs) == 8
    for layout in layouts():
        for uses in homes().values():
            assert areas_for(layout, uses) or layout.name == "one_wall_large", (layout.name, uses)


@pytest.mark.parametrize("seed", range(3))
def test_the_expert_reaches_every_goal_it_is_given_and_nobody_is_cheaper(
    seed: int, tmp_path: Path
) -> None:
    chosen = [task.id for task in load_suite("kitchens:hard").tasks][7 * seed : 7 * seed + 3]
    expert = peephole.run("expert", "kitchens:hard", tasks=chosen, out=tmp_path / "expert")
    explore = peephole.run("explore", "kitchens:hard", tasks=chosen, out=tmp_path / "explore")
    for best, other in zip(expert.results, explore.results, strict=True):
        assert best.success
        assert best.reward > 600
        assert best.reward >= other.reward


def test_random_plays_and_pays(tmp_path: Path) -> None:
    task = ["easy/galley-1"]
    result = peephole.run("random", "kitchens:easy", tasks=task, out=tmp_path / "run").results[0]
    assert result.reward < 0
    assert result.steps == result.step_limit or result.success


def test_what_is_asked_for_is_shown_of_the_nearest_goal() -> None:
    with peephole.make("kitchens", task="hard/one_wall-3") as environment:
        environment.reset()
        subgoals = environment.score().subgoals
    assert len(subgoals) in NEEDS["hard"]
    assert all(" or " in each.text or " is " in each.text for each in subgoals)


def test_a_scene_says_which_kitchen_it_is() -> None:
    task = next(tasks())
    reference = json.loads(task.scene.partition(":")[2])
    layout = layout_of(reference["kitchen"])
    graph = load_scene(task.scene)
    closed = {node.native_id for node in graph.nodes() if State.CLOSED in node.states}
    assert closed == set(layout.closed)
