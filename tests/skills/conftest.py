"""A kitchen and a parlour with every kind of thing that an action can fail on."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

A, S, R = Affordance, State, Relation


@dataclass
class Kitchen:
    """A kitchen's graph; ids by name."""

    graph: SceneGraph

    def __getattr__(self, name: str) -> int:
        for node in self.graph.nodes():
            if node.category == name:
                return node.id
        raise AttributeError(name)

    def place(self, thing: int, relation: Relation, place: int) -> None:
        """Have a thing there and nowhere else."""
        self.graph.detach(thing)
        self.graph.add_edge(thing, relation, place)

    def hold(self, *things: int) -> None:
        for thing in things:
            self.graph.detach(thing)
            self.graph.add_edge(self.agent, R.HOLDS, thing)


@pytest.fixture
def kitchen() -> Kitchen:
    """The agent stands at the table; the juice is in a closed box in the closed fridge."""
    fixture, thing = Kind.FIXTURE, Kind.OBJECT
    nodes = [
        ("kitchen", Kind.ROOM, (), ()),
        ("hall", Kind.ROOM, (), ()),
        ("agent", Kind.AGENT, (), ()),
        ("table", fixture, (A.SURFACE,), ()),
        (
            "fridge",
            fixture,
            (A.OPENABLE, A.CONTAINER, A.PLUGGABLE),
            (S.CLOSED, S.PLUGGED_IN),
        ),
        (
            "microwave",
            fixture,
            (A.OPENABLE, A.CONTAINER, A.SWITCHABLE, A.PLUGGABLE),
            (S.CLOSED, S.OFF, S.PLUGGED_IN),
        ),
        ("bench", fixture, (A.SURFACE,), ()),
        ("statue", fixture, (), ()),
        ("apple", thing, (A.GRASPABLE, A.SLICEABLE), ()),
        ("plate", thing, (A.GRASPABLE, A.SURFACE), ()),
        ("knife", thing, (A.GRASPABLE, A.CUTS), ()),
        ("cup", thing, (A.GRASPABLE,), ()),
        ("box", thing, (A.GRASPABLE, A.OPENABLE, A.CONTAINER), (S.CLOSED,)),
        ("juice", thing, (A.GRASPABLE,), ()),
    ]
    graph = SceneGraph(
        Node(i, category, kind, i, frozenset(states), frozenset(affordances))
        for i, (category, kind, affordances, states) in enumerate(nodes, start=1)
    )
    made = Kitchen(graph)
    for name in ("agent", "table", "fridge", "bench"):
        graph.add_edge(*Edge(getattr(made, name), R.INSIDE, made.kitchen))
    graph.add_edge(made.statue, R.INSIDE, made.hall)
    for name in ("apple", "plate", "cup", "microwave"):
        graph.add_edge(*Edge(getattr(made, name), R.ON, made.table))
    graph.add_edge(made.knife, R.ON, made.plate)
    graph.add_edge(made.box, R.INSIDE, made.fridge)
    graph.add_edge(made.juice, R.INSIDE, made.box)
    graph.add_edge(made.agent, R.CLOSE, made.table)
    return made


@pytest.fixture
def parlour() -> Kitchen:
    """The agent stands at the table, which stands beside the sofa, which faces the tv.

    On the table are a plate with a cake, a book, a shirt, a rag, water and a glass. A cat and a
    guest are in the room, a lamp and a button in the hall, a coin in the closed box.
    """
    fixture, thing = Kind.FIXTURE, Kind.OBJECT
    nodes = [
        ("parlour", Kind.ROOM, ()),
        ("hall", Kind.ROOM, ()),
        ("agent", Kind.AGENT, ()),
        ("hands", thing, (A.RECIPIENT,)),
        ("table", fixture, (A.SURFACE,)),
        ("sofa", fixture, (A.SURFACE, A.SITTABLE, A.LIEABLE)),
        ("tv", fixture, (A.WATCHABLE, A.TYPEABLE)),
        ("chair", thing, (A.GRASPABLE, A.SITTABLE, A.MOVABLE)),
        ("cat", thing, (A.GRASPABLE,)),
        ("guest", Kind.AGENT, (A.PERSON,)),
        ("lamp", fixture, ()),
        ("plate", thing, (A.GRASPABLE, A.SURFACE)),
        ("cake", thing, (A.GRASPABLE, A.EATABLE)),
        ("book", thing, (A.GRASPABLE, A.READABLE)),
        ("shirt", thing, (A.GRASPABLE, A.WEARABLE, A.SQUEEZABLE)),
        ("rag", thing, (A.GRASPABLE, A.SQUEEZABLE)),
        ("water", thing, (A.GRASPABLE, A.POURABLE, A.LIQUID, A.DRINKABLE)),
        ("glass", thing, (A.GRASPABLE, A.RECIPIENT, A.POURABLE, A.DRINKABLE)),
        ("box", thing, (A.GRASPABLE, A.OPENABLE, A.CONTAINER, A.RECIPIENT)),
        ("coin", thing, (A.GRASPABLE,)),
    ]
    graph = SceneGraph(
        Node(i, category, kind, i, frozenset(), frozenset(affordances))
        for i, (category, kind, affordances) in enumerate(nodes, start=1)
    )
    made = Kitchen(graph)
    for name in ("agent", "table", "sofa", "tv", "chair", "cat", "guest"):
        made.place(getattr(made, name), R.INSIDE, made.parlour)
    made.place(made.lamp, R.INSIDE, made.hall)
    for name in ("plate", "book", "shirt", "rag", "water", "glass", "box"):
        made.place(getattr(made, name), R.ON, made.table)
    made.place(made.cake, R.ON, made.plate)
    made.place(made.coin, R.INSIDE, made.box)
    graph.set_state(made.box, S.CLOSED)
    graph.add_edge(made.hands, R.ATTACHED, made.agent)
    for one, other in ((made.table, made.sofa), (made.sofa, made.chair)):
        graph.add_edge(one, R.CLOSE, other)
        graph.add_edge(other, R.CLOSE, one)
    graph.add_edge(made.sofa, R.FACING, made.tv)
    for base in (made.table, made.sofa):
        graph.add_edge(made.agent, R.CLOSE, base)
    return made
