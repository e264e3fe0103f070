"""Plans of a hand's work at a place: where to stand, how to get there, through which poses.

Candidates are solved together, checked one by one, and the cheapest are kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...outcomes import Reason
from ..rotation import Array
from . import blocking, body, inverse, stands
from .driving import Mover
from .failures import Failed, NoWay
from .motion import FORCE_LIMIT
from .paths import Clearance
from .world import ARM, BASE, JOINTS, Obstacle, Reach, RoomWorld, owner

#: Steps of the search for the first pose, and for each that follows it.
_FIRST, _NEXT = 90, 40
#: How accurate the poses on a way out need to be.
_ROUGHLY = inverse.Tolerance(0.003, 0.02)
#: What a metre of driving costs, against a radian of the arm.
_DRIVING = 0.5
#: How far the hand goes back from a thing, in m: out of a shelf, if there is room.
_RETREATS: dict[Reach, tuple[float, ...]] = {
    Reach.FRONT: (0.30, 0.20, 0.12, 0.08, 0.05),
    Reach.ABOVE: (0.14, 0.10, 0.06),
    Reach.DRAWER: (0.22, 0.14, 0.10, 0.06),
}
#: With these clearances, in m; the way that it came is free too.
_RETREAT_NEEDS = (0.010, 0.005)
#: How far before its goal the base stands, and how far to the side, in m.
_NEAR, _SIDE = (0.4, 0.95), 0.6
_NEAR_BESIDE, _SIDE_BESIDE = (0.25, 0.95), 0.9
#: A hand whose fingers' z is below this points down.
_DOWN = -0.75


class Plan(NamedTuple):
    """One way to do the work. joints: where the hand begins, then each pose, shape (11,) each."""

    joints: list[Array]
    number: int
    """Of the candidate among those that were solved."""


@dataclass
class Blame:
    """Why candidates were refused, by what they met. own: the open front of the place itself."""

    own: str | None = None
    tried: int = 0
    solved: int = 0
    met: Counter[str] = field(default_factory=Counter)

    def count(self, obstacle: Obstacle | None) -> None:
        if obstacle is not None:
            self.met[owner(obstacle.other)] += 1

    def failure(self, world: RoomWorld, about: str) -> NoWay:
        """The failure that says what is in the way of work at `about` (a thing, front or area).

        Only what can be moved is in the way: things, and fronts that stand open, except the place's
        own, which has to stay open.
        """
        told = (
            f"{self.tried} tried, {self.solved} within reach, met {dict(self.met.most_common(4))}"
        )
        name = blocking.in_the_way(world, self.met, (about, self.own))
        if name is not None:
            return NoWay(Reason.BLOCKED, name, told)
        return NoWay(Reason.UNREACHABLE, about, told)


class Poses(NamedTuple):
    """Poses of the tcp for n candidates, one after the other."""

    positions: Array
    """Shape (k, n, 3)."""
    rotations: Array
    """Shape (n, 3, 3): the hand does not turn."""
    leaps: tuple[float, ...]
    """The largest motion of a joint to each pose but the first, in rad or m."""


def starts(
    mover: Mover, goals: Array, rotations: Array, outward: Array, beside: bool = False
) -> Array:
    """Where the search for joints starts, shape (n, 11), for hands that point down or are level.

    goals, rotations: of the tcp, shape (n, 3) and (n, 3, 3). outward: towards who stands there.
    beside: whether one can stand only beside the place.
    """
    joints = np.empty((len(goals), JOINTS))
    down = rotations[:, 2, 2] < _DOWN
    for group in (down, ~down):
        if not group.any():
            continue
        low = body.level_at(float(goals[group, 2].min()))
        joints[group] = stands.sample(
            mover.world,
            mover.generator,
            goals[group],
            outward,
            body.DOWN if group is down else low,
            near=_NEAR_BESIDE if beside else _NEAR,
            side=_SIDE_BESIDE if beside else _SIDE,
        )
    return joints


def solve(starts: Array, poses: Poses, exact: int) -> tuple[Array, NDArray[np.bool_]]:
    """Joints of shape (k, n, 11) for the poses of each candidate, and which reach them all.

    exact: so many poses are reached exactly, the others nearly, with the base moving along.
    """
    count = len(starts)
    joints = np.empty((len(poses.positions), count, starts.shape[1]))
    alive = np.arange(count)
    for k, positions in enumerate(poses.positions):
        before = starts[alive] if k == 0 else joints[k - 1, alive]
        found = inverse.solve(
            before,
            positions[alive],
            poses.rotations[alive],
            _FIRST if k == 0 else _NEXT,
            tolerance=inverse.Tolerance() if k < exact else _ROUGHLY,
            weights=inverse.STANDING if k < exact else inverse.FOLLOWING,
        )
        joints[k, alive] = found.joints
        good = found.reached
        if k > 0:
            moved = np.abs(found.joints - before)[:, ARM].max(axis=1)
            good = good & (moved < poses.leaps[k - 1])
        alive = alive[good]
        if not len(alive):
            break
    reached = np.zeros(count, bool)
    reached[alive] = True
    return joints, reached


def by_cost(mover: Mover, joints: Array, reached: NDArray[np.bool_], extra: Array) -> list[int]:
    """The candidates that reach all poses, the cheapest first. extra: costs, shape (n,)."""
    solved = np.flatnonzero(reached)
    moves = np.abs(np.diff(joints[:, solved], axis=0)).max(axis=2).sum(axis=0)
    driven = np.abs(joints[0][solved, :2] - mover.motion.target[:2]).sum(axis=1)
    cost = moves + _DRIVING * driven + extra[solved]
    return [int(index) for index in solved[np.argsort(cost)]]


def plans(
    joints: Array,
    order: Iterable[int],
    most: int,
    check: Callable[[list[Array], int], Obstacle | None],
    blame: Blame,
) -> Iterator[Plan]:
    """The plans that pass a check, at most `most` of them, in their order."""
    found = 0
    for index in order:
        candidate = [joints[k, index].copy() for k in range(len(joints))]
        obstacle = check(candidate, index)
        if obstacle is not None:
            blame.count(obstacle)
            continue
        yield Plan(candidate, index)
        found += 1
        if found == most:
            return


def first_obstacle(
    mover: Mover, joints: Sequence[Array], clearance: Clearance, between: int = 0
) -> Obstacle | None:
    """What the first of these joints, or of some points between them, is too close to."""
    for k, at in enumerate(joints):
        met = mover.paths.obstacle(at, clearance)
        if met is not None:
            return met
        if k + 1 < len(joints):
            for part in range(1, between + 1):
                step = (joints[k + 1] - at) * (part / (between + 1))
                met = mover.paths.obstacle(at + step, clearance)
                if met is not None:
                    return met
    return None


def strictness(round_number: int) -> float:
    """How much of the distances that are wanted a round of the search asks for."""
    return (1.0, 1.0, 0.5)[min(round_number, 2)]


def retreat(mover: Mover, thing: str, back: Sequence[Array], reach: Reach) -> None:
    """Take the hand off a thing: straight back, or where that is impossible the way it came.

    back: joints of that way, in the order to follow. What the hand meets ends the retreat, and the
    thing itself where a finger is caught in it.
    """
    mover.motion.allowed_force = FORCE_LIMIT
    with suppress(Failed):
        if not mover.leave_hand(frozenset({thing}), _RETREATS[reach], _RETREAT_NEEDS):
            mover.motion.follow(back, body.CAREFUL)
    mover.motion.allowed_force = math.inf


def arrive(mover: Mover, plan: Plan) -> list[Array]:
    """Go where a plan begins; its joints with the yaw as the base counts it. Raises Failed."""
    there = mover.approach(plan.joints[0])
    turns = there[BASE][2] - plan.joints[0][2]
    result = [joints.copy() for joints in plan.joints]
    for joints in result:
        joints[2] += turns
    return result
