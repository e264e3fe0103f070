"""The random planner: uniform over the menu, and the same for the same seed."""

from __future__ import annotations

from peephole.planners.random import PLANNER
from peephole.scene_graph.goals import HasState, Related
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb


def test_the_seed_settles_every_choice(house, play):
    kitchen = house.room("kitchen")
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    table = house.fixture("table", kitchen)
    house.thing("cup", on=table)
    milk = house.thing("milk", inside=fridge)
    house.agent(kitchen)
    goal = Related(milk, Relation.ON, table)

    first, again, other = (
        play(PLANNER, house.graph, goal, seed=seed, steps=60) for seed in (1, 1, 2)
    )

    assert first.actions == again.actions
    assert first.actions != other.actions
    assert first.unperceived == []


def test_comes_by_a_simple_goal_in_time(house, play):
    hall = house.room("hall")
    lamp = house.fixture("lamp", hall, State.OFF)
    house.agent(hall)

    assert play(PLANNER, house.graph, HasState(lamp, State.ON), steps=200).success


def test_every_place_on_offer_is_chosen_some_time(house, play):
    hall = house.room("hall")
    table = house.fixture("table", hall)
    fridge = house.fixture("fridge", hall, State.CLOSED)
    house.agent(hall)

    played = play(PLANNER, house.graph, HasState(999, State.ON), steps=300)

    went_to = {action.target for action in played.actions if action.verb is Verb.GO_TO}
    assert went_to == {hall, table, fridge}
    assert played.ended == "steps"
