"""Planners that close the open door which is in the way of an action."""

from __future__ import annotations

import pytest

from peephole.planners.belief.planner import PLANNER as BELIEF
from peephole.planners.expert import PLANNER as EXPERT
from peephole.planners.explore import PLANNER as EXPLORE
from peephole.scene_graph.goals import And, Related
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb, close, put
from peephole.skills.embodiment import Embodiment

_HANDLED = (Verb.OPEN, Verb.PUT)


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


def test_of_two_drawers_over_each_other_the_lower_one_is_opened_while_the_upper_one_is_closed(
    house, play
):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    upper = house.fixture("fridge", kitchen, State.CLOSED)
    lower = house.fixture("cabinet", kitchen, State.CLOSED)
    table = house.fixture("table", kitchen)
    apple, milk = house.thing("apple", on=table), house.thing("milk", on=table)

    def blocked(action, graph):
        about_lower = lower in (action.target, action.place) and action.verb in (
            Verb.OPEN,
            Verb.PUT,
        )
        return upper if about_lower and State.OPEN in graph[upper].states else None

    goal = And(
        (Related(apple, Relation.INSIDE, upper), Related(milk, Relation.INSIDE, lower)),
    )
    body = Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))
    played = play(EXPERT, house.graph, goal, body=body, blocked=blocked)
    assert played.success, (played.ended, played.actions)


def test_what_a_thing_lies_in_is_not_closed_to_get_at_it(house, play):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    cabinet = house.fixture("cabinet", kitchen, State.OPEN)
    table = house.fixture("table", kitchen)
    apple = house.thing("apple", inside=cabinet)

    def blocked(action, graph):
        return cabinet if action.verb is Verb.PICK_UP else None

    played = play(EXPERT, house.graph, Related(apple, Relation.ON, table), blocked=blocked)
    assert not played.success
    assert close(cabinet) not in played.actions


@pytest.mark.parametrize("planner", [EXPERT, EXPLORE, BELIEF], ids=lambda each: each.name)
def test_a_thing_in_the_way_is_put_aside_and_the_action_done(planner, house, play):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    cabinet = house.fixture("cabinet", kitchen, State.OPEN)
    table = house.fixture("table", kitchen)
    apple, milk = house.thing("apple", inside=cabinet), house.thing("milk", inside=cabinet)

    def blocked(action, graph):
        is_apple = action.verb is Verb.PICK_UP and action.target == apple
        return milk if is_apple and graph.has_edge(milk, Relation.INSIDE, cabinet) else None

    goal = Related(apple, Relation.ON, table)
    played = play(planner, house.graph, goal, blocked=blocked)
    assert played.success, (played.ended, played.actions)
    assert played.actions.count(put(milk, Relation.ON, table)) == 1


def test_a_thing_that_stays_in_the_way_wherever_it_is_ends_the_episode(house, play):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    cabinet = house.fixture("cabinet", kitchen, State.OPEN)
    table = house.fixture("table", kitchen)
    apple, milk = house.thing("apple", inside=cabinet), house.thing("milk", inside=cabinet)

    def blocked(action, graph):
        return milk if action.verb is Verb.PICK_UP and action.target == apple else None

    played = play(EXPERT, house.graph, Related(apple, Relation.ON, table), blocked=blocked)
    assert not played.success
    assert played.actions.count(put(milk, Relation.ON, table)) == 1
