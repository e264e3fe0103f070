"""Places with less room than expected: room is made where there is no other plan."""

from __future__ import annotations

import pytest

from peephole import plugins
from peephole.scene_graph.goals import Domain, Exists, Related
from peephole.scene_graph.node import Relation
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Reason

ON = Relation.ON
PLANNERS = pytest.mark.parametrize("name", ["expert", "explore"])
ONE_HAND = Embodiment(hands=1)


@pytest.fixture
def kitchen(house):
    """Milk on a desk; two tables, one with a cup and a plate on it; another desk to rest things."""
    room = house.room("kitchen")
    house.desk, house.table, house.bare = (
        house.fixture(category, room) for category in ("desk", "table", "table")
    )
    house.milk = house.thing("milk", on=house.desk)
    house.cup, house.plate = (house.thing(each, on=house.table) for each in ("cup", "plate"))
    house.agent(room)
    return house


@PLANNERS
@pytest.mark.parametrize("room", [1, 2])
def test_what_is_in_the_way_is_taken_away_until_there_is_room(name, room, kitchen, play):
    goal = Related(kitchen.milk, ON, kitchen.table)
    planner = plugins.load("planner", name)
    rooms = {kitchen.table: room}

    played = play(planner, kitchen.graph, goal, body=ONE_HAND, room=rooms)

    assert played.success
    # It fails twice before it makes room, and once more for every thing that was not enough.
    assert played.failures == [Reason.NO_FREE_SPOT] * (2 + 2 - room)


@PLANNERS
def test_nothing_is_moved_where_another_place_does_as_well(name, kitchen, play):
    tables = Domain(frozenset({"table"}))
    goal = Exists("table", tables, Related(kitchen.milk, ON, "table"))
    planner = plugins.load("planner", name)

    played = play(planner, kitchen.graph, goal, body=ONE_HAND, room={kitchen.table: 2})

    assert played.success
    assert {kitchen.cup, kitchen.plate}.isdisjoint(a.target for a in played.actions)


@PLANNERS
def test_it_gives_up_where_there_never_is_any(name, kitchen, play):
    goal = Related(kitchen.milk, ON, kitchen.table)
    planner = plugins.load("planner", name)

    played = play(planner, kitchen.graph, goal, body=ONE_HAND, room={kitchen.table: 0})

    assert not played.success
    assert played.ended.startswith("GiveUp")
    assert len(played.actions) < 50
