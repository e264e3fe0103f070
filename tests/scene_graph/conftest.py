"""Random goals, events and graphs with everything that a node can have."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from peephole.errors import BadInput
from peephole.scene_graph.goals import (
    MEASURES,
    And,
    AtLeast,
    Domain,
    Event,
    EventOccurred,
    Exists,
    ForAll,
    Goal,
    HasState,
    InOrder,
    MeasureInRange,
    Not,
    Or,
    Related,
    Term,
)
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Box, Edge, Kind, Node, Pose, Relation, State

_EVENT_NAMES = ("turn_on", "heated", "measured")
_QUANTITIES = st.sampled_from([0.5, 1.0, 5.0])
_METRES = st.floats(-1e6, 1e6)
_CATEGORIES = ("t-shirt", "7 up", "Crème brûlée", "plate 12", "_")


@st.composite
def goals(
    draw: DrawFn,
    graph: SceneGraph,
    *,
    events: bool = True,
    depth: int = 3,
    bound: tuple[str, ...] = (),
) -> Goal:
    """Goals over the nodes of a graph, true and false ones, without free variables."""
    ids = [node.id for node in graph.nodes()]
    term: SearchStrategy[Term] = st.sampled_from([*bound, *bound, *ids])

    def happened() -> EventOccurred:
        return EventOccurred(
            tuple(draw(st.lists(st.sampled_from(_EVENT_NAMES), min_size=1, max_size=2))),
            tuple(draw(st.lists(st.none() | term, max_size=2))),
            draw(st.none() | _QUANTITIES),
        )

    def part(*variables: str) -> Goal:
        inner = goals(graph, events=events, depth=depth - 1, bound=(*bound, *variables))
        return draw(inner)

    def domain() -> Domain:
        categories = sorted({node.category for node in graph.nodes()} | {"unicorn"})
        return Domain(
            draw(st.none() | st.frozensets(st.sampled_from(categories), max_size=3)),
            draw(st.none() | st.sampled_from(Kind)),
            draw(st.none() | st.frozensets(st.sampled_from(ids), max_size=4)),
            draw(st.none() | st.sampled_from(Affordance)),
        )

    leaves = ["fact", "state", "related"] + ["happened", "in order", "lies"] * events
    branches = ["not", "and", "or", "for all", "exists", "at least"] if depth else []
    form = draw(st.sampled_from([*leaves, *branches, *branches]))
    match form:
        case "fact":
            return draw(st.sampled_from(_facts(graph)))
        case "state":
            return HasState(draw(term), draw(st.sampled_from(State)))
        case "related":
            relation = draw(st.sampled_from(Relation))
            direct = relation is Relation.INSIDE and draw(st.booleans())
            return Related(draw(term), relation, draw(term), direct)
        case "lies":
            measure = draw(st.sampled_from(sorted(MEASURES)))
            takes = MEASURES[measure].arity
            things = draw(st.lists(term, min_size=takes, max_size=takes))
            return MeasureInRange(measure, tuple(things), draw(_METRES), draw(_METRES))
        case "happened":
            return happened()
        case "in order":
            return InOrder(tuple(happened() for _ in range(draw(st.integers(0, 3)))))
        case "not":
            return Not(part())
        case "and":
            return And(tuple(part() for _ in range(draw(st.integers(0, 3)))))
        case "or":
            return Or(tuple(part() for _ in range(draw(st.integers(0, 3)))))
    variable = draw(st.sampled_from(["x", "y", "the_place"]))
    match form:
        case "for all":
            return ForAll(variable, domain(), part(variable))
        case "exists":
            return Exists(variable, domain(), part(variable))
    return AtLeast(draw(st.integers(1, 3)), variable, domain(), part(variable))


def _facts(graph: SceneGraph) -> list[Goal]:
    return [
        *(Related(*edge) for edge in graph.edges()),
        *(HasState(node.id, state) for node in graph.nodes() for state in node.states),
    ]


@st.composite
def event_lists(draw: DrawFn, graph: SceneGraph) -> list[Event]:
    things = st.lists(st.sampled_from([node.id for node in graph.nodes()]), max_size=2)
    return [
        Event(draw(st.sampled_from(_EVENT_NAMES)), tuple(draw(things)), step, draw(value))
        for step, value in enumerate([st.none() | _QUANTITIES] * draw(st.integers(0, 6)), start=1)
    ]


@st.composite
def rich_houses(draw: DrawFn, houses: SearchStrategy[SceneGraph]) -> SceneGraph:
    """Houses with a scene above the rooms, poses, boxes and unusual categories."""
    house = draw(houses)
    vector = st.tuples(_METRES, _METRES, _METRES)
    more = st.lists(st.tuples(vector, vector), max_size=2).map(tuple)
    for node in list(house.nodes()):
        if draw(st.booleans()):
            house.replace_node(
                Node(
                    node.id,
                    draw(st.sampled_from([node.category, *_CATEGORIES])),
                    node.kind,
                    node.native_id,
                    node.states,
                    node.affordances,
                    draw(st.none() | st.builds(Pose, vector, st.tuples(*[_METRES] * 4))),
                    draw(st.none() | st.builds(Box, vector, vector, more)),
                )
            )
    if draw(st.booleans()):
        rooms = [room.id for room in house.nodes(Kind.ROOM)]
        house.add_node(Node(0, "home", Kind.SCENE, "home"))
        for room in rooms:
            house.add_edge(*Edge(room, Relation.INSIDE, 0))
    return house


@pytest.fixture(scope="session")
def rich_house_strategy(house_strategy: SearchStrategy[SceneGraph]) -> SearchStrategy[SceneGraph]:
    """See `rich_houses`."""
    return rich_houses(house_strategy)


@pytest.fixture(scope="session")
def goal_strategy() -> Callable[..., SearchStrategy[Goal]]:
    """`goals`: from a graph to goals over it; events=False leaves out those over events."""
    return goals


@pytest.fixture(scope="session")
def event_strategy() -> Callable[[SceneGraph], SearchStrategy[list[Event]]]:
    """`event_lists`: from a graph to records of what happened in it, oldest first."""
    return event_lists


@pytest.fixture
def small_house() -> SceneGraph:
    return SceneGraph(
        [
            Node(1, "living room", Kind.ROOM, 1),
            Node(2, "table", Kind.FIXTURE, "Table|2", frozenset(), frozenset({Affordance.SURFACE})),
            Node(
                3,
                "candle",
                Kind.OBJECT,
                3,
                frozenset({State.OFF}),
                frozenset({Affordance.GRASPABLE, Affordance.SWITCHABLE}),
                Pose((1.0, 0.5, 0.0)),
                Box((1.0, 0.5, 0.0), (0.1, 0.2, 0.1)),
            ),
            Node(4, "agent", Kind.AGENT, 4),
            Node(5, "knife", Kind.OBJECT, 5, affordances=frozenset({Affordance.CUTS})),
        ],
        [
            Edge(2, Relation.INSIDE, 1),
            Edge(3, Relation.ON, 2),
            Edge(4, Relation.INSIDE, 1),
            Edge(4, Relation.CLOSE, 2),
            Edge(4, Relation.HOLDS, 5),
        ],
    )


@pytest.fixture(scope="session")
def refused() -> Callable[..., str]:
    """Calls something that must be refused, and gives the one sentence it is refused with."""

    def call(read: Callable[..., object], *arguments: object) -> str:
        with pytest.raises(BadInput) as caught:
            read(*arguments)
        text = str(caught.value)
        assert "\n" not in text
        assert text.endswith(".")
        return text

    return call


@pytest.fixture(scope="session")
def set_in() -> Callable[..., Any]:
    """Copies a document with one value at a path of keys replaced or added."""

    def changed(document: Any, path: list[str | int], value: object) -> Any:
        document = copy.deepcopy(document)
        *way, last = path
        part = document
        for key in way:
            part = part[key]
        part[last] = value
        return document

    return changed
