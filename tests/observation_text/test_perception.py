"""What an agent may attempt and be told, by what it has perceived."""

from __future__ import annotations

import pytest

from peephole.observation_text.perception import Perception
from peephole.observation_text.view import View, Visibility, visible
from peephole.scene_graph.node import Relation, State
from peephole.skills.actions import go_to, look, open_, pick_up, put, wait
from peephole.skills.dynamics import apply
from peephole.skills.outcomes import Failure, Reason

ANYWHERE = 999


class Onlooker:
    """Perceives a house under a profile while it changes."""

    def __init__(self, house, profile=Visibility.ROOM):
        self.house, self.profile = house, profile
        self.perception = Perception()
        self.look()

    def look(self):
        self.perception.update(visible(self.house, self.profile))

    def do(self, action):
        apply(self.house, action)
        self.look()

    def admit(self, action):
        return self.perception.admit(action)


@pytest.fixture
def agent(house):
    return Onlooker(house)


def test_what_is_in_view_may_be_handled(house, agent):
    assert agent.admit(pick_up(house.id("apple 1"))) is None
    assert agent.admit(wait()) is None


def test_rooms_may_be_gone_to_from_the_start(house, agent):
    assert agent.admit(go_to(house.id("bathroom 1"))) is None


@pytest.mark.parametrize("make", [go_to, pick_up, open_, look])
def test_a_hidden_thing_is_as_unknown_as_one_that_does_not_exist(house, agent, make):
    hidden = house.id("wine 1")
    assert agent.admit(make(hidden)) == Failure(Reason.UNKNOWN, hidden)
    assert agent.admit(make(ANYWHERE)) == Failure(Reason.UNKNOWN, ANYWHERE)


def test_both_things_of_a_put_must_be_known(house, agent):
    apple, bed = house.id("apple 1"), house.id("bed 1")
    assert agent.admit(put(apple, Relation.ON, bed)) == Failure(Reason.UNKNOWN, bed)
    assert agent.admit(put(bed, Relation.ON, apple)) == Failure(Reason.UNKNOWN, bed)


def test_unknown_comes_before_all_else(house, agent):
    apple = house.id("apple 1")
    agent.do(go_to(house.id("bedroom 1")))
    assert agent.admit(put(apple, Relation.ON, ANYWHERE)) == Failure(Reason.UNKNOWN, ANYWHERE)


def test_enclosed_is_said_only_of_what_was_seen_going_in(house, agent):
    fridge, juice = house.id("fridge 1"), house.id("juice 1")
    assert agent.admit(pick_up(juice)) == Failure(Reason.UNKNOWN, juice)
    house.set_state(fridge, State.OPEN)
    agent.look()
    house.set_state(fridge, State.CLOSED)
    agent.look()
    assert agent.admit(pick_up(juice)) == Failure(Reason.ENCLOSED, fridge)
    assert agent.admit(go_to(juice)) == Failure(Reason.ENCLOSED, fridge)


def test_enclosed_names_the_nearest_closed_thing_that_was_seen(house, agent):
    fridge, box, wine = house.id("fridge 1"), house.id("box 1"), house.id("wine 1")
    house.set_state(fridge, State.OPEN)
    house.set_state(box, State.OPEN)
    agent.look()
    house.set_state(fridge, State.CLOSED)
    agent.look()
    assert agent.admit(pick_up(wine)) == Failure(Reason.ENCLOSED, fridge)
    house.set_state(fridge, State.OPEN)
    house.set_state(box, State.CLOSED)
    agent.look()
    assert agent.admit(pick_up(wine)) == Failure(Reason.ENCLOSED, box)


def test_a_thing_left_behind_may_be_gone_to_but_not_handled(house, agent):
    apple = house.id("apple 1")
    agent.do(go_to(house.id("bedroom 1")))
    assert agent.admit(go_to(apple)) is None
    assert agent.admit(pick_up(apple)) == Failure(Reason.NOT_CLOSE, apple)


def test_a_thing_that_is_gone_from_where_it_was_seen_is_not_here(house, agent):
    apple = house.id("apple 1")
    house.detach(apple)
    house.relate(apple, "on", house.id("bed 1"))
    agent.look()
    assert agent.admit(go_to(apple)) == Failure(Reason.NOT_HERE, apple)


def test_a_thing_may_still_be_where_only_a_part_was_seen(house, agent):
    apple = house.id("apple 1")
    place = house.places(apple)[0][1]
    view = visible(house, Visibility.ROOM)
    rest = view.graph.copy()
    rest.remove_node(apple)
    for whole, expected in ((False, None), (True, Failure(Reason.NOT_HERE, apple))):
        agent.perception.update(View(rest, {**view.covered, place: whole}))
        assert agent.admit(go_to(apple)) == expected


def test_under_near_a_table_across_the_room_was_not_looked_at(house):
    """The room tells nothing of a thing on a table, even where the thing has an edge to both."""
    agent = Onlooker(house, Visibility.NEAR)
    table, apple = house.id("kitchen table 1"), house.id("apple 1")
    house.relate(apple, "inside", house.id("kitchen 1"))
    agent.do(go_to(table))
    agent.do(go_to(house.id("bench 1")))
    assert apple not in agent.perception.view.graph
    assert agent.admit(go_to(apple)) is None


def test_a_simulators_enclosed_is_reported_only_where_it_was_seen(house, agent):
    fridge, juice, apple = house.id("fridge 1"), house.id("juice 1"), house.id("apple 1")
    redacted = agent.perception.redacted
    assert redacted(pick_up(apple), Failure(Reason.ENCLOSED, fridge)).reason is Reason.NOT_HERE
    assert redacted(pick_up(apple), Failure(Reason.ENCLOSED)).reason is Reason.NOT_HERE
    house.set_state(fridge, State.OPEN)
    agent.look()
    house.set_state(fridge, State.CLOSED)
    agent.look()
    told = Failure(Reason.ENCLOSED, fridge)
    assert agent.perception.redacted(pick_up(juice), told) == told


def test_a_failure_about_an_unperceived_thing_is_reported_of_the_target(house, agent):
    apple, wine = house.id("apple 1"), house.id("wine 1")
    told = agent.perception.redacted(pick_up(apple), Failure(Reason.UNREACHABLE, wine))
    assert told == Failure(Reason.UNREACHABLE, apple)


def test_a_thing_hidden_from_here_is_out_of_sight_not_out_of_reach(house, agent):
    apple = house.id("apple 1")
    ((_, table),) = house.places(apple)
    agent.do(go_to(apple))
    seen = visible(house, Visibility.ROOM)
    graph = seen.graph.copy()
    graph.remove_node(apple)
    agent.perception.update(View(graph, {**seen.covered, table: False}))
    assert agent.admit(pick_up(apple)) == Failure(Reason.NOT_IN_SIGHT, apple)
    assert agent.admit(go_to(apple)) is None
