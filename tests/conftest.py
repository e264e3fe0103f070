"""A small house, and random worlds for property tests in every folder.

Draw them inside a test: `@given(data=st.data())`, then `house = data.draw(house_strategy)`.
"""

from __future__ import annotations

import gc
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from peephole.scene_graph.goals import And, HasState, Related
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.json_codec import write_graph
from peephole.scene_graph.node import POSTURES, Affordance, Edge, Kind, Node, Relation, State
from peephole.scene_graph.task import Task

# A busy machine is no reason to fail. `make test-slow` takes the profile `thorough`.
for _profile, _examples in (("peephole", 40), ("thorough", 200)):
    settings.register_profile(
        _profile,
        deadline=None,
        max_examples=_examples,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("peephole")

_ROOT = Path(__file__).parents[1]


class _RootIsFolder:
    """Keeps pytest from importing the root `__init__.py` by the name of the clone's folder.

    Names as `peephole-main`, of a downloaded archive, cannot be imported.
    """

    @staticmethod
    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        return pytest.Dir.from_parent(parent, path=path) if path == _ROOT else None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_RootIsFolder())


#: Fewer looks of the garbage collector, which took a tenth of the time of all tests.
gc.disable()


def pytest_collection_finish() -> None:
    """What was collected stays until the end, so the garbage collector need not look at it."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


_DOOR = ((), (State.OPEN,), (State.CLOSED,), (State.CLOSED,))
_SWITCH = ((), (State.ON,), (State.OFF,))
_PLUG = ((), (State.PLUGGED_IN,), (State.PLUGGED_OUT,))
_DIRT = ((), (State.CLEAN,), (State.DIRTY,))


@dataclass(frozen=True)
class _Model:
    """A sort of thing: what can be done with it, and the states to choose from."""

    category: str
    affordances: frozenset[Affordance]
    states: tuple[tuple[tuple[State, ...], ...], ...] = ()


_ROOMS = ("kitchen", "living room", "bedroom", "bathroom")
_FIXTURES = (
    _Model("kitchen table", frozenset({Affordance.SURFACE})),
    _Model("shelf", frozenset({Affordance.SURFACE})),
    _Model("sink", frozenset({Affordance.CONTAINER}), (_DIRT,)),
    _Model(
        "kitchen cabinet",
        frozenset({Affordance.OPENABLE, Affordance.CONTAINER, Affordance.SURFACE}),
        (_DOOR,),
    ),
    _Model(
        "fridge",
        frozenset({Affordance.OPENABLE, Affordance.CONTAINER, Affordance.PLUGGABLE}),
        (_DOOR, _PLUG),
    ),
    _Model(
        "microwave",
        frozenset({Affordance.OPENABLE, Affordance.CONTAINER, Affordance.SWITCHABLE}),
        (_DOOR, _SWITCH),
    ),
    _Model("lamp", frozenset({Affordance.SWITCHABLE, Affordance.PLUGGABLE}), (_SWITCH, _PLUG)),
    _Model("toilet", frozenset({Affordance.SITTABLE})),
    _Model("sofa", frozenset({Affordance.SURFACE, Affordance.SITTABLE, Affordance.LIEABLE})),
    _Model("computer", frozenset({Affordance.WATCHABLE, Affordance.TYPEABLE})),
)
_OBJECTS = (
    _Model(
        "apple", frozenset({Affordance.GRASPABLE, Affordance.SLICEABLE}), (((), (State.SLICED,)),)
    ),
    _Model("plate", frozenset({Affordance.GRASPABLE, Affordance.SURFACE}), (_DIRT,)),
    _Model(
        "bowl",
        frozenset({Affordance.GRASPABLE, Affordance.CONTAINER}),
        (_DIRT, ((), (State.FILLED,))),
    ),
    _Model(
        "box",
        frozenset({Affordance.GRASPABLE, Affordance.OPENABLE, Affordance.CONTAINER}),
        (_DOOR,),
    ),
    _Model(
        "chest",
        frozenset({Affordance.OPENABLE, Affordance.CONTAINER, Affordance.SURFACE}),
        (_DOOR,),
    ),
    _Model("knife", frozenset({Affordance.GRASPABLE, Affordance.CUTS})),
    _Model("radio", frozenset({Affordance.GRASPABLE, Affordance.SWITCHABLE}), (_SWITCH,)),
    _Model("chair", frozenset({Affordance.GRASPABLE, Affordance.SITTABLE, Affordance.MOVABLE})),
    _Model("shirt", frozenset({Affordance.GRASPABLE, Affordance.WEARABLE, Affordance.SQUEEZABLE})),
    _Model("book", frozenset({Affordance.GRASPABLE, Affordance.READABLE, Affordance.EATABLE})),
    _Model(
        "water",
        frozenset(
            {Affordance.GRASPABLE, Affordance.POURABLE, Affordance.LIQUID, Affordance.DRINKABLE}
        ),
    ),
    _Model("glass", frozenset({Affordance.GRASPABLE, Affordance.RECIPIENT, Affordance.POURABLE})),
    _Model("doll", frozenset({Affordance.GRASPABLE, Affordance.PERSON})),
)
_HANDS = _Model("hands", frozenset({Affordance.RECIPIENT}))


class _House:
    """A house being built: the graph, and where each thing is in the end."""

    def __init__(self, ids: list[int], textual_ids: bool) -> None:
        self.graph = SceneGraph()
        self.root: dict[int, int] = {}  # of a thing: its room, or the held thing that carries it
        self._ids = iter(ids)
        self._textual_ids = textual_ids

    def add(self, kind: Kind, model: _Model, states: frozenset[State]) -> int:
        node_id = next(self._ids)
        native = f"{model.category}|{node_id}" if self._textual_ids else node_id
        self.graph.add_node(Node(node_id, model.category, kind, native, states, model.affordances))
        return node_id

    def ways_in(self, kind: Kind, root: int | None = None) -> list[tuple[Relation, int]]:
        """Every way to place one more thing of a kind (among what shares a root only)."""
        found = []
        for node in self.graph.nodes():
            if root is not None and self.root.get(node.id) != root:
                continue
            if node.kind is Kind.ROOM:
                found.append((Relation.INSIDE, node.id))
            if Affordance.CONTAINER in node.affordances and kind is Kind.OBJECT:
                found += [(Relation.INSIDE, node.id)] * 3  # hidden things are what tests need
            if Affordance.SURFACE in node.affordances:
                found.append((Relation.ON, node.id))
            if node.kind is Kind.FIXTURE:
                found.append(
                    (Relation.UNDER if kind is Kind.OBJECT else Relation.ATTACHED, node.id)
                )
        return found

    def bases(self, room: int) -> list[int]:
        """What one can stand at in a room."""
        return [
            node.id
            for node in self.graph.nodes()
            if node.kind in (Kind.FIXTURE, Kind.OBJECT)
            and self.graph.places(node.id) == [(Relation.INSIDE, room)]
        ]


@st.composite
def houses(draw: DrawFn) -> SceneGraph:
    """Well-formed houses with exactly one agent, which stands in a room.

    There are 1 to 4 rooms, up to 8 fixtures and up to 10 objects.
    Placements never form a cycle. Fixtures stand in a room, on a fixture or attached to one;
    objects nest, and some things have two parents, both in one room. The agent has hands, holds at
    most two graspable objects, which have no place, may wear others, and may sit or lie, on
    something or nothing. It is CLOSE to some bases of its room, as some bases are to each other,
    and FACING some things there.
    """
    counts = [draw(st.integers(1, 4)), draw(st.integers(0, 8)), draw(st.integers(0, 10))]
    total = sum(counts) + 2
    ids = draw(st.lists(st.integers(1, 500), min_size=total, max_size=total, unique=True))
    house = _House(ids, textual_ids=draw(st.booleans()))
    graph = house.graph

    rooms = []
    for _ in range(counts[0]):
        room = house.add(Kind.ROOM, _Model(draw(st.sampled_from(_ROOMS)), frozenset()), frozenset())
        house.root[room] = room
        rooms.append(room)
    postures = [frozenset[State]()] * 3 + [frozenset({posture}) for posture in sorted(POSTURES)]
    posture = draw(st.sampled_from(postures))
    agent = house.add(Kind.AGENT, _Model("character", frozenset()), posture)
    agent_room = draw(st.sampled_from(rooms))
    graph.add_edge(agent, Relation.INSIDE, agent_room)
    hands = house.add(Kind.OBJECT, _HANDS, frozenset())
    graph.add_edge(hands, Relation.ATTACHED, agent)
    house.root[agent] = house.root[hands] = agent

    held = 0
    for kind, models, count in (
        (Kind.FIXTURE, _FIXTURES, counts[1]),
        (Kind.OBJECT, _OBJECTS, counts[2]),
    ):
        for _ in range(count):
            model = draw(st.sampled_from(models))
            states = frozenset(s for choice in model.states for s in draw(st.sampled_from(choice)))
            ways = house.ways_in(kind)
            thing = house.add(kind, model, states)
            in_hand = (
                kind is Kind.OBJECT
                and held < 2
                and Affordance.GRASPABLE in model.affordances
                and draw(st.integers(0, 4)) == 4
            )
            if in_hand:
                held += 1
                house.root[thing] = thing
                graph.add_edge(agent, Relation.HOLDS, thing)
                continue
            if Affordance.WEARABLE in model.affordances and draw(st.booleans()):
                graph.add_edge(thing, Relation.ON, agent)
                house.root[thing] = agent
                continue
            relation, place = draw(st.sampled_from(ways))
            graph.add_edge(thing, relation, place)
            root = house.root[place]
            if draw(st.integers(0, 4)) == 4:
                relation, place = draw(st.sampled_from(house.ways_in(kind, root)))
                graph.add_edge(thing, relation, place)
            house.root[thing] = root

    bases = house.bases(agent_room)
    if bases:
        for base in draw(st.lists(st.sampled_from(bases), unique=True, max_size=3)):
            graph.add_edge(agent, Relation.CLOSE, base)
        for base in draw(st.lists(st.sampled_from(bases), unique=True, max_size=2)):
            graph.add_edge(agent, Relation.FACING, base)
        if posture and draw(st.booleans()):
            graph.add_edge(agent, Relation.ON, draw(st.sampled_from(bases)))
    for room in rooms:
        bases = house.bases(room)
        for one, other in pairwise(bases):
            if draw(st.integers(0, 2)) == 2:
                graph.add_edge(one, Relation.CLOSE, other)
                graph.add_edge(other, Relation.CLOSE, one)
                graph.add_edge(one, Relation.FACING, other)
    return graph


@pytest.fixture(scope="session")
def house_strategy() -> SearchStrategy[SceneGraph]:
    """See `houses`."""
    return houses()


@pytest.fixture(scope="session")
def listings() -> Callable[[SceneGraph], list[Any]]:
    """All that one can read of a graph, in the order in which one reads it."""
    return lambda graph: [
        (node, list(graph.outgoing(node.id)), list(graph.incoming(node.id)))
        for node in graph.nodes()
    ]


@pytest.fixture
def house() -> SceneGraph:
    """A kitchen with a closed fridge (2) that holds an apple (1), and a table (3) next door.

    The ids are those that a planner of the task below gets: first what the instruction names,
    then rooms, then what is seen.
    """
    return SceneGraph(
        [
            Node(4, "kitchen", Kind.ROOM, 4),
            Node(5, "living room", Kind.ROOM, 5),
            Node(6, "character", Kind.AGENT, 6),
            Node(3, "table", Kind.FIXTURE, 3, affordances=frozenset({Affordance.SURFACE})),
            Node(
                2,
                "fridge",
                Kind.FIXTURE,
                2,
                frozenset({State.CLOSED}),
                frozenset({Affordance.OPENABLE, Affordance.CONTAINER}),
            ),
            Node(1, "apple", Kind.OBJECT, 1, affordances=frozenset({Affordance.GRASPABLE})),
        ],
        [
            Edge(6, Relation.INSIDE, 4),
            Edge(3, Relation.INSIDE, 5),
            Edge(2, Relation.INSIDE, 4),
            Edge(1, Relation.INSIDE, 2),
        ],
    )


@pytest.fixture
def task(house: SceneGraph, tmp_path: Path) -> Task:
    """The apple is to be on the table, the fridge closed again."""
    path = tmp_path / "house.json"
    write_graph(house, path)
    goal = And((Related(1, Relation.ON, 3), HasState(2, State.CLOSED)))
    return Task("apple", "Put {1} on {3} and leave {2} closed.", goal, f"json:{path}")


def _stand_in_module() -> Any:
    """tests/endpoint_stand_in.py, which is also a script of its own."""
    path = Path(__file__).parent / "endpoint_stand_in.py"
    spec = importlib.util.spec_from_file_location("endpoint_stand_in", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def endpoint() -> Iterator[Any]:
    """A running stand-in for a model's endpoint; see tests/endpoint_stand_in.py."""
    with _stand_in_module().EndpointStandIn() as stand_in:
        yield stand_in
