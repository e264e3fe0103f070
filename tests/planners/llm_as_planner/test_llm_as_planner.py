"""`llm_as_planner` reads the whole map, writes one plan, and carries it out unchanged."""

from __future__ import annotations

import json

import pytest

import peephole
from peephole.planners.contract import Act, Done, GiveUp, Internal, Percept, counts
from peephole.planners.kits.map.names import NodeNames
from peephole.planners.kits.map.plan_language import PlanLanguage, PlanProblem, verify
from peephole.planners.llm_as_planner.planner import PLANNER
from peephole.scene_graph.hierarchical_codec import from_hierarchy
from peephole.scene_graph.node import State
from peephole.skills.actions import Verb
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Reason

GOOD = [
    "go_to(kitchen-1)",
    "open(fridge-1)",
    "go_to(hall-1)",
    "pick_up(apple-1)",
    "go_to(kitchen-1)",
    "put_inside(fridge-1)",
]


@pytest.fixture
def home(house):
    """An apple on a table of the hall, and a closed fridge in the kitchen."""
    hall, kitchen = house.room("hall"), house.room("kitchen")
    house.apple = house.thing("apple", on=house.fixture("table", hall))
    house.fixture("fridge", kitchen, State.CLOSED)
    house.agent(hall)
    return house


def messages(endpoint, number=-1):
    return [message["content"] for message in endpoint.requests[number]["messages"]]


def failures(found):
    return [
        each.outcome.failure.reason
        for each in found
        if isinstance(each, Percept) and each.outcome.failure is not None
    ]


def test_it_does_the_plan(home, play_on_map):
    found = play_on_map(PLANNER, home.graph, [{"plan": GOOD}])
    assert failures(found) == []
    assert isinstance(found[-1], Done)
    counted = [each for each in found if not isinstance(each, Percept) and counts(each)]
    assert [type(each) for each in counted] == [Internal, Done]


def test_the_prompt_has_the_whole_map(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [{"plan": GOOD}])
    line = messages(endpoint)[1].partition("Scene graph: ")[2]
    nodes = json.loads(line)["nodes"]
    assert [entry["name"] for entry in nodes["asset"]] == ["table-1", "fridge-1"]
    assert nodes["objects"][0] | {"affordances": []} == {
        "name": "apple-1",
        "relation": "ontop_of",
        "related_to": "table-1",
        "states": [],
        "affordances": [],
    }
    assert nodes["agent"]["location"] == "hall-1"


def test_what_is_infeasible_is_tried_and_the_rest_is_done(home, play_on_map):
    plan = [step for step in GOOD if step != "open(fridge-1)"]
    found = play_on_map(PLANNER, home.graph, [{"plan": [*plan, "go_to(hall-1)"]}])
    assert failures(found) == [Reason.CONTAINER_CLOSED]
    acts = [each for each in found if isinstance(each, Act)]
    assert acts[-1].action.verb is Verb.GO_TO


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (["pick_up(pear-1)"], "There is no node 'pear-1'"),
        (["pick_up(apple)"], "'apple' has no number; say which is meant: apple-1."),
        (["throw(apple-1)"], "There is no function throw"),
    ],
)
def test_nodes_and_functions_that_do_not_exist_are_refused(home, play_on_map, endpoint, plan, told):
    found = play_on_map(PLANNER, home.graph, [{"plan": plan}, {"plan": GOOD}])
    assert told in messages(endpoint)[-1]
    assert isinstance(found[-1], Done)


def test_what_is_no_plan_ends_it(home, play_on_map):
    found = play_on_map(PLANNER, home.graph, ["Just do it.", {"plan": "all of it"}])
    assert [type(each) for each in found] == [GiveUp]


def test_the_example_can_be_left_out(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [{"plan": []}], example=False)
    assert "Example" not in messages(endpoint)[0]


def test_the_plan_of_the_example_is_possible(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [{"plan": []}])
    example = messages(endpoint)[0].partition("Example\n")[2].splitlines()
    graph = from_hierarchy(json.loads(example[1].removeprefix("Scene graph: ")))
    names = NodeNames({node.id: str(node.native_id).replace("-", " ") for node in graph.nodes()})
    plan = json.loads(example[2])["plan"]
    found = verify(plan, PlanLanguage(names, frozenset(Verb)), graph, Embodiment(1))
    assert not isinstance(found, PlanProblem)


def test_with_the_stand_in_it_reaches_goals(tmp_path):
    results = peephole.run(
        "llm_as_planner", "houses", tasks=3, model="scripted", out=tmp_path / "run"
    ).results
    assert len(results) == 3
    assert [result.task for result in results if not result.success] == []


def test_the_stand_in_takes_what_it_heated_out_of_the_microwave(tmp_path):
    run = peephole.run(
        "llm_as_planner",
        "office",
        tasks=("complex/noodles",),
        model="scripted",
        out=tmp_path / "run",
    )
    assert [result.success for result in run.results] == [True]
