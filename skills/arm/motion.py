"""Motions of an arm: smooth joint trajectories that stop at what they hit.

Between two joint positions the arm follows a quintic in time, at rest at both ends. While it moves
the force at its wrist and its distance to where it should be are watched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .rotation import Array
from .world import ArmState, ArmWorld

#: How often a command is given, in s.
TICK = 0.02
#: Speeds in rad/s: free, and near objects.
FAST = 1.0
SLOW = 0.6
#: How far behind its trajectory a joint may be, in rad, and how hard the hand may be pushed, in N,
#: before something must be in the way.
BEHIND = 0.1
PUSHED = 30.0
_SHORTEST = 0.3  # s
#: The most that joints accelerate, in rad/s² for each rad/s of speed: short motions would otherwise
#: be so violent that a heavy block pushes the fingers open.
GENTLE = 6.0


class Collision(Exception):
    """Something is in the way; the arm has stopped. force: at that moment, in N."""

    def __init__(self, path: Sequence[Array], force: Array) -> None:
        super().__init__()
        self.path = path
        self.force = force


class Motion:
    """Moves one arm. opening: what the gripper is told all the while, of each finger, in m.

    peak: the largest force since it was last cleared, less `base`, the force of an empty hand.
    """

    def __init__(self, world: ArmWorld, opening: float, base: Array) -> None:
        self.world = world
        self.opening = opening
        self.base = base
        self.peak: Array = np.zeros(3)
        self.target: Array = world.state().joints.copy()

    def to(self, joints: Array, speed: float = FAST, limit: float = PUSHED) -> None:
        """Follow a trajectory to joint positions, shape (7,), in rad. Raises Hit.

        speed: of the joint that has furthest to go, in rad/s at most on average. limit: of the
        force at the wrist, in N, against that at the start of the motion.
        """
        start, way = self.target, joints - self.target
        longest = float(np.abs(way).max())
        # A quintic's acceleration is 10 / sqrt(3) = 5.77 times way / duration² at most.
        duration = max(_SHORTEST, longest / speed, math.sqrt(5.77 * longest / (GENTLE * speed)))
        ticks = int(np.ceil(duration / TICK))
        before = self.world.state().force
        done = [start]
        for tick in range(1, ticks + 1):
            u = tick / ticks
            where = start + way * (u**3 * (10 - 15 * u + 6 * u * u))
            speeds = way * (30 * u * u * (1 - u) ** 2 / (ticks * TICK))
            self.world.command(where, speeds, self.opening)
            self.world.step(TICK)
            self.target = where
            state = self._seen()
            done.append(where)
            if (
                float(np.abs(state.joints - where).max()) > BEHIND
                or float(np.linalg.norm(state.force - before)) > limit
            ):
                self.hold(0.1)
                raise Collision(done, state.force - before)

    def hold(self, seconds: float, look: Callable[[], None] | None = None) -> Array:
        """Stay where it is so long; the mean force of the second half of that, less the base.

        Of more than 0.8 s the last 0.4 s count. look: called at each moment that counts.
        """
        ticks = max(1, round(seconds / TICK))
        counted = min((ticks + 1) // 2, round(0.4 / TICK))
        still = np.zeros(7)
        forces = []
        for tick in range(ticks):
            self.world.command(self.target, still, self.opening)
            self.world.step(TICK)
            force = self._seen().force
            if tick >= ticks - counted:
                forces.append(force)
                if look is not None:
                    look()
        mean: Array = np.mean(forces, axis=0) - self.base
        return mean

    def back(self, path: Sequence[Array]) -> None:
        """Go back along what was done of a trajectory, whatever is in the way."""
        still = np.zeros(7)
        for where in reversed(path):
            self.target = where
            self.world.command(where, still, self.opening)
            self.world.step(TICK)
            self._seen()

    def _seen(self) -> ArmState:
        state = self.world.state()
        push = state.force - self.base
        if push @ push > self.peak @ self.peak:
            self.peak = push
        return state
