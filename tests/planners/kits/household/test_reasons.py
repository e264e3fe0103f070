"""A reason is given where there is no plan."""

from __future__ import annotations

import pytest

from peephole.planners.kits.household.search import find_plan
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    EventOccurred,
    HasState,
    InOrder,
    Not,
    Related,
)
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import HOUSEHOLD_VERBS, Verb, go_to, turn_on
from peephole.skills.embodiment import Embodiment

from ...shortest_plan import shortest_plan

ALL = HOUSEHOLD_VERBS
BODY = Embodiment()
ON, INSIDE = Relation.ON, Relation.INSIDE


@pytest.mark.parametrize(
    ("make_goal", "reason"),
    [
        (lambda ids: Related(ids["statue"], ON, ids["table"]), "cannot be picked up"),
        (lambda ids: Related(ids["cup"], INSIDE, ids["table"]), "nothing can be put inside"),
        (lambda ids: HasState(ids["cup"], State.BROKEN), "no action makes"),
        (lambda ids: HasState(ids["cup"], State.ON), "is not switchable"),
        (lambda ids: HasState(999, State.ON), "nowhere to be found"),
        (lambda ids: Related(ids["cup"], ON, ids["cup"]), "into itself"),
        (lambda ids: InOrder((EventOccurred(("open",)), EventOccurred(("close",)))), "fits 'open'"),
        (lambda ids: EventOccurred(("dance",)), "no action dance"),
        (lambda ids: EventOccurred(("watch",), (ids["cup"],)), "is not watchable"),
        (lambda ids: EventOccurred(("read",)), "fits 'read'"),
        (
            lambda ids: And(
                (Not(EventOccurred(("wait",))), Not(Related(ids["cup"], ON, ids["table"])))
            ),
            "never happens",
        ),
        (lambda ids: EventOccurred(("wait",), (), 2.0), "how much"),
        (lambda ids: HasState(ids["me"], State.SITTING), "sitting"),
        (
            lambda ids: AtLeast(2, "x", Domain(frozenset({"cup"})), HasState("x", State.DIRTY)),
            "no action makes",
        ),
        (
            lambda ids: AtLeast(5, "x", Domain(frozenset({"cup"})), Related("x", ON, ids["table"])),
            "there are 1 such things, not 5",
        ),
    ],
)
def test_why_there_is_no_plan(house, make_goal, reason):
    kitchen = house.room("kitchen")
    table = house.fixture("table", kitchen)
    ids = {"table": table, "cup": house.thing("cup", on=table)}
    ids["statue"] = house.thing("statue", inside=kitchen)
    ids["me"] = house.agent(kitchen)

    plan = find_plan(house.graph, make_goal(ids), BODY, ALL)

    assert plan.actions is None
    assert reason in plan.reason


def test_an_action_that_is_not_there_is_not_planned_with(house):
    kitchen = house.room("kitchen")
    lamp = house.fixture("lamp", kitchen, State.OFF)
    house.agent(kitchen)
    goal = HasState(lamp, State.ON)

    assert shortest_plan(house.graph, goal, BODY, ALL - {Verb.TURN_ON}) is None
    assert shortest_plan(house.graph, goal, BODY, ALL) == [go_to(lamp), turn_on(lamp)]
