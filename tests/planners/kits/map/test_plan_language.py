"""Plans are read strictly, stand for actions on a graph, and are verified on it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peephole.models.contract import Unusable
from peephole.planners.kits.map.map_search import CollapsedGraph
from peephole.planners.kits.map.names import NodeNames
from peephole.planners.kits.map.plan_language import (
    PlanLanguage,
    PlanProblem,
    PutStyle,
    actions_of,
    verify,
)
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.skills.actions import Verb, close, go_to, open_, pick_up, put, stand_up
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Reason

ONE_HAND = Embodiment(1)
VERBS = frozenset(Verb)


@pytest.fixture
def home(house):
    """A hall with an apple on a table, and a kitchen with a closed fridge."""
    hall, kitchen = house.room("hall"), house.room("kitchen")
    house.table, house.fridge = (
        house.fixture("table", hall),
        house.fixture("fridge", kitchen, State.CLOSED),
    )
    house.apple = house.thing("apple", on=house.table)
    house.hall, house.kitchen = hall, kitchen
    house.me = house.agent(hall)
    return house


def names_of(house):
    numbers: dict[str, int] = {}
    names = {}
    for node in house.graph.nodes():
        numbers[node.category] = numbers.get(node.category, 0) + 1
        names[node.id] = f"{node.category} {numbers[node.category]}"
    return NodeNames(names)


def language_of(house, placing=PutStyle.PUT, verbs=VERBS):
    return PlanLanguage(names_of(house), verbs, placing)


PLAN = [
    "go_to(kitchen-1)",
    "open(fridge-1)",
    "go_to(hall-1)",
    "pick_up(apple-1)",
    "go_to(kitchen-1)",
    "put_inside(fridge-1)",
    "close(fridge-1)",
]


def test_access_is_inserted_where_one_puts(home):
    assert verify(PLAN, language_of(home), home.graph, ONE_HAND) == [
        go_to(home.kitchen),
        go_to(home.fridge),
        open_(home.fridge),
        go_to(home.hall),
        go_to(home.table),
        pick_up(home.apple),
        go_to(home.kitchen),
        go_to(home.fridge),
        put(home.apple, Relation.INSIDE, home.fridge),
        close(home.fridge),
    ]


def test_a_plan_that_is_possible_does_what_it_says(home):
    graph = home.graph.copy()
    actions = verify(PLAN, language_of(home), home.graph, ONE_HAND)
    assert not isinstance(actions, PlanProblem)
    for action in actions:
        assert step(graph, action, ONE_HAND) is None
    assert graph.has_edge(home.apple, Relation.INSIDE, home.fridge)
    assert State.CLOSED in graph[home.fridge].states
    assert home.graph.has_edge(home.apple, Relation.ON, home.table)


@pytest.mark.parametrize(
    ("plan", "at", "reason", "sentence"),
    [
        (["pick_up(pear-1)"], 1, None, "There is no node 'pear-1'"),
        (["pick_up(apple)"], 1, None, "'apple' has no number; say which is meant: apple-1."),
        (["throw(apple-1)"], 1, None, "There is no function throw; there are go_to, pick_up"),
        (["eat the apple"], 1, None, "'eat the apple' is no call of a function"),
        (["put_on(table-1, apple-1, 3)"], 1, None, "has other arguments than put_on(<node>)"),
        (["go_to(fridge-1)"], 1, None, "fridge-1, which is in kitchen-1, is no room"),
        (["open(fridge-1)"], 1, Reason.NOT_CLOSE, "You are not at fridge-1, which is in kitchen-1"),
        (PLAN[3:4] * 2, 2, Reason.HELD, "You hold apple-1 already."),
        ([*PLAN[3:5], PLAN[5]], 3, Reason.CONTAINER_CLOSED, "fridge-1 is closed"),
        (["put_on(table-1)"], 1, Reason.NOT_HELD, "You do not hold table-1."),
        (["pick_up(table-1)"], 1, Reason.NOT_GRASPABLE, "table-1 cannot be picked up"),
        ([], 0, None, "The plan has no step."),
        (["done()", "pick_up(pear-1)"], 0, None, "The plan has no step."),
    ],
)
def test_the_first_problem_is_one_sentence(home, plan, at, reason, sentence):
    result = verify(plan, language_of(home), home.graph, ONE_HAND)
    assert isinstance(result, PlanProblem)
    assert (result.step, result.reason) == (at, reason)
    assert sentence in result.sentence


def test_what_is_inside_something_closed_is_not_to_be_had(home):
    home.thing("milk", inside=home.fridge)
    result = verify([*PLAN[:1], "pick_up(milk-1)"], language_of(home), home.graph, ONE_HAND)
    assert isinstance(result, PlanProblem)
    assert result.sentence == (
        "Step 2, pick_up(milk-1), is impossible: milk-1 is inside fridge-1, which is closed."
    )


# --- release and access --------------------------------------------------------------------------

RELEASED = [
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


def test_access_is_to_be_said_where_one_releases(home):
    language = language_of(home, PutStyle.RELEASE)
    actions = verify(RELEASED, language, home.graph, ONE_HAND)
    assert actions == verify(PLAN[:-1], language_of(home), home.graph, ONE_HAND)
    lacking = [step for step in RELEASED if step != "access(apple-1)"]
    result = verify(lacking, language, home.graph, ONE_HAND)
    assert isinstance(result, PlanProblem)
    assert (result.step, result.reason) == (5, Reason.NOT_CLOSE)


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (["access(fridge-1)"], "you are in hall-1, and not at fridge-1, which is in kitchen-1"),
        (["access(kitchen-1)"], "kitchen-1 is a room, to which one goes by go_to"),
        (["put_on(table-1)"], "There is no function put_on"),
        (["release(apple-1, beside)"], "has other arguments than release(<object>)"),
    ],
)
def test_access_is_of_the_room_one_is_in(home, plan, sentence):
    result = verify(plan, language_of(home, PutStyle.RELEASE), home.graph, ONE_HAND)
    assert isinstance(result, PlanProblem)
    assert sentence in result.sentence


@pytest.mark.parametrize(
    ("states", "affordances", "said", "relation"),
    [
        ({State.OPEN}, {Affordance.CONTAINER, Affordance.SURFACE}, "", Relation.INSIDE),
        ({State.CLOSED}, {Affordance.CONTAINER, Affordance.SURFACE}, "", Relation.ON),
        (set(), {Affordance.CONTAINER, Affordance.SURFACE}, "", Relation.ON),
        (set(), {Affordance.CONTAINER, Affordance.SURFACE}, ", inside_of", Relation.INSIDE),
        (set(), {Affordance.CONTAINER}, "", Relation.INSIDE),
        ({State.OPEN}, {Affordance.CONTAINER, Affordance.SURFACE}, ", ontop_of", Relation.ON),
    ],
)
def test_how_things_are_released(house, states, affordances, said, relation):
    hall = house.room("hall")
    place = house._add("chest", Kind.FIXTURE, affordances, *states)
    house.graph.add_edge(place, Relation.INSIDE, hall)
    apple = house.thing("apple")
    house.agent(hall, apple)
    plan = ["access(chest-1)", f"release(apple-1{said})"]
    actions = verify(plan, language_of(house, PutStyle.RELEASE), house.graph, ONE_HAND)
    assert actions == [go_to(place), put(apple, relation, place)]


# --- bodies --------------------------------------------------------------------------------------


def test_with_two_hands_the_last_thing_is_put_down_or_the_one_that_is_named(home):
    pear = home.thing("pear", on=home.table)
    start = ["pick_up(apple-1)", "pick_up(pear-1)"]
    language, two = language_of(home), Embodiment(2)
    last = verify([*start, "put_on(table-1)"], language, home.graph, two)
    named = verify([*start, "put_on(table-1, apple-1)"], language, home.graph, two)
    assert last[-1:] == [put(pear, Relation.ON, home.table)]
    assert named[-1:] == [put(home.apple, Relation.ON, home.table)]


def test_who_sits_has_to_stand_up(house):
    hall, kitchen = house.room("hall"), house.room("kitchen")
    house.graph.set_state(house.agent(hall), State.SITTING)
    language = language_of(house)
    result = verify(["go_to(kitchen-1)"], language, house.graph, ONE_HAND)
    assert isinstance(result, PlanProblem)
    assert "You have to stand up first." in result.sentence
    stood = verify(["stand_up()", "go_to(kitchen-1)"], language, house.graph, ONE_HAND)
    assert stood == [stand_up(), go_to(kitchen)]


def test_only_functions_that_the_body_has_are_offered(home):
    language = language_of(home, verbs=frozenset({Verb.GO_TO, Verb.PICK_UP, Verb.OPEN}))
    assert [function.name for function in language.functions] == ["go_to", "pick_up", "open"]
    with pytest.raises(Unusable, match="There is no function close"):
        language.call("close(fridge-1)")


CALLS = st.lists(
    st.builds(
        lambda name, node: f"{name}({node})",
        st.sampled_from(["go_to", "pick_up", "put_on", "put_inside", "open", "close", "turn_on"]),
        st.sampled_from(["hall-1", "kitchen-1", "table-1", "fridge-1", "apple-1"]),
    ),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # it leaves `home` as it is
@given(plan=CALLS)
def test_of_a_plan_without_a_problem_every_action_is_possible(home, plan):
    language = language_of(home)
    result = verify(plan, language, home.graph, ONE_HAND)
    if isinstance(result, PlanProblem):
        return
    graph = home.graph.copy()
    for action in result:
        assert step(graph, action, ONE_HAND) is None
    as_it_stands = actions_of(language.calls(plan), home.graph, ONE_HAND, PutStyle.PUT)
    assert as_it_stands == result


# --- the collapsed graph -------------------------------------------------------------------------


def test_only_expanded_rooms_show_what_they_hold(home):
    collapsed = CollapsedGraph(home.graph, names_of(home))
    rooms = {home.hall, home.kitchen, home.me}
    assert set(collapsed.shown.by_id) == rooms
    assert collapsed.expand("kitchen-1") == "kitchen-1 has 1 node, shown now"
    assert set(collapsed.shown.by_id) == rooms | {home.fridge}
    collapsed.expand("Hall (1)")
    assert collapsed.shown == home.graph
    collapsed.contract("kitchen-1")
    assert set(collapsed.shown.by_id) == rooms | {home.table, home.apple}
    assert collapsed.expanded_names() == "hall-1"


def test_what_is_held_is_always_shown(home):
    home.graph.detach(home.apple)
    home.graph.add_edge(home.me, Relation.HOLDS, home.apple)
    assert home.apple in CollapsedGraph(home.graph, names_of(home)).shown


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("table-1", "table-1 is no room; only rooms are expanded."),
        ("attic-1", "There is no node 'attic-1'"),
        ("hall-1", "hall-1 is expanded already."),
    ],
)
def test_what_cannot_be_expanded_is_reported(home, name, sentence):
    collapsed = CollapsedGraph(home.graph, names_of(home))
    collapsed.expand("hall-1")
    with pytest.raises(Unusable, match=sentence):
        collapsed.expand(name)
    with pytest.raises(Unusable, match=r"kitchen-1 is not expanded\."):
        collapsed.contract("kitchen-1")
