"""Goals: when they hold, and how far they are."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.goal_evaluation import progress, satisfied
from peephole.scene_graph.goal_text import describe
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Event,
    EventOccurred,
    Exists,
    ForAll,
    HasState,
    InOrder,
    Not,
    Or,
    Related,
    conjuncts,
    named_ids,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

PLATES = Domain(frozenset({"plate"}))
TABLES = Domain(frozenset({"table"}))
NO_ONE = Domain(frozenset({"unicorn"}))
TRUE, FALSE = And(()), Or(())


def laid(*tables: dict[str, int]) -> SceneGraph:
    """Tables with so many things of each category on each; ids count up, tables first."""
    graph = SceneGraph(Node(i, "table", Kind.FIXTURE, i) for i in range(1, len(tables) + 1))
    for table, things in enumerate(tables, start=1):
        for category, count in things.items():
            for _ in range(count):
                thing = Node(len(graph) + 1, category, Kind.OBJECT, len(graph) + 1)
                graph.add_node(thing)
                graph.add_edge(thing.id, Relation.ON, table)
    return graph


def at_one_table(wanted: dict[str, int]) -> Exists:
    """So many things of each category on one and the same table."""
    return Exists(
        "t",
        TABLES,
        And(
            tuple(
                AtLeast(n, "x", Domain(frozenset({category})), Related("x", Relation.ON, "t"))
                for category, n in wanted.items()
            )
        ),
    )


@given(data=st.data())
def test_a_goal_is_satisfied_exactly_when_its_progress_is_one(
    house_strategy, goal_strategy, event_strategy, data
):
    house = data.draw(house_strategy)
    goal = data.draw(goal_strategy(house))
    events = data.draw(event_strategy(house))
    result = progress(goal, house, events)
    assert 0 <= result.value <= 1
    assert satisfied(goal, house, events) == (result.value == 1)
    assert satisfied(goal, house, events) == all(part.done for part in result.subgoals)
    if any(isinstance(literal, Exists | Or) for literal in conjuncts(goal)):
        return  # its subgoals are those of one instance or alternative
    assert len(result.subgoals) == len(list(conjuncts(goal)))
    for part, literal in zip(result.subgoals, conjuncts(goal), strict=True):
        assert part.done == satisfied(literal, house, events)
        assert part.text == describe(literal)


@given(data=st.data())
def test_quantifiers_are_what_they_stand_for(house_strategy, goal_strategy, data):
    house = data.draw(house_strategy)
    body = data.draw(goal_strategy(house, bound=("x",), events=False))
    domain = Domain(kind=data.draw(st.sampled_from(Kind)))
    true_of = [
        satisfied(Exists("x", Domain(ids=frozenset({node.id})), body), house)
        for node in house.nodes(domain.kind)
    ]
    assert satisfied(Exists("x", domain, body), house) == any(true_of)
    assert satisfied(ForAll("x", domain, body), house) == all(true_of)
    assert satisfied(Not(ForAll("x", domain, Not(body))), house) == any(true_of)
    for n in range(4):
        assert satisfied(AtLeast(n, "x", domain, body), house) == (sum(true_of) >= n)


COUNTS = st.dictionaries(st.sampled_from(["plate", "fork", "glass"]), st.integers(0, 3))


@given(tables=st.lists(COUNTS, max_size=3), wanted=COUNTS)
def test_things_at_one_instance_count_as_in_watch_and_help(tables, wanted):
    """max over instances of sum(min(count, n)) / sum(n)."""
    total = sum(wanted.values())
    shares = [
        sum(min(table.get(category, 0), n) for category, n in wanted.items()) / total
        if total
        else 1.0
        for table in tables
    ]
    result = progress(at_one_table(wanted), laid(*tables))
    assert result.value == pytest.approx(max(shares, default=0.0))


def test_all_things_must_be_at_the_same_instance():
    goal = at_one_table({"plate": 2})
    assert not satisfied(goal, laid({"plate": 1}, {"plate": 1}))
    assert progress(goal, laid({"plate": 1}, {"plate": 1})).value == 0.5
    assert satisfied(goal, laid({}, {"plate": 2}))


def test_the_branch_that_is_furthest_counts():
    graph = laid({"plate": 1}, {})
    on_first, on_second = Related(3, Relation.ON, 1), Related(3, Relation.ON, 2)
    assert progress(Or((on_second, on_first)), graph).value == 1
    both = And((on_first, on_second))
    assert progress(Or((And((on_second, on_second)), both)), graph).value == 0.5
    assert (
        progress(Exists("t", TABLES, And((Related(3, Relation.ON, "t"), on_second))), graph).value
        == 0.5
    )


def test_every_literal_weighs_the_same():
    graph = laid({"plate": 3}, {})
    three = AtLeast(3, "x", PLATES, Related("x", Relation.ON, 1))
    other = Related(3, Relation.ON, 2)
    result = progress(And((three, other)), graph)
    assert result.value == 0.75
    assert [(part.earned, part.total) for part in result.subgoals] == [(3, 3), (0, 1)]


def test_at_least_counts_each_instance_once():
    graph = laid({"plate": 2})
    somewhere = Exists("t", TABLES, Related("x", Relation.ON, "t"))
    assert progress(AtLeast(4, "x", PLATES, somewhere), graph).value == 0.5
    assert satisfied(AtLeast(2, "x", PLATES, somewhere), graph)
    assert not satisfied(AtLeast(3, "x", PLATES, somewhere), graph)


def test_partly_fulfilled_instances_count_in_part():
    graph = laid({"plate": 2})
    graph.set_state(2, State.CLEAN)
    clean_on_table = And((Related("x", Relation.ON, 1), HasState("x", State.CLEAN)))
    assert progress(AtLeast(2, "x", PLATES, clean_on_table), graph).value == 0.75


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        (And(()), 1),
        (Or(()), 0),
        (Not(Or(())), 1),
        (InOrder(()), 1),
        (ForAll("x", NO_ONE, FALSE), 1),
        (Exists("x", NO_ONE, TRUE), 0),
        (AtLeast(0, "x", NO_ONE, FALSE), 1),
        (AtLeast(2, "x", TABLES, TRUE), 0.5),
        (HasState(99, State.OPEN), 0),
        (Related(1, Relation.ON, 99), 0),
        (Not(Related(99, Relation.ON, 1)), 1),
    ],
)
def test_goals_about_nothing(goal, value):
    graph = laid({})
    assert progress(goal, graph).value == value
    assert satisfied(goal, graph) == (value == 1)


def test_inside_closes_over_supports_and_on_does_not():
    graph = SceneGraph(
        [Node(i, "thing", Kind.OBJECT, i) for i in (1, 2, 3)],
        [Edge(1, Relation.ON, 2), Edge(2, Relation.INSIDE, 3)],
    )
    assert satisfied(Related(1, Relation.INSIDE, 3), graph)
    assert not satisfied(Related(1, Relation.ON, 3), graph)
    assert not satisfied(Related(1, Relation.INSIDE, 2), graph)


def test_directly_inside_is_what_the_place_itself_keeps():
    graph = SceneGraph(
        [Node(i, "thing", Kind.OBJECT, i) for i in (1, 2, 3)],
        [Edge(1, Relation.INSIDE, 2), Edge(2, Relation.INSIDE, 3)],
    )
    directly = [
        (thing, place)
        for thing in (1, 2, 3)
        for place in (1, 2, 3)
        if satisfied(Related(thing, Relation.INSIDE, place, direct=True), graph)
    ]
    assert directly == [(1, 2), (2, 3)]
    some = Exists("x", Domain(), Related("x", Relation.INSIDE, 3, direct=True))
    assert progress(some, graph).subgoals[0].text == "2 is directly inside 3"


def test_a_domain_may_ask_for_what_can_be_done_with_a_thing():
    can = frozenset({Affordance.GRASPABLE})
    graph = SceneGraph(
        [
            Node(1, "plate", Kind.OBJECT, 1, frozenset({State.DIRTY})),
            Node(2, "plate", Kind.OBJECT, 2, frozenset(), can),
        ]
    )
    plates = Domain(frozenset({"plate"}), can=Affordance.GRASPABLE)
    assert not satisfied(Exists("x", plates, HasState("x", State.DIRTY)), graph)
    graph.set_state(2, State.DIRTY)
    assert satisfied(Exists("x", plates, HasState("x", State.DIRTY)), graph)
    goal = Exists("x", Domain(ids=frozenset({1}), can=Affordance.GRASPABLE), TRUE)
    assert not satisfied(goal, graph)


# --- events ------------------------------------------------------------------------------------

GRAPH = laid({"plate": 1}, {})
HEATED = Event("heated", (3, 1), step=1, value=5.0)
SERVED = Event("put", (3, 2), step=2)


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        (EventOccurred(("heated",)), True),
        (EventOccurred(("cooled", "heated")), True),
        (EventOccurred(("cooled",)), False),
        (EventOccurred(("heated",), (3,)), True),
        (EventOccurred(("heated",), (3, 1)), True),
        (EventOccurred(("heated",), (None, 1)), True),
        (EventOccurred(("heated",), (1,)), False),
        (EventOccurred(("heated",), (3, 1, None)), False),
        (EventOccurred(("heated",), (), at_least=5.0), True),
        (EventOccurred(("heated",), (), at_least=5.1), False),
        (
            EventOccurred(("put",), (), at_least=0.0),
            False,
        ),  # an event without a value has not even 0
        (Exists("x", PLATES, EventOccurred(("heated",), ("x",))), True),
        (ForAll("x", TABLES, EventOccurred(("heated",), (None, "x"))), False),
    ],
)
def test_what_counts_as_having_happened(pattern, holds):
    assert satisfied(pattern, GRAPH, [HEATED, SERVED]) == holds
    assert not satisfied(pattern, GRAPH, [])


def test_events_in_order():
    heat, serve = EventOccurred(("heated",), (3,)), EventOccurred(("put",), (3,))
    goal = InOrder((heat, serve))
    assert satisfied(goal, GRAPH, [HEATED, SERVED])
    assert progress(goal, GRAPH, [HEATED]).value == 0.5
    assert progress(goal, GRAPH, [SERVED, HEATED]).value == 0.5
    assert progress(goal, GRAPH, [SERVED]).value == 0
    assert satisfied(goal, GRAPH, [SERVED, HEATED, HEATED, SERVED])


def test_one_event_is_one_step_of_an_order():
    twice = InOrder((EventOccurred(("heated",)), EventOccurred(("heated",))))
    assert not satisfied(twice, GRAPH, [HEATED])
    assert satisfied(twice, GRAPH, [HEATED, HEATED])


@given(
    wanted=st.lists(st.sampled_from("abc"), max_size=4),
    happened=st.lists(st.sampled_from("abc"), max_size=6),
)
def test_an_order_holds_when_it_is_a_subsequence(wanted, happened):
    events = [Event(name, (), step) for step, name in enumerate(happened, start=1)]
    goal = InOrder(tuple(EventOccurred((name,)) for name in wanted))
    positions = product(*([i for i, n in enumerate(happened) if n == name] for name in wanted))
    rising = any(list(choice) == sorted(set(choice)) for choice in positions)
    assert satisfied(goal, GRAPH, events) == rising


# --- wording -----------------------------------------------------------------------------------


def test_subgoals_are_named_one_by_one():
    goal = And(
        (
            Related(3, Relation.ON, 1),
            And((Not(HasState(3, State.PLUGGED_IN)), at_one_table({"plate": 2}))),
            InOrder((EventOccurred(("heated",), (3,), 5.0), EventOccurred(("put",), (3, None)))),
        )
    )
    names = {1: "table 1", 3: "plate 1"}
    texts = [part.text for part in progress(goal, GRAPH, name=names.__getitem__).subgoals]
    assert texts == [
        "plate 1 is on table 1",
        "plate 1 is not plugged in",
        "at least 2 plates are on table 1",
        "plate 1 has been heated (at least 5), then put plate 1, something",
    ]


def test_a_goal_mentions_the_things_it_names_wherever_they_stand():
    goal = And(
        (
            Related(1, Relation.HOLDS, 2),
            Or((Not(HasState(3, State.HOT)), InOrder((EventOccurred(("x",), (4, None)),)))),
            ForAll("p", Domain(ids=frozenset({5, 6})), Related("p", Relation.CLOSE, 7)),
        )
    )
    assert named_ids(goal) == {1, 2, 3, 4, 5, 6, 7}


# --- in words ------------------------------------------------------------------------------------

_NAMES = {1: "you", 2: "fridge 1", 3: "egg 1", 4: "egg 2", 5: "egg 3", 6: "knife 1"}
_IN = Relation.INSIDE
_EGGS = Domain(ids=frozenset({3, 4, 5}))


def _kind(*categories):
    return Domain(frozenset(categories))


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Related(1, Relation.HOLDS, 3), "you hold egg 1"),
        (Related(1, Relation.CLOSE, 2), "you are close to fridge 1"),
        (Not(Related(1, Relation.HOLDS, 3)), "you do not hold egg 1"),
        (Not(HasState(2, State.OPEN)), "fridge 1 is not open"),
        (Not(Not(HasState(2, State.OPEN))), "fridge 1 is open"),
        (HasState(2, State.PLUGGED_OUT), "fridge 1 is unplugged"),
        (EventOccurred(("look", "watch"), (None,)), "look at or watch something"),
        (EventOccurred(("heated",), (3,)), "egg 1 has been heated"),
        (Exists("x", _kind("egg"), Related("x", _IN, 2)), "an egg is inside fridge 1"),
        (
            Exists("x", _kind("knife", "fork"), HasState("x", State.CLEAN)),
            "a fork or knife is clean",
        ),
        (AtLeast(1, "x", _kind("milk"), Related("x", _IN, 2)), "some milk is inside fridge 1"),
        (
            AtLeast(2, "x", _kind("egg"), Related("x", _IN, 2)),
            "at least 2 eggs are inside fridge 1",
        ),
        (
            AtLeast(3, "x", _kind("knife"), Related("x", _IN, 2)),
            "at least 3 knives are inside fridge 1",
        ),
        (
            AtLeast(2, "x", _kind("slice of bread"), Related("x", _IN, 2)),
            "at least 2 slices of bread are inside fridge 1",
        ),
        (
            AtLeast(2, "x", _kind("milk"), Related("x", _IN, 2)),
            "at least 2 portions of milk are inside fridge 1",
        ),
        (ForAll("x", _EGGS, Related("x", _IN, 2)), "each of egg 1, 2 and 3 is inside fridge 1"),
        (Exists("x", _EGGS, Related("x", _IN, 2)), "egg 1, 2 or 3 is inside fridge 1"),
        (
            AtLeast(2, "x", _EGGS, Related("x", _IN, 2)),
            "at least 2 of egg 1, 2 and 3 are inside fridge 1",
        ),
        (ForAll("x", Domain(ids=frozenset({3})), Related("x", _IN, 2)), "egg 1 is inside fridge 1"),
        (
            ForAll("x", _kind("egg"), Not(HasState("x", State.DIRTY))),
            "for every egg, that egg is not dirty",
        ),
        (
            Exists(
                "p",
                _kind("dishwasher"),
                And(
                    (
                        AtLeast(2, "x", _kind("cup"), Related("x", _IN, "p")),
                        HasState("p", State.ON),
                    )
                ),
            ),
            "there is a dishwasher such that at least 2 cups are inside that dishwasher and that "
            "dishwasher is on",
        ),
        (
            Exists("x", _kind("egg"), And((HasState("x", State.HOT), Related("x", _IN, 2)))),
            "an egg is hot and that egg is inside fridge 1",
        ),
    ],
)
def test_goals_are_worded_in_good_english(goal, words):
    assert describe(goal, _NAMES.__getitem__) == words
