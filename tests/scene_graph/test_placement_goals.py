"""Goals of placements: their alternatives, and the short form that means the same."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.goal_evaluation import progress, satisfied
from peephole.scene_graph.goals import And, Goal, HasState, Not, Or, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Edge, Kind, Node, Relation, State
from peephole.scene_graph.placement_goals import Placements, alternatives, short_form

THINGS, PLACES = range(1, 5), range(11, 15)
placement = st.builds(
    Related, st.sampled_from(THINGS), st.just(Relation.ON), st.sampled_from(PLACES)
)
goals = st.recursive(
    placement,
    lambda parts: (
        st.lists(parts, min_size=1, max_size=3)
        .map(tuple)
        .flatmap(lambda found: st.sampled_from([And(found), Or(found)]))
    ),
    max_leaves=8,
)


def graph_of(places: dict[int, int]) -> SceneGraph:
    nodes = [Node(i, "thing", Kind.OBJECT, i) for i in THINGS]
    nodes += [Node(i, "place", Kind.FIXTURE, i) for i in PLACES]
    return SceneGraph(nodes, [Edge(t, Relation.ON, p) for t, p in places.items()])


GRAPHS = [
    graph_of(dict(zip(THINGS, places, strict=True)))
    for places in product(PLACES, repeat=len(THINGS))
]


@given(goals)
def test_a_goal_holds_where_one_of_its_alternatives_does(goal: Goal) -> None:
    found = alternatives(goal)
    assert found is not None
    short = short_form(found)
    for graph in GRAPHS[::7]:
        holds = any(all(satisfied(each, graph) for each in placements) for placements in found)
        assert satisfied(goal, graph) == holds == satisfied(short, graph)


@given(st.lists(st.lists(placement, min_size=1, max_size=3).map(tuple), min_size=1, max_size=6))
def test_the_short_form_has_the_same_alternatives(given_: list[Placements]) -> None:
    found = alternatives(short_form(given_))
    assert found is not None
    assert {frozenset(each) for each in found} == {frozenset(each) for each in given_}


def test_free_combinations_are_reported_by_thing() -> None:
    def on(thing: int, place: int) -> Related:
        return Related(thing, Relation.ON, place)

    free = [(on(1, a), on(2, b)) for a in (11, 12) for b in (13, 14)]
    ors = tuple(Or((on(thing, low), on(thing, low + 1))) for thing, low in ((1, 11), (2, 13)))
    assert short_form([*free, *free[:2]]) == Or((And(ors),))
    assert short_form(free[:3]) == Or(tuple(And(each) for each in free[:3]))


@pytest.mark.parametrize(
    "goal",
    [HasState(1, State.OPEN), Not(Related(1, Relation.ON, 11)), Related("x", Relation.ON, 1)],
)
def test_other_goals_have_none(goal: Goal) -> None:
    assert alternatives(goal) is None
    assert alternatives(And((Related(1, Relation.ON, 11), goal))) is None


def test_a_goal_with_too_many_alternatives_counts_as_of_another_kind() -> None:
    anywhere = [Or(tuple(Related(t, Relation.ON, place) for place in PLACES)) for t in (1, 2, 3)]
    assert alternatives(And(tuple(anywhere)), limit=63) is None
    assert len(alternatives(And(tuple(anywhere)), limit=64) or ()) == 64


def test_six_hundred_alternatives_are_judged_in_a_moment() -> None:
    """Even where none of them combine freely."""
    found = [
        tuple(Related(t, Relation.ON, p) for t, p in zip(THINGS, places, strict=True))
        for places in list(product(PLACES, repeat=4))
    ] * 3
    flat = Or(tuple(And(each) for each in found[:648]))
    graph = graph_of(dict.fromkeys(THINGS, 14))
    began = time.perf_counter()
    for _ in range(5):
        assert progress(flat, graph).value == 1.0
    assert (time.perf_counter() - began) / 5 < 0.1


def test_of_alternatives_the_nearest_has_its_parts_reported() -> None:
    def on(thing: int, place: int) -> Related:
        return Related(thing, Relation.ON, place)

    goal = Or((And((on(1, 11), on(2, 11), on(3, 11))), And((on(1, 12), on(2, 12)))))
    told = progress(goal, graph_of({1: 12, 2: 13, 3: 11, 4: 11}))
    assert told.value == 0.5
    assert [(part.text, part.done) for part in told.subgoals] == [
        ("1 is on 12", True),
        ("2 is on 12", False),
    ]
