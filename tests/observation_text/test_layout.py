"""The words for where things lie to each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.observation_text.layout import Directions, is_new, layout_in_words, layout_of
from peephole.scene_graph.graph import SceneGraph
from peephole.scene_graph.node import Affordance, Box, Edge, Kind, Node, Relation

#: As LIBERO's: right is along y, and the front along x.
DIRECTIONS = Directions((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), "the robot stands at the back")
MIRRORED = DIRECTIONS._replace(right=(0.0, -1.0, 0.0))
TABLE, STOVE = 2, 3
NAMES = {TABLE: "table 1", STOVE: "stove 1"} | {10 + n: f"bowl {n}" for n in range(9)}
Place = tuple[float, float]


def table_with(*bowls: Place, stove: Place | None = None) -> SceneGraph:
    """A table, 1 m x 1 m, with bowls of 10 cm at (front, right), and perhaps a stove."""
    surface = frozenset({Affordance.SURFACE})
    nodes = [
        Node(1, "room", Kind.ROOM, "room"),
        Node(TABLE, "table", Kind.FIXTURE, "t", frozenset(), surface, None, box((0, 0), 1.0, 0.0)),
    ]
    if stove is not None:
        nodes.append(
            Node(STOVE, "stove", Kind.FIXTURE, "s", frozenset(), surface, None, box(stove, 0.2))
        )
    nodes += [
        Node(10 + n, "bowl", Kind.OBJECT, n, frozenset(), frozenset(), None, box(place))
        for n, place in enumerate(bowls)
    ]
    edges = [Edge(10 + n, Relation.ON, TABLE) for n in range(len(bowls))]
    return SceneGraph(nodes, edges)


def box(place: Place, size: float = 0.1, bottom: float = 0.05) -> Box:
    return Box((*place, bottom + 0.05), (size, size, 0.1))


def told(graph: SceneGraph, directions: Directions = DIRECTIONS) -> str:
    return layout_in_words(graph, directions, NAMES.__getitem__)


def test_things_are_told_from_left_to_right_and_from_front_to_back():
    text = told(table_with((0.2, 0.3), (-0.2, -0.3), (0.0, 0.0)))
    assert "On table 1, from left to right: bowl 1, bowl 2, bowl 0." in text
    assert "From front to back (the robot stands at the back): bowl 0, bowl 2, bowl 1." in text
    assert "Nearest to the center of table 1: bowl 2." in text
    assert "bowl 2 is between bowl 0 and bowl 1." in text
    assert "Next to" not in text


def test_a_fixture_on_the_table_is_among_the_things_on_it():
    text = told(table_with((0.0, 0.0), stove=(0.0, 0.18)))
    assert "from left to right: bowl 0, stove 1." in text
    assert "Next to each other: stove 1 and bowl 0." in text


@pytest.mark.parametrize(("gap", "near"), [(0.02, True), (0.04, True), (0.06, False)])
def test_things_are_next_to_each_other_up_to_5_cm(gap, near):
    text = told(table_with((0.0, 0.0), (0.0, 0.1 + gap)))
    assert ("Next to each other: bowl 0 and bowl 1." in text) is near


@pytest.mark.parametrize(("aside", "between"), [(0.0, True), (0.04, True), (0.08, False)])
def test_a_thing_aside_of_the_line_is_not_between(aside, between):
    text = told(table_with((0.0, -0.2), (0.0, 0.2), (aside, 0.0)))
    assert ("bowl 2 is between bowl 0 and bowl 1." in text) is between


def test_one_thing_alone_has_no_layout_and_no_directions_no_words():
    assert told(table_with((0.0, 0.0))) == ""
    assert layout_in_words(table_with((0.0, 0.0), (0.3, 0.0)), None, NAMES.__getitem__) == ""


def test_only_what_stands_elsewhere_is_new():
    before = layout_of(table_with((0.0, 0.0), (0.3, 0.0), (0.3, 0.3)), DIRECTIONS)
    gone = table_with((0.0, 0.0), (0.3, 0.0))
    assert not is_new(layout_of(gone, DIRECTIONS), before)
    trembled = table_with((0.0, 0.01), (0.3, 0.0), (0.3, 0.3))
    assert not is_new(layout_of(trembled, DIRECTIONS), before)
    moved = table_with((0.0, 0.04), (0.3, 0.0), (0.3, 0.3))
    assert is_new(layout_of(moved, DIRECTIONS), before)


places = st.tuples(*[st.integers(-49, 49).map(lambda cm: cm / 100)] * 2)


@given(st.lists(places, min_size=2, max_size=6, unique=True))
def test_every_thing_is_in_both_orders_and_a_mirror_turns_one_around(bowls):
    graph = table_with(*bowls)
    text, mirrored = told(graph), told(graph, MIRRORED)
    across, along = orders(text)
    assert sorted(across) == sorted(along) == [f"bowl {n}" for n in range(len(bowls))]
    assert [bowls[int(name[5:])][1] for name in across] == sorted(right for _, right in bowls)
    assert orders(mirrored)[1] == along
    assert {bowls[int(name[5:])][1] for name in orders(mirrored)[0][:1]} == {
        max(right for _, right in bowls)
    }


def orders(text: str) -> tuple[list[str], list[str]]:
    """The names from left to right and from front to back."""
    first, second = text.split(". ")[:2]
    return first.partition(": ")[2].split(", "), second.rstrip(".").partition(": ")[2].split(", ")
