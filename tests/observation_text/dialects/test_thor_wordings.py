"""The wordings for a camera's room: `reactree` as in AI2-THOR, and `alfworld`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.adapters.ai2thor.object_types import ALLOWED, category_of, whole_of
from peephole.observation_text.dialect import Refusal
from peephole.observation_text.dialects.alfworld import dialect as alfworld
from peephole.observation_text.dialects.reactree import dialect as reactree
from peephole.observation_text.dialects.reactree.thor import joined
from peephole.observation_text.names import Names
from peephole.observation_text.observer import Observer
from peephole.observation_text.view import View, Visibility, visible
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    WITHOUT_TARGET,
    Action,
    Verb,
    go_to,
    look,
    move,
    pick_up,
    pour,
    put,
    slice_,
    turn_off,
    turn_on,
)
from peephole.skills.dynamics import legal_actions, step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason

IN, ON, UNDER = Relation.INSIDE, Relation.ON, Relation.UNDER
BODY = Embodiment(hands=1)
THOR = reactree.THOR_DIALECT
ALFWORLD = alfworld.DIALECT
WORDINGS = pytest.mark.parametrize("dialect", [THOR, ALFWORLD], ids=lambda dialect: dialect.name)

FRIDGE, COUNTER, LAMP, APPLE, APPLE_2, KNIFE, EGG = range(3, 10)
_CAN = {
    FRIDGE: ("fridge", "openable container", "closed"),
    COUNTER: ("counter top", "surface", ""),
    LAMP: ("desk lamp", "switchable", "off"),
    APPLE: ("apple", "graspable sliceable", ""),
    APPLE_2: ("apple", "graspable sliceable", "sliced"),
    KNIFE: ("butter knife", "graspable cuts", ""),
    EGG: ("egg", "graspable", ""),
}


class Kitchen:
    """An agent that is told what it sees in a kitchen, as near as a camera would show it."""

    def __init__(self, dialect):
        nodes = [Node(1, "kitchen", Kind.ROOM, 1), Node(2, "agent", Kind.AGENT, 2)]
        for node_id, (category, can, states) in _CAN.items():
            kind = Kind.FIXTURE if node_id in (FRIDGE, COUNTER, LAMP) else Kind.OBJECT
            affordances = frozenset(map(Affordance, can.split()))
            of_now = frozenset(map(State, states.split()))
            nodes.append(Node(node_id, category, kind, node_id, of_now, affordances))
        places = {APPLE: (ON, COUNTER), APPLE_2: (ON, COUNTER), KNIFE: (ON, COUNTER)}
        places |= {EGG: (IN, FRIDGE)}
        edges = [Edge(i, *places.get(i, (IN, 1))) for i in (2, *_CAN)]
        self.graph = SceneGraph(nodes, edges)
        self.observer = Observer(Names(self.graph.nodes()), dialect, frozenset(HOUSEHOLD_VERBS))
        self.first = self.observer.start(self.view())

    def view(self) -> View:
        return visible(self.graph, Visibility.NEAR)

    def do(self, text: str) -> str:
        action = self.observer.parse(text)
        failure = self.observer.admit(action) or step(self.graph, action, BODY)
        return self.observer.after(self.view(), action, Outcome(failure))[0]

    def refusal(self, text: str) -> str:
        with pytest.raises(Refusal) as caught:
            self.observer.parse(text)
        return str(caught.value)


@pytest.fixture
def thor() -> Kitchen:
    return Kitchen(THOR)


@pytest.fixture
def game() -> Kitchen:
    return Kitchen(ALFWORLD)


# --- reactree ------------------------------------------------------------------------------------


def test_reactree_words_an_errand_as_in_the_paper(thor):
    assert thor.first == (
        "You are in the house, and you arrive at the kitchen, Looking quickly around the room, "
        "you see Fridge (1), CounterTop (1)."
    )
    seen = "CounterTop (1), ButterKnife (1), Apple (1, 2)"
    assert thor.do("go to CounterTop (1)") == f"You arrive at CounterTop (1). You see {seen}."
    assert thor.do("pick up Apple (1)") == (
        f"You pick up Apple (1). You see {seen}. I am holding Apple (1) now."
    )
    assert thor.do("go to Fridge (1)") == (
        "You arrive at Fridge (1). You see Fridge (1), Apple (1). Fridge (1) is closed. "
        "I am holding Apple (1) now."
    )
    assert thor.do("put down Apple (1)") == "The Fridge (1) is closed. I am holding Apple (1) now."
    assert thor.do("open Fridge (1)") == (
        "You open Fridge (1). You see Fridge (1), Egg (1), Apple (1). I am holding Apple (1) now."
    )
    assert thor.do("put down Apple (1)") == (
        "You put Apple (1) on Fridge (1). You see Fridge (1), Egg (1), Apple (1)."
    )
    assert thor.do("close Fridge (1)") == "You close Fridge (1). You see Fridge (1)."


def test_reactree_tells_of_what_is_no_receptacle_only_what_is_seen(thor):
    assert thor.do("go to DeskLamp (1)") == "You see DeskLamp (1)."
    assert thor.do("go to DeskLamp (1)") == (
        "You already arrive at DeskLamp (1). You see DeskLamp (1)."
    )
    assert thor.do("turn on DeskLamp (1)") == "You turn on DeskLamp (1). You see DeskLamp (1)."
    assert thor.do("turn on DeskLamp (1)") == "The DeskLamp (1) already turn on."
    assert thor.do("go to DeskLamp (1)").endswith(
        "You see DeskLamp (1). DeskLamp (1) is already turned on."
    )
    thor.do("turn off DeskLamp (1)")
    assert thor.do("turn off DeskLamp (1)") == "The DeskLamp (1) already turn off."
    thor.do("go to CounterTop (1)")
    assert thor.do("go to DeskLamp (1)") == "You see DeskLamp (1)."


def test_reactree_says_empty_only_of_what_is_no_receptacle(thor):
    thor.graph.detach(EGG)
    thor.graph.add_edge(EGG, IN, 1)
    thor.do("go to Fridge (1)")
    assert thor.do("open Fridge (1)") == "You open Fridge (1). You see Fridge (1), Egg (1)."
    laptop = "You open Laptop (1). The Laptop (1) is empty."
    add(thor, "laptop", "graspable openable", "closed", ON, COUNTER)
    thor.do("go to CounterTop (1)")
    assert thor.do("open Laptop (1)") == laptop


def test_reactree_tells_the_failure_with_numbers(thor):
    thor.do("go to CounterTop (1)")
    thor.do("pick up Apple (1)")
    hold = "I am holding Apple (1) now."
    assert thor.do("pick up ButterKnife (1)") == f"You are currently holding Apple (1). {hold}"
    assert thor.do("put down ButterKnife (1)") == f"You are currently holding Apple (1). {hold}"
    assert thor.do("open Fridge (1)") == f"The Fridge (1) is not close to you. {hold}"
    thor.do("put down Apple (1)")
    assert thor.do("put down Apple (1)") == "You are not holding any object."
    assert thor.do("slice ButterKnife (1)") == "The ButterKnife (1) cannot be sliced."
    assert thor.do("slice Apple (2)") == "The Apple (2) already sliced."
    assert thor.do("turn on CounterTop (1)") == "The CounterTop (1) cannot be turn on."
    assert thor.do("pick up CounterTop (1)") == "The CounterTop (1) cannot be pick up."
    thor.do("go to Fridge (1)")
    assert thor.do("close Fridge (1)") == "The Fridge (1) is already closed."
    thor.do("open Fridge (1)")
    assert thor.do("open Fridge (1)") == "The Fridge (1) is already open."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("open Fridge (1)", "The Fridge (1) is open failed."),
        ("slice Apple (1)", "The Apple (1) slice failed."),
    ],
)
def test_reactree_tells_what_failed_without_a_reason(thor, text, told):
    thor.do("go to CounterTop (1)")
    action = thor.observer.parse(text)
    outcome = Outcome(Failure(Reason.REFUSED))
    assert thor.observer.after(thor.view(), action, outcome)[0] == told


def test_reactree_tells_slices_once(thor):
    thor.do("go to CounterTop (1)")
    thor.do("pick up ButterKnife (1)")
    sliced = thor.do("slice Apple (1)")
    assert sliced.startswith("You slice Apple (1). You see ")
    assert " are sliced. I am holding ButterKnife (1) now." in sliced
    assert "sliced" not in thor.do("go to CounterTop (1)")


def test_reactree_says_that_nothing_is_visible(thor):
    thor.do("go to DeskLamp (1)")
    empty = View(thor.graph.part({1: None, 2: None}), {})
    text, _ = thor.observer.after(empty, go_to(LAMP), Outcome(None))
    assert text == "You already arrive at DeskLamp (1). There are no visible objects."


def test_reactree_orders_names_with_a_common_beginning_as_the_simulator_sorts_them(thor):
    for category in ("sink basin", "sink", "toilet paper hanger", "toilet", "chair", "stool"):
        add(thor, category, "surface", "", IN, 1)
    for category in ("light switch", "faucet", "stove knob", "floor lamp"):
        add(thor, category, "switchable", "off", IN, 1)
    observer = Observer(Names(), THOR, frozenset(HOUSEHOLD_VERBS))
    assert observer.start(thor.view()).endswith(
        "you see Toilet (1), ToiletPaperHanger (1), Sink (1), SinkBasin (1), Fridge (1), "
        "CounterTop (1)."
    )


def test_reactree_reads_names_in_any_case_and_without_the_blank(thor):
    for text in ("go to Fridge(1)", "go to fridge (1)", "GO TO FRIDGE(1)"):
        assert thor.observer.parse(text) == go_to(FRIDGE)
    assert thor.observer.parse("go to countertop(1)") == go_to(COUNTER)


def add(kitchen, category, can, states, relation, place):
    """Add a fixture, or a thing that can be grasped."""
    node_id = max(node.id for node in kitchen.graph.nodes()) + 1
    kind = Kind.OBJECT if "graspable" in can else Kind.FIXTURE
    affordances = frozenset(map(Affordance, can.split()))
    of_now = frozenset(map(State, states.split()))
    kitchen.graph.add_node(Node(node_id, category, kind, node_id, of_now, affordances))
    kitchen.graph.add_edge(node_id, relation, place)


def test_reactree_wants_the_number_in_brackets(thor):
    unseen = thor.refusal("go to Egg (1)")
    assert unseen.startswith("You have seen no such thing")
    assert thor.refusal("go to Unicorn (1)") == unseen
    assert thor.refusal("go to Fridge 1") == "The number belongs in brackets; say 'NAME (NUMBER)'."
    assert thor.refusal("go to Fridge") == "A number is missing; say 'go to NAME (NUMBER)'."
    assert thor.observer.parse("go to countertop (1)") == go_to(COUNTER)


def test_reactree_writes_types_as_the_simulator_does():
    types = {whole_of(name) for name in (*ALLOWED, *set().union(*ALLOWED.values()))}
    assert {"CD", "TVStand"} < types
    assert {joined(category_of(name)) for name in types} == types


# --- alfworld ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Hold a fork by the Desk Lamp 1.", "Hold a fork by the desklamp 1."),
        ("Put two butter knives and a fork on it.", "Put two butterknives and a fork on it."),
        ("Put the lamp on the desk.", "Put the lamp on the desk."),
        ("Close the desk lampshade.", "Close the desk lampshade."),
    ],
)
def test_alfworld_names_things_alike_in_the_task(asked, told):
    assert ALFWORLD.instruction(asked, ["desk lamp", "butter knife", "fork"]) == told
    assert THOR.instruction(asked, ["desk lamp"]) == asked


def test_alfworld_words_an_errand_as_its_games(game):
    assert game.first == (
        "You are in the middle of a room. Looking quickly around you, you see a fridge 1, "
        "a desklamp 1, and a countertop 1."
    )
    assert game.do("go to countertop 1") == (
        "You arrive at countertop 1. On the countertop 1, you see a apple 1, a apple 2, "
        "and a butterknife 1."
    )
    assert game.do("take apple 1 from countertop 1") == (
        "You pick up the apple 1 from the countertop 1."
    )
    assert game.do("go to fridge 1") == "You arrive at fridge 1. The fridge 1 is closed."
    assert game.do("put apple 1 in/on fridge 1") == "Nothing happens."
    assert game.do("open fridge 1") == (
        "You open the fridge 1. The fridge 1 is open. In it, you see a egg 1."
    )
    assert game.do("put apple 1 in/on fridge 1") == "You put the apple 1 in/on the fridge 1."
    assert game.do("close fridge 1") == "You close the fridge 1."
    assert game.do("examine fridge 1") == "The fridge 1 is closed."
    game.do("go to desklamp 1")
    assert game.do("use desklamp 1") == "You turn on the desklamp 1."
    assert game.do("examine desklamp 1") == "This desklamp 1 is on."
    assert game.do("turn off desklamp 1") == "You turn off the desklamp 1."
    assert game.do("look") == "You are facing the desklamp 1. Next to it, you see nothing."


def test_alfworld_slices_with_what_is_held(game):
    game.do("go to countertop 1")
    assert game.refusal("slice apple 1 with butterknife 1").startswith("You do not hold that")
    game.do("take butterknife 1 from countertop 1")
    assert game.do("slice apple 1 with butterknife 1").startswith(
        "You sliced the apple 1 with the butterknife 1. On the countertop 1, you see"
    )
    assert game.do("examine apple 1") == "This is a sliced apple 1."


def test_alfworld_refuses_what_is_said_wrongly(game):
    game.do("go to countertop 1")
    assert game.refusal("take apple 1 from fridge 1").startswith("That is not where you see it")
    assert game.refusal("put apple 1 in/on fridge 1").startswith("You are not at any such")
    assert game.refusal("put apple 1").startswith("It has to be said where")
    assert game.refusal("go to the fridge 1").startswith("A name is a word and a number")
    assert game.refusal("fly to fridge 1").startswith("There is no such action")
    assert game.refusal("think: where is it").startswith("'think' is a move inside a planner")
    assert game.refusal("take egg 1") == game.refusal("take unicorn 1")


def test_alfworld_understands_less_than_the_games_say(game):
    game.do("go to countertop 1")
    parse = game.observer.parse
    assert parse("take apple 1") == pick_up(APPLE)
    assert parse("put apple 1 on countertop 1") == put(APPLE, ON, COUNTER)
    assert parse("put apple 1 in/on countertop 1") == put(APPLE, ON, COUNTER)
    assert parse("slice apple 1") == slice_(APPLE)
    assert parse("USE desklamp 1 ") == turn_on(LAMP)
    assert parse("turn off desklamp 1") == turn_off(LAMP)
    assert parse("look") == look()


def test_alfworld_reads_the_put_of_newer_games(game):
    """Since ALFWorld 0.4 they say "move O to R"; `move O` alone is another action here."""
    game.do("go to countertop 1")
    game.do("take apple 1 from countertop 1")
    assert game.refusal("move apple 1 to fridge 1").startswith("You are not at any such")
    assert game.refusal("move apple 1 in/on countertop 1").startswith("There is no such action")
    assert game.observer.parse("move apple 1") == move(APPLE)
    done = game.do("move apple 1 to countertop 1")
    assert done == "You put the apple 1 in/on the countertop 1."


def test_alfworld_says_of_every_failure_that_nothing_happens(game):
    for reason in Reason:
        told = Outcome(Failure(reason, APPLE))
        text = game.observer.after(game.view(), go_to(COUNTER), told)[0]
        if reason is Reason.DENIED:  # a game has nobody who denies anything
            assert text == "Nothing happens: You are not allowed to do that."
        else:
            assert text == "Nothing happens."


# --- both ----------------------------------------------------------------------------------------


@WORDINGS
def test_a_denial_is_reported_in_the_words_of_who_denied_it(dialect):
    game = Kitchen(dialect)
    denied = Failure(Reason.DENIED, COUNTER, "leave the knife to me.")
    text, outcome = game.observer.after(game.view(), go_to(COUNTER), Outcome(denied))
    assert text.startswith(("You are not allowed to do that:", "Nothing happens:"))
    assert ": leave the knife to me." in text
    assert outcome.failure == denied


@WORDINGS
@given(data=st.data())
def test_every_action_on_perceived_things_reads_back(data, house_strategy, dialect):
    house = data.draw(house_strategy)
    observer = Observer(Names(house.nodes()), dialect, HOUSEHOLD_VERBS)
    observer.start(visible(house, Visibility.ROOM))
    things = st.sampled_from(sorted(observer.names))
    verb = data.draw(st.sampled_from(sorted(HOUSEHOLD_VERBS)))
    if verb is Verb.PUT:
        action = put(
            data.draw(things), data.draw(st.sampled_from([IN, ON, UNDER])), data.draw(things)
        )
    elif verb is Verb.POUR:
        action = pour(data.draw(things), data.draw(things))
    else:
        action = Action(verb, None if verb in WITHOUT_TARGET else data.draw(things))
    assert observer.parse(observer.word(action)) == action
    assert observer.parse(observer.word(look())) == look()


@WORDINGS
@given(data=st.data())
def test_the_menu_reads_back(data, house_strategy, dialect):
    house = data.draw(house_strategy)
    observer = Observer(Names(house.nodes()), dialect, HOUSEHOLD_VERBS)
    observer.start(visible(house, Visibility.ROOM))
    for _ in range(4):
        menu = observer.menu()
        assert len(dict(menu)) == len(menu)
        for text, action in menu:
            assert observer.parse(text) == action
        legal = legal_actions(observer.view.graph, BODY)
        if not legal:
            return
        action = data.draw(st.sampled_from(legal))
        failure = observer.admit(action) or step(house, action, BODY)
        observer.after(visible(house, Visibility.ROOM), action, Outcome(failure))
