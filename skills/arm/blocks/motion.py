"""Motions of an arm: smooth joint trajectories that stop on contact.

Between two joint positions the arm follows a quintic in time, at rest at both ends. During the
motion the force at the wrist and the tracking error are monitored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..rotation import Array
from .world import ArmState, ArmWorld

#: The period of commands, in s.
TICK = 0.02
#: Joint speeds in rad/s: in free space, and near objects.
FAST = 1.0
SLOW = 0.6
#: Limits beyond which there must be an obstacle: the lag of a joint, in rad, and the force on the
#: hand, in N.
MAX_LAG = 0.1
MAX_FORCE = 30.0
_MIN_DURATION = 0.3  # s
#: The largest joint acceleration, in rad/s² per rad/s of speed. Without it, short motions are so
#: abrupt that a heavy block pushes the fingers open.
MAX_ACCELERATION = 6.0


class Collision(Exception):
    """The arm hit something and has stopped.

    path: the joint positions passed. force: at that moment, in N, shape (3,).
    """

    def __init__(self, path: Sequence[Array], force: Array) -> None:
        super().__init__()
        self.path = path
        self.force = force


class Motion:
    """Commands one arm along trajectories. Forces are in N, shape (3,).

    opening: of each finger, commanded throughout, in m. target: the joint positions last commanded,
    shape (7,), in rad. empty_force: that of an empty hand. peak_force: the largest force since the
    last clearing, less empty_force.
    """

    def __init__(self, world: ArmWorld, opening: float, empty_force: Array) -> None:
        self.world = world
        self.opening = opening
        self.empty_force = empty_force
        self.peak_force: Array = np.zeros(3)
        self.target: Array = world.state().joints.copy()

    def move_to(self, joints: Array, speed: float = FAST, limit: float = MAX_FORCE) -> None:
        """Follow a trajectory to joint positions, shape (7,), in rad. Raises Collision.

        speed: the largest mean speed of the joint with the longest way, in rad/s. limit: of the
        force at the wrist, in N, relative to that at the start of the motion.
        """
        start, change = self.target, joints - self.target
        longest = float(np.abs(change).max())
        # The peak acceleration of a quintic is 10 / sqrt(3) = 5.77 times change / duration².
        duration = max(
            _MIN_DURATION, longest / speed, math.sqrt(5.77 * longest / (MAX_ACCELERATION * speed))
        )
        ticks = int(np.ceil(duration / TICK))
        before = self.world.state().force
        path = [start]
        for tick in range(1, ticks + 1):
            u = tick / ticks
            where = start + change * (u**3 * (10 - 15 * u + 6 * u * u))
            speeds = change * (30 * u * u * (1 - u) ** 2 / (ticks * TICK))
            self.world.command(where, speeds, self.opening)
            self.world.step(TICK)
            self.target = where
            state = self._sense()
            path.append(where)
            if (
                float(np.abs(state.joints - where).max()) > MAX_LAG
                or float(np.linalg.norm(state.force - before)) > limit
            ):
                self.hold(0.1)
                raise Collision(path, state.force - before)

    def hold(self, seconds: float, look: Callable[[], None] | None = None) -> Array:
        """Stay, and return the mean force of the second half, less that of an empty hand.

        Beyond 0.8 s, only the last 0.4 s count. look: called at each moment that counts.
        """
        ticks = max(1, round(seconds / TICK))
        counted = min((ticks + 1) // 2, round(0.4 / TICK))
        still = np.zeros(7)
        forces = []
        for tick in range(ticks):
            self.world.command(self.target, still, self.opening)
            self.world.step(TICK)
            force = self._sense().force
            if tick >= ticks - counted:
                forces.append(force)
                if look is not None:
                    look()
        mean: Array = np.mean(forces, axis=0) - self.empty_force
        return mean

    def retrace(self, path: Sequence[Array]) -> None:
        """Go back along the path of a collision, ignoring obstacles."""
        still = np.zeros(7)
        for where in reversed(path):
            self.target = where
            self.world.command(where, still, self.opening)
            self.world.step(TICK)
            self._sense()

    def _sense(self) -> ArmState:
        state = self.world.state()
        push = state.force - self.empty_force
        if push @ push > self.peak_force @ self.peak_force:
            self.peak_force = push
        return state
