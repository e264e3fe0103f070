"""Appliances bring about events of the things in them."""

from __future__ import annotations

import pytest

from peephole.scene_graph.goals import Event
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State
from peephole.skills.actions import Action, close, open_, turn_off, turn_on
from peephole.skills.events import appliance_events, events_of

ROOM, ME, MICROWAVE, FRIDGE, SINK, FAUCET, BATH, PLATE, APPLE, EGG, CUP, TOMATO = range(1, 13)


@pytest.fixture
def kitchen() -> SceneGraph:
    """A plate in the microwave, which keeps the apple on it too; an egg in the fridge; a cup in
    the sink, with a tomato that the cup alone keeps.
    """

    def fixture(node_id: int, category: str, *affordances: Affordance) -> Node:
        return Node(node_id, category, Kind.FIXTURE, node_id, frozenset(), frozenset(affordances))

    nodes = [
        Node(ROOM, "kitchen", Kind.ROOM, ROOM),
        Node(ME, "agent", Kind.AGENT, ME),
        fixture(MICROWAVE, "microwave", Affordance.HEATS, Affordance.CONTAINER),
        fixture(FRIDGE, "fridge", Affordance.COOLS, Affordance.CONTAINER),
        fixture(SINK, "sink", Affordance.CONTAINER),
        fixture(FAUCET, "faucet", Affordance.RINSES),
        fixture(BATH, "bath", Affordance.CONTAINER),
        *(
            Node(node_id, name, Kind.OBJECT, node_id, frozenset({State.DIRTY}))
            for node_id, name in (
                *((PLATE, "plate"), (APPLE, "apple"), (EGG, "egg"), (CUP, "cup")),
                (TOMATO, "tomato"),
            )
        ),
    ]
    inside = [(ME, ROOM), (PLATE, MICROWAVE), (APPLE, MICROWAVE), (EGG, FRIDGE), (CUP, SINK)]
    return SceneGraph(
        nodes,
        [
            *(Edge(thing, Relation.INSIDE, place) for thing, place in inside),
            Edge(APPLE, Relation.ON, PLATE),
            Edge(TOMATO, Relation.INSIDE, CUP),
            Edge(FAUCET, Relation.CLOSE, SINK),
            Edge(SINK, Relation.CLOSE, FAUCET),
        ],
    )


@pytest.mark.parametrize(
    ("action", "events"),
    [
        (turn_on(MICROWAVE), {("heated", PLATE), ("heated", APPLE)}),
        (close(FRIDGE), {("cooled", EGG)}),
        (turn_on(FAUCET), {("cleaned", CUP)}),
        (turn_off(MICROWAVE), set()),
        (close(MICROWAVE), set()),
        (open_(FRIDGE), set()),
        (turn_on(FRIDGE), set()),
        (turn_off(FAUCET), set()),
    ],
)
def test_what_is_in_an_appliance_is_treated(kitchen, action: Action, events) -> None:
    assert {(event.name, *event.things) for event in appliance_events(kitchen, action, 4)} == events


def test_the_action_itself_comes_first(kitchen) -> None:
    first, *more = events_of(kitchen, close(FRIDGE), 4)
    assert first == Event("close", (FRIDGE,), 4)
    assert more == [Event("cooled", (EGG,), 4)]
