"""Measures of the poses of things, for goals about exact positions.

Positions are in m in the frame of the scene, z up. Every measure takes a fixed number of things.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .graph import SceneGraph
from .node import Vector


class Measure(NamedTuple):
    """A measure: its number of things, its wording ({0}, {1} … the things), and its value in m."""

    arity: int
    words: str
    value: Callable[[Sequence[Vector]], float]


def _off_middle(at: Sequence[Vector]) -> float:
    first, middle, last = at
    return math.hypot(
        middle[0] - (first[0] + last[0]) / 2,
        middle[1] - (first[1] + last[1]) / 2,
    )


#: Measures by name. beside: the horizontal distance of two things. left_of: how much further left
#: (along y) the first lies than the second. off_middle: the horizontal distance of the second from
#: the midpoint of the others; 0 if three things lie in a straight line at equal distances.
MEASURES: Mapping[str, Measure] = {
    "x": Measure(1, "x of {0}", lambda at: at[0][0]),
    "y": Measure(1, "y of {0}", lambda at: at[0][1]),
    "z": Measure(1, "z of {0}", lambda at: at[0][2]),
    "apart": Measure(2, "{0} from {1}", lambda at: math.dist(at[0], at[1])),
    "beside": Measure(2, "{0} beside {1}", lambda at: math.dist(at[0][:2], at[1][:2])),
    "left_of": Measure(2, "{0} left of {1}", lambda at: at[0][1] - at[1][1]),
    "off_middle": Measure(3, "{1} off the middle of {0} and {2}", _off_middle),
}


def measured(measure: str, graph: SceneGraph, things: Sequence[int]) -> float | None:
    """The value of a measure in m; None if a thing is missing or has no pose."""
    positions = []
    for thing in things:
        node = graph.get(thing)
        if node is None or node.pose is None:
            return None
        positions.append(node.pose.position)
    return MEASURES[measure].value(positions)
