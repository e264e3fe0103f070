"""Opening doors, drop doors and drawers by their handle, which stays in the hand all the way.

The handle is held all along: the gap of the fingers fits the bar, else the hand stops and the
opening fails. So a front is never knocked open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from . import blocking, body, inverse, stands
from .driving import Mover
from .failures import Failed
from .fronts import ALONG, Followed, Reached, Track, follow, free, reach
from .inverse import Tolerance
from .paths import NEAR
from .reaching import Blame
from .world import BASE, Front, about

_STARTS, _TRIES, _APPROACHES = 200, 3, 3
#: So many ways, the best, are tried for room to take the hand away at their end; where there is
#: none, ways that end so many values before.
_LEAVING, _LESS = 10, 2
#: Values along the way of a front at which the hand's joints are found.
_VALUES = 20
#: The hand may be tilted about the bar, in rad, and is this far before it first, in m.
_TILTS = (0.0, 0.0, 0.35, -0.35, 0.7, -0.7)
_BEFORE = 0.10
#: The clearance that positions before the handle need, in m.
_AROUND = 0.006
#: The share of a door's angle by which the hand turns with it.
_TURNING = 0.5
#: How far a front must get if no way leads to the end, in rad and m.
_FAR_TURN, _FAR_SLIDE = 1.15, 0.30
#: The opening of each finger on the bar, in m, when positions are checked.
_ON_BAR = 0.009
#: The gap of the fingers on the bar, in m; narrower for so many ticks, they have slipped off.
HELD_GAP = (0.010, 0.024)
_SLIPPED_TICKS = 8
#: A front that stays so far behind the hand is stuck, in m along the handle's way; and what has
#: moved no further than this did not move at all.
_BEHIND, _UNMOVED = 0.03, 0.02


class Hands(NamedTuple):
    """Hands on a handle to begin with."""

    starts: Array
    """Joints nearly there, shape (n, 11)."""
    rotation: Array
    """Shape (n, 3, 3)."""


class Plan(NamedTuple):
    """Joints before the handle, shape (11,), then at it and along the way of the front."""

    before: Array
    way: list[Array]
    values: Array
    """Of the front, for each position of the way."""


def open_front(mover: Mover, front: Front) -> None:
    """Open a front and fold the arm. Raises Failed."""
    plan = approach(mover, front)
    motion = mover.motion
    pull = _Pull(mover, front, plan)
    motion.allowed = {front.name, front.grip}
    try:
        motion.follow(plan.way[:1], body.CAREFUL)
        motion.grip(body.CLOSED)
        pull.begin()
        motion.follow(plan.way[1:], body.HANDLING, watch=pull.watch)
        motion.hold(0.2)
        failure = pull.failure()
    except Failed as failed:
        failure = failed
    if mover.world.front_value(front.name) >= front.opened_at:
        failure = None
    motion.release()
    mover.leave_hand(motion.allowed)
    motion.allowed = frozenset()
    mover.settle()
    if failure is None and mover.world.front_value(front.name) < front.opened_at:
        failure = Failed(Reason.NOT_CONFIRMED, front.name, "it fell back")
    if failure is not None:
        raise failure


def approach(mover: Mover, front: Front) -> Plan:
    """Find a way to open a front, and unfold the arm before its handle. Raises Failed."""
    mover.motion.opening = body.OPEN
    last: Failed | None = None
    blame = Blame()
    for _ in range(_TRIES):
        for plan in plans(mover, front, blame):
            try:
                return _moved(plan, mover.approach(plan.before))
            except Failed as failed:
                last = failed
    raise last or blame.failure(mover.world, front.name)


def plans(
    mover: Mover, front: Front, blame: Blame, count: int = _STARTS, hands: Hands | None = None
) -> list[Plan]:
    """A few ways to open a front, the best first, without moving; none if none was found.

    count: of the starts, if no hands are given.
    """
    mover.world.sync()
    value = mover.world.front_value(front.name)
    values = np.linspace(value, front.open_value, _VALUES)
    handle = np.array([front.point(front.handle, v) for v in values])
    turned = front.rotation(value)
    bar, outward = turned @ front.bar, turned @ front.outward
    starts, rotation = hands or _hands(mover, handle[0], bar, outward, count)
    count = len(starts)
    at = np.repeat(handle[:1], count, axis=0)
    reached = reach(starts, at - rotation[:, :, 2] * _BEFORE, at, rotation, 0.8)
    blame.tried, blame.solved = blame.tried + count, blame.solved + len(reached.hands)
    before = mover.clearance(_AROUND, fingers=body.OPEN, ignore={front.grip})
    reached = free(mover, reached, before, before.at(NEAR), blame)
    if not len(reached.hands):
        return []
    track = _track(mover, front, values, handle, rotation)
    followed = follow(mover.paths, reached, track, blame)
    for depth in _depths(followed, front, values):
        found = _with_way_out(mover, front, reached, followed, values[: depth + 1])
        if found:
            return found
    return []


def _with_way_out(
    mover: Mover, front: Front, reached: Reached, followed: Followed, values: Array
) -> list[Plan]:
    """Ways along some values of a front at whose end the hand can be taken away, the best first."""
    depth = len(values) - 1
    out = replace(
        mover.clearance(fingers=body.OPEN, ignore={front.name, front.grip}),
        fronts={front.name: float(values[depth])},
    )
    found: list[Plan] = []
    for w in followed.best(depth, reached, mover.motion.target[BASE])[:_LEAVING]:
        last = followed.joints[depth, w]
        if mover.leaving(last, -inverse.tcp(last)[1][:, 2], out) is not None:
            found.append(Plan(reached.before[w], list(followed.joints[: depth + 1, w]), values))
        if len(found) == _APPROACHES:
            break
    return found


def _hands(mover: Mover, handle: Array, bar: Array, outward: Array, count: int) -> Hands:
    """Hands with the bar between their fingers, at free places before it."""
    starts = stands.sample(
        mover.world,
        mover.generator,
        np.repeat(handle[None], count, axis=0),
        outward,
        body.level_at(float(handle[2])),
        side=0.5,
    )
    tilts = mover.generator.choice(_TILTS, count)
    rolls = mover.generator.choice([-1.0, 1.0], count)
    z = np.array([about(bar, tilt) @ -outward for tilt in tilts])
    x = rolls[:, None] * bar
    return Hands(starts, np.stack([x, np.cross(z, x), z], axis=2))


def _track(mover: Mover, front: Front, values: Array, handle: Array, rotation: Array) -> Track:
    """The way of hands on the handle. They turn with a part of the front's angle."""
    opened = [front.rotation(value) for value in values]
    rotations = [rotation]
    bars = np.array([turn @ front.bar for turn in opened])
    for step in range(1, len(values)):
        if not front.turns:
            rotations.append(rotation)
            continue
        turned = about(front.axis, _TURNING * float(values[step] - values[0])) @ rotation
        side = np.where(turned[:, :, 0] @ bars[step] < 0, -1.0, 1.0)
        x = side[:, None] * bars[step]
        z = turned[:, :, 2]
        z = z - x * (z * x).sum(axis=1, keepdims=True)
        z /= np.linalg.norm(z, axis=1, keepdims=True)
        rotations.append(np.stack([x, np.cross(z, x), z], axis=2))
    clearance = mover.clearance(ALONG, fingers=_ON_BAR, ignore={front.grip})
    tolerance = Tolerance(0.002, 0.02)
    return Track(
        front.name, values, handle, np.array(rotations), bars, 0.15, tolerance, 0.7, clearance
    )


def _depths(followed: Followed, front: Front, values: Array) -> Sequence[int]:
    """How far along the values: as far as anyone gets, then less far, as long as it is enough."""
    deepest, enough = int(followed.depth.max()), _FAR_TURN if front.turns else _FAR_SLIDE
    last = len(values) - 1
    return [
        depth for depth in range(deepest, -1, -_LESS) if depth == last or values[depth] >= enough
    ]


def _moved(plan: Plan, there: Array) -> Plan:
    """The plan with the yaw counted as the robot's."""
    shift = np.zeros_like(there)
    shift[2] = there[2] - plan.before[2]
    return Plan(there, [joints + shift for joints in plan.way], plan.values)


class _Pull:
    """What is measured while a handle is pulled."""

    def __init__(self, mover: Mover, front: Front, plan: Plan) -> None:
        self._mover, self._front, self._plan = mover, front, plan
        arm = front.handle - front.anchor
        self._lever = 1.0
        if front.turns:
            self._lever = float(np.linalg.norm(arm - front.axis * (arm @ front.axis)))
        self._first = 0.0
        self._lost = 0

    def begin(self) -> None:
        """The fingers have closed. Raises Failed when there is no bar between them."""
        self._first = self._value()
        gap = self._fingers()
        if not HELD_GAP[0] <= gap <= HELD_GAP[1]:
            raise self._failed(Reason.SLIPPED, f"no handle between the fingers, gap {gap:.3f} m")

    def watch(self, along: float) -> None:
        """After each tick: is the handle still held, does the front come along?"""
        gap = self._fingers()
        self._lost = self._lost + 1 if gap < HELD_GAP[0] else 0
        if self._lost >= _SLIPPED_TICKS:
            raise self._lost_it(along)
        if self._behind(along) > _BEHIND:
            raise self._stuck()

    def failure(self) -> Failed | None:
        """What is wrong at the end."""
        if self._value() >= self._front.opened_at:
            return None
        return self._lost_it(float(len(self._plan.way) - 1))

    def _fingers(self) -> float:
        return float(self._mover.world.reading().fingers.sum())

    def _value(self) -> float:
        return self._mover.world.front_value(self._front.name)

    def _behind(self, along: float) -> float:
        """How far the handle is behind its plan, in m."""
        values = self._plan.values
        planned = float(np.interp(along, np.arange(len(values)), values))
        return (planned - self._value()) * self._lever

    def _lost_it(self, along: float) -> Failed:
        moved = (self._value() - self._first) * self._lever
        if moved < _UNMOVED and self._behind(along) > 0:
            return self._stuck()
        return self._failed(Reason.SLIPPED, f"slipped off the handle at {self._value():.2f}")

    def _stuck(self) -> Failed:
        thing = blocking.before(self._mover.world, self._front)
        if thing is not None:
            return Failed(Reason.BLOCKED, thing, f"{self._front.name} stands against {thing}")
        return self._failed(Reason.IMMOVABLE, f"stuck at {self._value():.3f}")

    def _failed(self, reason: Reason, message: str) -> Failed:
        return Failed(reason, self._front.name, message)
