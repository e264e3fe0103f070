"""What is assumed of poses, boxes, time and pictures; the symbolic backend has none of these."""

from __future__ import annotations

import math

from ...adapters.omnigibson.simulator import REACH_M
from ...scene_graph.graph import SceneGraph
from ...scene_graph.node import Box, Kind, Pose, Relation
from ..assumption import CannotTell, Checks, Topic, expect
from ..bench import Bench
from .episode import engine_of, episode_of, holding

CHECKS = Checks("omnigibson")

_SIMULATOR = "adapters/omnigibson/simulator.py"


@CHECKS.assume(
    Topic.SPACE,
    "z points up: the bottom of a thing on a table is at the height of the table's top.",
    source=f"{_SIMULATOR}: boxes are compared along x, y and z; the frame of the world",
)
def z_points_up(bench: Bench) -> str:
    engine_of(bench)
    things = episode_of(bench).things
    step = episode_of(bench).step("place on top", needs=holding(things.thing))
    if step.error is not None:
        raise CannotTell(f"{step.primitive}: {step.answer}")
    bottom = _low(_box(step.after, things.thing))[2]
    top = _high(_box(step.after, things.table))[2]
    answer = f"the thing's bottom is at z {bottom:.3f} m, the table's top at {top:.3f} m"
    return expect(abs(bottom - top) < 0.15, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Lengths are metres: a thing to carry measures 2 cm to 60 cm.",
    source=f"{_SIMULATOR}: REACH_M",
)
def lengths_are_metres(bench: Bench) -> str:
    engine_of(bench)
    size = _box(episode_of(bench).start, episode_of(bench).things.thing).size
    answer = f"it measures {', '.join(f'{edge:.3f}' for edge in size)}"
    return expect(0.02 <= max(size) <= 0.6, answer)


@CHECKS.assume(
    Topic.SPACE,
    "Boxes are where poses are: a thing's position is in its box.",
    source=f"{_SIMULATOR}: rooms are told by the position, nearness by the box",
)
def poses_are_in_boxes(bench: Bench) -> str:
    engine_of(bench)
    graph, odd, count = bench.graph(), [], 0
    for node in graph.nodes(Kind.OBJECT):
        position, low, high = _pose(graph, node.id).position, *_ends(_box(graph, node.id))
        count += 1
        if any(not low[i] - 0.05 <= position[i] <= high[i] + 0.05 for i in range(3)):
            odd.append(str(node.native_id))
    return expect(not odd, f"{count} things; outside: {', '.join(odd[:5]) or 'none'}")


@CHECKS.assume(
    Topic.SPACE,
    "Orientations are quaternions of length 1.",
    source=f"{_SIMULATOR}: get_position_orientation, x y z w",
)
def orientations_are_quaternions(bench: Bench) -> str:
    engine_of(bench)
    graph = bench.graph()
    nodes = [*graph.nodes(Kind.OBJECT), *graph.nodes(Kind.FIXTURE)]
    lengths = [math.hypot(*_pose(graph, node.id).orientation) for node in nodes]
    worst = max(lengths, key=lambda length: abs(length - 1))
    return expect(abs(worst - 1) < 0.01, f"of {len(lengths)} lengths the farthest is {worst:.4f}")


@CHECKS.assume(
    Topic.SPACE,
    "Orientations are ordered x, y, z, w: things that stand upright turn about z alone.",
    source=f"{_SIMULATOR}: get_position_orientation; scene_graph/node.py: Pose",
)
def orientations_are_xyzw(bench: Bench) -> str:
    engine_of(bench)
    graph = bench.graph()
    turns = [_pose(graph, node.id).orientation for node in graph.nodes(Kind.FIXTURE)]
    upright = sum(1 for x, y, _, _ in turns if math.hypot(x, y) < 0.1)
    answer = f"of {len(turns)} pieces of furniture {upright} turn about the third axis alone"
    return expect(upright > len(turns) / 2, answer)


@CHECKS.assume(
    Topic.SPACE,
    "The middle of a thing in a container is within the container's box.",
    source=f"{_SIMULATOR}: only things whose boxes touch are asked for Inside and OnTop",
)
def contents_are_in_the_box(bench: Bench) -> str:
    engine_of(bench)
    things = episode_of(bench).things
    step = episode_of(bench).step("place into a bin", needs=holding(things.thing))
    if step.error is not None:
        raise CannotTell(f"{step.primitive}: {step.answer}")
    middle = _box(step.after, things.thing).center
    low, high = _ends(_box(step.after, things.bin))
    inside = all(low[i] - 0.05 <= middle[i] <= high[i] + 0.05 for i in range(3))
    answer = f"its middle is at {_words(middle)}, the box from {_words(low)} to {_words(high)}"
    return expect(inside, answer)


@CHECKS.assume(
    Topic.CARRYING,
    "What is held is where the robot is: after going it is within 2 m of the target's box.",
    source="adapters/omnigibson/adapter.py: go_to with a full hand",
)
def the_held_is_at_the_robot(bench: Bench) -> str:
    engine_of(bench)
    things = episode_of(bench).things
    step = episode_of(bench).step("travel", needs=holding(things.thing))
    x, y, _ = _box(step.after, things.thing).center
    low, high = _ends(_box(step.after, things.table))
    away = math.hypot(max(low[0] - x, 0, x - high[0]), max(low[1] - y, 0, y - high[1]))
    return expect(away < REACH_M + 1, f"{step.answer}; it is {away:.2f} m from the table")


@CHECKS.assume(
    Topic.SPACE,
    "A thing on the floor is within the floor's box, and above it.",
    source=f"{_SIMULATOR}: relations of floors; tasks of picking up",
)
def floors_are_below(bench: Bench) -> str:
    engine_of(bench)
    graph = bench.graph()
    pairs = [
        (source, target)
        for source, relation, target in graph.edges()
        if relation is Relation.ON and graph[target].category.startswith("floor")
    ]
    if not pairs:
        raise CannotTell("nothing lies on a floor")
    heights = [
        _box(graph, thing).center[2] - _box(graph, floor).center[2] for thing, floor in pairs
    ]
    answer = f"of {len(pairs)} things the lowest middle is {min(heights):.3f} m above its floor's"
    return expect(min(heights) > 0, answer)


@CHECKS.assume(
    Topic.TIMING,
    "A primitive that does something settles for a second of simulated time, 30 steps.",
    source="starter primitives: _settle_robot; adapters/omnigibson/simulator.py: _FREQUENCY",
)
def primitives_settle_for_a_second(bench: Bench) -> str:
    engine_of(bench)
    step = episode_of(bench).step("place on top")
    if step.error is not None:
        raise CannotTell(f"{step.primitive}: {step.answer}")
    took = step.result.sim_time_s
    return expect(0.9 <= took <= 60, f"{step.primitive} took {took:.2f} s of simulated time")


@CHECKS.assume(
    Topic.IMAGES,
    "The robot's camera gives a picture in colour that is not black.",
    source=f"{_SIMULATOR}: image; OMNIGIBSON_HEADLESS renders without a screen",
)
def the_camera_sees(bench: Bench) -> str:
    engine_of(bench)
    frame = bench.image()
    answer = f"shape {frame.shape}, {frame.dtype}, mean {float(frame.mean()):.1f}"
    shaped = frame.ndim == 3 and frame.shape[2] == 3 and str(frame.dtype) == "uint8"
    return expect(shaped and float(frame.mean()) > 2, answer)


def _pose(graph: SceneGraph, node: int) -> Pose:
    pose = graph[node].pose
    if pose is None:
        raise CannotTell(f"the node {node} has no pose")
    return pose


def _box(graph: SceneGraph, node: int) -> Box:
    box = graph[node].box
    if box is None:
        raise CannotTell(f"the node {node} has no box")
    return box


def _low(box: Box) -> list[float]:
    return [center - edge / 2 for center, edge in zip(box.center, box.size, strict=True)]


def _high(box: Box) -> list[float]:
    return [center + edge / 2 for center, edge in zip(box.center, box.size, strict=True)]


def _ends(box: Box) -> tuple[list[float], list[float]]:
    return _low(box), _high(box)


def _words(numbers: list[float] | tuple[float, ...]) -> str:
    return f"({', '.join(f'{number:.2f}' for number in numbers)})"
