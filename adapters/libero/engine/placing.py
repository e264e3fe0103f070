"""Poses at which a thing can be put down, from a map of the heights below it. Lengths in m."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .points import UP, Array, rotation_about

if TYPE_CHECKING:
    from collections.abc import Sequence

_CELL = 0.005
_STEP = 0.015
_MOST_OFFSET = 0.09
#: A thing is released this far above its support.
_CLEARANCE = 0.006
#: Around a spot, supports this far away matter.
_AROUND = 0.22
_NOTHING = -9.0
#: The most that higher things one and two cells beside a thing cost.
_MOST_CLOSE = (0.03, 0.005)
#: Of so many best poses the balance is looked at. What is nearer to a thing than this supports it
#: when it has settled; its centre of mass should be so far inside of all supports.
_MOST_BALANCED, _NEARLY, _BALANCED, _MOST_UNBALANCE = 600, 0.012, 0.010, 0.01
_ANGLES = np.arange(16) * np.pi / 8
_DIRECTIONS = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])


@dataclass(frozen=True)
class Spot:
    """Where a thing may rest: centre (3,), and half (2,), how far its origin may be from it.

    ceiling: the height above which points are a cover, not a support. mouth: the direction (3,) out
    of a covered place. spread: prefer places off the centre, which leave room for more.
    """

    centre: Array
    half: Array
    ceiling: float = np.inf
    mouth: Array | None = None
    spread: bool = False


@dataclass(frozen=True)
class Placement:
    """A pose of a thing; its origin at position. score: lower is better."""

    score: float
    position: Array
    rotation: Array


def yaws(count: int) -> list[float]:
    """Angles all around, the smallest first."""
    return sorted((np.arange(count) - count // 2) * 2 * np.pi / count, key=abs)


def placements(
    shape: Array,
    mass: Array,
    bases: Sequence[tuple[Array, float]],
    rest: Array,
    spot: Spot,
    turns: int = 16,
) -> list[Placement]:
    """Poses of a thing over a spot, best first.

    shape, mass: points of the thing and its centre of mass in its own frame. bases: rotations to
    begin with, each with a penalty; all are turned about the upright. rest: points of all else.
    """
    heights, middle = _height_map(rest, spot)
    widened = _widened(heights, 1), _widened(heights, 2)
    found: list[tuple[Placement, tuple[Array, Array]]] = []
    for base, penalty in bases:
        for yaw in yaws(turns):
            rotation = rotation_about(UP, yaw) @ base
            below = _underside(shape @ rotation.T)
            # Bases are compared by how high the mass lies, not the origin.
            cost = penalty + 0.004 * abs(yaw) + float((rotation @ mass)[2])
            for placement in _on_map(heights, widened, middle, *below, spot, rotation, cost):
                found.append((placement, below))
    found.sort(key=lambda each: each[0].score)
    for number, (placement, below) in enumerate(found[:_MOST_BALANCED]):
        offset = (placement.rotation @ mass)[:2]
        cost = _unbalance(heights, middle, spot, placement, *below, offset)
        found[number] = (replace(placement, score=placement.score + cost), below)
    return sorted((placement for placement, _ in found), key=lambda placement: placement.score)


def _unbalance(
    heights: Array,
    middle: int,
    spot: Spot,
    placement: Placement,
    columns: Array,
    lowest: Array,
    mass: Array,
) -> float:
    """What it costs that a thing's centre of mass is not well over what nearly supports it."""
    shift = np.round((placement.position[:2] - spot.centre[:2]) / _CELL).astype(int) + middle
    cells = columns + shift
    gap = placement.position[2] - _CLEARANCE + lowest - heights[cells[:, 0], cells[:, 1]]
    supports = columns[gap < _NEARLY] * _CELL - mass
    margin = float((supports @ _DIRECTIONS).max(0).min())
    return float(np.clip(_BALANCED - margin, 0.0, _MOST_UNBALANCE))


def distinct(found: Sequence[Placement], count: int, window: float = 0.04) -> list[Placement]:
    """The best few that differ by 3 cm or by a turn, none much worse than the best."""
    kept: list[Placement] = []
    for placement in found:
        if placement.score > found[0].score + window or len(kept) == count:
            break
        if all(_differ(placement, other) for other in kept):
            kept.append(placement)
    return kept


def _differ(one: Placement, other: Placement) -> bool:
    far = float(np.linalg.norm(one.position - other.position)) > 0.03
    cosine = (float(np.trace(one.rotation @ other.rotation.T)) - 1) / 2
    return far or cosine < np.cos(0.3)


def _height_map(rest: Array, spot: Spot) -> tuple[Array, int]:
    """The highest support in each cell around a spot, and the index of the middle cell."""
    middle = int((float(spot.half.max()) + _AROUND) / _CELL)
    size = 2 * middle + 1
    heights = np.full((size, size), _NOTHING)
    below = rest[rest[:, 2] < spot.ceiling]
    cells = np.round((below[:, :2] - spot.centre[:2]) / _CELL).astype(int) + middle
    inside = (cells.min(1, initial=0) >= 0) & (cells.max(1, initial=0) < size)
    np.maximum.at(heights, (cells[inside, 0], cells[inside, 1]), below[inside, 2])
    return _filled(heights), middle


def _filled(heights: Array) -> Array:
    """The map without holes of one cell, which coarse samples leave."""
    return np.where(heights == _NOTHING, _widened(heights, 1), heights)


def _widened(heights: Array, cells: int) -> Array:
    """The highest of each cell's neighbourhood."""
    best = heights
    for axis in (0, 1):
        shifts = [np.roll(best, shift, axis) for shift in range(-cells, cells + 1)]
        best = np.maximum.reduce(shifts)
    return best


def _underside(points: Array) -> tuple[Array, Array]:
    """The cells that a thing covers (n, 2), and its lowest point in each."""
    cells = np.round(points[:, :2] / _CELL).astype(int)
    columns, number = np.unique(cells, axis=0, return_inverse=True)
    lowest = np.full(len(columns), np.inf)
    np.minimum.at(lowest, number.ravel(), points[:, 2])
    return columns, lowest


def _offsets(half: float) -> Array:
    reach = min(half, _MOST_OFFSET)
    if reach <= 0:
        return np.zeros(1)
    count = 2 * int(reach / _STEP) + 1
    return np.unique(np.r_[0.0, np.linspace(-reach, reach, max(1, count))])


def _on_map(
    heights: Array,
    widened: tuple[Array, Array],
    middle: int,
    columns: Array,
    lowest: Array,
    spot: Spot,
    rotation: Array,
    cost: float,
) -> list[Placement]:
    size = len(heights)
    found = []
    for x in _offsets(float(spot.half[0])):
        for y in _offsets(float(spot.half[1])):
            shift = np.round(np.array([x, y]) / _CELL).astype(int) + middle
            cells = columns + shift
            if cells.min() < 0 or cells.max() >= size:
                continue
            height = float((heights[cells[:, 0], cells[:, 1]] - lowest).max())
            if height < -5:
                continue
            position = np.array([spot.centre[0] + x, spot.centre[1] + y, height + _CLEARANCE])
            score = height + cost + _offset_cost(spot, x, y)
            for around, most in zip(widened, _MOST_CLOSE, strict=True):
                close = float((around[cells[:, 0], cells[:, 1]] - lowest).max()) - height
                score += min(most, 0.5 * max(0.0, close))
            found.append(Placement(score, position, rotation))
    return found


def _offset_cost(spot: Spot, x: float, y: float) -> float:
    away = float(np.hypot(x, y))
    if spot.mouth is not None:
        return -0.3 * (x * float(spot.mouth[0]) + y * float(spot.mouth[1])) + 0.1 * away
    return (-0.4 if spot.spread else 0.15) * away
