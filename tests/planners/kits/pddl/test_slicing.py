"""The part of a problem that matters: what stays in it."""

from __future__ import annotations

from peephole.planners.kits.pddl.problem import relevant_part
from peephole.scene_graph.node import State


def test_what_the_goal_names_stays_with_all_that_keeps_it_and_a_place_to_put_things(
    house, names_of, problem_of
) -> None:
    kitchen, bedroom, hall = (house.room(name) for name in ("kitchen", "bedroom", "hall"))
    table, counter = house.fixture("table", kitchen), house.fixture("counter", kitchen)
    fridge = house.fixture("fridge", bedroom, State.CLOSED)
    desk = house.fixture("desk", bedroom)
    far = house.fixture("cabinet", hall)
    box = house.thing("box", inside=fridge)
    apple, pear = house.thing("apple", inside=box), house.thing("pear", on=desk)
    held = house.thing("cup")
    house.agent(kitchen, held)
    names = names_of(house.graph)
    problem = problem_of(house.graph, ["ontop", names.name(apple), names.name(table)])
    part = relevant_part(problem)
    kept = {names.name(n) for n in (table, counter, fridge, desk, box, apple, held)}
    assert {*part.things} == kept
    assert {*part.rooms} == {names.name(kitchen), names.name(bedroom)}
    assert not {names.name(far), names.name(pear), names.name(hall)} & {
        word for fact in part.facts for word in fact
    }
    assert all(fact in problem.facts for fact in part.facts)
    assert ("closed", names.name(fridge)) in part.facts
    assert part.goal == problem.goal


def test_a_problem_whose_goal_speaks_of_everything_stays_whole(house, names_of, problem_of) -> None:
    kitchen = house.room("kitchen")
    table = house.fixture("table", kitchen)
    house.thing("apple", on=table)
    house.agent(kitchen)
    empty = ["not", ["ontop", "?x", names_of(house.graph).name(table)]]
    problem = problem_of(house.graph, ["forall", ["?x", "-", "thing"], empty])
    assert relevant_part(problem) == problem


def test_where_no_room_has_a_free_place_another_room_gives_one(house, names_of, problem_of) -> None:
    kitchen, hall = house.room("kitchen"), house.room("hall")
    table, desk = house.fixture("table", kitchen), house.fixture("desk", hall)
    apple = house.thing("apple", on=table)
    house.agent(kitchen)
    names = names_of(house.graph)
    away = ["not", ["ontop", names.name(apple), names.name(table)]]
    part = relevant_part(problem_of(house.graph, away))
    assert names.name(desk) in part.things
    assert names.name(hall) in part.rooms
