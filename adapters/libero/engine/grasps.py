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
DEPTHS = (0.004, 0.012, 0.02, 0.028)
#: Points farther from the thing than this cannot touch the hand.
_NEAR = 0.27
_CELL = 0.004


@dataclass(frozen=True)
class Grasp:
    """A pose of the hand around a thing. score: lower is better. width: between the faces."""

    score: float
    position: Array
    rotation: Array
    width: float


def hand_hits(
    points: Array, position: Array, rotation: Array, opening: float, slack: float = 0.0
) -> bool:
    """Whether a point lies in the hand with its fingers open by so much each."""
    local = (points - position) @ rotation
    return _hits(local, opening, slack)


def _hits(local: Array, opening: float, slack: float) -> bool:
    x, y, z = np.abs(local[:, 0]), np.abs(local[:, 1]), local[:, 2]
    fingers = (
        (y < _FINGER_Y - slack)
        & (x > opening + slack)
        & (x < opening + _FINGER_THICK)
        & (z > _FINGER_BACK)
        & (z < _FINGER_TIP - slack)
    )
    if fingers.any():
        return True
    palm = (
        (y < _PALM_Y - slack) & (x < _PALM_X - slack) & (z > _PALM_BACK) & (z < _PALM_FRONT - slack)
    )
    if palm.any():
        return True
    return bool(((x < _WRIST) & (y < _WRIST) & (z > _WRIST_BACK) & (z < _PALM_BACK)).any())


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
    rest = rest[np.linalg.norm(rest - centre, axis=1) < _NEAR]
    obstacles = thinned(np.concatenate([thing, rest]), _CELL)
    candidates: list[Grasp] = []
    for number, approach in enumerate(approaches):
        for rotation in _rotations(np.asarray(approach, dtype=float), closings):
            candidates.extend(_at(thing, rotation, centre, depths, 0.01 * number))
    candidates.sort(key=lambda grasp: grasp.score)
    found: list[Grasp] = []
    for grasp in candidates:
        if any(_alike(grasp, other) for other in found):
            continue
        if not hand_hits(obstacles, grasp.position, grasp.rotation, _OPENING, slack):
            found.append(grasp)
            yield grasp


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
                skew = _skew(band, low, high, across)
                if skew > _SKEW:
                    continue
                middle = np.array([(low + high) / 2, across, top + depth])
                score = _score(middle, high - low, skew, depth) + penalty
                yield Grasp(score, centre + rotation @ middle, rotation, float(high - low))


def _score(middle: Array, width: float, skew: float, depth: float) -> float:
    off = float(np.linalg.norm(middle[:2])) + max(0.0, width - 0.058) * 2
    thin = 0.02 if width < 0.003 else 0.0
    return off + skew * 6 - min(depth, 0.02) * 1.5 + thin


def _walls(sorted_x: Array) -> list[tuple[float, float]]:
    """The extents of each wall along the closing, and of all together."""
    cuts = np.flatnonzero(np.diff(sorted_x) > _WALL_GAP) + 1
    groups = np.split(sorted_x, cuts)
    found = [(float(group[0]), float(group[-1])) for group in groups]
    if len(found) > 1:
        found.append((float(sorted_x[0]), float(sorted_x[-1])))
    return found


def _skew(band: Array, low: float, high: float, across: float) -> float:
    """How much the faces differ from one side of the pads to the other."""
    wall = band[(band[:, 0] >= low - 1e-6) & (band[:, 0] <= high + 1e-6)]
    offset = wall[:, 1] - across
    left = wall[(offset > -0.011) & (offset < -0.002)][:, 0]
    right = wall[(offset > 0.002) & (offset < 0.011)][:, 0]
    if len(left) == 0 or len(right) == 0:
        return 0.008
    return float(abs(left.max() - right.max()) + abs(left.min() - right.min()))
