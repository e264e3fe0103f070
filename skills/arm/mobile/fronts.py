"""Hands that follow a front along its way: tracks, and the joints that keep to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rotation import Array
from . import inverse, stands
from .driving import Mover
from .inverse import FOLLOWING, Tolerance
from .paths import Clearance, Paths
from .reaching import Blame
from .world import ARM, BASE

#: The distance in m that all but the fingers keep from everything along a track.
ALONG = 0.010
#: How much a metre of driving counts against a radian of the arm, among ways that all work.
_DRIVING = 0.3
#: So many candidates are followed, those found first.
MOST = 40


@dataclass(frozen=True)
class Track:
    """Poses of n hands along the way of a front, from its first to its last value.

    values: of the front, shape (k,). position: of the tcp, shape (k, 3). rotation: shape
    (k, n, 3, 3). loose: the axis about which hands may turn at each value, shape (k, 3); None for
    none. jump: the largest change of any joint between two values.
    """

    front: str
    values: Array
    position: Array
    rotation: Array
    loose: Array | None
    loose_weight: float
    tolerance: Tolerance
    jump: float
    clearance: Clearance

    def solve(self, step: int, starts: Array, hands: NDArray[np.int_]) -> inverse.Solutions:
        """The joints of some hands at a value, from those at the value before."""
        return inverse.solve(
            starts,
            np.repeat(self.position[step][None], len(hands), axis=0),
            self.rotation[step, hands],
            40,
            loose=None if self.loose is None else self.loose[step],
            loose_weight=self.loose_weight,
            tolerance=self.tolerance,
            weights=FOLLOWING,
        )

    def clearance_at(self, step: int, part: float) -> Clearance:
        """What positions are checked for, at a part of the way to a value."""
        value = (1 - part) * self.values[step - 1] + part * self.values[step]
        return replace(self.clearance, fronts={self.front: max(0.0, float(value))})


class Reached(NamedTuple):
    """Robots before and at the beginning of their work, joints of shape (n, 11) each.

    hands: their numbers among the starts, shape (n,).
    """

    hands: NDArray[np.int_]
    before: Array
    at: Array

    def only(self, kept: Sequence[int]) -> Reached:
        """Some of them, at most MOST."""
        index = np.array(kept[:MOST], int)
        return Reached(self.hands[index], self.before[index], self.at[index])


class Followed(NamedTuple):
    """The joints of n robots along a track, shape (k, n, 11); how far each was found free, (n,)."""

    joints: Array
    depth: NDArray[np.int_]

    def best(self, depth: int, reached: Reached, base: Array) -> list[int]:
        """Who gets to a depth, those with the least motion first.

        base: where the robot stands now, shape (3,).
        """
        able = np.flatnonzero(self.depth >= depth)
        ways = np.concatenate([reached.before[None], self.joints[: depth + 1]])[:, able]
        motion = np.abs(np.diff(ways, axis=0)).max(axis=2).sum(axis=0)
        driving = np.abs(reached.before[able][:, BASE] - base)[:, :2].sum(axis=1)
        order = np.argsort(motion + _DRIVING * driving, kind="stable")
        return [int(index) for index in able[order]]


def free(mover: Mover, reached: Reached, before: Clearance, at: Clearance, blame: Blame) -> Reached:
    """Those that touch nothing but what they work at, and that can fold the arm where they stand.

    before, at: what positions before their work and at it are checked for.
    """
    kept = []
    for index in range(len(reached.hands)):
        met = mover.paths.obstacle(reached.before[index], before)
        met = met or mover.paths.obstacle(reached.at[index], at)
        if met is None and not stands.can_tuck(mover.paths, reached.before[index], before):
            met = mover.paths.met
        if met is None:
            kept.append(index)
        blame.count(met)
    return reached.only(kept)


def reach(starts: Array, before: Array, at: Array, rotation: Array, jump: float) -> Reached:
    """The starts that find joints before their work and at it.

    before, at: positions of the tcp, shape (n, 3). rotation: shape (n, 3, 3). jump: the largest
    change of a joint of the arm between the two.
    """
    first = inverse.solve(starts, before, rotation, 90)
    tried = np.flatnonzero(first.reached)
    second = inverse.solve(first.joints[tried], at[tried], rotation[tried], 40)
    change = np.abs(second.joints - first.joints[tried])[:, ARM].max(axis=1, initial=0.0)
    found = second.reached & (change < jump)
    return Reached(tried[found], first.joints[tried[found]], second.joints[found])


def follow(paths: Paths, reached: Reached, track: Track, blame: Blame) -> Followed:
    """Let robots follow a track from its first value to its last."""
    last = len(track.values) - 1
    joints = np.repeat(reached.at[None], last + 1, axis=0)
    alive = np.arange(len(reached.at))
    depth = np.zeros(len(alive), int)
    for step in range(1, last + 1):
        before = joints[step - 1, alive]
        found = track.solve(step, before, reached.hands[alive])
        joints[step:, alive] = found.joints
        smooth = found.reached & (np.abs(found.joints - before).max(axis=1) < track.jump)
        alive = alive[smooth]
        kept = []
        for index in alive:
            middle = (joints[step - 1, index] + joints[step, index]) / 2
            met = paths.obstacle(joints[step, index], track.clearance_at(step, 1.0))
            met = met or paths.obstacle(middle, track.clearance_at(step, 0.5))
            blame.count(met)
            if met is None:
                kept.append(index)
        alive = np.array(kept, int)
        depth[alive] = step
        if not len(alive):
            break
    return Followed(joints, depth)
