"""Plans for things that an appliance has to heat, cool or clean."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from peephole.planners.kits.household.plan_following import is_valid_plan
from peephole.planners.kits.household.search import Plan, find_plan
from peephole.scene_graph.goals import And, Domain, EventOccurred, Exists, Goal, HasState, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.actions import HOUSEHOLD_VERBS, Verb
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.events import events_of

BODY = Embodiment(hands=1, closed_to_run=frozenset({"microwave"}))
ROOM, ME, COUNTER, MICROWAVE, FRIDGE, SINK, FAUCET, APPLE, EGG, KNIFE = range(1, 11)
IN, ON = Relation.INSIDE, Relation.ON


def kitchen() -> SceneGraph:
    """An apple and a knife on the counter, an egg in the closed fridge."""

    def fixture(node_id: int, category: str, states: str, *can: Affordance) -> Node:
        told = frozenset(map(State, states.split()))
        return Node(node_id, category, Kind.FIXTURE, node_id, told, frozenset(can))

    def movable(node_id: int, category: str, *can: Affordance) -> Node:
        affordances = frozenset({Affordance.GRASPABLE, *can})
        return Node(node_id, category, Kind.OBJECT, node_id, frozenset(), affordances)

    holds, opens, runs = Affordance.CONTAINER, Affordance.OPENABLE, Affordance.SWITCHABLE
    fixtures = [
        fixture(COUNTER, "counter top", "", Affordance.SURFACE),
        fixture(MICROWAVE, "microwave", "closed off", holds, opens, runs, Affordance.HEATS),
        fixture(FRIDGE, "fridge", "closed", holds, opens, Affordance.COOLS),
        fixture(SINK, "sink", "", holds),
        fixture(FAUCET, "faucet", "off", runs, Affordance.RINSES),
    ]
    return SceneGraph(
        [
            Node(ROOM, "kitchen", Kind.ROOM, ROOM),
            Node(ME, "agent", Kind.AGENT, ME),
            *fixtures,
            movable(APPLE, "apple", Affordance.SLICEABLE),
            movable(EGG, "egg"),
            movable(KNIFE, "knife", Affordance.CUTS),
        ],
        [
            Edge(ME, IN, ROOM),
            *(Edge(node.id, IN, ROOM) for node in fixtures),
            Edge(APPLE, ON, COUNTER),
            Edge(KNIFE, ON, COUNTER),
            Edge(EGG, IN, FRIDGE),
            Edge(SINK, Relation.CLOSE, FAUCET),
            Edge(FAUCET, Relation.CLOSE, SINK),
        ],
    )


def planned(goal: Goal, but: Sequence[Verb] = ()) -> Plan:
    return find_plan(kitchen(), goal, BODY, HOUSEHOLD_VERBS - set(but))


GOALS = {
    "heat": And((EventOccurred(("heated",), (APPLE,)), Related(APPLE, IN, FRIDGE))),
    "cool": And((EventOccurred(("cooled",), (APPLE,)), Related(APPLE, ON, COUNTER))),
    "cool what is cold": EventOccurred(("cooled",), (EGG,)),
    "clean": And((EventOccurred(("cleaned",), (APPLE,)), Related(APPLE, IN, FRIDGE))),
    "some": Exists("x", Domain(frozenset({"egg"})), EventOccurred(("heated",), ("x",))),
    "both": And((EventOccurred(("heated",), (EGG,)), EventOccurred(("cooled",), (APPLE,)))),
    "slice and heat": And((HasState(APPLE, State.SLICED), EventOccurred(("heated",), (APPLE,)))),
}


@pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS)
def test_a_plan_can_be_carried_out_and_leads_to_the_goal(goal: Goal) -> None:
    plan = planned(goal)
    assert plan.actions, plan.reason
    assert not plan.exact
    assert is_valid_plan(plan.actions, goal, kitchen(), BODY)


def test_things_are_sliced_before_they_are_heated() -> None:
    """The slices are new things: heating the whole thing would be useless."""
    actions = planned(GOALS["slice and heat"]).actions
    assert actions is not None
    verbs = [action.verb for action in actions]
    assert verbs.index(Verb.SLICE) < verbs.index(Verb.TURN_ON)


def test_what_has_happened_is_not_done_again() -> None:
    graph, happened = kitchen(), []
    actions = planned(GOALS["heat"]).actions
    assert actions is not None
    while not any(event.name == "heated" for event in happened):
        action, *rest = actions
        happened += events_of(graph, action, len(happened))
        assert step(graph, action, BODY) is None
        actions = tuple(rest)
    rest_of_plan = find_plan(graph, GOALS["heat"], BODY, HOUSEHOLD_VERBS, events=happened).actions
    assert rest_of_plan is not None
    assert [action.verb for action in rest_of_plan] == [action.verb for action in actions]
    assert rest_of_plan[0].verb is Verb.TURN_OFF


def test_without_an_appliance_there_is_no_plan_and_it_says_why() -> None:
    graph = kitchen()
    graph.remove_node(MICROWAVE)
    plan = find_plan(graph, GOALS["heat"], BODY, HOUSEHOLD_VERBS)
    assert plan.actions is None
    assert plan.reason == "nothing here makes the apple (8) heated"


def test_without_opening_there_is_no_plan() -> None:
    assert planned(GOALS["heat"], but=[Verb.OPEN]).actions is None
