"""Grasps with two parallel fingers, found on sampled points.

The hand's frame: x along the closing, y across the fingers, z the approach; its origin is between
the pads. Lengths in m. The fingertips reach 9 mm beyond the origin; only 3 to 4 cm lie between
the palm and the tips.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .points import Array, thinned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FINGER_Y, _FINGER_THICK, _FINGER_BACK, _FINGER_TIP = 0.0115, 0.016, -0.05, 0.009
_PALM_X, _PALM_Y, _PALM_BACK, _PALM_FRONT = 0.105, 0.034, -0.125, -0.033
_WRIST, _WRIST_BACK = 0.06, -0.25
#: The widest thing that the fingers go around, and how far each opens.
_WIDEST, _OPENING = 0.072, 0.04
#: Walls of hollow things are apart by more than this along the closing.
_WALL_GAP = 0.018
#: How much the two sides of a pad may differ before the faces are too skew to hold.
_SKEW = 0.014
_YAWS, _SLAB = 16, 0.012
DEPTHS = (0.0, 0.002, 0.004, 0.012, 0.02, 0.028)
#: Points farther from the thing than this cannot touch the hand.
_NEAR = 0.27
_FINE_CELL, _COARSE_CELL = 0.003, 0.009
#: Fingers touch nothing farther than this from the thing.
_FINGERS_AROUND = 0.06
_WIDENING = 12.0
#: A wall wider than this is no corner.
_BROAD = 0.03
#: How many candidates are tested against all points.
_MOST_TESTS = 1200
#: What each next direction of approach costs.
_LEANING = 0.01


@dataclass(frozen=True)
class Grasp:
    """A pose of the hand around a thing. score: lower is better. width: between the faces."""

    score: float
    position: Array
    rotation: Array
    width: float


def hand_hits(points: Array, position: Array, rotation: Array, opening: float) -> bool:
    """Whether a point lies in the hand with its fingers open by so much each."""
    offsets = points - position
    z = offsets @ rotation[:, 2]
    level = np.flatnonzero((z > _WRIST_BACK) & (z < _FINGER_TIP))
    offsets, z = offsets[level], z[level]
    x, y = offsets @ rotation[:, 0], offsets @ rotation[:, 1]
    return _hits_fingers(x, y, z, opening, 0.0) or _hits_palm(x, y, z, 0.0)


def _hits_fingers(x: Array, y: Array, z: Array, opening: float, slack: float) -> bool:
    """Whether a point in the hand's frame lies in a finger, but for a margin of slack."""
    inside = (z > _FINGER_BACK) & (z < _FINGER_TIP - slack) & (np.abs(y) < _FINGER_Y - slack)
    side = np.abs(x[inside])
    return bool(((side > opening + slack) & (side < opening + _FINGER_THICK)).any())


def _hits_palm(x: Array, y: Array, z: Array, slack: float) -> bool:
    """Whether a point in the hand's frame lies in the palm or the wrist."""
    inside = np.flatnonzero((z > _WRIST_BACK) & (z < _PALM_FRONT - slack))
    x, y, z = np.abs(x[inside]), np.abs(y[inside]), z[inside]
    palm = (x < _PALM_X - slack) & (y < _PALM_Y - slack) & (z > _PALM_BACK)
    wrist = (x < _WRIST) & (y < _WRIST) & (z < _PALM_BACK)
    return bool((palm | wrist).any())


def find_grasps(
    thing: Array,
    rest: Array,
    approaches: Sequence[Array],
    centre: Array,
    closings: Sequence[Array] | None = None,
    depths: Sequence[float] = DEPTHS,
    slack: float = 0.0,
) -> Iterator[Grasp]:
    """Grasps that hit neither the thing nor the rest, best first, no two alike.

    thing, rest: points. approaches: directions of the hand, the best first. closings: directions
    of the fingers; all around by default. centre: the point that a grasp should be near.
    """
    tests = _HandTests(thing, rest, centre, slack)
    candidates: list[tuple[Grasp, int]] = []
    for number, approach in enumerate(approaches):
        for rotation in _rotations(np.asarray(approach, dtype=float), closings):
            index = tests.add(rotation)
            for grasp in _at(thing, rotation, centre, depths, _LEANING * number):
                if tests.above_support(grasp):
                    candidates.append((grasp, index))
    candidates.sort(key=lambda candidate: candidate[0].score)
    found: list[Grasp] = []
    for grasp, index in candidates[:_MOST_TESTS]:
        if any(_alike(grasp, other) for other in found) or tests.hit(grasp, index):
            continue
        found.append(grasp)
        yield grasp


class _HandTests:
    """Whether the open hand is free, tested in the hand's frame for a few rotations of it.

    Fingers are tested with fine points near the thing, palm and wrist with coarse ones.
    """

    def __init__(self, thing: Array, rest: Array, centre: Array, slack: float) -> None:
        rest = rest[np.linalg.norm(rest - centre, axis=1) < _NEAR]
        points = np.concatenate([thing, rest])
        low, high = thing.min(0) - _FINGERS_AROUND, thing.max(0) + _FINGERS_AROUND
        near = points[np.all((points > low) & (points < high), axis=1)]
        self._fine = thinned(near, _FINE_CELL) - centre
        self._coarse = thinned(points, _COARSE_CELL) - centre
        self._centre, self._slack = centre, slack
        self._support = float(thing[:, 2].min())
        self._turned: list[tuple[Array, Array]] = []

    def add(self, rotation: Array) -> int:
        """The index of a rotation."""
        fine = np.ascontiguousarray((self._fine @ rotation).T)
        self._turned.append((fine, np.ascontiguousarray((self._coarse @ rotation).T)))
        return len(self._turned) - 1

    def above_support(self, grasp: Grasp) -> bool:
        """Whether the fingertips stay over what the thing stands on."""
        tip = float(grasp.position[2]) + (_FINGER_TIP - self._slack) * float(grasp.rotation[2, 2])
        return tip > self._support

    def hit(self, grasp: Grasp, index: int) -> bool:
        x, y, z = (grasp.position - self._centre) @ grasp.rotation
        fine, coarse = self._turned[index]
        slack = self._slack
        return _hits_fingers(fine[0] - x, fine[1] - y, fine[2] - z, _OPENING, slack) or _hits_palm(
            coarse[0] - x, coarse[1] - y, coarse[2] - z, slack
        )


def _alike(one: Grasp, other: Grasp) -> bool:
    near = float(np.linalg.norm(one.position - other.position)) < 0.012
    return near and abs(float(one.rotation[:, 0] @ other.rotation[:, 0])) > 0.95


def _rotations(approach: Array, closings: Sequence[Array] | None) -> Iterator[Array]:
    approach = approach / np.linalg.norm(approach)
    if closings is None:
        reference = np.array([1.0, 0, 0]) if abs(approach[0]) < 0.9 else np.array([0, 1.0, 0])
        first = np.cross(approach, reference)
        first /= np.linalg.norm(first)
        second = np.cross(approach, first)
        angles = np.arange(_YAWS) * np.pi / _YAWS
        closings = [np.cos(angle) * first + np.sin(angle) * second for angle in angles]
    for closing in closings:
        across = closing - approach * (approach @ closing)
        length = np.linalg.norm(across)
        if length > 0.3:
            across = across / length
            yield np.c_[across, np.cross(approach, across), approach]


def _at(
    thing: Array, rotation: Array, centre: Array, depths: Sequence[float], penalty: float
) -> Iterator[Grasp]:
    """Candidates for one rotation of the hand: by slabs across, by depth, and by walls."""
    local = (thing - centre) @ rotation
    for across in np.arange(local[:, 1].min() + 0.004, local[:, 1].max(), _SLAB):
        slab = local[np.abs(local[:, 1] - across) < 0.010]
        if len(slab) < 4:
            continue
        top = slab[:, 2].min()
        for depth in depths:
            band = slab[(slab[:, 2] > top + depth - 0.010) & (slab[:, 2] < top + depth + 0.006)]
            if len(band) < 3:
                continue
            for low, high in _walls(np.sort(band[:, 0])):
                if high - low > _WIDEST:
                    continue
                wall = band[(band[:, 0] >= low - 1e-6) & (band[:, 0] <= high + 1e-6)]
                skew = _skew(wall, across)
                if skew > _SKEW:
                    continue
                middle = np.array([(low + high) / 2, across, top + depth])
                score = _score(middle, high - low, skew, depth) + penalty
                score += _WIDENING * _widening(wall, top + max(0.003, depth - 0.002))
                yield Grasp(score, centre + rotation @ middle, rotation, float(high - low))


def _score(middle: Array, width: float, skew: float, depth: float) -> float:
    off = float(np.linalg.norm(middle[:2])) + max(0.0, width - 0.058) * 2
    thin = 0.02 if width < 0.003 else 0.0
    shallow = max(0.0, 0.008 - depth) * 8
    return off + skew * 6 - min(depth, 0.02) * 1.5 + thin + shallow


def _walls(sorted_x: Array) -> list[tuple[float, float]]:
    """The extents of each wall along the closing, and of all together."""
    cuts = np.flatnonzero(np.diff(sorted_x) > _WALL_GAP) + 1
    groups = np.split(sorted_x, cuts)
    found = [(float(group[0]), float(group[-1])) for group in groups]
    if len(found) > 1:
        found.append((float(sorted_x[0]), float(sorted_x[-1])))
    return found


def _skew(wall: Array, across: float) -> float:
    """How much the faces differ from one side of the pads to the other."""
    offset = wall[:, 1] - across
    left = wall[(offset > -0.011) & (offset < -0.002)][:, 0]
    right = wall[(offset > 0.002) & (offset < 0.011)][:, 0]
    if len(left) == 0 or len(right) == 0:
        # At the end of a thing: a narrow corner is a wedge that slips out, a broad end is not.
        middle, beside = wall[np.abs(offset) < 0.003][:, 0], np.r_[left, right]
        if np.ptp(wall[:, 0]) > _BROAD or len(middle) == 0 or len(beside) == 0:
            return 0.008
        return float(abs(middle.max() - beside.max()) + abs(middle.min() - beside.min()))
    return float(abs(left.max() - right.max()) + abs(left.min() - right.min()))


def _widening(wall: Array, level: float) -> float:
    """How much wider a wall is below a level than above it: there the fingers slip off upwards."""
    above, below = wall[wall[:, 2] < level][:, 0], wall[wall[:, 2] >= level][:, 0]
    if len(above) < 2 or len(below) < 2:
        return 0.0
    return max(0.0, float(np.ptp(below) - np.ptp(above)))
