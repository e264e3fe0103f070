"""Looking ahead while the robot travels, as a safety scanner does.

A way is planned free, and then things may change: something falls, a front swings. So the positions
some time ahead are checked again as the robot comes near. It brakes for what is in the way, waits a
little, and goes on when the way is free again.
"""

from __future__ import annotations

import math

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from .body import distance
from .failures import Failed
from .paths import NEAR, Clearance
from .world import Obstacle, RoomWorld, owner

#: How far apart the checked positions are, scaled as `body.SCALE`: the base moves by 3 cm.
_SPACING = 0.06
#: From full speed the robot stops in so many ticks, on a way of half of them, and so many marks
#: before what is in the way. So far ahead it looks, in ticks.
_BRAKING, _MARGIN, _AHEAD = 20, 2, 24
#: In the way is what is closer than this, in m: less than any way is planned with. Where one has to
#: begin tighter than NEAR it may be as tight for so long, scaled as above: not checked there.
_NEED, _TIGHT = 0.001, 0.36
#: The share of its speed at which the robot gets out of such a start.
_CAREFUL = 0.5
#: So many ticks go by between two looks at the same position, and the robot waits so long.
_AGAIN, _PATIENCE = 8, 60
#: Slower than this share of its speed the robot stands.
_STANDING = 0.02


class Lookout:
    """Looks ahead along one way, and sets how fast it is followed."""

    def __init__(self, world: RoomWorld, clearance: Clearance, way: Array) -> None:
        """way: joints after each tick, the first where the way starts, shape (ticks + 1, 11)."""
        self._world, self._way = world, way
        self._clearance = clearance
        tight = self._obstacle(0, NEAR) is not None
        self._marks = _marks(way, _TIGHT if tight else 0.0)
        self._tight = self._marks[0] if tight and self._marks else 0  # as far as this tick
        self._next = 0  # of the marks, the first not yet seen free
        self._met: Obstacle | None = None
        self._rate = _CAREFUL if tight else 1.0
        self._ticks = self._waited = 0

    def rate(self, at: float) -> float:
        """The share of the planned speed at which to go on from a tick of the way.

        Raises Failed (BLOCKED) when it has stood long enough before something.
        """
        self._ticks += 1
        if self._met is None:
            self._look_ahead(at)
        elif self._ticks % _AGAIN == 0:
            self._met = self._obstacle(self._marks[self._next])
        if self._met is not None:
            self._brake(at, self._met)
        else:
            most = _CAREFUL if at < self._tight else 1.0
            self._waited, self._rate = 0, min(most, self._rate + 1 / _BRAKING)
        return self._rate

    def _brake(self, at: float, met: Obstacle) -> None:
        """Slow down to stand some marks before what is in the way."""
        last = self._marks[self._next - _MARGIN] if self._next >= _MARGIN else 0
        stopping = math.sqrt(2 * max(0.0, last - at) / _BRAKING)
        self._rate = max(self._rate - 1 / _BRAKING, min(self._rate, stopping))
        if self._rate < _STANDING:
            self._rate = 0.0
            self._waited += 1
        if self._waited > _PATIENCE:
            raise Failed(Reason.BLOCKED, owner(met.other), f"stopped before {met.other}")

    def _look_ahead(self, at: float) -> None:
        """Look at the next positions, and again at one on the way of braking."""
        while self._next < len(self._marks) and self._marks[self._next] <= at + _AHEAD:
            self._met = self._obstacle(self._marks[self._next])
            if self._met is not None:
                return
            self._next += 1
        if self._ticks % _AGAIN == 0:
            again = int(np.searchsorted(self._marks, at + _BRAKING / 2))
            if again < self._next:
                self._met = self._obstacle(self._marks[again])
                if self._met is not None:
                    self._next = again

    def _obstacle(self, tick: int, need: float = _NEED) -> Obstacle | None:
        self._world.sync()
        clearance = self._clearance
        return self._world.obstacle(
            self._way[tick],
            need,
            fingers=clearance.fingers,
            held=clearance.held,
            ignore=clearance.ignore,
        )


def _marks(way: Array, after: float) -> list[int]:
    """The ticks at which a way is checked: evenly along it, so far after its start."""
    along = np.concatenate([[0.0], np.cumsum(distance(way[:-1], way[1:]))])
    parts = np.floor(along / _SPACING)
    marks = np.flatnonzero(np.diff(parts) > 0) + 1
    far = distance(way[0], way[marks]) > after
    return [int(mark) for mark in marks[far]]
