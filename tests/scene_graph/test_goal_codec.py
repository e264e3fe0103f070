"""Goals and events survive JSON; malformed ones are refused by file and field."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.goal_codec import (
    goal_from_data,
    goal_to_data,
)
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    ForAll,
    HasState,
    InOrder,
    Not,
    Or,
    Related,
)
from peephole.scene_graph.node import Kind, Relation, State


def through_json(data: object) -> object:
    return json.loads(json.dumps(data))


@given(data=st.data())
def test_goals_survive_json(house_strategy, goal_strategy, data):
    house = data.draw(house_strategy)
    goal = data.draw(goal_strategy(house))
    assert goal_from_data(through_json(goal_to_data(goal))) == goal


def test_goals_read_as_people_write_them():
    data = {
        "exists": {
            "variable": "t",
            "categories": ["table"],
            "body": {
                "and": [
                    {
                        "at_least": {
                            "count": 2,
                            "variable": "p",
                            "ids": [5, 6],
                            "body": {"on": ["p", "t"]},
                        }
                    },
                    {
                        "forall": {
                            "variable": "l",
                            "kind": "fixture",
                            "body": {"state": ["l", "off"]},
                        }
                    },
                    {"or": [{"inside": [3, 4]}, {"not": {"state": [12, "open"]}}]},
                    {"in_order": [{"names": ["heated"], "things": [3, None], "at_least": 5}]},
                    {"happened": {"names": ["turn_on"]}},
                ]
            },
        }
    }
    goal = Exists(
        "t",
        Domain(frozenset({"table"})),
        And(
            (
                AtLeast(2, "p", Domain(ids=frozenset({5, 6})), Related("p", Relation.ON, "t")),
                ForAll("l", Domain(kind=Kind.FIXTURE), HasState("l", State.OFF)),
                Or((Related(3, Relation.INSIDE, 4), Not(HasState(12, State.OPEN)))),
                InOrder((EventOccurred(("heated",), (3, None), 5),)),
                EventOccurred(("turn_on",)),
            )
        ),
    )
    assert goal_from_data(data) == goal
    assert goal_to_data(goal) == data


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("open", ["is 'open'", "an object"]),
        ({}, ["one key of", "exists"]),
        ({"and": [], "or": []}, ["one key of"]),
        ({"inside_of": [1, 2]}, ["one key of", "inside"]),
        ({"and": {"inside": [1, 2]}}, ["and is", "a list"]),
        ({"and": [{"inside": [1]}]}, ["and[0].inside", "a list of 2"]),
        ({"or": [{"not": {"state": [1, "ajar"]}}]}, ["or[0].not.state[1]", "'ajar'", "open"]),
        ({"on": [1, None]}, ["on[1] is None", "whole number"]),
        ({"on": ["t", 1]}, ["on[0]", "variable 't'", "a node id"]),
        ({"forall": {"variable": "x", "body": {"on": ["x", "y"]}}}, ["body.on[1]", "'y'", "x"]),
        (
            {"and": [{"exists": {"variable": "x", "body": {"and": []}}}, {"on": ["x", 1]}]},
            ["and[1].on[0]", "'x'"],
        ),
        ({"exists": {"variable": "x"}}, ["'body'", "missing"]),
        ({"exists": {"variable": 3, "body": {"and": []}}}, ["exists.variable", "text"]),
        ({"exists": {"variable": "x", "kinds": [], "body": {"and": []}}}, ["'kinds'", "unknown"]),
        ({"exists": {"variable": "x", "kind": "pet", "body": {"and": []}}}, ["kind", "'pet'"]),
        ({"at_least": {"variable": "x", "body": {"and": []}}}, ["'count'", "missing"]),
        (
            {"at_least": {"count": -1, "variable": "x", "body": {"and": []}}},
            ["at_least.count is -1", "from 0"],
        ),
        ({"happened": {"names": "heated"}}, ["happened.names", "a list"]),
        ({"happened": {"names": ["a"], "at_least": "much"}}, ["happened.at_least", "number"]),
        ({"in_order": [{"happened": {"names": ["a"]}}]}, ["in_order[0]"]),
    ],
)
def test_a_malformed_goal_is_refused_with_its_field(data, told, refused):
    text = refused(goal_from_data, data, "tasks.json")
    for words in ["tasks.json", *told]:
        assert words in text
