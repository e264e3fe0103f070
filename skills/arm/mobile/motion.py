"""Motions of the whole body in ticks, which stop when they push against something.

Along a path the joints follow one quintic in time: one start, one stop. In each tick the forces of
all touches that are not allowed are summed. While there are any the motion is slow. At FORCE_LIMIT
the robot stops in that tick, goes back along its path until it is free, and the motion fails with
what it hit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from .body import FREE, OPEN, SPEEDS
from .failures import Failed
from .lookout import Lookout
from .paths import Clearance
from .world import JOINTS, TICK_S, Held, RoomWorld, Touch, owner

#: The force, in N, at which a motion stops.
FORCE_LIMIT = 30.0
#: Fingers closer together than this part of the width of a thing have lost it.
SLIPPED_GAP = 0.5
_SHORTEST = 0.3  # s
#: The largest acceleration of a joint, in 1/s, per its speed in `body.SPEEDS`.
_ACCELERATION = 4.0
#: From such a force on, in N, a motion slows down, by so much a tick, to this share of its speed.
_FELT, _SLOWING, _SLOWEST = 2.0, 0.1, 0.2
#: At a corner of a path no joint changes its speed by more than this, as a share of `body.SPEEDS`:
#: the joints follow late, and would swing past it. Before and after it the pace changes by so much
#: a tick.
_CORNER, _BRAKING = 0.3, 0.05
#: The fingers move by so much a tick, in m: at 0.15 m/s.
_FINGER_STEP = 0.0018
_BACK_TICKS = 40
_FREE_TICKS = 4


class Motion:
    """Commands the robot of one world.

    target: the joints last commanded, shape (11,). opening: of each finger, commanded throughout,
    in m; the fingers follow at their speed. allowed: what the hand may touch, with at most
    `allowed_force` N a touch. carried: a thing in the hand, which may touch nothing
    either unless it is `resting` (it still stands on something, or will). touches: all of the last
    tick. worst: the strongest sum of forces that were not allowed, in N, and the strongest touch in
    it. time_s: how long its ticks took.
    """

    def __init__(self, world: RoomWorld) -> None:
        self.world = world
        reading = world.reading()
        self.target: Array = reading.joints.copy()
        self.opening = float(reading.fingers.mean())
        self.fingers = self.opening  # what is commanded now, in m
        self.allowed: Set[str] = frozenset()
        self.allowed_force = math.inf
        self.carried: Held | None = None
        self.resting = False
        self.touches: Sequence[Touch] = ()
        self.worst: tuple[float, Touch | None] = (0.0, None)
        self.time_s = 0.0
        self._felt = 0.0  # forces of the last tick that were not allowed, in N

    def follow(
        self,
        path: Sequence[Array],
        speed: float = FREE,
        *,
        watch: Callable[[float], bool | None] | None = None,
        ahead: Clearance | None = None,
    ) -> None:
        """Follow straight lines through joints of shape (11,), from the present target.

        speed: a fraction of `body.SPEEDS`. watch: called after each tick with how far it has got,
        as a number of points (0 at the start); if it raises Failed, the robot stops there. ahead:
        look out for what comes in the way, and brake for it. Raises Failed (BLOCKED), or SLIPPED if
        the carried thing is lost.
        """
        points = np.array([self.target, *path])
        if float(np.abs(np.diff(points, axis=0)).max()) < 1e-9:
            return
        way, reached = _timed(points, speed)
        paces = _paces(way)
        lookout = None if ahead is None else Lookout(self.world, ahead, way)
        passed = [self.target]
        at, pace = 0.0, 1.0  # in ticks of the way
        while at < len(way) - 1:
            pace = self._paced(pace)
            rate = min(pace, float(paces[int(at)]))
            rate = rate if lookout is None else min(rate, lookout.rate(at))
            at = min(at + rate, float(len(way) - 1))
            joints, point = _at(way, at), float(_at(reached, at))
            hit = self._tick(joints, (joints - self.target) / TICK_S)
            passed.append(joints)
            if hit is not None:
                self._go_back(passed)
                raise Failed(Reason.BLOCKED, owner(hit.other), _told(hit))
            if self._has_slipped():
                self.hold(0.1)
                raise Failed(Reason.SLIPPED, self.drop(), "the fingers met")
            if watch is not None:
                try:
                    if watch(point):
                        return
                except Failed:
                    self.hold(0.1)
                    raise

    def hold(self, seconds: float, watch: Callable[[], None] | None = None) -> None:
        """Stay where it is commanded to be. watch: called after each tick."""
        for _ in range(max(1, round(seconds / TICK_S))):
            self._tick(self.target, np.zeros(JOINTS))
            if watch is not None:
                watch()

    def grip(self, opening: float, seconds: float = 0.5) -> None:
        """Move the fingers, to an opening of each in m, and wait."""
        self.opening = opening
        self.hold(seconds)

    def release(self) -> None:
        """Open the fingers."""
        self.grip(OPEN, 0.4)

    def drop(self) -> str | None:
        """Believe no more that a thing is in the hand; which it was."""
        thing = None if self.carried is None else self.carried.thing
        self.carried, self.resting = None, False
        return thing

    def _paced(self, pace: float) -> float:
        """The share of its speed at which a motion goes on: slower while something is touched."""
        if self._felt > _FELT:
            return max(_SLOWEST, pace - _SLOWING)
        return min(1.0, pace + _SLOWING / 2)

    def _has_slipped(self) -> bool:
        if self.carried is None:
            return False
        return float(self.world.reading().fingers.sum()) < SLIPPED_GAP * self.carried.width

    def _tick(self, joints: Array, speeds: Array) -> Touch | None:
        """Let a tick pass; the strongest touch if together they push too hard."""
        unwanted = self._step(joints, speeds)
        force = self._felt = sum(touch.force for touch in unwanted)
        if not unwanted:
            return None
        strongest = max(unwanted, key=lambda touch: touch.force)
        if force > self.worst[0]:
            self.worst = (force, strongest)
        if force < FORCE_LIMIT:
            return None
        if strongest.by_finger and self.fingers < self.opening:  # they open against something
            self.opening = self.fingers = float(self.world.reading().fingers.mean())
        return strongest

    def _step(self, joints: Array, speeds: Array) -> list[Touch]:
        """Let a tick pass; the touches that are not allowed."""
        step = self.opening - self.fingers
        self.fingers += min(max(step, -_FINGER_STEP), _FINGER_STEP)
        self.world.command(joints, speeds, self.fingers)
        counted = None if self.carried is None or self.resting else self.carried.thing
        self.touches = self.world.step(counted)
        self.target = joints
        self.time_s += TICK_S
        return [touch for touch in self.touches if not self._may(touch)]

    def _may(self, touch: Touch) -> bool:
        carried = self.carried is not None and touch.part == self.carried.thing
        may = (touch.by_finger or carried) and touch.other in self.allowed
        return may and touch.force <= self.allowed_force

    def _go_back(self, passed: Sequence[Array]) -> None:
        """Give way at once, then go back until nothing has been touched for a few ticks."""
        where = self.world.reading().joints
        free = 0
        still = np.zeros(JOINTS)
        for joints in (where, *passed[-2 : -2 - _BACK_TICKS : -1]):
            free = 0 if self._step(joints, still) else free + 1
            if free >= _FREE_TICKS:
                break
        self.hold(0.1)


def _timed(points: Array, speed: float) -> tuple[Array, Array]:
    """Joints after each tick along straight lines through points, shape (ticks + 1, 11), and how
    far they have got, as a number of points. The first is where the lines begin.
    """
    parts = (np.abs(np.diff(points, axis=0)) / SPEEDS).max(axis=1)
    lengths = np.concatenate([[0.0], np.cumsum(parts)])
    length = float(lengths[-1])
    seconds = max(
        _SHORTEST, 1.5 * length / speed, math.sqrt(5.77 * length / (_ACCELERATION * speed))
    )
    ticks = max(2, math.ceil(seconds / TICK_S))
    u = np.arange(ticks + 1) / ticks
    along = length * u**3 * (10 - 15 * u + 6 * u * u)
    way = np.stack([np.interp(along, lengths, column) for column in points.T], axis=1)
    return way, np.interp(along, lengths, np.arange(len(points)))


def _paces(way: Array) -> Array:
    """The largest pace from each tick of a way, shape (ticks + 1,): slow around corners."""
    speeds = np.diff(way, axis=0) / (SPEEDS * TICK_S)
    changes = np.abs(speeds[2:] - speeds[:-2]).max(axis=1)  # a corner may lie within a tick
    paces = np.ones(len(way))
    paces[1 : len(changes) + 1] = _CORNER / np.maximum(changes, _CORNER)
    for order in (range(1, len(paces)), range(len(paces) - 2, -1, -1)):
        step = -order.step
        for tick in order:
            if paces[tick] > paces[tick + step]:
                paces[tick] = min(paces[tick], math.sqrt(paces[tick + step] ** 2 + 2 * _BRAKING))
    return paces


def _at(values: Array, at: float) -> Array:
    """Values, one a tick, between two ticks."""
    tick = int(at)
    part = at - tick
    if part:
        between: Array = values[tick] * (1 - part) + values[tick + 1] * part
        return between
    exact: Array = values[tick]
    return exact


def _told(touch: Touch) -> str:
    return f"{touch.part} hit {touch.other} with {touch.force:.0f} N"
