"""`sayplan` searches by rooms, verifies plans, and carries out the first possible one."""

from __future__ import annotations

import json

import pytest

import peephole
from peephole.adapters.omnigibson import package
from peephole.planners.contract import Act, Done, GiveUp, Internal, Percept, counts
from peephole.planners.sayplan.planner import PLANNER
from peephole.scene_graph.node import Relation, State
from peephole.skills.outcomes import Reason

GOOD = [
    "go_to(kitchen-1)",
    "access(fridge-1)",
    "open(fridge-1)",
    "go_to(hall-1)",
    "access(apple-1)",
    "pick_up(apple-1)",
    "go_to(kitchen-1)",
    "access(fridge-1)",
    "release(apple-1)",
]
#: Without opening the fridge.
BAD = [step for step in GOOD if step != "open(fridge-1)"]


@pytest.fixture
def home(house):
    """An apple on a table of the hall, a closed fridge in the kitchen, an attic with a lamp."""
    house.hall, house.kitchen, house.attic = map(house.room, ("hall", "kitchen", "attic"))
    house.table = house.fixture("table", house.hall)
    house.fridge = house.fixture("fridge", house.kitchen, State.CLOSED)
    house.fixture("lamp", house.attic, State.OFF)
    house.apple = house.thing("apple", on=house.table)
    house.agent(house.hall)
    return house


def command(name, node="", plan=()):
    return {
        "mode": "planning" if plan else "exploring",
        "chain_of_thought": ["…"],
        "reasoning": "because",
        "command": {"command_name": name, "node_name": node, "plan": list(plan)},
    }


def expand(room):
    return command("expand_node", room)


def verify(plan):
    return command("verify_plan", plan=plan)


def asked(endpoint, number=-1):
    return endpoint.requests[number]["messages"][1]["content"]


def shown(endpoint, number=-1):
    """The names of assets and objects in a prompt."""
    line = asked(endpoint, number).partition("Scene graph: ")[2].partition("\n")[0]
    nodes = json.loads(line)["nodes"]
    return {entry["name"] for layer in ("asset", "objects") for entry in nodes[layer]}


def test_it_searches_and_does_the_plan(home, play_on_map, endpoint):
    found = play_on_map(
        PLANNER,
        home.graph,
        [
            expand("attic-1"),
            command("contract_node", "attic-1"),
            expand("hall-1"),
            expand("kitchen-1"),
            verify(GOOD),
        ],
    )
    assert [shown(endpoint, number) for number in range(5)] == [
        set(),
        {"lamp-1"},
        set(),
        {"table-1", "apple-1"},
        {"table-1", "apple-1", "fridge-1"},
    ]
    assert "1. expand_node(attic-1): attic-1 has 1 node, shown now" in asked(endpoint)
    assert "2. contract_node(attic-1): " in asked(endpoint)
    names = [each.name for each in found if isinstance(each, Internal)]
    assert names == ["expand", "contract", "expand", "expand", "plan"]
    percepts = [each for each in found if isinstance(each, Percept)]
    assert all(percept.outcome.success for percept in percepts)
    assert isinstance(found[-1], Done)
    graph = percepts[-1].view.graph
    apple = next(node.id for node in graph.nodes() if node.category == "apple")
    assert [relation for relation, _ in graph.places(apple)] == [Relation.INSIDE]


def test_samples_count_and_actions_of_a_plan_do_not(home, play_on_map):
    found = play_on_map(PLANNER, home.graph, [expand("hall-1"), verify(BAD), verify(GOOD)])
    counted = [each for each in found if not isinstance(each, Percept) and counts(each)]
    assert [type(each) for each in counted] == [Internal, Internal, Internal, Done]
    assert all(each.continued for each in found if isinstance(each, Act))


def test_why_a_plan_is_impossible_goes_back_to_the_model(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [verify(BAD), verify(GOOD)])
    assert "1. verify_plan(go_to(kitchen-1), access(fridge-1), " in asked(endpoint)
    told = "Step 8, release(apple-1), is impossible: fridge-1 "  # closed, so on top of it
    assert told in asked(endpoint)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("fridge-1", "fridge-1 is no room; only rooms are expanded."),
        ("cellar-1", "There is no node 'cellar-1'"),
        ("kitchen", "'kitchen' has no number; say which is meant: kitchen-1."),
    ],
)
def test_names_that_are_no_room_are_answered_and_counted(home, play_on_map, endpoint, name, told):
    found = play_on_map(PLANNER, home.graph, [expand(name), verify(GOOD)])
    assert told in asked(endpoint)
    assert isinstance(found[0], Internal)
    assert found[0].data["problem"] in asked(endpoint)


def test_the_examples_of_answers_are_json(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [verify(GOOD)])
    example = endpoint.requests[0]["messages"][0]["content"].partition("Example\n")[2]
    answers = [json.loads(line) for line in example.splitlines() if line.startswith("{")]
    assert [each["command"]["command_name"] for each in answers] == ["expand_node", "verify_plan"]


def test_the_schema_leaves_plans_to_verify_plan(home, play_on_map, endpoint):
    play_on_map(PLANNER, home.graph, [verify(GOOD)])
    schema = endpoint.requests[0]["response_format"]["json_schema"]["schema"]
    search, verification = schema["$defs"]["Command"]["anyOf"]
    assert search["required"] == ["command_name", "node_name"]
    assert verification["required"] == ["command_name", "plan"]


def test_rounds_of_verification_are_bounded(home, play_on_map):
    found = play_on_map(PLANNER, home.graph, [verify(BAD)] * 3, rounds=3)
    assert isinstance(found[-1], GiveUp)
    assert found[-1].reason.startswith("None of 3 plans was possible. Step 8")
    assert not any(isinstance(each, Act) for each in found)


def test_the_search_is_bounded(home, play_on_map):
    found = play_on_map(PLANNER, home.graph, [expand("hall-1"), expand("hall-1")], commands=2)
    assert isinstance(found[-1], GiveUp)
    assert "2 commands" in found[-1].reason


def test_what_is_no_json_is_asked_for_again(home, play_on_map, endpoint):
    found = play_on_map(PLANNER, home.graph, ["I think so.", verify(GOOD)])
    assert isinstance(found[-1], Done)
    again = endpoint.requests[-1]["messages"][-1]["content"]
    assert again.startswith("That cannot be used. The reply is not JSON.")
    given_up = play_on_map(PLANNER, home.graph, ["No.", "No."])
    assert isinstance(given_up[-1], GiveUp)


def test_it_verifies_on_the_map_and_not_on_the_truth(home, play_on_map):
    """It learns only from failures that the map is stale; names from the map are known."""
    world = home.graph.copy()
    world.detach(home.apple)
    world.add_edge(home.apple, Relation.INSIDE, home.fridge)
    found = play_on_map(PLANNER, world, [verify(GOOD)], known=home.graph)
    failures = [
        each.outcome.failure.reason
        for each in found
        if isinstance(each, Percept) and each.outcome.failure is not None
    ]
    # having opened the fridge, it saw the apple there, and looks for it on the table all the same
    assert Reason.UNKNOWN not in failures
    assert failures


def test_a_thing_of_the_map_that_was_never_seen_is_known(home, play_on_map):
    world = home.graph.copy()
    world.detach(home.apple)
    world.add_edge(home.apple, Relation.INSIDE, home.fridge)
    plan = ["access(apple-1)", "pick_up(apple-1)"]
    found = play_on_map(PLANNER, world, [verify(plan)], known=home.graph)
    reasons = [each.outcome.failure for each in found if isinstance(each, Percept)]
    assert reasons[0] is None
    assert reasons[1].reason is Reason.NOT_SEEN


@pytest.mark.skipif(package.missing() is not None, reason=str(package.missing()))
def test_with_the_stand_in_it_reaches_goals_where_the_map_is_right(tmp_path):
    tasks = ("bringing_glass_to_recycling/moved", "bringing_paper_to_recycling/as_mapped")
    results = peephole.run(
        "sayplan", "behavior:dynamic", tasks=tasks, model="scripted", out=tmp_path / "run"
    ).results
    assert {result.task: result.success for result in results} == {
        "bringing_glass_to_recycling/moved": False,
        "bringing_paper_to_recycling/as_mapped": True,
    }
