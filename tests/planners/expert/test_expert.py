"""The expert: solves what can be solved in few steps, and stops where nothing helps."""

from __future__ import annotations

import pytest

from peephole.planners.expert import PLANNER
from peephole.scene_graph.goals import And, EventOccurred, HasState, Related
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import Action, Verb, go_to, open_, pick_up, put


@pytest.fixture
def milk_run(house):
    """Milk in a closed fridge next door; the goal is the table here."""
    kitchen, hall = house.room("kitchen"), house.room("hall")
    house.ids = {
        "kitchen": kitchen,
        "fridge": house.fixture("fridge", kitchen, State.CLOSED),
        "table": house.fixture("table", hall),
    }
    house.ids["milk"] = house.thing("milk", inside=house.ids["fridge"])
    house.agent(hall)
    goal = Related(house.ids["milk"], Relation.ON, house.ids["table"])
    return house, goal


def test_goes_to_a_room_before_it_names_what_is_there(milk_run, play):
    house, goal = milk_run
    ids = house.ids

    played = play(PLANNER, house.graph, goal)

    assert played.success
    assert played.failures == []
    assert played.unperceived == []
    assert played.actions == [
        go_to(ids["kitchen"]),
        go_to(ids["fridge"]),
        open_(ids["fridge"]),
        pick_up(ids["milk"]),
        go_to(ids["table"]),
        put(ids["milk"], Relation.ON, ids["table"]),
    ]


def test_tells_its_plan_once_in_words(milk_run, play):
    house, goal = milk_run

    (note,) = play(PLANNER, house.graph, goal).notes("plan")

    # What was not perceived yet has no name.
    assert note.text == (
        "go to the fridge, open the fridge, pick up the milk, go to table 1, "
        "put the milk on table 1"
    )
    assert len(note.data["actions"]) == 5
    assert note.data["exact"] is True


def test_plans_again_when_the_world_changes(milk_run, play):
    house, goal = milk_run
    milk, table = house.ids["milk"], house.ids["table"]
    hall = house.graph.room_of(table)
    desk = house.fixture("desk", hall)

    def move_milk(step, graph):
        if step == 2:
            graph.detach(milk)
            graph.add_edge(milk, Relation.ON, desk)

    played = play(PLANNER, house.graph, goal, before_step=move_milk)

    assert played.success
    assert len(played.notes("plan")) == 2


def test_finds_another_way_when_an_action_keeps_failing(house, play):
    kitchen = house.room("kitchen")
    table = house.fixture("table", kitchen)
    cup = house.thing("cup", on=table)
    agent = house.agent(kitchen)

    played = play(
        PLANNER,
        house.graph,
        Related(agent, Relation.HOLDS, cup),
        broken=lambda action: action == go_to(table),
    )

    # It cannot go to the cup, which it has not perceived: the table alone shows it.
    assert not played.success
    assert played.ended.startswith("GiveUp")
    assert len(played.actions) < 10


def test_gives_up_with_the_reason(house, play):
    kitchen = house.room("kitchen")
    table = house.fixture("table", kitchen)
    statue = house.thing("statue", inside=kitchen)
    house.agent(kitchen)

    played = play(PLANNER, house.graph, Related(statue, Relation.ON, table))

    assert played.ended == (f"GiveUp: There is no plan: the statue ({statue}) cannot be picked up.")
    assert played.actions == []


def test_is_done_when_the_goal_holds(milk_run, play):
    house, goal = milk_run

    played = play(PLANNER, house.graph, goal, until_done=True)

    assert played.success
    assert played.ended.startswith("Done")


def test_does_what_a_goal_wants_done(house, play):
    hall = house.room("hall")
    lamp = house.fixture("lamp", hall, State.ON)
    house.agent(hall)
    goal = And((EventOccurred(("turn_on",), (lamp,)), HasState(lamp, State.ON)))

    played = play(PLANNER, house.graph, goal)

    assert played.success
    assert [action.verb for action in played.actions] == [
        Verb.GO_TO,
        Verb.TURN_OFF,
        Verb.TURN_ON,
    ]


def test_never_repeats_a_failing_action_for_ever(milk_run, play):
    house, goal = milk_run

    def opening(action: Action) -> bool:
        return action.verb is Verb.OPEN

    played = play(PLANNER, house.graph, goal, broken=opening)

    assert played.ended.startswith("GiveUp")
    assert sum(map(opening, played.actions)) == 2


def test_rises_before_it_leaves_the_room(milk_run, play):
    house, goal = milk_run
    house.graph.set_state(house.graph.agent().id, State.SITTING)

    played = play(PLANNER, house.graph, goal)

    assert played.success
    assert played.failures == []
    assert played.actions[0].verb is Verb.STAND_UP
