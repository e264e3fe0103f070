"""`sayplan_lite` first only searches, then only plans."""

from __future__ import annotations

import json

import pytest

import peephole
from peephole.adapters.omnigibson import package
from peephole.planners.contract import Act, Done, GiveUp, Internal, Percept
from peephole.planners.sayplan_lite.planner import PLANNER
from peephole.scene_graph.node import State
from peephole.skills.actions import Verb

GOOD = [
    "go_to(kitchen-1)",
    "open(fridge-1)",
    "go_to(hall-1)",
    "pick_up(apple-1)",
    "go_to(kitchen-1)",
    "put_inside(fridge-1)",
]
BAD = [step for step in GOOD if step != "open(fridge-1)"]


@pytest.fixture
def home(house):
    """An apple on a table of the hall, and a closed fridge in the kitchen."""
    hall, kitchen = house.room("hall"), house.room("kitchen")
    house.thing("apple", on=house.fixture("table", hall))
    house.fixture("fridge", kitchen, State.CLOSED)
    house.agent(hall)
    return house


def search(name, node=""):
    command = {"command_name": name, "node_name": node}
    return {"chain_of_thought": [], "reasoning": "because", "command": command}


def written(plan):
    return {"chain_of_thought": [], "plan": plan}


def asked(endpoint, number=-1):
    return [message["content"] for message in endpoint.requests[number]["messages"]]


END = search("verify_plan")


def test_it_searches_then_plans(home, play_on_map):
    answers = [search("expand_node", "hall-1"), search("expand_node", "kitchen-1"), END]
    found = play_on_map(PLANNER, home.graph, [*answers, written(GOOD)])
    names = [each.name for each in found if isinstance(each, Internal)]
    assert names == ["expand", "expand", "end_search", "plan"]
    assert isinstance(found[-1], Done)
    assert all(each.outcome.success for each in found if isinstance(each, Percept))


def test_access_is_inserted(home, play_on_map):
    found = play_on_map(PLANNER, home.graph, [END, written(GOOD)])
    verbs = [each.action.verb for each in found if isinstance(each, Act)]
    assert verbs.count(Verb.GO_TO) == 2 * GOOD.count("go_to(kitchen-1)") + 2


def test_the_prompt_has_only_the_last_command_of_the_search(home, play_on_map, endpoint):
    answers = [search("expand_node", "hall-1"), search("expand_node", "kitchen-1"), END]
    play_on_map(PLANNER, home.graph, [*answers, written(GOOD)])
    assert "Your last command: expand_node(kitchen-1): " in asked(endpoint, 2)[1]
    assert "expand_node(hall-1)" not in asked(endpoint, 2)[1]


def test_search_and_planning_are_apart(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [END, written(GOOD)])
    searching, planning = asked(endpoint, 0)[0], asked(endpoint, 1)[0]
    assert "expand_node(<room>)" in searching
    assert "pick_up(<object>)" not in searching
    assert "pick_up(<object>)" in planning
    assert "expand_node" not in planning
    assert "release" not in planning


def test_the_examples_of_answers_are_json(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [END, written(GOOD)])
    for system in (asked(endpoint, 0)[0], asked(endpoint, 1)[0]):
        example = system.partition("Example\n")[2].splitlines()[-1]
        assert json.loads(example)["chain_of_thought"]


def test_a_plan_that_is_impossible_goes_back_with_the_sentence(home, play_on_map, endpoint):
    found = play_on_map(PLANNER, home.graph, [END, written(BAD), written(GOOD)])
    assert isinstance(found[-1], Done)
    told = asked(endpoint)[1]
    assert f"Your last plan: {', '.join(BAD)}" in told
    assert "Step 5, put_inside(fridge-1), is impossible: fridge-1 is closed." in told


def test_searches_and_rounds_are_bounded(home, play_on_map):
    searched = play_on_map(PLANNER, home.graph, [search("expand_node", "hall-1")], commands=1)
    assert isinstance(searched[-1], GiveUp)
    planned = play_on_map(PLANNER, home.graph, [END, written(BAD), written(BAD)], rounds=2)
    assert isinstance(planned[-1], GiveUp)
    assert planned[-1].reason.startswith("None of 2 plans was possible. Step 5, put_inside")


def test_no_answer_is_giving_up(home, play_on_map):
    assert isinstance(play_on_map(PLANNER, home.graph, ["?", "?"])[-1], GiveUp)
    assert isinstance(play_on_map(PLANNER, home.graph, [END, "?", "?"])[-1], GiveUp)


@pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
def test_with_the_stand_in_it_reaches_goals(tmp_path):
    results = peephole.run(
        "sayplan_lite",
        "behavior",
        tasks=("bringing_glass_to_recycling", "opening_doors"),
        model="scripted",
        out=tmp_path / "run",
    ).results
    assert [result.success for result in results] == [True, True]
