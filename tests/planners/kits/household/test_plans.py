"""Plans one by one: each works, and is as short as one would make it by hand."""

from __future__ import annotations

from peephole.planners.kits.household.a_star import WEIGHT
from peephole.planners.kits.household.search import find_plan
from peephole.scene_graph.goal_evaluation import satisfied
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Event,
    EventOccurred,
    Exists,
    ForAll,
    HasState,
    Not,
    Or,
    Related,
)
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    Verb,
    close,
    go_to,
    open_,
    pick_up,
    put,
    stand_up,
)
from peephole.skills.embodiment import Embodiment

from ...shortest_plan import shortest_plan

ALL = HOUSEHOLD_VERBS
BODY = Embodiment()
ON, INSIDE = Relation.ON, Relation.INSIDE


def test_five_plates_out_of_a_dishwasher_onto_it_which_then_runs(house, carried_out):
    kitchen = house.room("kitchen")
    dishwasher = house.fixture("dishwasher", kitchen, State.CLOSED, State.OFF)
    plates = [house.thing("plate", inside=dishwasher) for _ in range(5)]
    house.agent(kitchen)
    goal = And(
        (
            *(Related(plate, ON, dishwasher) for plate in plates),
            HasState(dishwasher, State.CLOSED),
            HasState(dishwasher, State.ON),
        )
    )

    plan = find_plan(house.graph, goal, BODY, ALL)

    assert plan.actions is not None
    assert plan.exact
    assert len(plan.actions) == 1 + 1 + 5 * 2 + 1 + 1  # go, open, each picked and put, close, on
    assert satisfied(goal, carried_out(house.graph, plan.actions))


def test_a_plan_in_full(house):
    kitchen, hall = house.room("kitchen"), house.room("hall")
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    table = house.fixture("table", hall)
    milk = house.thing("milk", inside=fridge)
    house.agent(hall)

    goal = And((Related(milk, ON, table), HasState(fridge, State.CLOSED)))

    assert shortest_plan(house.graph, goal, BODY, ALL) == [
        go_to(fridge),
        open_(fridge),
        pick_up(milk),
        close(fridge),
        go_to(table),
        put(milk, ON, table),
    ]


def test_full_hands_are_emptied_where_opening_needs_one(house, length):
    kitchen = house.room("kitchen")
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    house.fixture("table", kitchen)
    cup, apple = house.thing("cup"), house.thing("apple")
    house.agent(kitchen, cup, apple)
    careful = Embodiment(hands=2, needs_free_hand=frozenset({Verb.OPEN}))

    assert length(house.graph, HasState(fridge, State.OPEN), BODY) == 2
    assert length(house.graph, HasState(fridge, State.OPEN), careful) == 4


def test_a_place_that_one_thing_must_leave_takes_another(house):
    kitchen = house.room("kitchen")
    dishwasher = house.fixture("dishwasher", kitchen, State.CLOSED)
    box = house.thing("box", State.OPEN, inside=dishwasher)
    apple = house.thing("apple", on=dishwasher)
    cup = house.thing("cup")
    house.agent(kitchen, cup)
    goal = And((Not(Related(apple, ON, dishwasher)), HasState(box, State.OPEN)))

    assert shortest_plan(house.graph, goal, Embodiment(hands=1), ALL) == [
        go_to(dishwasher),
        put(cup, ON, dishwasher),
        pick_up(apple),
    ]


def test_one_trip_for_two_things_and_another_for_the_third(house, length):
    kitchen = house.room("kitchen")
    table, desk = house.fixture("table", kitchen), house.fixture("desk", kitchen)
    cups = [house.thing("cup", on=table) for _ in range(3)]
    house.agent(kitchen)
    goal = And(tuple(Related(cup, ON, desk) for cup in cups))

    assert length(house.graph, goal, Embodiment(hands=2)) == 6 + 4
    assert length(house.graph, goal, Embodiment(hands=1)) == 6 + 6


def test_a_tray_is_carried_with_what_stands_on_it(house):
    kitchen = house.room("kitchen")
    table = house.fixture("table", kitchen)
    cabinet = house.fixture("cabinet", kitchen, State.OPEN)
    tray = house.thing("tray", on=table)
    cups = [house.thing("cup", on=tray) for _ in range(3)]
    house.agent(kitchen)

    goal = And(tuple(Related(cup, INSIDE, cabinet) for cup in cups))

    assert shortest_plan(house.graph, goal, BODY, ALL) == [
        go_to(table),
        pick_up(tray),
        go_to(cabinet),
        put(tray, INSIDE, cabinet),
    ]


def test_what_rides_in_a_box_is_taken_out_before_the_box_leaves(house):
    kitchen = house.room("kitchen")
    cabinet = house.fixture("cabinet", kitchen, State.OPEN)
    box = house.thing("box", State.OPEN, inside=cabinet)
    coin = house.thing("coin", inside=box)
    agent = house.agent(kitchen, house.thing("cup"))
    goal = And((Related(agent, Relation.HOLDS, box), Related(coin, INSIDE, cabinet)))

    assert shortest_plan(house.graph, goal, BODY, ALL) == [
        go_to(cabinet),
        pick_up(coin),
        put(coin, INSIDE, cabinet),
        pick_up(box),
    ]


def test_every_box_around_a_thing_is_opened_and_what_runs_is_switched_off(house):
    kitchen = house.room("kitchen")
    microwave = house.fixture("microwave", kitchen, State.CLOSED, State.ON)
    box = house.thing("box", State.CLOSED, inside=microwave)
    coin = house.thing("coin", inside=box)
    agent = house.agent(kitchen)

    plan = shortest_plan(house.graph, Related(agent, Relation.HOLDS, coin), BODY, ALL)

    assert plan is not None
    assert [action.verb for action in plan] == [
        Verb.GO_TO,
        Verb.TURN_OFF,
        Verb.OPEN,
        Verb.OPEN,
        Verb.PICK_UP,
    ]


def test_slicing_fetches_a_knife(house, length):
    kitchen = house.room("kitchen")
    table, desk = house.fixture("table", kitchen), house.fixture("desk", kitchen)
    bread = house.thing("bread", on=table)
    house.thing("knife", on=desk)
    house.agent(kitchen)

    assert length(house.graph, HasState(bread, State.SLICED)) == 4
    assert length(house.graph, HasState(bread, State.SLICED), Embodiment(needs_tool=False)) == 2


def test_a_lamp_is_plugged_in_before_it_is_switched_on(house):
    room = house.room("hall")
    lamp = house.fixture("lamp", room, State.OFF, State.PLUGGED_OUT)
    house.agent(room)

    plan = shortest_plan(house.graph, HasState(lamp, State.ON), BODY, ALL)

    assert plan is not None
    assert [action.verb for action in plan] == [Verb.GO_TO, Verb.PLUG_IN, Verb.TURN_ON]


def test_what_is_to_be_clean_is_washed(house, length):
    kitchen = house.room("kitchen")
    cup = house.thing("cup", State.DIRTY, on=house.fixture("table", kitchen))
    house.agent(kitchen)

    assert length(house.graph, HasState(cup, State.CLEAN)) == 2
    assert length(house.graph, Not(HasState(cup, State.DIRTY))) == 2


def test_one_stands_up_before_one_walks(house):
    hall = house.room("hall")
    table = house.fixture("table", hall)
    agent = house.agent(hall)
    house.graph.set_state(agent, State.SITTING)

    assert shortest_plan(house.graph, Related(agent, Relation.CLOSE, table), BODY, ALL) == [
        stand_up(),
        go_to(table),
    ]


def test_one_walk_reaches_what_stands_side_by_side(house, length):
    kitchen = house.room("kitchen")
    table, desk = house.fixture("table", kitchen), house.fixture("desk", kitchen)
    cup = house.thing("cup", on=table)
    house.agent(kitchen)
    goal = Related(cup, ON, desk)

    assert length(house.graph, goal) == 4
    house.graph.add_edge(table, Relation.CLOSE, desk)
    assert length(house.graph, goal) == 3


def test_nothing_is_dropped_on_the_floor(house):
    kitchen = house.room("kitchen")
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    house.fixture("table", kitchen)
    house.agent(kitchen, house.thing("cup"), house.thing("apple"))
    careful = Embodiment(hands=2, needs_free_hand=frozenset({Verb.OPEN}))

    plan = shortest_plan(house.graph, HasState(fridge, State.OPEN), careful, ALL)

    assert plan is not None
    assert Verb.DROP not in {action.verb for action in plan}


def test_a_full_place_is_emptied_first(house, length):
    kitchen = house.room("kitchen")
    table, burner = house.fixture("table", kitchen), house.fixture("burner", kitchen)
    pot, pan = house.thing("pot", on=table), house.thing("pan", on=burner)
    house.agent(kitchen)

    goal = Related(pot, ON, burner)

    assert length(house.graph, goal) == 4
    # The pan is taken in the other hand.
    assert length(house.graph, goal, Embodiment(capacity={"burner": 1})) == 5
    assert length(house.graph, And((goal, Related(pan, ON, table)))) == 7


def test_the_cheaper_branch_of_a_choice_is_taken(house, length):
    kitchen = house.room("kitchen")
    table = house.fixture("table", kitchen)
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    far, near = house.thing("apple", inside=fridge), house.thing("apple", on=table)
    agent = house.agent(kitchen)
    apples = Domain(frozenset({"apple"}))

    def held(apple: int | str) -> Related:
        return Related(agent, Relation.HOLDS, apple)  # type: ignore[arg-type]

    wanted = [go_to(table), pick_up(near)]
    assert shortest_plan(house.graph, Or((held(far), held(near))), BODY, ALL) == wanted
    assert shortest_plan(house.graph, Exists("x", apples, held("x")), BODY, ALL) == wanted
    assert length(house.graph, AtLeast(2, "x", apples, held("x"))) == 5
    assert length(house.graph, ForAll("x", apples, held("x"))) == 5
    assert length(house.graph, Not(Exists("x", apples, Related("x", INSIDE, fridge)))) == 3
    assert length(house.graph, AtLeast(3, "x", apples, held("x"))) is None


def test_exactly_so_many_of_many_are_brought_or_taken_away(house, carried_out):
    kitchen = house.room("kitchen")
    desk, table = house.fixture("desk", kitchen), house.fixture("table", kitchen)
    cups = [house.thing("cup", on=desk) for _ in range(3)]
    cups += [house.thing("cup", on=table) for _ in range(5)]
    house.agent(kitchen)
    domain = Domain(ids=frozenset(cups))

    for count, moved in ((3, 2), (5, 0), (7, 2)):
        there = Related("x", ON, table)
        exactly = (AtLeast(count, "x", domain, there), Not(AtLeast(count + 1, "x", domain, there)))
        plan = find_plan(house.graph, And(exactly), BODY, ALL).actions
        assert plan is not None
        assert sum(action.verb is Verb.PICK_UP for action in plan) == moved
        assert satisfied(And(exactly), carried_out(house.graph, plan))


def test_what_is_to_be_paired_gets_a_partner_of_its_own(house, carried_out):
    kitchen = house.room("kitchen")
    desk = house.fixture("desk", kitchen)
    tables = [house.fixture("table", kitchen) for _ in range(4)]
    cups = [house.thing("cup", on=desk) for _ in range(3)]
    house.agent(kitchen)
    one, other = Domain(ids=frozenset(cups)), Domain(ids=frozenset(tables))
    on = Related("c", ON, "t")
    goal = And(
        (AtLeast(3, "c", one, Exists("t", other, on)), AtLeast(3, "t", other, Exists("c", one, on)))
    )

    plan = find_plan(house.graph, goal, BODY, ALL).actions

    assert plan is not None
    assert sum(action.verb is Verb.PUT for action in plan) == 3
    after = carried_out(house.graph, plan)
    assert satisfied(goal, after)
    assert len({after.places(cup)[0] for cup in cups}) == 3


def test_a_thing_is_left_anywhere_in_a_room(house, length):
    kitchen, hall = house.room("kitchen"), house.room("hall")
    house.fixture("fridge", hall, State.CLOSED)
    house.fixture("table", hall)
    desk = house.fixture("desk", kitchen)
    cup = house.thing("cup", on=desk)
    agent = house.agent(kitchen)

    assert length(house.graph, Related(cup, INSIDE, hall)) == 4
    assert length(house.graph, Related(agent, INSIDE, hall)) == 1


def test_an_event_is_brought_about_once(house):
    room = house.room("hall")
    lamp = house.fixture("lamp", room, State.ON, State.PLUGGED_IN)
    house.agent(room)
    goal = And((EventOccurred(("turn_on",), (lamp,)), HasState(lamp, State.OFF)))

    plan = find_plan(house.graph, goal, BODY, ALL)
    assert plan.actions is not None
    assert [a.verb for a in plan.actions] == [
        Verb.GO_TO,
        Verb.TURN_OFF,
        Verb.TURN_ON,
        Verb.TURN_OFF,
    ]

    later = find_plan(house.graph, goal, BODY, ALL, events=[Event("turn_on", (lamp,), 1)])
    assert later.actions is not None
    assert len(later.actions) == 2


def test_avoided_actions_are_done_without(house):
    kitchen = house.room("kitchen")
    table = house.fixture("table", kitchen)
    cup = house.thing("cup", on=table)
    agent = house.agent(kitchen)
    goal = Related(agent, Relation.HOLDS, cup)

    without = find_plan(house.graph, goal, BODY, ALL, avoid=frozenset({go_to(table)}))

    assert without.actions == (go_to(cup), pick_up(cup))


def test_past_its_limit_the_search_still_finds_a_plan_of_bounded_length(house, carried_out):
    rooms = [house.room("kitchen"), house.room("hall")]
    fridges = [house.fixture("fridge", room, State.CLOSED) for room in rooms]
    tables = [house.fixture("table", room) for room in rooms]
    cups = [house.thing("cup", inside=fridge) for fridge in fridges for _ in range(2)]
    cups += [house.thing("cup", on=table) for table in tables]
    house.agent(rooms[0])
    there = [*reversed(tables), *tables, *fridges]
    goal = And(
        tuple(
            Related(cup, INSIDE if place in fridges else ON, place)
            for cup, place in zip(cups, there, strict=True)
        )
    )

    exact = find_plan(house.graph, goal, BODY, ALL, limit=10_000)
    hasty = find_plan(house.graph, goal, BODY, ALL, limit=20)

    assert exact.actions is not None
    assert hasty.actions is not None
    assert exact.exact
    assert not hasty.exact
    assert len(exact.actions) <= len(hasty.actions) <= WEIGHT * len(exact.actions)
    assert satisfied(goal, carried_out(house.graph, hasty.actions))
