"""Where things lie to each other on one surface, in words, for adapters that say which way is left.

A thing that stands on or in something is told by that relation. This text tells the rest: which of
two bowls is the left one, which is next to the ramekin, which is between the plate and the box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from ..scene_graph.graph import SceneGraph
from ..scene_graph.node import Box, Kind, Node, Relation, Vector
from .view import innermost_place


class Directions(NamedTuple):
    """Which way is right and which is front, as unit vectors in the frame of the scene."""

    right: Vector
    front: Vector
    viewpoint: str
    """Words that say what "front" is, such as "the front is near the camera"."""


#: The widest gap between the boxes of two things that are next to each other, in m.
_NEXT_M = 0.05
#: A thing is between two others that it sees at no less than this angle, in radians, neither of
#: them farther than this, in m.
_BETWEEN, _FAR_M = math.radians(150), 0.45
#: The most pairs that a thing is said to be between.
_PAIRS = 2
#: Things are near the center of what they stand on up to this distance from it, in m.
_CENTER_M = 0.15
#: A thing that moves less than this stays where it was told, in m.
_MOVED_M = 0.02
#: How deep a thing may stand in the surface below it by their boxes, in m.
_SUNK_M = 0.05


class _Spot(NamedTuple):
    """A thing on its surface: the centre and the half extents of its box, in m."""

    id: int
    x: float
    """Rightwards."""
    y: float
    """Towards the front."""
    half_x: float
    half_y: float

    def distance(self, other: _Spot) -> float:
        return math.hypot(other.x - self.x, other.y - self.y)

    def gap(self, other: _Spot) -> float:
        """The gap between the boxes; 0 where they overlap."""
        across = abs(other.x - self.x) - self.half_x - other.half_x
        along = abs(other.y - self.y) - self.half_y - other.half_y
        return math.hypot(max(across, 0.0), max(along, 0.0))

    def angle(self, one: _Spot, other: _Spot) -> float:
        """The angle at which it sees two others, in radians."""
        first = math.atan2(one.y - self.y, one.x - self.x)
        second = math.atan2(other.y - self.y, other.x - self.x)
        turn = abs(first - second)
        return min(turn, 2 * math.pi - turn)


#: The surfaces of a view with what stands on each; only those with two things or more.
Layout = Mapping[_Spot, Sequence[_Spot]]


def layout_of(graph: SceneGraph, directions: Directions) -> Layout:
    """Where the things of a graph stand."""
    return {
        _spot(graph[place], directions): [_spot(graph[thing], directions) for thing in things]
        for place, things in _surfaces(graph)
        if len(things) > 1
    }


def layout_text(layout: Layout, directions: Directions, called: Callable[[int], str]) -> str:
    """How the things of each surface lie to each other; "" for none. called: a thing's name."""
    return " ".join(
        sentence
        for place, spots in layout.items()
        for sentence in _sentences(place, spots, directions, called)
    )


def layout_in_words(
    graph: SceneGraph, directions: Directions | None, called: Callable[[int], str]
) -> str:
    """The layout of a graph; "" without directions. called: a thing's name."""
    if directions is None:
        return ""
    return layout_text(layout_of(graph, directions), directions, called)


def is_new(layout: Layout, before: Layout) -> bool:
    """Whether a thing stands elsewhere than before. What is only gone leaves the rest as told."""
    known = {(place.id, spot.id): spot for place, spots in before.items() for spot in spots}
    return any(
        (place.id, spot.id) not in known or spot.distance(known[place.id, spot.id]) > _MOVED_M
        for place, spots in layout.items()
        for spot in spots
    )


def _sentences(
    base: _Spot,
    spots: Sequence[_Spot],
    directions: Directions,
    called: Callable[[int], str],
) -> Iterator[str]:
    """The sentences of one surface, `base`."""
    place = called(base.id)

    def listed(things: Sequence[_Spot]) -> str:
        return ", ".join(called(spot.id) for spot in things)

    across = sorted(spots, key=lambda spot: (round(spot.x, 2), called(spot.id)))
    along = sorted(spots, key=lambda spot: (-round(spot.y, 2), called(spot.id)))
    yield f"On {place}, from left to right: {listed(across)}."
    yield f"From front to back ({directions.viewpoint}): {listed(along)}."
    near = [
        f"{called(one.id)} and {called(other.id)}"
        for one, other in combinations(spots, 2)
        if one.gap(other) <= _NEXT_M
    ]
    if near:
        yield f"Next to each other: {'; '.join(near)}."
    for spot in spots:
        pairs = [f"{called(one.id)} and {called(other.id)}" for one, other in _around(spot, spots)]
        if pairs:
            yield f"{called(spot.id)} is between {', and between '.join(pairs)}."
    central = [spot for spot in spots if spot.distance(base) <= _CENTER_M]
    if central:
        central.sort(key=lambda spot: (round(spot.distance(base), 2), called(spot.id)))
        yield f"Nearest to the center of {place}: {listed(central)}."


def _around(spot: _Spot, spots: Sequence[_Spot]) -> list[tuple[_Spot, _Spot]]:
    """The pairs that a thing is between, the straightest first."""
    others = [other for other in spots if other is not spot and spot.distance(other) <= _FAR_M]
    pairs = [pair for pair in combinations(others, 2) if spot.angle(*pair) >= _BETWEEN]
    pairs.sort(key=lambda pair: -round(spot.angle(*pair), 2))
    return pairs[:_PAIRS]


def _surfaces(graph: SceneGraph) -> Iterator[tuple[int, list[int]]]:
    """Each place with the things that stand directly on or in it, the objects after the fixtures.

    Fixtures have no relation to the table that they stand on; their boxes tell.
    """
    fixtures = [
        node
        for node in graph.nodes(Kind.FIXTURE)
        if node.box is not None and not graph.targets(node.id, Relation.ATTACHED)
    ]
    found: dict[int, list[int]] = {node.id: [] for node in fixtures}
    for node in fixtures:
        for below in fixtures:
            if below is not node and _stands_on(node, below):
                found[below.id].append(node.id)
    for node in graph.nodes(Kind.OBJECT):
        place = innermost_place(graph, node.id)
        if place is not None and node.box is not None and graph[place[1]].box is not None:
            found.setdefault(place[1], []).append(node.id)
    yield from found.items()


def _stands_on(node: Node, below: Node) -> bool:
    assert node.box is not None
    assert below.box is not None
    (x, y, z), (_, _, height) = node.box.center, node.box.size
    (a, b, c), (width, depth, tall) = below.box.center, below.box.size
    level = z - height / 2 >= c + tall / 2 - _SUNK_M
    return level and abs(x - a) <= width / 2 and abs(y - b) <= depth / 2


def _spot(node: Node, directions: Directions) -> _Spot:
    assert node.box is not None
    right, front = directions.right, directions.front
    return _Spot(
        node.id,
        _along(node.box.center, right),
        _along(node.box.center, front),
        _extent(node.box, right) / 2,
        _extent(node.box, front) / 2,
    )


def _along(vector: Vector, direction: Vector) -> float:
    return sum(a * b for a, b in zip(vector, direction, strict=True))


def _extent(box: Box, direction: Vector) -> float:
    return sum(a * abs(b) for a, b in zip(box.size, direction, strict=True))
