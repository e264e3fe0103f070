"""Planners that close the open door which is in the way of an action."""

from __future__ import annotations

import pytest

from peephole.planners.belief.planner import PLANNER as BELIEF
from peephole.planners.expert import PLANNER as EXPERT
from peephole.planners.explore import PLANNER as EXPLORE
from peephole.scene_graph.goals import Related
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb, close


@pytest.mark.parametrize("planner", [EXPERT, EXPLORE, BELIEF], ids=lambda each: each.name)
def test_an_open_door_in_the_way_is_closed_once_and_the_action_done(planner, house, play):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    door = house.fixture("fridge", kitchen, State.OPEN)
    cabinet = house.fixture("cabinet", kitchen, State.CLOSED)
    table = house.fixture("table", kitchen)
    apple = house.thing("apple", inside=cabinet)

    def blocked(action, graph):
        is_open = State.OPEN in graph[door].states
        return door if (action.verb, action.target) == (Verb.OPEN, cabinet) and is_open else None

    goal = Related(apple, Relation.ON, table)
    played = play(planner, house.graph, goal, blocked=blocked)
    assert played.success, played.ended
    assert played.actions.count(close(door)) == 1
