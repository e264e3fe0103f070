"""The suite kitchen_physics, played by rules."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import peephole
from peephole.adapters.kitchens.furnished.things import match
from peephole.adapters.scenes import load_scene
from peephole.episodes.briefing import instruction_of
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.node import Affordance, Kind
from peephole.suites.kitchen_physics.drawing import KINDS, THINGS, NoSpot, homes
from peephole.suites.kitchen_physics.suites import NUMBERS, load, task_of

SUITE = "kitchen_physics"


def test_there_are_a_hundred_tasks_of_six_kinds():
    tasks = load().tasks
    assert Counter(task.labels["category"] for task in tasks) == NUMBERS
    assert sum(NUMBERS.values()) == len({task.id for task in tasks}) == 100
    assert set(KINDS) == set(NUMBERS)


@settings(max_examples=25)
@given(st.sampled_from(list(KINDS)), st.integers(30_000, 10**6))
def test_a_drawn_task_is_sensible_and_the_same_for_the_same_seed(kind, seed):
    try:
        task = task_of(kind, seed)
    except NoSpot:
        return
    assert task == task_of(kind, seed)
    graph = load_scene(task.scene)
    assert not satisfied(task.goal, graph, [])
    things = list(graph.nodes(Kind.OBJECT))
    assert len(things) <= THINGS
    assert len({node.category for node in things}) == len(things)  # so that "the milk" is clear
    named = [int(number) for number in re.findall(r"\{(\d+)\}", task.instruction)]
    assert all(graph[number].kind is Kind.FIXTURE for number in named)
    for node in things:
        if graph[node.id].category in task.instruction:
            assert Affordance.GRASPABLE in node.affordances


def test_every_kind_of_thing_has_a_shape_of_its_own():
    assert [kind for kind in homes() if match(kind).alike] == []


@pytest.mark.parametrize("planner", ["expert", "explore"])
def test_rule_planners_solve_all_kinds_by_rules(planner, tmp_path):
    results = peephole.run(planner, SUITE, tasks=12, adapter="symbolic", out=tmp_path / "run")
    assert [result.success for result in results.results] == [True] * 12
    # Each action costs 5, also that which switches something on.
    assert [r.reward for r in results.results] == [1000 - 5 * r.steps for r in results.results]


def test_the_instruction_names_all_places_that_it_speaks_of():
    """Also the worktop to be cleared, which the goal does not name."""
    (task,) = [task for task in load().tasks if task.id == "clear/10039"]
    assert instruction_of(task, "<{}>".format).count("<") == 2
    assert "{" not in instruction_of(task, "<{}>".format)


@pytest.mark.slow
def test_tru_pomdp_goes_to_places_and_frees_its_hand_to_open(tmp_path):
    results = peephole.run(
        "tru_pomdp",
        SUITE,
        tasks=["fetch/10000"],
        options={"rollout": "builtin"},
        model="scripted",
        adapter="symbolic_gripper",
        out=tmp_path / "run",
    )
    assert [result.success for result in results.results] == [True]
