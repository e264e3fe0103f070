"""The example of each dialect is what its decisions come to in a house."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peephole.planners.llm.menus import MenuForm
from peephole.planners.reactree.decisions import as_replies
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

SURFACE, GRASP = frozenset({Affordance.SURFACE}), frozenset({Affordance.GRASPABLE})
CLOSET = frozenset({Affordance.OPENABLE, Affordance.CONTAINER})
CLOSED = frozenset({State.CLOSED})
ME = Node(1, "character", Kind.AGENT, 1)
HOUSE = SceneGraph(
    [
        ME,
        Node(2, "hall", Kind.ROOM, 2),
        Node(3, "study", Kind.ROOM, 3),
        Node(4, "armchair", Kind.FIXTURE, 4, affordances=SURFACE),
        Node(5, "wardrobe", Kind.FIXTURE, 5, CLOSED, CLOSET),
        Node(6, "writing desk", Kind.FIXTURE, 6, affordances=SURFACE),
        Node(7, "newspaper", Kind.OBJECT, 7, affordances=GRASP),
        Node(8, "pen", Kind.OBJECT, 8, affordances=GRASP),
    ],
    [
        *(Edge(thing, Relation.INSIDE, 2) for thing in (1, 4, 5)),
        Edge(6, Relation.INSIDE, 3),
        *(Edge(thing, Relation.ON, 6) for thing in (7, 8)),
    ],
)
PANTRY = SceneGraph(
    [
        ME,
        Node(2, "pantry", Kind.ROOM, 2),
        Node(3, "shelf", Kind.FIXTURE, 3, affordances=SURFACE),
        Node(4, "counter top", Kind.FIXTURE, 4, affordances=SURFACE),
        Node(5, "cabinet", Kind.FIXTURE, 5, CLOSED, CLOSET),
        Node(6, "fridge", Kind.FIXTURE, 6, CLOSED, CLOSET),
        Node(7, "jar", Kind.OBJECT, 7, affordances=GRASP),
    ],
    [*(Edge(thing, Relation.INSIDE, 2) for thing in (1, 3, 4, 5, 6)), Edge(7, Relation.INSIDE, 5)],
)
HOUSES = {"reactree": HOUSE, "reactree_plain": HOUSE, "reactree_thor": PANTRY}


@pytest.mark.parametrize("recalls", [False, True])
@pytest.mark.parametrize("control_flow", ["all", "seq_fallback", "seq"])
@pytest.mark.parametrize("dialect", HOUSES)
def test_the_example_is_what_comes_of_its_decisions(
    dialect: str, control_flow: str, recalls: bool, play: Any
) -> None:
    options = {
        "control_flow": control_flow,
        "working_memory": recalls,
        "menu": MenuForm.NONE,
    }
    first = play(HOUSES[dialect], "Stop.", {"act": "done"}, dialect=dialect, **options)
    example = first.model.asked[0][0]["content"].partition("\nExample\n")[2]
    lines = example.splitlines()
    replies = [json.loads(line)["decision"] for line in lines if line.startswith("{")]
    goal = lines[0].removeprefix("Your task is to: ")
    played = play(HOUSES[dialect], goal, *replies, dialect=dialect, **options)
    assert "\n".join(as_replies(node["text"]) for node in played.agents) == example
    assert {node["state"] for node in played.agents} >= {"success", "expand"}
    assert any("recall" in reply for reply in replies) == recalls
