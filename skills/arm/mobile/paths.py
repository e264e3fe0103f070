"""Paths without collisions: straight edges, and trees from both ends, bounded by checks.

A check asks the world what one position of the robot would come too close to. Budgets count checks,
never seconds, so that equal worlds and generators give equal paths.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from ..rotation import Array
from .body import OPEN, SCALE, distance
from .world import Held, Obstacle, RoomWorld, owner

#: Clearances in m: on the way; near the ends of a way, and around a hand that works.
TRANSIT, NEAR = 0.010, 0.003
#: The clearances tried at the start of a way, and how far from its ends the way may be as tight.
_TIGHT = (TRANSIT, 0.006, NEAR, 0.0, -0.004)
_END = 0.35
#: The longest part of an edge between two checks, scaled as `body.SCALE`: the base moves by 15 mm,
#: so that nothing thin is passed through between two positions that are clear of it.
_RESOLUTION = 0.03
#: The same for the way that was found: two corners can pass each other between positions that are
#: clear of them. There it may have this share of the clearance.
_FINE, _FINE_SHARE = 0.012, 0.5
#: The checks of all searches by trees together: about 0.4 s of CPU time.
_SEARCHED = 8000
_SHORTCUTS = 25
_GREED = 0.2  # the share of samples that are nodes of the other tree


@dataclass(frozen=True)
class Clearance:
    """What a position is checked for. The other fields are those of `RoomWorld.obstacle`."""

    need: float = TRANSIT
    fingers: float = OPEN
    held: Held | None = None
    ignore: Set[str] = frozenset()
    fronts: Mapping[str, float] | None = None
    base_stays: bool = False
    lowering: bool = False

    def at(self, need: float) -> Clearance:
        """The same with another distance in m."""
        return replace(self, need=need)


class Paths:
    """Searches of paths in one world, with one generator. checks: how many there were."""

    def __init__(self, world: RoomWorld, generator: Generator) -> None:
        self.world = world
        self.generator = generator
        self.checks = 0
        self._growing = _SEARCHED
        self.met: Obstacle | None = None
        """What the last check that failed met."""
        self.met_often: Counter[str] = Counter()
        """What the checks of the last `connect` met, by owner."""

    def obstacle(self, joints: Array, clearance: Clearance) -> Obstacle | None:
        """What is too close at joints of shape (11,)."""
        self.checks += 1
        found = self.world.obstacle(
            joints,
            clearance.need,
            fingers=clearance.fingers,
            held=clearance.held,
            fronts=clearance.fronts,
            ignore=clearance.ignore,
            base_stays=clearance.base_stays,
            lowering=clearance.lowering,
        )
        if found is not None:
            self.met = found
            self.met_often[owner(found.other)] += 1
        return found

    def free(self, joints: Array, clearance: Clearance) -> bool:
        return self.obstacle(joints, clearance) is None

    def edge_free(self, start: Array, end: Array, clearance: Clearance) -> bool:
        """Whether the straight way is free. Its start is not checked."""
        return self._edge(start, end, _Needs(clearance))

    def between_free(self, start: Array, end: Array, clearance: Clearance, points: int = 3) -> bool:
        """Whether some points between two positions are free."""
        parts = (index / (points + 1) for index in range(1, points + 1))
        return all(self.free(start + (end - start) * part, clearance) for part in parts)

    def clearance_at(
        self, joints: Array, clearance: Clearance, least: float = _TIGHT[-1]
    ) -> float | None:
        """The largest of a few clearances that a position has; None if less than `least`."""
        for need in _TIGHT:
            if least <= need <= clearance.need and self.free(joints, clearance.at(need)):
                return need
        return None

    def connect(
        self,
        start: Array,
        end: Array,
        clearance: Clearance,
        joints: Sequence[int],
        low: Array,
        high: Array,
        *,
        budget: int = 5000,
        step: float = 0.35,
        arrival: float = NEAR,
    ) -> list[Array] | None:
        """A free way without its start; None if none was found within the budget of checks.

        joints: those that move, within low and high; the others are equal at both ends. Near an end
        that is tighter than the clearance the way may be as tight. arrival: the least clearance at
        the end, in m.
        """
        self.met_often.clear()
        leaving = self.clearance_at(start, clearance)
        arriving = None if leaving is None else self.clearance_at(end, clearance, arrival)
        if leaving is None or arriving is None:
            return None
        ends = ((start, leaving), (end, arriving))
        fine = _Needs(clearance, ends, _FINE, _FINE_SHARE)
        for spacing in (_RESOLUTION, _FINE):
            allowed = _Needs(clearance, ends, spacing)
            if self._edge(start, end, allowed):
                way = [start, end]
            else:
                found = self._grow(start, end, allowed, np.array(joints), (low, high), budget, step)
                if found is None:
                    return None
                way = self._shorten(found, allowed)
            if all(self._edge(*edge, fine) for edge in itertools.pairwise(way)):
                return way[1:]
        return None

    def _edge(self, start: Array, end: Array, needs: _Needs) -> bool:
        count = max(1, math.ceil(float(distance(start, end)) / needs.spacing))
        # Points far apart first: an edge that is blocked is found out early.
        order = sorted(range(1, count + 1), key=lambda index: -((index * 7) % count))
        for index in order:
            joints = start + (end - start) * (index / count)
            if not self.free(joints, needs.clearance(joints)):
                return False
        return True

    def _grow(
        self,
        start: Array,
        end: Array,
        needs: _Needs,
        joints: Array,
        bounds: tuple[Array, Array],
        budget: int,
        step: float,
    ) -> list[Array] | None:
        """Grow two trees towards each other."""
        trees = (_Tree(start, joints), _Tree(end, joints))
        first, last = self.checks, self.checks + min(budget, self._growing)
        turn = 0
        while self.checks < last:
            self._growing -= self.checks - first
            first = self.checks
            here, there = trees[turn % 2], trees[1 - turn % 2]
            turn += 1
            sample = start.copy()
            sample[joints] = self.generator.uniform(*bounds)
            if self.generator.random() < _GREED:
                sample = there.nodes[self.generator.integers(len(there.nodes))]
            parent = here.nearest(sample)
            reached = _towards(here.nodes[parent], sample, step)
            if not self._edge(here.nodes[parent], reached, needs):
                continue
            here.add(reached, parent)
            meeting = self._pull(there, reached, needs, step)
            if meeting is not None:
                way = here.way(len(here.nodes) - 1)[::-1] + there.way(meeting)[1:]
                return way if here is trees[0] else way[::-1]
        return None

    def _pull(self, tree: _Tree, target: Array, needs: _Needs, step: float) -> int | None:
        """Grow a tree straight to a position; its node there, or None if something is between."""
        node = tree.nearest(target)
        while distance(tree.nodes[node], target) > 1e-9:
            following = _towards(tree.nodes[node], target, step)
            if not self._edge(tree.nodes[node], following, needs):
                return None
            node = tree.add(following, node)
        return node

    def _shorten(self, way: list[Array], needs: _Needs) -> list[Array]:
        for _ in range(_SHORTCUTS):
            if len(way) < 3:
                break
            first, second = sorted(self.generator.choice(len(way), 2, replace=False))
            if second - first > 1 and self._edge(way[first], way[second], needs):
                way = way[: first + 1] + way[second:]
        return way


@dataclass(frozen=True)
class _Needs:
    """The clearance on a way, smaller near its tight ends.

    spacing: the longest part of an edge between two checks. share: of a clearance that will do.
    """

    usual: Clearance
    ends: tuple[tuple[Array, float], ...] = ()
    spacing: float = _RESOLUTION
    share: float = 1.0

    def clearance(self, joints: Array) -> Clearance:
        needs = (need for end, need in self.ends if distance(end, joints) < _END)
        need = min(needs, default=self.usual.need)
        need = min(need, self.usual.need)
        return self.usual.at(need * self.share if need > 0 else need)


class _Tree:
    """Positions, each with its parent. joints: the numbers of those that move."""

    def __init__(self, root: Array, joints: Array) -> None:
        self.nodes = [root]
        self._parents = [-1]
        self._joints = joints
        self._scaled = np.empty((64, len(joints)))
        self._scaled[0] = (root / SCALE)[joints]

    def add(self, joints: Array, parent: int) -> int:
        index = len(self.nodes)
        if index == len(self._scaled):
            self._scaled = np.concatenate([self._scaled, np.empty_like(self._scaled)])
        self._scaled[index] = (joints / SCALE)[self._joints]
        self.nodes.append(joints)
        self._parents.append(parent)
        return index

    def nearest(self, joints: Array) -> int:
        apart = self._scaled[: len(self.nodes)] - (joints / SCALE)[self._joints]
        return int(np.argmin(np.abs(apart).max(axis=1)))

    def way(self, node: int) -> list[Array]:
        """From a node back to the root."""
        result = []
        while node >= 0:
            result.append(self.nodes[node])
            node = self._parents[node]
        return result


def _towards(start: Array, end: Array, step: float) -> Array:
    length = float(distance(start, end))
    return end if length <= step else start + (end - start) * (step / length)
