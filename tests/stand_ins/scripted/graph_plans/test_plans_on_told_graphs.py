"""The stand-in searches, and writes plans that are possible, from the told graph alone."""

from __future__ import annotations

import json

import pytest

from peephole.scene_graph.node import Relation
from peephole.skills.actions import Verb, go_to, open_, pick_up, put
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.stand_ins.scripted.formats import graph_planners
from peephole.stand_ins.scripted.graph_plans.calls import calls_of
from peephole.stand_ins.scripted.graph_plans.imagination import plan_on, with_free_hands
from peephole.stand_ins.scripted.graph_plans.search import Searched, next_command
from peephole.stand_ins.scripted.graph_plans.told_graph import graph_of
from peephole.stand_ins.scripted.household.requirements import requirements_of, to_table

PUT_AWAY = "Put the red apple in the fridge."
TABLE = to_table(
    {
        PUT_AWAY: [{"relation": "inside", "thing": "red-apple", "place": "fridge"}],
        "Clear all.": [{"relation": "on", "thing": "pear", "count": "all", "place": "table"}],
    }
)
VERBS = frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.CLOSE, Verb.LOOK, Verb.DROP})
ONE_HAND = Embodiment(1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))


def asset(name, room, *affordances, states=()):
    return {"name": name, "room": room, "states": list(states), "affordances": list(affordances)}


def graph(*assets, objects=(), rooms=("hall-1", "kitchen-2"), start="hall-1"):
    return {
        "nodes": {
            "rooms": [{"name": room} for room in rooms],
            "asset": list(assets),
            "objects": [
                {
                    "name": name,
                    "relation": "ontop_of",
                    "related_to": place,
                    "states": [],
                    "affordances": ["pick_up"],
                }
                for name, place in objects
            ],
            "agent": {"name": "agent-1", "location": start, "holding": "nothing"},
        }
    }


TABLE_3 = asset("table-3", "hall-1", "put_on")
FRIDGE = asset("fridge-2", "kitchen-2", "open", "close", "put_inside", states=["closed"])
APPLE = ("red_apple-7", "table-3")
HOUSE = graph(TABLE_3, FRIDGE, objects=[APPLE])


def test_names_keep_their_numbers_and_categories_the_words_of_the_table():
    told = graph_of(HOUSE, TABLE)
    named = {told.told(node.id): told.name(node.id) for node in told.graph.nodes()}
    assert named["red_apple-7"] == "red-apple 7"
    assert named["table-3"] == "table 3"


@pytest.mark.parametrize("releases", [False, True])
def test_a_plan_opens_before_the_hand_is_full(releases):
    told = graph_of(HOUSE, TABLE)
    actions, done = plan_on(told, PUT_AWAY, TABLE, ONE_HAND, VERBS)
    assert done
    calls = calls_of(actions, told, ONE_HAND, releases=releases, to_the_end=False)
    kept = [call for call in calls if not call.startswith("access")]
    assert kept == [
        "go_to(kitchen-2)",
        "open(fridge-2)",
        "go_to(hall-1)",
        "pick_up(red_apple-7)",
        "go_to(kitchen-2)",
        "release(red_apple-7, inside_of)" if releases else "put_inside(fridge-2)",
    ]
    assert any(call.startswith("access") for call in calls) == releases


def test_what_takes_a_hand_is_done_before_the_taking():
    told = graph_of(HOUSE, TABLE)
    ids = {told.told(node.id): node.id for node in told.graph.nodes()}
    apple, table, fridge = ids["red_apple-7"], ids["table-3"], ids["fridge-2"]
    bring = put(apple, Relation.INSIDE, fridge)
    wanted = [go_to(table), pick_up(apple), go_to(fridge), open_(fridge), bring]
    mended = with_free_hands(wanted, told, ONE_HAND)
    assert sorted(map(str, {*wanted})) == sorted(map(str, {*mended}))
    after = told.graph.copy()
    assert [step(after, action, ONE_HAND) for action in mended] == [None] * len(mended)
    assert any(step(told.graph, action, ONE_HAND) for action in wanted)


def searched(*expanded, tried=(), contracts=True, ending=False):
    return Searched(expanded, {*expanded, *tried}, contracts_early=contracts, ending=ending)


@pytest.mark.parametrize(
    ("told", "state", "command"),
    [
        (graph(), searched(), "expand_node kitchen-2"),  # where fridges are
        (graph(FRIDGE), searched("kitchen-2"), "expand_node hall-1"),
        (graph(TABLE_3), searched("hall-1"), "contract_node hall-1"),
        (graph(TABLE_3), searched("hall-1", contracts=False), "expand_node kitchen-2"),
        (graph(), searched(tried=["hall-1", "kitchen-2"]), "verify_plan"),
        (HOUSE, searched("hall-1", "kitchen-2"), "verify_plan"),
        (graph(FRIDGE), searched("kitchen-2", contracts=False, ending=True), "verify_plan"),
    ],
)
def test_rooms_are_expanded_until_all_is_shown(told, state, command):
    requirements = requirements_of(TABLE, PUT_AWAY)
    choice = next_command(graph_of(told, TABLE), requirements, PUT_AWAY, state)
    assert choice.action == command


def test_for_all_of_a_kind_every_room_is_expanded():
    told = graph_of(graph(TABLE_3, objects=[("pear-1", "table-3")]), TABLE)
    requirements = requirements_of(TABLE, "Clear all.")
    choice = next_command(told, requirements, "Clear all.", searched("hall-1"))
    assert choice.action == "expand_node kitchen-2"


def test_the_room_that_is_spoken_of_is_expanded_though_another_has_the_like():
    said = "Close the fridge in the hall."
    table = to_table(
        {said: [{"relation": "state", "thing": "fridge", "state": "closed", "room": "hall"}]}
    )
    told = graph_of(graph(FRIDGE), table)
    choice = next_command(told, requirements_of(table, said), said, searched("kitchen-2"))
    assert choice.action == "expand_node hall-1"


def test_it_answers_its_planners_and_no_others():
    system = {"role": "system", "content": "You write plans for a household robot from a map."}
    other = {"role": "system", "content": "You are a household robot."}
    assert graph_planners.recognises([system], {})
    assert not graph_planners.recognises([other], {})
    asked = f"Instruction: {PUT_AWAY}\nScene graph: {json.dumps(HOUSE)}"
    rules = "\n- go_to(<room>)\n- pick_up(<object>)\n- put_inside(<node>)\n- open(<node>)\n"
    rules += "You can hold one thing"
    messages = [
        {**system, "content": system["content"] + rules},
        {"role": "user", "content": asked},
    ]
    choice = graph_planners.read(messages, {})(TABLE)
    assert json.loads(graph_planners.write(choice))["plan"][-1] == "put_inside(fridge-2)"
