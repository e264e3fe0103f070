"""The dialects `reactree_plain` and `reactree_thor_plain`: what lies where, and in which state."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.observation_text.dialects.reactree.dialect import DIALECT as PUBLISHED_DIALECT
from peephole.observation_text.dialects.reactree.plain import PLAIN_DIALECT as DIALECT
from peephole.observation_text.dialects.reactree.plain import THOR_PLAIN_DIALECT
from peephole.observation_text.incremental_view import IncrementalView
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import Visibility, visible
from peephole.planners.kits.memory.working import name_of
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.actions import Verb
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason

#: What changes what is kept where.
CHANGING = {Verb.GO_TO, Verb.PICK_UP, Verb.PUT, Verb.OPEN, Verb.LOOK, Verb.DROP, Verb.PUT_ON}
KITCHEN = (
    "bench 1, bench 2, chair 1, fridge 1 [closed], kitchen cabinet 1 [open], kitchen table 1, "
    "microwave oven 1 [closed, off]"
)


@pytest.fixture
def plain(house, play_in):
    return play_in(house, DIALECT, Visibility.NEAR)


def test_things_are_called_as_in_actions_with_what_lies_where(plain):
    assert plain.first == (
        "The house has 4 rooms: bathroom 1, bedroom 1, kitchen 1, living room 1. "
        f"You are in kitchen 1. You see {KITCHEN}."
    )
    assert plain.do("go to kitchen table 1") == (
        "You go to kitchen table 1. You are close to kitchen table 1. "
        "On kitchen table 1: apple 1, apple 2, plate 1. On plate 1: knife 1."
    )
    assert plain.do("pick up apple 2") == "You pick up apple 2. You hold apple 2."
    assert plain.do("put down apple 2 on plate 1") == "You put down apple 2 on plate 1."
    assert "On plate 1: apple 2, knife 1." in plain.do("look at kitchen table 1")
    plain.do("pick up knife 1")
    assert plain.do("slice apple 1") == (
        "You slice apple 1. You see apple 1 [sliced]. You hold knife 1."
    )


def test_what_is_held_is_told_apart_from_what_lies_there(plain):
    plain.do("go to kitchen table 1")
    plain.do("pick up apple 1")
    assert plain.do("go to kitchen cabinet 1") == (
        "You go to kitchen cabinet 1. You are close to kitchen cabinet 1 [open], "
        "microwave oven 1 [closed, off]. In kitchen cabinet 1: juice 2. You hold apple 1."
    )
    assert plain.do("put down apple 1") == "You put down apple 1 in kitchen cabinet 1."
    assert plain.do("go to bedroom 1") == "You go to bedroom 1. You see bed 1."


def test_a_put_on_what_keeps_things_inside_says_where_and_when_they_go(plain):
    plain.do("go to kitchen table 1")
    plain.do("pick up apple 1")
    plain.do("go to fridge 1")
    inside = "Nothing can be put on the fridge 1, but in it"
    assert plain.do("put down apple 1 on fridge 1").startswith(f"{inside}, once it is open.")
    plain.do("open fridge 1")
    assert plain.do("put down apple 1 on fridge 1").startswith(f"{inside}.")
    plain.do("go to bench 1")
    assert "cannot be put down in bench 1" in plain.do("put down apple 1 in bench 1")


def test_a_task_has_the_names_that_observations_have():
    for dialect in (DIALECT, PUBLISHED_DIALECT):
        said = dialect.instruction("Warm it in microwave 12, not in drawer 1.", {"microwave"})
        assert said == "Warm it in microwave oven 12, not in drawer 1."


def test_an_open_door_in_the_way_is_called_open(house, play_in):
    plain = play_in(house, DIALECT, Visibility.NEAR)
    action = plain.parse("go to kitchen table 1")

    def told(category):
        blocked = Failure(
            Reason.BLOCKED, next(n.id for n in house.nodes() if n.category == category)
        )
        return plain.observer.after(plain.view(), action, Outcome(blocked))[0]

    assert told("kitchen cabinet") == "The open kitchen cabinet 1 is in the way."
    assert told("bench") == "The bench 1 is in the way."


def test_what_is_in_a_held_thing_is_told_once(plain):
    plain.do("go to kitchen table 1")
    told = plain.do("pick up plate 1")
    assert told == "You pick up plate 1. You hold plate 1. On plate 1: knife 1."
    assert plain.do("look around").count("On plate 1: knife 1.") == 1
    assert plain.do("go to kitchen cabinet 1").count("On plate 1: knife 1.") == 1


def test_opening_shows_the_inside_alone_and_says_that_it_is_empty(plain):
    assert plain.do("open fridge 1") == "The fridge 1 is not close to you."
    plain.do("go to fridge 1")
    assert plain.do("open fridge 1") == "You open fridge 1. In fridge 1: box 1 [closed], juice 1."
    assert plain.do("open fridge 1") == "The fridge 1 is already open."
    assert plain.do("open box 1") == "You open box 1. In box 1: wine 1."
    plain.do("pick up wine 1")
    assert plain.do("look at box 1") == (
        "You look at box 1. It is open. In box 1: nothing. You hold wine 1."
    )
    plain.do("close box 1")
    assert plain.do("look at box 1") == "You look at box 1. It is closed. You hold wine 1."
    assert plain.do("open box 1") == "You open box 1. In box 1: nothing. You hold wine 1."


def test_furniture_that_was_seen_empty_is_marked(plain):
    assert plain.do("go to bench 1") == "You go to bench 1. You are close to bench 1 [empty]."
    assert "bench 1 [empty], bench 2," in plain.do("look around")
    assert plain.do("look at bench 2") == (
        "You look at bench 2. What is in or on bench 2 cannot be seen from here."
    )


def test_going_to_something_near_is_an_arrival_like_any_other(plain):
    first = plain.do("go to kitchen table 1")
    assert plain.do("go to kitchen table 1") == first


def test_the_overview_tells_where_one_stands_and_what_lies_there(plain):
    plain.do("go to kitchen table 1")
    plain.do("pick up apple 1")
    assert plain.observer.overview() == (
        f"{plain.first} On kitchen table 1: apple 2, plate 1. On plate 1: knife 1. "
        "You are close to kitchen table 1. You hold apple 1."
    )
    rooms = "The house has 4 rooms: bathroom 1, bedroom 1, kitchen 1, living room 1. "
    assert plain.observer.overview() == rooms + plain.observer.surroundings()


@settings(max_examples=15)
@given(data=st.data())
def test_looking_around_names_all_that_is_in_sight(data, house_strategy, play_in):
    """What a schema offers must have been told."""
    profile = data.draw(st.sampled_from([Visibility.ROOM, Visibility.NEAR]))
    played = play_in(data.draw(house_strategy), DIALECT, profile)
    told = played.do("look around")
    view = played.view()
    mine = {*view.held(), *view.graph.below(view.agent().id)}
    for node in view.graph.nodes():
        if node.kind in (Kind.FIXTURE, Kind.OBJECT) and node.id not in mine:
            name = DIALECT.called(name_of(played.observer.names[node.id]))
            assert f" {name}" in told, (name, told)


@pytest.fixture
def thor_plain(play_in):
    """A kitchen in the names of AI2-THOR."""
    things = {
        3: ("fridge", "openable container", "closed", (Relation.INSIDE, 1)),
        4: ("counter top", "surface", "", (Relation.INSIDE, 1)),
        5: ("desk lamp", "switchable", "off", (Relation.INSIDE, 1)),
        6: ("apple", "graspable sliceable", "", (Relation.ON, 4)),
        7: ("apple", "graspable sliceable", "sliced", (Relation.ON, 4)),
        8: ("egg", "graspable", "", (Relation.INSIDE, 3)),
    }
    kinds = dict.fromkeys((3, 4, 5), Kind.FIXTURE)
    nodes = [
        Node(
            i,
            category,
            kinds.get(i, Kind.OBJECT),
            i,
            frozenset(map(State, states.split())),
            frozenset(map(Affordance, can.split())),
        )
        for i, (category, can, states, _) in things.items()
    ]
    nodes += [Node(1, "kitchen", Kind.ROOM, 1), Node(2, "agent", Kind.AGENT, 2)]
    edges = [Edge(i, *where) for i, (*_, where) in things.items()]
    edges.append(Edge(2, Relation.INSIDE, 1))
    return play_in(SceneGraph(nodes, edges), THOR_PLAIN_DIALECT, Visibility.NEAR)


def test_a_camera_tells_what_is_on_and_off(thor_plain):
    assert thor_plain.first == (
        "The house has 1 room: Kitchen (1). You are in Kitchen (1). "
        "You see CounterTop (1), DeskLamp (1) [off], Fridge (1) [closed]."
    )
    assert thor_plain.do("go to CounterTop (1)") == (
        "You go to CounterTop (1). You are close to CounterTop (1). "
        "On CounterTop (1): Apple (1), Apple (2) [sliced]."
    )
    thor_plain.do("go to DeskLamp (1)")
    assert thor_plain.do("turn on DeskLamp (1)") == "You turn on DeskLamp (1)."
    assert "DeskLamp (1) [on]" in thor_plain.do("look around")
    thor_plain.do("go to CounterTop (1)")
    thor_plain.do("pick up Apple (1)")
    assert thor_plain.do("go to Fridge (1)") == (
        "You go to Fridge (1). You are close to Fridge (1) [closed]. You hold Apple (1)."
    )
    assert thor_plain.do("open Fridge (1)") == (
        "You open Fridge (1). In Fridge (1): Egg (1). You hold Apple (1)."
    )
    assert thor_plain.do("put down Apple (1)") == "You put down Apple (1) in Fridge (1)."


def test_putting_down_what_is_not_held_says_so(plain):
    plain.do("go to kitchen table 1")
    assert plain.do("put down apple 1") == "You do not hold the apple 1."


def test_failures_tell_the_numbers(plain):
    plain.do("go to kitchen table 1")
    assert plain.do("pick up fridge 1") == "The fridge 1 is not close to you."
    plain.do("pick up apple 1")
    plain.do("pick up apple 2")
    assert plain.do("pick up plate 1") == (
        "You do not have an empty hand. You hold apple 1, apple 2."
    )


def test_actions_menu_and_state_are_those_of_reactree(house, play_in, play):
    plain = play_in(house.copy(), DIALECT)
    for action in ("go to kitchen table 1", "pick up apple 1", "go to kitchen cabinet 1"):
        plain.do(action)
        play.do(action)
        assert plain.observer.menu() == play.observer.menu()
    assert plain.refusal("open apple (1)") == play.refusal("open apple (1)")


@given(
    data=st.data(),
    profile=st.sampled_from([Visibility.NEAR, Visibility.ROOM]),
    changing=st.booleans(),
    plain=st.booleans(),
)
def test_texts_of_excerpts_are_those_of_the_whole_view(
    data, house_strategy, unburdened, profile, changing, plain
):
    """What is kept of a place, a room and the hands reads as if it were made of the whole view."""
    house = data.draw(house_strategy)
    if plain:
        unburdened(house)
    sight = IncrementalView(house, profile)
    kept = Observer(Names(), DIALECT, frozenset(Verb))
    fresh = Observer(Names(), DIALECT, frozenset(Verb))
    assert kept.start(sight.view()) == fresh.start(visible(house, profile))
    for _ in range(data.draw(st.integers(1, 12))):
        menu = kept.menu()
        moving = [offer for offer in menu if offer[1].verb in CHANGING]
        _, action = data.draw(st.sampled_from((changing and moving) or menu))
        outcome = Outcome(step(house, action, Embodiment()))
        text, _ = kept.after(sight.view(), action, outcome)
        assert text == fresh.after(visible(house, profile), action, outcome)[0]
        assert kept.surroundings() == fresh.surroundings()
