"""The map is believed until the agent looks; a view replaces what it covers, and no more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.view import Visibility, visible
from peephole.planners.kits.detectors.detection import DetectedThing, Detection
from peephole.planners.kits.map.memory_graph import (
    MemoryGraph,
    part_of_view,
    view_without_looking,
)
from peephole.scene_graph.node import Kind, Relation, State
from peephole.skills.actions import go_to, open_, pick_up, put
from peephole.skills.dynamics import apply, legal_actions
from peephole.skills.embodiment import Embodiment


def furnished(house):
    """A kitchen with a table and a closed fridge, a hall with a desk; an apple on the table."""
    kitchen, hall = house.room("kitchen"), house.room("hall")
    table, fridge = house.fixture("table", kitchen), house.fixture("fridge", kitchen, State.CLOSED)
    desk = house.fixture("desk", hall)
    apple = house.thing("apple", on=table)
    agent = house.agent(kitchen)
    return kitchen, hall, table, fridge, desk, apple, agent


def test_map_is_known_and_not_seen(house):
    kitchen, _, table, fridge, _, apple, agent = furnished(house)
    memory = MemoryGraph(house.graph)
    assert memory.graph.places(apple) == [(Relation.ON, table)]
    assert memory.is_prior(apple)

    memory.take_in(visible(house.graph, Visibility.NEAR), 0)
    assert memory.is_prior(apple)  # from afar only the furniture is seen
    assert not memory.is_prior(fridge)
    assert memory.graph.room_of(agent) == kitchen


def test_prior_that_is_there_is_confirmed_and_keeps_its_place(house):
    _, _, table, _, _, apple, _ = furnished(house)
    memory = MemoryGraph(house.graph)
    apply(house.graph, go_to(table))
    memory.take_in(visible(house.graph, Visibility.NEAR), 1)
    assert not memory.is_prior(apple)
    assert memory.graph.places(apple) == [(Relation.ON, table)]
    assert table in memory.looked_at


def test_prior_that_was_moved_is_removed_and_found_again(house):
    _, _, table, fridge, _, apple, _ = furnished(house)
    memory = MemoryGraph(house.graph)
    house.graph.detach(apple)
    house.graph.add_edge(apple, Relation.INSIDE, fridge)

    apply(house.graph, go_to(table))
    memory.take_in(visible(house.graph, Visibility.NEAR), 1)
    assert memory.missing() == [apple]
    assert not memory.is_prior(apple)

    for step, action in enumerate((go_to(fridge), open_(fridge)), 2):
        apply(house.graph, action)
        memory.take_in(visible(house.graph, Visibility.NEAR), step)
    assert memory.graph.places(apple) == [(Relation.INSIDE, fridge)]
    assert memory.missing() == []


def test_part_of_a_view_tells_one_place_and_no_other(house):
    _, _, table, fridge, _, apple, _ = furnished(house)
    milk = house.thing("milk", inside=fridge)
    apply(house.graph, go_to(fridge))
    apply(house.graph, open_(fridge))
    view = visible(house.graph, Visibility.ROOM)
    memory = MemoryGraph(None)

    memory.take_in(part_of_view(view), 1)
    assert table in memory.graph
    assert apple not in memory.graph
    assert milk not in memory.graph

    memory.take_in(part_of_view(view, [fridge]), 1)
    assert memory.graph.places(milk) == [(Relation.INSIDE, fridge)]
    assert apple not in memory.graph
    assert fridge in memory.looked_at
    assert table not in memory.looked_at

    memory.take_in(part_of_view(view, things=[apple]), 1)
    assert memory.graph.places(apple) == [(Relation.ON, table)]
    assert table not in memory.looked_at


def test_part_of_a_view_has_what_the_agent_holds(house):
    _, _, table, _, _, apple, agent = furnished(house)
    memory = MemoryGraph(house.graph)
    for action in (go_to(table), pick_up(apple)):
        apply(house.graph, action)
    memory.take_in(part_of_view(visible(house.graph, Visibility.ROOM)), 2)
    assert memory.graph.held(agent) == [apple]
    assert memory.graph.places(apple) == []
    apply(house.graph, put(apple, Relation.ON, table))
    memory.take_in(part_of_view(visible(house.graph, Visibility.ROOM), things=[apple]), 3)
    assert memory.graph.held(agent) == []
    assert memory.graph.places(apple) == [(Relation.ON, table)]


@given(data=st.data())
def test_covered_places_are_known_as_seen_whatever_the_map_says(house_strategy, data):
    truth = data.draw(house_strategy)
    known = truth.copy()
    movable = [
        n.id for n in known.nodes(Kind.OBJECT) if known.places(n.id) and not known.contents(n.id)
    ]
    places = [n.id for n in known.nodes() if n.kind in (Kind.ROOM, Kind.FIXTURE)]
    for thing in movable:
        if data.draw(st.booleans()):
            known.set_outgoing(thing, [(Relation.INSIDE, data.draw(st.sampled_from(places)))])
    visibility = data.draw(st.sampled_from([Visibility.NEAR, Visibility.ROOM]))
    chosen = data.draw(st.lists(st.sampled_from(places)))
    partly = data.draw(st.booleans())
    memory = MemoryGraph(known)
    for step in range(6):
        view = visible(truth, visibility)
        taken = part_of_view(view, chosen) if partly else view
        memory.take_in(taken, step)
        assert set(taken.graph.edges()) <= set(view.graph.edges())
        for place, whole in taken.covered.items():
            assert view.covered[place] == whole
            assert set(memory.graph.contents(place)) == set(view.graph.contents(place))
        for node in memory.graph.nodes():
            if memory.is_prior(node.id):
                assert node == known[node.id]
                assert set(memory.graph.places(node.id)) <= set(known.places(node.id))
        legal = legal_actions(truth, Embodiment())
        if legal:
            apply(truth, data.draw(st.sampled_from(legal)))


def test_a_look_at_a_place_leaves_its_furniture_and_the_agents_there(house):
    kitchen, _, table, fridge, _, apple, agent = furnished(house)
    drawer = house.fixture("desk", kitchen)
    house.graph.set_outgoing(drawer, [(Relation.INSIDE, table)])
    spoon, cup = house.thing("spoon", inside=drawer), house.thing("cup", inside=kitchen)
    apply(house.graph, go_to(table))
    memory = MemoryGraph(house.graph)
    memory.take_in(view_without_looking(visible(house.graph, Visibility.NEAR)), 0)
    before = memory.graph.copy()
    memory.augment(Detection(kitchen, "kitchen 1", covered=frozenset({kitchen})), 0)
    assert memory.missing() == [cup]
    memory.augment(Detection(table, "table 1", covered=frozenset({table})), 0)
    assert memory.missing() == [apple, cup]
    after = memory.graph
    for node_id in (table, fridge, drawer, spoon, agent):
        assert after.places(node_id) == before.places(node_id)
    assert after.targets(agent, Relation.CLOSE) == [table]
    cup_seen = DetectedThing(cup, "cup 1", "cup", Relation.INSIDE, drawer)
    covered = frozenset({table, drawer})
    memory.augment(Detection(table, "table 1", (cup_seen,), covered), 0)
    assert memory.graph.places(cup) == [(Relation.INSIDE, drawer)]
    assert memory.missing() == [apple, spoon]


def test_without_looking_only_what_is_held_is_known(house):
    _, _, table, _, _, apple, agent = furnished(house)
    pear = house.thing("pear", on=table)
    for action in (go_to(table), pick_up(apple)):
        apply(house.graph, action)
    part = view_without_looking(visible(house.graph, Visibility.ROOM))
    assert part.graph.held(agent) == [apple]
    assert pear not in part.graph
    assert not part.covered
