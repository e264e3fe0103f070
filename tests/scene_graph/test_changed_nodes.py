"""The nodes that a goal asks to change and those that are right: LookPlanGraph's plan precision."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, SearchStrategy

from peephole.scene_graph.changed_nodes import ChangedNodes, changed_nodes
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Event,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    InOrder,
    Not,
    Or,
    Related,
    as_one_literal,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Edge, Kind, Node, Relation, State

AGENT, TABLE, FRIDGE, APPLE, PEAR, MUG = 1, 2, 3, 4, 5, 6
FRUIT = Domain(frozenset({"fruit"}))


def kitchen(*states: tuple[int, State], **places: int) -> SceneGraph:
    """A kitchen with two fruits and a mug; where each is, by default on the table."""
    fridge = frozenset(state for thing, state in states if thing == FRIDGE)
    mug = frozenset(state for thing, state in states if thing == MUG)
    where = {"apple": TABLE, "pear": TABLE, "mug": TABLE, **places}
    ids = {"apple": APPLE, "pear": PEAR, "mug": MUG}
    return SceneGraph(
        [
            Node(AGENT, "character", Kind.AGENT, AGENT),
            Node(TABLE, "table", Kind.FIXTURE, TABLE),
            Node(FRIDGE, "fridge", Kind.FIXTURE, FRIDGE, fridge or frozenset({State.CLOSED})),
            Node(APPLE, "fruit", Kind.OBJECT, APPLE),
            Node(PEAR, "fruit", Kind.OBJECT, PEAR),
            Node(MUG, "mug", Kind.OBJECT, MUG, mug),
        ],
        [
            Edge(AGENT, Relation.HOLDS, ids[name])
            if place == AGENT
            else Edge(ids[name], Relation.INSIDE if place == FRIDGE else Relation.ON, place)
            for name, place in where.items()
        ],
    )


def inside(thing: int | str, place: int | str = FRIDGE) -> Related:
    return Related(thing, Relation.INSIDE, place)


OPEN = (FRIDGE, State.OPEN)
FIRST, SECOND = EventOccurred(("heated",), (MUG,)), EventOccurred(("cleaned",), (MUG,))


@pytest.mark.parametrize(
    ("goal", "before", "after", "changed", "correct"),
    [
        # One of two things that have to be moved was.
        (And((inside(APPLE), inside(PEAR))), kitchen(), kitchen(apple=FRIDGE), 2, 1),
        # What was there already is no change, and is not missed when it was taken away.
        (And((inside(APPLE), inside(PEAR))), kitchen(pear=FRIDGE), kitchen(apple=FRIDGE), 1, 1),
        # A node counts once, and only when all that is said of it holds.
        (And((inside(MUG), HasState(MUG, State.CLEAN))), kitchen(), kitchen(mug=FRIDGE), 1, 0),
        (
            And((inside(MUG), HasState(MUG, State.CLEAN))),
            kitchen(),
            kitchen((MUG, State.CLEAN), mug=FRIDGE),
            1,
            1,
        ),
        # Another node's state is another node.
        (And((inside(MUG), HasState(FRIDGE, State.OPEN))), kitchen(), kitchen(OPEN), 2, 1),
        # Counted: any two fruits; one was there at the start, so that one more is to come.
        (AtLeast(2, "x", FRUIT, inside("x")), kitchen(), kitchen(pear=FRIDGE), 2, 1),
        (
            AtLeast(2, "x", FRUIT, inside("x")),
            kitchen(apple=FRIDGE),
            kitchen(apple=FRIDGE, pear=FRIDGE),
            1,
            1,
        ),
        # Counted, by number and not by thing: one went out as another came in.
        (AtLeast(2, "x", FRUIT, inside("x")), kitchen(apple=FRIDGE), kitchen(pear=FRIDGE), 1, 0),
        (AtLeast(1, "x", FRUIT, inside("x")), kitchen(), kitchen(apple=FRIDGE, pear=FRIDGE), 1, 1),
        (ForAll("x", FRUIT, inside("x")), kitchen(), kitchen(pear=FRIDGE), 2, 1),
        # Of things of which any will do, and of alternatives, the one that came nearest.
        (Exists("x", FRUIT, inside("x")), kitchen(), kitchen(pear=FRIDGE), 1, 1),
        (Exists("x", Domain(frozenset({"unicorn"})), inside("x")), kitchen(), kitchen(), 1, 0),
        (Or((inside(APPLE), And((inside(PEAR), inside(MUG))))), kitchen(), kitchen(), 1, 0),
        (Or((inside(APPLE), inside(PEAR))), kitchen(), kitchen(pear=FRIDGE), 1, 1),
        # Of what is held the thing counts, not who holds it.
        (
            And((Related(AGENT, Relation.HOLDS, APPLE), Related(AGENT, Relation.HOLDS, PEAR))),
            kitchen(),
            kitchen(apple=AGENT),
            2,
            1,
        ),
        (Not(Related(APPLE, Relation.ON, TABLE)), kitchen(), kitchen(apple=FRIDGE), 1, 1),
        (
            And((as_one_literal(inside(MUG)), HasState(MUG, State.CLEAN))),
            kitchen(),
            kitchen((MUG, State.CLEAN)),
            1,
            0,
        ),
        (inside(APPLE), kitchen(apple=FRIDGE), kitchen(), 0, 0),
    ],
)
def test_nodes_are_counted_as_by_hand(
    goal: Goal, before: SceneGraph, after: SceneGraph, changed: int, correct: int
) -> None:
    assert changed_nodes(goal, before, after) == ChangedNodes(changed, correct)


def test_what_happened_to_a_thing_is_said_of_it() -> None:
    goal = And((EventOccurred(("heated",), (MUG,)), inside(MUG)))
    heated = [Event("heated", (MUG,), 3)]
    assert changed_nodes(goal, kitchen(), kitchen(mug=FRIDGE)) == ChangedNodes(1, 0)
    assert changed_nodes(goal, kitchen(), kitchen(mug=FRIDGE), heated) == ChangedNodes(1, 1)
    assert changed_nodes(InOrder((FIRST, SECOND)), kitchen(), kitchen(), heated) == ChangedNodes(1)
    assert changed_nodes(EventOccurred(("wait",)), kitchen(), kitchen()) == ChangedNodes(1, 0)


@given(st.data())
def test_all_are_right_where_a_goal_is_reached(
    goal_strategy: Callable[..., SearchStrategy[Goal]],
    house_strategy: SearchStrategy[SceneGraph],
    data: DataObject,
) -> None:
    graph = data.draw(house_strategy)
    goal = data.draw(goal_strategy(graph, events=False))
    start = data.draw(st.sampled_from([graph, SceneGraph(graph.nodes())]))
    found = changed_nodes(goal, start, graph)
    assert 0 <= found.correct <= found.changed
    if satisfied(goal, graph):
        assert found.correct == found.changed
