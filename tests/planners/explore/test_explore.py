"""The explorer: finds hidden things by looking, remembers them, and writes its thoughts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peephole.observation_text.view import View, Visibility, visible
from peephole.planners.contract import Grant
from peephole.planners.explore import PLANNER
from peephole.scene_graph.goals import (
    And,
    AtLeast,
    Domain,
    Exists,
    ForAll,
    HasState,
    Not,
    Or,
    Related,
)
from peephole.scene_graph.node import Affordance, Kind, Relation, State
from peephole.skills.actions import Verb, close, go_to, open_, pick_up, put
from peephole.skills.embodiment import Embodiment

ON, INSIDE = Relation.ON, Relation.INSIDE


@pytest.fixture
def home(house):
    """A kitchen, a bathroom and a bedroom, each with places for things; the agent is in bed."""
    kitchen, bathroom, bedroom = (house.room(r) for r in ("kitchen", "bathroom", "bedroom"))
    house.fridge = house.fixture("fridge", kitchen, State.CLOSED)
    house.table = house.fixture("table", kitchen)
    house.cabinet = house.fixture("cabinet", kitchen, State.CLOSED)
    house.bathroom_cabinet = house.fixture("bathroom cabinet", bathroom, State.CLOSED)
    house.desk = house.fixture("desk", bedroom)
    house.kitchen, house.bathroom, house.bedroom = kitchen, bathroom, bedroom
    return house


def test_is_granted_the_goal_alone():
    """Then the loop passes no truth in any of these tests."""
    assert PLANNER.grants == {Grant.GOAL}


def test_looks_where_people_keep_a_thing_and_then_acts(home, play):
    egg = home.thing("egg", inside=home.fridge)
    home.agent(home.bedroom)

    played = play(PLANNER, home.graph, Related(egg, ON, home.desk))

    assert played.success
    assert played.actions == [
        go_to(home.kitchen),
        go_to(home.fridge),
        open_(home.fridge),
        pick_up(egg),
        go_to(home.desk),
        put(egg, ON, home.desk),
    ]


def test_rises_before_it_looks_around(home, play):
    egg = home.thing("egg", inside=home.fridge)
    agent = home.agent(home.bedroom)
    home.graph.set_state(agent, State.SITTING)

    played = play(PLANNER, home.graph, Related(egg, ON, home.desk))

    assert played.success
    assert played.failures == []


def test_says_where_it_looks_and_why(home, play):
    egg = home.thing("egg", inside=home.fridge)
    home.agent(home.bedroom)

    played = play(PLANNER, home.graph, Related(egg, ON, home.desk))

    first, second = played.thoughts()
    assert first.startswith("The egg is most likely in the kitchen, where I have not been yet (0.")
    assert second.startswith("The egg is most likely inside fridge 1 in the kitchen (0.")
    belief = played.notes("belief")[1]
    top = belief.data["places"][0]
    assert (top["name"], top["room"]) == ("fridge 1", "kitchen 1")
    assert belief.text.startswith("looking for egg where a step finds most: fridge 1 (0.")
    assert played.notes("memory")[0].text == "egg 1 is inside fridge 1"
    assert played.notes("plan")[0].text == "pick up egg 1, go to desk 1, put egg 1 on desk 1"


def test_probabilities_of_the_places_add_up(home, play):
    egg = home.thing("egg", inside=home.fridge)
    home.agent(home.bedroom)

    played = play(PLANNER, home.graph, Related(egg, ON, home.desk))

    for note in played.notes("belief"):
        shares = [place["probabilities"][0] for place in note.data["places"]]
        assert all(0 <= share <= 1 for share in shares)
        a_step = [share / p["steps"] for share, p in zip(shares, note.data["places"], strict=True)]
        assert a_step == sorted(a_step, reverse=True), "the order that the note says"
    # Two rooms not seen and the desk are all there is at first.
    assert sum(p["probabilities"][0] for p in played.notes("belief")[0].data["places"]) == (
        pytest.approx(1.0, abs=0.001)
    )


def test_goes_on_where_the_first_guess_was_wrong(home, play):
    egg = home.thing("egg", inside=home.bathroom_cabinet)
    agent = home.agent(home.bedroom)

    played = play(PLANNER, home.graph, Related(agent, Relation.HOLDS, egg))

    assert played.success
    opened = [a.target for a in played.actions if a.verb is Verb.OPEN]
    assert opened[-1] == home.bathroom_cabinet
    assert len(opened) == len(set(opened))  # no place is opened twice


def test_several_things_are_sought_at_once(home, play):
    egg = home.thing("egg", inside=home.fridge)
    cup = home.thing("cup", on=home.table)
    soap = home.thing("soap", inside=home.bathroom_cabinet)
    home.agent(home.bedroom)
    goal = And(tuple(Related(thing, ON, home.desk) for thing in (egg, cup, soap)))

    played = play(PLANNER, home.graph, goal)

    assert played.success
    assert len(played.actions) <= 25


def test_rooms_and_fixtures_are_found_as_well(home, play):
    home.agent(home.bedroom)

    played = play(PLANNER, home.graph, HasState(home.bathroom_cabinet, State.OPEN))

    assert played.success
    assert played.actions[-2:] == [go_to(home.bathroom_cabinet), open_(home.bathroom_cabinet)]


def test_empties_a_hand_before_it_opens(home, play):
    egg = home.thing("egg", inside=home.fridge)
    cup, book = home.thing("cup"), home.thing("book")
    home.agent(home.kitchen, cup, book)
    careful = Embodiment(hands=2, needs_free_hand=frozenset({Verb.OPEN}))

    played = play(PLANNER, home.graph, Related(egg, ON, home.table), body=careful)

    assert played.success
    assert played.failures == []


def test_a_box_in_a_closed_box_is_opened_too(home, play):
    box = home.thing("box", State.CLOSED, inside=home.cabinet)
    coin = home.thing("coin", inside=box)
    agent = home.agent(home.kitchen)

    assert play(PLANNER, home.graph, Related(agent, Relation.HOLDS, coin)).success


def test_any_instance_will_do_where_the_goal_says_so(home, play):
    for place in (home.cabinet, home.cabinet):
        home.thing("plate", inside=place)
    home.thing("plate", on=home.table)
    home.agent(home.bedroom)
    plates = Domain(frozenset({"plate"}))

    one = play(PLANNER, home.graph, Exists("p", plates, Related("p", ON, home.desk)))
    three = play(PLANNER, home.graph, AtLeast(3, "p", plates, Related("p", ON, home.desk)))

    assert one.success
    assert three.success
    assert len(one.actions) < len(three.actions)


def test_the_branch_at_hand_is_taken(home, play):
    lamp = home.fixture("lamp", home.bedroom, State.OFF)
    egg = home.thing("egg", inside=home.fridge)
    agent = home.agent(home.bedroom)
    goal = Or((Related(agent, Relation.HOLDS, egg), HasState(lamp, State.ON)))

    assert len(play(PLANNER, home.graph, goal).actions) == 2


def test_every_place_is_looked_at_for_a_goal_about_all_things_of_a_sort(home, play):
    seen = home.thing("cup", on=home.desk)
    hidden = home.thing("cup", inside=home.bathroom_cabinet)
    home.agent(home.bedroom)
    cups = Domain(frozenset({"cup"}))

    played = play(PLANNER, home.graph, ForAll("c", cups, Related("c", ON, home.table)))

    assert played.success
    assert {a.target for a in played.actions if a.verb is Verb.PICK_UP} == {seen, hidden}


def test_says_done_when_it_believes_so(home, play):
    egg = home.thing("egg", on=home.desk)
    home.agent(home.bedroom)

    played = play(PLANNER, home.graph, Related(egg, ON, home.table), until_done=True)

    assert played.success
    assert played.ended.startswith("Done")


def test_gives_up_only_when_every_place_was_looked_at(home, play):
    agent = home.agent(home.bedroom)
    goal = Exists("x", Domain(frozenset({"unicorn"})), Related(agent, Relation.HOLDS, "x"))

    played = play(PLANNER, home.graph, goal)

    assert played.ended == "GiveUp: I have looked everywhere and did not find the unicorn."
    opened = {a.target for a in played.actions if a.verb is Verb.OPEN}
    assert opened == {home.fridge, home.cabinet, home.bathroom_cabinet}
    visited = {a.target for a in played.actions if a.verb is Verb.GO_TO}
    assert {home.kitchen, home.bathroom, home.table, home.desk} <= visited


def test_says_why_it_cannot(home, play):
    statue = home.thing("statue", on=home.desk)
    home.agent(home.bedroom)

    played = play(PLANNER, home.graph, Related(statue, ON, home.table))

    assert played.ended.startswith("GiveUp: I have looked everywhere and see no way: the statue")


def test_a_place_that_cannot_be_opened_is_left_at_last(home, play):
    egg = home.thing("egg", inside=home.fridge)
    agent = home.agent(home.bedroom)
    goal = Related(agent, Relation.HOLDS, egg)

    played = play(PLANNER, home.graph, goal, broken=lambda a: a == open_(home.fridge))

    assert played.ended.startswith("GiveUp")
    assert played.actions.count(open_(home.fridge)) == 2


def test_looks_again_for_a_thing_that_was_taken_away(home, play):
    egg = home.thing("egg", on=home.table)
    cup = home.thing("cup", inside=home.bathroom_cabinet)
    home.agent(home.bedroom)
    goal = And((Related(egg, ON, home.desk), Related(cup, ON, home.desk)))
    moved = []

    def hide_the_egg(step, graph):
        """After the agent has seen it and left."""
        if not moved and step > 0 and graph.room_of(graph.agent().id) == home.bathroom:
            moved.append(step)
            graph.detach(egg)
            graph.add_edge(egg, INSIDE, home.fridge)

    played = play(PLANNER, home.graph, goal, before_step=hide_the_egg)

    assert moved
    assert played.success


def test_not_goals_are_carried_out_on_what_was_seen(home, play):
    egg = home.thing("egg", on=home.desk)
    home.agent(home.bedroom)

    assert play(PLANNER, home.graph, Not(Related(egg, ON, home.desk))).success


def test_puts_back_what_the_goal_wants_closed(home, play):
    egg = home.thing("egg", inside=home.fridge)
    home.agent(home.kitchen)
    goal = And((Related(egg, ON, home.table), HasState(home.fridge, State.CLOSED)))

    played = play(PLANNER, home.graph, goal)

    assert played.success
    assert close(home.fridge) in played.actions


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_finds_everything_and_names_nothing_unseen(small_house_strategy, play, data):
    graph = data.draw(small_house_strategy)
    things = [
        n.id
        for n in graph.nodes(Kind.OBJECT)
        if Affordance.GRASPABLE in n.affordances and graph.holder(n.id) is None
    ]
    places = [n.id for n in graph.nodes(Kind.FIXTURE) if Affordance.SURFACE in n.affordances]
    chosen = data.draw(
        st.lists(st.sampled_from(things), max_size=3, unique=True) if things else st.just([])
    )
    goal = And(tuple(Related(x, ON, data.draw(st.sampled_from(places))) for x in chosen))
    visibility = data.draw(st.sampled_from([Visibility.NEAR, Visibility.ROOM]))

    played = play(PLANNER, graph, goal, visibility=visibility, until_done=True)

    assert played.success
    assert played.unperceived == []
    assert played.failures == []


def test_a_place_whose_things_are_never_looked_into_is_visited_once(house, play, monkeypatch):
    kitchen = house.room("kitchen")
    house.agent(kitchen)
    cabinet = house.fixture("cabinet", kitchen, State.OPEN)
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    table = house.fixture("table", kitchen)
    house.thing("milk", inside=cabinet)
    apple = house.thing("apple", inside=fridge)

    def without_things(truth, profile):
        view = visible(truth, profile)
        places = [at for at in view.covered if view.get(at).kind is not Kind.OBJECT]
        return View(view.graph, {at: view.covered[at] for at in places})

    monkeypatch.setitem(play.__globals__, "visible", without_things)
    goal = Related(apple, Relation.ON, table)
    played = play(PLANNER, house.graph, goal, broken=lambda action: action.target == fridge)
    assert played.ended.startswith("GiveUp")
    assert played.actions.count(go_to(cabinet)) <= 1
