"""Planners that close the open door which is in the way of an action."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peephole.planners.belief.planner import PLANNER as BELIEF
from peephole.planners.expert import PLANNER as EXPERT
from peephole.planners.explore import PLANNER as EXPLORE
from peephole.scene_graph.goals import And, Related
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Verb, close, go_to, open_, put
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Reason

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


#: A body with one hand, which it needs to open and close, and which open fronts may block.
_BLOCKED = Embodiment(
    hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}), blocked_by_fronts=True
)


@pytest.mark.parametrize("planner", [EXPLORE, BELIEF], ids=lambda each: each.name)
@pytest.mark.parametrize("is_blocked", [True, False], ids=["blocked", "free"])
def test_what_was_opened_in_vain_is_closed_before_the_next_opening(
    planner, is_blocked, house, play
):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    fronts = [
        house.fixture(name, kitchen, State.CLOSED) for name in ("fridge", "microwave", "cabinet")
    ]
    table = house.fixture("table", kitchen)
    apple = house.thing("apple", inside=fronts[1])
    body = replace(_BLOCKED, blocked_by_fronts=is_blocked)
    played = play(planner, house.graph, Related(apple, Relation.ON, table), body=body)
    assert played.success, (played.ended, played.actions)
    opened = [a.target for a in played.actions if a.verb is Verb.OPEN]
    closed = [a.target for a in played.actions if a.verb is Verb.CLOSE]
    assert len(opened) == len(set(opened)) > 1  # nothing is searched again once it is closed
    assert closed == (opened[:-1] if is_blocked else [])
    for front in closed:
        assert played.actions.index(close(front)) == played.actions.index(open_(front)) + 1


def test_all_that_blocks_an_action_is_closed_before_it_is_given_up(house, play):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    upper, middle = (house.fixture(name, kitchen, State.OPEN) for name in ("fridge", "microwave"))
    lower = house.fixture("cabinet", kitchen, State.CLOSED)
    table = house.fixture("table", kitchen)
    apple = house.thing("apple", inside=lower)

    def blocked(action, graph):
        over = {(Verb.OPEN, lower): (upper, middle), (Verb.CLOSE, upper): (middle,)}
        fronts = over.get((action.verb, action.target), ())
        return next((each for each in fronts if State.OPEN in graph[each].states), None)

    body = Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))
    goal = Related(apple, Relation.ON, table)
    played = play(EXPERT, house.graph, goal, body=body, blocked=blocked)
    assert played.success, (played.ended, played.actions)
    assert played.actions.count(close(middle)) == 1
    assert played.actions.count(open_(lower)) == 2


def test_a_robot_that_finds_no_way_closes_what_stands_open_beside_it(house, play):
    kitchen = house.room("kitchen")
    me = house.agent(kitchen)
    door = house.fixture("dishwasher", kitchen, State.OPEN)
    counter, table = house.fixture("counter", kitchen), house.fixture("table", kitchen)
    apple = house.thing("apple", on=table)
    house.graph.add_edge(me, Relation.CLOSE, door)

    def shut_in(action, graph):
        is_open = State.OPEN in graph[door].states
        is_walk = action == go_to(table) and is_open
        return Failure(Reason.UNREACHABLE, table) if is_walk else None

    goal = Related(apple, Relation.ON, counter)
    played = play(EXPERT, house.graph, goal, body=_BLOCKED, blocked=shut_in)
    assert played.success, (played.ended, played.actions)
    assert played.actions[:3] == [go_to(table), close(door), go_to(table)]
    free = replace(_BLOCKED, blocked_by_fronts=False)
    assert not play(EXPERT, house.graph, goal, body=free, blocked=shut_in).success


def test_a_front_that_has_to_be_opened_again_is_not_closed_without_end(house, play):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    oven = house.fixture("microwave", kitchen, State.CLOSED)
    counter, table = house.fixture("counter", kitchen), house.fixture("table", kitchen)
    apple, milk = house.thing("apple", inside=oven), house.thing("milk", on=table)

    def shut_in(action, graph):
        is_walk = action == go_to(table) and State.OPEN in graph[oven].states
        return Failure(Reason.UNREACHABLE, table) if is_walk else None

    goal = And((Related(apple, Relation.ON, counter), Related(milk, Relation.INSIDE, oven)))
    played = play(EXPERT, house.graph, goal, body=_BLOCKED, blocked=shut_in)
    assert played.actions.count(close(oven)) == 2
    assert len(played.actions) < 30


@pytest.mark.parametrize("planner", [EXPLORE, BELIEF], ids=lambda each: each.name)
def test_what_was_opened_in_vain_is_closed_before_the_search_goes_on_elsewhere(
    planner, house, play
):
    kitchen, bedroom = house.room("kitchen"), house.room("bedroom")
    house.agent(kitchen)
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    counter, table = house.fixture("counter", kitchen), house.fixture("table", bedroom)
    apple = house.thing("apple", on=table)
    goal = Related(apple, Relation.ON, counter)
    played = play(planner, house.graph, goal, body=_BLOCKED)
    assert played.success, (played.ended, played.actions)
    assert played.actions.index(close(fridge)) == played.actions.index(open_(fridge)) + 1


def test_what_was_put_down_to_close_a_door_is_taken_up_again_before_the_door_is_opened(house, play):
    """A plan for the whole goal would begin with the upper drawer, and be blocked by it again."""
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    upper = house.fixture("fridge", kitchen, State.OPEN)
    lower = house.fixture("cabinet", kitchen, State.OPEN)
    table = house.fixture("table", kitchen)
    milk = house.thing("milk", on=table)
    apple = house.thing("apple", on=table)

    def blocked(action, graph):
        is_lower = action == put(milk, Relation.INSIDE, lower)
        return upper if is_lower and State.OPEN in graph[upper].states else None

    goal = And((Related(milk, Relation.INSIDE, lower), Related(apple, Relation.INSIDE, upper)))
    body = Embodiment(hands=1, needs_free_hand=frozenset({Verb.OPEN, Verb.CLOSE}))
    played = play(EXPERT, house.graph, goal, body=body, blocked=blocked)
    assert played.success, (played.ended, played.actions)
    closed = played.actions.index(close(upper))
    assert put(milk, Relation.INSIDE, lower) in played.actions[closed : closed + 5]
