"""Houses made by hand, for the wording and the view of exactly known things."""

from __future__ import annotations

import pytest

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

KINDS = {
    "house": Kind.SCENE,
    "kitchen": Kind.ROOM,
    "bedroom": Kind.ROOM,
    "bathroom": Kind.ROOM,
    "living room": Kind.ROOM,
    "character": Kind.AGENT,
    "fridge": Kind.FIXTURE,
    "kitchen table": Kind.FIXTURE,
    "kitchen cabinet": Kind.FIXTURE,
    "microwave oven": Kind.FIXTURE,
    "bench": Kind.FIXTURE,
    "tv": Kind.FIXTURE,
    "bed": Kind.FIXTURE,
    "chair": Kind.OBJECT,
}
AFFORDANCES = {
    "fridge": "openable container pluggable",
    "kitchen table": "surface",
    "kitchen cabinet": "openable container surface",
    "microwave oven": "openable container switchable",
    "bench": "surface",
    "bed": "surface",
    "tv": "switchable pluggable",
    "apple": "graspable sliceable",
    "juice": "graspable",
    "wine": "graspable",
    "plate": "graspable surface",
    "box": "graspable openable container",
    "knife": "graspable cuts",
}


class House(SceneGraph):
    """A scene graph that is built from categories; ids are native ids, 1, 2, 3 …"""

    def add(
        self, category: str, place: int | None = None, how: str = "inside", states: str = ""
    ) -> int:
        node_id = len(self) + 1
        self.add_node(
            Node(
                node_id,
                category,
                KINDS.get(category, Kind.OBJECT),
                node_id,
                frozenset(map(State, states.split())),
                frozenset(map(Affordance, AFFORDANCES.get(category, "").split())),
            )
        )
        if place is not None:
            self.relate(node_id, how, place)
        return node_id

    def relate(self, source: int, how: str, target: int) -> None:
        self.add_edge(*Edge(source, Relation(how), target))

    def id(self, name: str) -> int:
        """The id of "apple 2"."""
        category, number = name.rsplit(" ", 1)
        return [n.id for n in self.nodes() if n.category == category][int(number) - 1]


@pytest.fixture
def empty() -> House:
    """A house without anything, to build in."""
    return House()


@pytest.fixture
def house() -> House:
    """Four rooms in the manner of the paper's; the agent stands in the middle of the kitchen.

    On the table: two apples and a plate with a knife. In the closed fridge: juice 1, and wine 1
    in a closed box. In the open cabinet: juice 2. In the bedroom: wine 2 on the bed.
    """
    h = House()
    living = h.add("living room")
    kitchen = h.add("kitchen")
    bedroom = h.add("bedroom")
    h.add("bathroom")
    me = h.add("character", kitchen)
    h.add("tv", living, states="off plugged_in")
    table = h.add("kitchen table", kitchen)
    fridge = h.add("fridge", kitchen, states="closed plugged_in")
    cabinet = h.add("kitchen cabinet", kitchen, states="open")
    h.add("bench", kitchen)
    h.add("bench", kitchen)
    h.add("microwave oven", cabinet, "on", states="closed off")
    h.add("chair", kitchen)
    h.add("apple", table, "on")
    h.add("apple", table, "on")
    plate = h.add("plate", table, "on")
    h.add("knife", plate, "on")
    h.add("juice", fridge)
    box = h.add("box", fridge, states="closed")
    h.add("wine", box)
    h.add("juice", cabinet)
    bed = h.add("bed", bedroom)
    h.add("wine", bed, "on")
    assert h.room_of(me) == kitchen
    return h
