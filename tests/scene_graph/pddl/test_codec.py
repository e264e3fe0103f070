"""Graphs and goals survive PDDL problems; what PDDL cannot say, or we do not read, is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    Exists,
    HasState,
    InOrder,
    Not,
    Related,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Kind, Node, Relation, State
from peephole.scene_graph.pddl.codec import from_pddl, to_pddl


@given(data=st.data())
def test_pddl_keeps_all_but_geometry_and_native_ids(rich_house_strategy, goal_strategy, data):
    house = data.draw(rich_house_strategy)
    goal = data.draw(goal_strategy(house, events=False))
    back = from_pddl(to_pddl("Set the table", house, goal))
    assert back.name == "set_the_table"
    assert back.graph == SceneGraph(
        (Node(n.id, n.category, n.kind, n.id, n.states, n.affordances) for n in house.nodes()),
        house.edges(),
    )
    assert back.goal == goal


def test_a_problem_reads_like_pddl(small_house):
    goal = And(
        (
            Related(3, Relation.INSIDE, 1),
            Exists("t", Domain(frozenset({"table"})), Not(Related(3, Relation.ON, "t"))),
        )
    )
    lines = to_pddl("Tidy up!", small_house, goal).splitlines()
    assert lines[:6] == [
        "(define (problem tidy_up)",
        "  (:domain household)",
        "  (:requirements :strips :typing :negative-preconditions :existential-preconditions)",
        "  (:objects",
        "    living_room_1 - room",
        "    table_2 - fixture",
    ]
    assert "    category-living_room - category" in lines
    assert (
        "    (is_a table_2 category-table) (surface table_2) (inside table_2 living_room_1)"
        in lines
    )
    assert lines[-2:] == [
        "  (:goal (and (within candle_3 living_room_1) (exists (?t - thing) "
        "(and (is_a ?t category-table) (not (on candle_3 ?t))))))",
        ")",
    ]


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        (EventOccurred(("heated",)), "happened"),
        (And((InOrder(()),)), "happened"),
        (HasState(99, State.OPEN), "node 99"),
        (Exists("x", Domain(ids=frozenset({98})), And(())), "node 98"),
        (Exists("The table", Domain(), And(())), "'The table'"),
    ],
)
def test_goals_that_pddl_cannot_say_are_refused(goal, told, small_house, refused):
    assert told in refused(to_pddl, "x", small_house, goal)


def test_at_least_none_is_nothing_to_do_in_pddl(small_house):
    goal = AtLeast(0, "x", Domain(), HasState("x", State.OPEN))
    assert from_pddl(to_pddl("x", small_house, goal)).goal == And(())


TWO_OFF = AtLeast(2, "x", Domain(frozenset({"candle"}), Kind.OBJECT), HasState("x", State.OFF))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("(define", "(", ["no PDDL problem"]),
        ("(:goal", "((:goal", ["1 parentheses are never closed"]),
        ("(is_off candle_3)", "(is_off candle_3))", ["closes a parenthesis"]),
        ("(is_off candle_3)", "(" * 3000 + ")" * 3000, ["nested deeper than 100"]),
        ("(:init", "(:start", [":init is missing"]),
        ("(:init", "x (:init", ["there is x", "a section"]),
        ("candle_3 - item", "candle_3 - toy", ["(candle_3 - toy)", "item"]),
        ("candle_3 - item", "candle_2 - item", ["candle_2", "an id of its own"]),
        ("candle_3 - item", "candle - item", ["candle", "an id of its own"]),
        ("(is_off candle_3)", "(is_off lamp_3)", ["lamp_3", "an object of the problem"]),
        ("(is_off candle_3)", "(is_ajar candle_3)", ["(is_ajar candle_3)"]),
        ("(is_a candle_3 category-candle)", "", ["candle_3", "(is_a candle_3 …)"]),
        ("(is_a candle_3 category-candle)", "(is_a candle_3 candle)", ["name of a category"]),
        ("(on candle_3 table_2)", "(on candle_3 candle_3)", ["candle 3 is on candle 3"]),
        ("(is_off ?x-1)", "(is_ajar ?x-1)", ["(is_ajar ?x-1)"]),
        ("(is_off ?x-1)", "(is_on ?x-1)", ["instances that differ"]),
        ("(is_off ?x-2)", "(is_off ?y)", ["?y", "an object of the problem"]),
        ("?x-2 - item", "?x-2 - toy", ["toy", "fixture"]),
        ("(is_a ?x-2 category-candle)", "(on ?x-2 table_2)", ["(on ?x-2 table_2)", "condition"]),
        ("(:goal", "(:goal (and)", ["one goal"]),
    ],
)
def test_a_malformed_pddl_problem_is_refused(old, new, told, small_house, refused):
    text = to_pddl("dinner", small_house, TWO_OFF)
    assert old in text
    message = refused(from_pddl, text.replace(old, new, 1), "dinner.pddl")
    for words in ["dinner.pddl", *told]:
        assert words in message


def test_pddl_may_be_in_capitals_and_with_comments(small_house):
    text = to_pddl("dinner", small_house, TWO_OFF)
    changed = "; a comment (\n" + text.upper().replace(")\n", ") ; another (\n")
    assert from_pddl(changed) == from_pddl(text)


def test_a_variable_may_stand_right_behind_a_word(small_house):
    """As Fast Downward reads it: "(is_a?x c)"."""
    text = to_pddl("dinner", small_house, TWO_OFF)
    tight = text.replace(" ?", "?")
    assert tight != text
    assert from_pddl(tight) == from_pddl(text)
