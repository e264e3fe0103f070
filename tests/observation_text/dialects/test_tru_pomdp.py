"""The dialect `tru_pomdp`: all areas and objects at first, then the news; three short actions."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.dialect import Refusal
from peephole.observation_text.dialects.tru_pomdp import grammar
from peephole.observation_text.dialects.tru_pomdp.dialect import DIALECT
from peephole.observation_text.names import Names
from peephole.observation_text.view import Visibility, visible
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.actions import (
    HOUSEHOLD_VERBS,
    OPTIONAL_TARGET,
    WITHOUT_TARGET,
    Action,
    Verb,
    open_,
    pick_up,
    pour,
    put,
    wait,
)
from peephole.skills.dynamics import step
from peephole.skills.embodiment import Embodiment
from peephole.skills.outcomes import Failure, Outcome, Reason

BODY = Embodiment(hands=1, approaches=True)
ROOM, ROBOT, BENCH, DRAWER, SHELF, CUP, OTHER_CUP, KEY = range(1, 9)


def kitchen() -> SceneGraph:
    closed = frozenset({State.CLOSED})
    drawer = frozenset({Affordance.CONTAINER, Affordance.OPENABLE})
    graspable = frozenset({Affordance.GRASPABLE})
    nodes = [
        Node(ROOM, "kitchen", Kind.ROOM, 1),
        Node(ROBOT, "robot", Kind.AGENT, 2),
        Node(BENCH, "bench", Kind.FIXTURE, 3),
        Node(DRAWER, "tin drawer", Kind.FIXTURE, 4, closed, drawer),
        Node(SHELF, "coat shelf", Kind.FIXTURE, 5, affordances=frozenset({Affordance.SURFACE})),
        Node(CUP, "tea cup", Kind.OBJECT, 6, affordances=graspable),
        Node(OTHER_CUP, "tea cup", Kind.OBJECT, 7, affordances=graspable),
        Node(KEY, "key 2", Kind.OBJECT, 8, affordances=graspable),
    ]
    inside, on, attached = Relation.INSIDE, Relation.ON, Relation.ATTACHED
    edges = [(ROBOT, inside, ROOM), (BENCH, inside, ROOM), (DRAWER, attached, BENCH)]
    edges += [(SHELF, attached, BENCH), (CUP, on, SHELF), (OTHER_CUP, on, SHELF)]
    edges += [(KEY, inside, DRAWER), (ROBOT, Relation.CLOSE, BENCH)]
    return SceneGraph(nodes, [Edge(*edge) for edge in edges])


class Told:
    """What is told while actions are done."""

    def __init__(self) -> None:
        self.graph = kitchen()
        view = visible(self.graph, Visibility.ROOM)
        self.names = Names(view.graph.nodes())
        self.text, self.state = DIALECT.start(self.names, view)

    def do(self, action: Action) -> str:
        outcome = Outcome(step(self.graph, action, BODY))
        view = visible(self.graph, Visibility.ROOM)
        self.names.append(view.graph.nodes())
        self.text, self.state = DIALECT.after(self.names, view, action, outcome, self.state)
        return self.text

    def overview(self) -> str:
        return DIALECT.overview(self.names, visible(self.graph, Visibility.ROOM))

    def parse(self, said: str) -> Action:
        return DIALECT.parse(said, self.names, self.names.numbers, self.state)


def test_the_first_observation_tells_areas_and_objects_on_one_line() -> None:
    assert Told().text == (
        "Closed areas: tin_drawer. Open areas: coat_shelf. Objects seen: tea_cup on coat_shelf, "
        "tea_cup_2 on coat_shelf. You hold nothing."
    )


def test_an_observation_says_what_was_done_and_what_is_new() -> None:
    told = Told()
    assert told.do(open_(DRAWER)) == (
        "Done: open tin_drawer. In tin_drawer you see: key_2_1. You hold nothing."
    )
    assert told.do(pick_up(OTHER_CUP)) == "Done: pick tea_cup_2. You hold tea_cup_2."
    assert told.do(pick_up(CUP)) == "Not done: your hand is full. You hold tea_cup_2."


def test_an_empty_area_is_called_empty() -> None:
    told = Told()
    told.graph.detach(KEY)
    told.graph.add_edge(KEY, Relation.ON, SHELF)
    assert told.do(open_(DRAWER)) == (
        "Done: open tin_drawer. tin_drawer is empty. New to you: key_2_1 on coat_shelf. "
        "You hold nothing."
    )
    assert "Open areas: coat_shelf, tin_drawer (empty). " in told.overview()


def test_arrangements_that_were_tried_are_reported_while_they_are_new() -> None:
    told = Told()
    for action in (pick_up(CUP), put(CUP, Relation.ON, SHELF)):
        told.do(action)
    assert told.text.endswith("Arrangements tried: 1. tea_cup on coat_shelf.")
    assert "tried" not in told.do(pick_up(CUP))
    for action in (put(CUP, Relation.ON, SHELF), open_(DRAWER), pick_up(KEY)):
        told.do(action)
    told.do(put(KEY, Relation.ON, SHELF))
    assert told.text.endswith(
        "Arrangements tried: 1. tea_cup on coat_shelf; "
        "2. tea_cup on coat_shelf, key_2_1 on coat_shelf."
    )


def test_a_reason_is_reported_without_names_and_with_the_words_of_who_denies() -> None:
    told = Told()
    view = visible(told.graph, Visibility.ROOM)
    for failure, wanted in (
        (Failure(Reason.UNKNOWN, 99), "Not done: there is no such area or object. "),
        (Failure(Reason.REFUSED), "Not done: it is not possible now. "),
        (
            Failure(Reason.DENIED, detail="Not that one"),
            "Not done: you are not allowed to do that: Not that one. ",
        ),
    ):
        text, _ = DIALECT.after(told.names, view, open_(DRAWER), Outcome(failure), told.state)
        assert wanted in text


def test_what_lies_right_is_reported() -> None:
    told = Told()
    assert DIALECT.confirmed(told.names, [CUP]) == "Objects already in target areas: tea_cup."
    assert DIALECT.confirmed(told.names, []) == ""


def test_what_is_held_is_placed_by_the_area_alone() -> None:
    told = Told()
    with pytest.raises(Refusal, match="You hold nothing"):
        told.parse("place coat_shelf")
    told.do(pick_up(CUP))
    assert told.parse("place coat_shelf") == put(CUP, Relation.ON, SHELF)
    assert told.parse(" Place Tin_Drawer ") == put(CUP, Relation.INSIDE, DRAWER)
    assert told.parse("place tea_cup_2 under coat_shelf") == put(OTHER_CUP, Relation.UNDER, SHELF)
    assert DIALECT.forms(frozenset({Verb.OPEN, Verb.PUT, Verb.WAIT})) == (
        "open thing",
        "wait",
        "place area",
    )


@pytest.mark.parametrize(
    "said",
    [
        "open",
        "open tin drawer",
        "open tin_drawer now",
        "pick key_2_1",  # not seen yet
        "pick key_2",
        "pick tea_cup_0",
        "pick tea_cup_01",
        "pick tea_cup_3",
        "pick tea_cup_",
        "place tea_cup on",
        "place tea_cup near coat_shelf",
        "pour tea_cup coat_shelf",
        "juggle tea_cup",
        "",
    ],
)
def test_what_is_said_wrongly_is_refused(said: str) -> None:
    with pytest.raises(Refusal):
        Told().parse(said)


CATEGORY = st.sampled_from(["cup", "cup 2", "tea cup", "in", "on", "place", "1", "tin drawer"]) | (
    # a lambda: hypothesis takes `filter(str.split)` for "not empty", and lets blanks pass
    st.text(string.ascii_lowercase + string.digits + " ", max_size=8).filter(lambda t: t.split())
)


@given(
    st.lists(CATEGORY, min_size=2, max_size=6),
    st.sampled_from(sorted(HOUSEHOLD_VERBS)),
    st.data(),
)
def test_every_action_is_read_as_it_was_said(
    categories: list[str], verb: Verb, data: st.DataObject
) -> None:
    plain = [" ".join(category.split()) for category in categories]
    names = Names(Node(i, each, Kind.OBJECT, i) for i, each in enumerate(plain, start=1))
    thing, place = (data.draw(st.sampled_from(sorted(names.numbers))) for _ in range(2))
    if verb is Verb.PUT:
        relation = data.draw(st.sampled_from([Relation.INSIDE, Relation.ON]))
        action = put(thing, relation, place)
    elif verb is Verb.POUR:
        action = pour(thing, place)
    elif verb in WITHOUT_TARGET:
        action = wait() if verb is Verb.WAIT else Action(verb)
    else:
        action = Action(verb, thing)
    said = DIALECT.word(names, action)
    assert DIALECT.parse(said, names, names.numbers, {}) == action
    if verb in OPTIONAL_TARGET:
        said = DIALECT.word(names, Action(verb))
        assert DIALECT.parse(said, names, names.numbers, {}) == Action(verb)


@given(st.lists(CATEGORY, min_size=1, max_size=8))
def test_no_two_things_have_the_same_name(categories: list[str]) -> None:
    plain = [" ".join(category.split()) for category in categories]
    names = Names(Node(i, each, Kind.OBJECT, i) for i, each in enumerate(plain, start=1))
    said = [grammar.name(names, thing) for thing in names.numbers]
    assert len(set(said)) == len(said)
