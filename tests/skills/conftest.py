"""A kitchen with every kind of thing that an action can fail on."""

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
