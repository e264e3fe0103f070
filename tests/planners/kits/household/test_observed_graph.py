"""The belief has the last view of each thing, and nothing that was seen to be gone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.view import Visibility, visible
from peephole.planners.kits.household.observed_graph import ObservedGraph
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills.actions import close, go_to, open_, pick_up, put
from peephole.skills.dynamics import apply, legal_actions
from peephole.skills.embodiment import Embodiment


def looked(observed, graph, *actions, visibility=Visibility.NEAR):
    """Record the view after each action."""
    observed.update(visible(graph, visibility), 0)
    for number, action in enumerate(actions, 1):
        apply(graph, action)
        observed.update(visible(graph, visibility), number)


def test_remembers_what_is_out_of_sight(house):
    kitchen, hall = house.room("kitchen"), house.room("hall")
    fridge = house.fixture("fridge", kitchen, State.CLOSED)
    milk = house.thing("milk", inside=fridge)
    house.agent(kitchen)
    observed = ObservedGraph()

    looked(observed, house.graph, go_to(fridge))
    assert milk not in observed.graph
    assert fridge not in observed.inspected

    looked(observed, house.graph, open_(fridge), close(fridge), go_to(hall))
    assert observed.located(milk)
    assert observed.graph.closed_around(milk) == fridge
    assert fridge in observed.inspected


def test_forgets_what_is_seen_to_be_gone(house):
    kitchen, hall = house.room("kitchen"), house.room("hall")
    table = house.fixture("table", kitchen)
    cup = house.thing("cup", on=table)
    house.agent(kitchen)
    observed = ObservedGraph()
    looked(observed, house.graph, go_to(table))
    assert observed.located(cup)

    desk = house.fixture("desk", hall)  # somebody carries it next door
    house.graph.detach(cup)
    house.graph.add_edge(cup, Relation.ON, desk)

    looked(observed, house.graph, go_to(table))
    assert not observed.located(cup)
    looked(observed, house.graph, go_to(desk))
    assert observed.graph.places(cup) == [(Relation.ON, desk)]


def test_keeps_up_with_what_the_agent_carries(house):
    kitchen = house.room("kitchen")
    table, desk = house.fixture("table", kitchen), house.fixture("desk", kitchen)
    tray = house.thing("tray", on=table)
    cup = house.thing("cup", on=tray)
    agent = house.agent(kitchen)
    observed = ObservedGraph()

    looked(observed, house.graph, go_to(table), pick_up(tray))
    assert observed.graph.held(agent) == [tray]
    assert observed.graph.places(tray) == []
    assert observed.located(cup)

    looked(observed, house.graph, go_to(desk), put(tray, Relation.ON, desk))
    assert observed.graph.held(agent) == []
    assert observed.graph.places(tray) == [(Relation.ON, desk)]


def test_tells_seen_empty_from_not_looked_at(house):
    kitchen, hall = house.room("kitchen"), house.room("hall")
    table, fridge = house.fixture("table", kitchen), house.fixture("fridge", kitchen, State.CLOSED)
    house.agent(kitchen)
    observed = ObservedGraph()

    looked(observed, house.graph, go_to(table), go_to(fridge))

    assert [room.id for room in observed.uninspected_rooms()] == [hall]
    assert [place.id for place in observed.uninspected_places()] == [fridge]


@given(data=st.data())
def test_where_nobody_else_acts_all_that_is_believed_is_true(small_house_strategy, data):
    graph = data.draw(small_house_strategy)
    visibility = data.draw(st.sampled_from([Visibility.NEAR, Visibility.ROOM]))
    observed = ObservedGraph()
    observed.update(visible(graph, visibility), 0)
    for number in range(1, 12):
        legal = legal_actions(graph, Embodiment())
        apply(graph, data.draw(st.sampled_from(legal)))
        observed.update(visible(graph, visibility), number)

        true = set(graph.edges())
        assert set(observed.graph.edges()) <= true
        for node in observed.graph.nodes():
            assert node == graph[node.id]
        # Of places looked at and still as they were left, everything is known.
        for place in observed.inspected:
            if graph[place].kind is not Kind.ROOM:
                assert set(observed.graph.contents(place)) == set(graph.contents(place))
