"""A kitchen with one thing of every sort, and OmniGibson's real primitives in a stand-in world."""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType

import pytest

from peephole.adapters.omnigibson import activities
from peephole.adapters.omnigibson.symbolic_backend import Substances
from peephole.errors import Missing
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Edge, Kind, Node, Relation, State

OPENABLE, CONTAINER, SURFACE = Affordance.OPENABLE, Affordance.CONTAINER, Affordance.SURFACE
SWITCHABLE, GRASPABLE, HEATS = Affordance.SWITCHABLE, Affordance.GRASPABLE, Affordance.HEATS
CUTS, SLICEABLE = Affordance.CUTS, Affordance.SLICEABLE


@pytest.fixture(scope="session")
def stand_in() -> ModuleType:
    """tests/adapters/omnigibson/stand_in, which a process of its own imports by that name."""
    folder = Path(__file__).parent / "stand_in"
    spec = importlib.util.spec_from_file_location(
        "stand_in", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    try:
        module.source("macros")
    except PackageNotFoundError:
        pytest.skip("omnigibson is not installed (environments/no-deps.txt)")
    return module


@pytest.fixture(scope="session")
def bddl() -> None:
    """Skips where the activities of BEHAVIOR-1K are not there."""
    try:
        activities.names()
    except Missing as missing:
        pytest.skip(str(missing))


def fixture(number: int, category: str, can: set[Affordance], *states: State) -> Node:
    return Node(number, category, Kind.FIXTURE, number, frozenset(states), frozenset(can))


def movable(number: int, category: str, *can: Affordance) -> Node:
    return Node(number, category, Kind.OBJECT, number, frozenset(), frozenset({GRASPABLE, *can}))


@pytest.fixture(scope="session")
def kitchen() -> SceneGraph:
    """Most stands in the kitchen 1, a shelf in the hall 3. The robot 2 is by nothing."""
    inside, on = Relation.INSIDE, Relation.ON
    nodes = [
        Node(1, "kitchen", Kind.ROOM, "kitchen_0"),
        Node(2, "agent", Kind.AGENT, "agent.n.01_1"),
        Node(3, "hall", Kind.ROOM, "hall_0"),
        fixture(10, "fridge", {OPENABLE, CONTAINER}, State.CLOSED),
        fixture(11, "table", {SURFACE}),
        fixture(12, "sink", {SWITCHABLE, SURFACE, CONTAINER}, State.OFF),
        fixture(13, "stove", {SWITCHABLE, SURFACE}, State.OFF),
        fixture(14, "microwave", {OPENABLE, CONTAINER, SWITCHABLE, HEATS}, State.CLOSED, State.OFF),
        fixture(15, "shelf", {SURFACE}),
        movable(20, "apple", SLICEABLE),
        movable(21, "knife", CUTS),
        movable(22, "sponge"),
        movable(23, "plate", SURFACE),
        movable(24, "bowl", CONTAINER),
        movable(25, "pear", SLICEABLE),
        movable(26, "pan", SURFACE),
        movable(27, "cup", CONTAINER),
    ]
    edges = [Edge(n, inside, 1) for n in (2, 10, 11, 12, 13, 14)]
    edges += [Edge(15, inside, 3), Edge(20, inside, 10), Edge(25, on, 23), Edge(27, on, 15)]
    edges += [Edge(n, on, 11) for n in (21, 22, 23, 24, 26)]
    return SceneGraph(nodes, edges)


@pytest.fixture
def substances() -> Substances:
    """The sponge wipes dust off; a stain only when it is soaked with water."""
    return Substances(
        covered={23: {"dust"}, 26: {"stain"}, 27: set(), 11: {"dust", "stain"}},
        contains={24: {"water"}, 27: set()},
        saturated={22: set()},
        sources={12: {"water"}},
        removes={22: {"dust": None, "stain": "water", "water": None}},
    )


@pytest.fixture(scope="session")
def burners() -> frozenset[int]:
    return frozenset({13})
