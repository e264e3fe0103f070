"""Driving with the arm tucked, and unfolding it where something is to be reached."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from ...outcomes import Reason
from ..rotation import Array
from . import blocking, inverse
from .body import CAREFUL, CARRY, FREE, HIGH, LIFT_DRIVING, LOW, OPEN, TUCK, turned_near
from .failures import Failed, NoWay
from .motion import Motion
from .paths import NEAR, TRANSIT, Clearance, Paths
from .world import ARM, BASE, LIFT, Held, RoomWorld, owner

#: Checks that one search of a way may take: free ways need about 1,500.
_BUDGET = 3000
_TUCK_LIFTS = (LIFT_DRIVING, 0.4, 0.7)
#: How far beside start and goal a way is looked for, in m; the second is around an island.
_ROOMS_TO_DRIVE = (1.2, 2.5)
_DRIVE_STEP, _ARM_STEP = 0.8, 0.35
#: The least clearance where a drive ends, in m.
_ARRIVAL = 0.006
#: Distances tried when the arm cannot be tucked where it is, in m, and how many directions.
_BACK_OFF, _DIRECTIONS = (0.08, 0.16, 0.3), 12
#: Distances from what was touched, tried when the hand leaves it, in m.
LEAVE = (0.12, 0.08, 0.05)
#: Clearances then tried, in m: the hand may still be very close.
LEAVE_NEEDS = (0.010, 0.005, 0.002)
_TUCKED = 0.01  # rad
#: The clearance wanted around the folded arm, and what has to do where there is no other place.
_TUCK_NEED, _TUCK_LEAST = 0.008, 0.002


class Mover:
    """A robot in a world: its motion, its search of paths, and what it holds.

    What all skills of one attempt share. generator: the only source of chance.
    """

    def __init__(self, motion: Motion, generator: Generator, held: Held | None = None) -> None:
        self.world: RoomWorld = motion.world
        self.motion = motion
        self.generator = generator
        self.paths = Paths(motion.world, generator)
        self.held = held

    def clearance(
        self, need: float = TRANSIT, *, fingers: float | None = None, ignore: Set[str] = frozenset()
    ) -> Clearance:
        """What positions are checked for, with what is in the hand now."""
        opening = self.motion.opening if fingers is None else fingers
        return Clearance(need, opening, self.held, ignore)

    @property
    def tucked(self) -> bool:
        poses = CARRY if self.held is not None else (TUCK,)
        arm = self.motion.target[ARM]
        return min(float(np.abs(arm - pose).max()) for pose in poses) < _TUCKED

    def approach(self, joints: Array) -> Array:
        """Tuck, drive and unfold to joints of shape (11,); the same with the yaw counted on.

        The whole way is found before the base moves.
        """
        if not self.tucked:
            self.tuck()
        joints, drive, unfold = self.ways(joints)
        self.travel(drive)
        self.travel(unfold, FREE if self.held is None else CAREFUL)
        return joints

    def travel(self, way: Sequence[Array], speed: float = FREE) -> None:
        """Follow a way that was found free, looking ahead. Raises Failed."""
        self.motion.follow(way, speed, ahead=self.clearance())

    def ways(self, joints: Array) -> tuple[Array, list[Array], list[Array]]:
        """Ways of the tucked robot to joints of shape (11,): these with the yaw counted on, the way
        of the base, and that of the arm. Raises NoWay.
        """
        self.world.sync()
        joints = joints.copy()
        joints[2] = turned_near(joints[2], self.motion.target[2])
        lifted, arrived = self._lifted(joints)
        drive = self.way_of_base(lifted, joints[BASE])
        return joints, [lifted, *drive], self.way_of_arm(arrived, joints)

    def _lifted(self, joints: Array) -> tuple[Array, Array]:
        """The tucked robot here and there, at a lift that is free at both ends if there is one."""
        clearance = self.clearance()
        for lift in (float(self.motion.target[LIFT]), LIFT_DRIVING, float(joints[LIFT])):
            here = self.motion.target.copy()
            here[LIFT] = lift
            there = here.copy()
            there[BASE] = joints[BASE]
            if self.paths.free(there, clearance) and self.paths.edge_free(
                self.motion.target, here, clearance
            ):
                return here, there
        here = self.motion.target.copy()
        there = here.copy()
        there[BASE] = joints[BASE]
        return here, there

    def drive(self, base: Array) -> None:
        """Drive to x, y and yaw."""
        self.world.sync()
        self.travel(self.way_of_base(self.motion.target, base))

    def way_of_base(self, start: Array, base: Array) -> list[Array]:
        """A way to x, y and yaw with the arm as it is."""
        end = start.copy()
        end[:2], end[2] = base[:2], turned_near(base[2], start[2])
        low, high = np.minimum(start, end)[BASE], np.maximum(start, end)[BASE]
        for metres in _ROOMS_TO_DRIVE:
            room = np.array([metres, metres, 0.3])
            bounds = (low - room, high + room)
            try:
                return self._way(start, end, range(3), bounds, _DRIVE_STEP, arrival=_ARRIVAL)
            except NoWay as failed:
                last = failed
        raise last

    def way_of_arm(self, start: Array, end: Array, ignore: Set[str] = frozenset()) -> list[Array]:
        """A way of the arm and the lift; the base stays."""
        moving = range(LIFT, len(LOW))
        return self._way(start, end, moving, (LOW[LIFT:], HIGH[LIFT:]), _ARM_STEP, ignore)

    def tuck(self) -> None:
        """Fold the arm; where something is too close, back off a little first."""
        failure = self._tuck_here(_TUCK_NEED)
        for distance in _BACK_OFF:
            if failure is None:
                return
            if self._back_off(distance):
                failure = self._tuck_here(_TUCK_NEED)
        if failure is not None and self._tuck_here(_TUCK_LEAST) is not None:
            raise failure

    def settle(self) -> Failed | None:
        """Fold the arm after a skill, then open an empty hand; why not, if there is no room.

        The next skill tries again.
        """
        try:
            self.tuck()
        except Failed as failed:
            return failed
        if self.held is None and self.motion.opening < OPEN:
            self.motion.grip(OPEN, 0.3)
        return None

    def leave(
        self,
        direction: Array,
        ignore: Set[str] = frozenset(),
        distances: Sequence[float] = LEAVE,
        needs: Sequence[float] = LEAVE_NEEDS,
    ) -> bool:
        """Take the hand straight away along a unit vector, shape (3,); whether there was room.

        Where the straight way is tight, a way that rises too is tried. distances, needs: how far,
        and with which clearances, in m; the first that works.
        """
        self.world.sync()
        clearance = self.clearance(ignore=ignore)
        away = self.leaving(self.motion.target, direction, clearance, distances, needs)
        if away is None:
            return False
        self.motion.follow([away], CAREFUL)
        return True

    def leaving(
        self,
        joints: Array,
        direction: Array,
        clearance: Clearance,
        distances: Sequence[float] = LEAVE,
        needs: Sequence[float] = LEAVE_NEEDS,
    ) -> Array | None:
        """Where the hand gets from joints of shape (11,) straight along a unit vector, or None."""
        position, rotation = inverse.tcp(joints)
        rising = direction + np.array([0.0, 0.0, 0.5])
        for need in needs:
            for way in (direction, rising / np.linalg.norm(rising)):
                for distance in distances:
                    goal = (position + way * distance)[None]
                    found = inverse.solve(joints[None], goal, rotation[None], 60)
                    if found.reached[0] and self.paths.edge_free(
                        joints, found.joints[0], clearance.at(need)
                    ):
                        away: Array = found.joints[0]
                        return away
        return None

    def leave_hand(
        self,
        ignore: Set[str],
        distances: Sequence[float] = LEAVE,
        needs: Sequence[float] = LEAVE_NEEDS,
    ) -> bool:
        """Take the hand straight back from what it works at."""
        return self.leave(-inverse.tcp(self.motion.target)[1][:, 2], ignore, distances, needs)

    def _way(
        self,
        start: Array,
        end: Array,
        moving: range,
        bounds: tuple[Array, Array],
        step: float,
        ignore: Set[str] = frozenset(),
        arrival: float = NEAR,
    ) -> list[Array]:
        fixed = [joint for joint in range(len(LOW)) if joint not in moving]
        if float(np.abs(start - end)[fixed].max(initial=0.0)) > 1e-6:
            raise ValueError("joints that should stay differ")
        way = self.paths.connect(
            start,
            end,
            replace(self.clearance(ignore=ignore), base_stays=min(moving) >= LIFT),
            list(moving),
            *bounds,
            budget=_BUDGET,
            step=step,
            arrival=arrival,
        )
        if way is None:
            raise self._no_way()
        return way

    def _no_way(self) -> NoWay:
        """The failure that says what is in the way: what can be moved, if it was met often."""
        often = blocking.in_the_way(self.world, self.paths.met_often, ())
        if often is not None:
            return NoWay(Reason.BLOCKED, often, f"no free way past {often}")
        met = self.paths.met
        if met is None:
            return NoWay(Reason.BLOCKED, None, "no free way")
        told = f"no free way: {met.part} would hit {met.other}"
        return NoWay(Reason.BLOCKED, owner(met.other), told)

    def _tuck_here(self, need: float) -> Failed | None:
        """Fold the arm with so much clearance, in m; why not, if not."""
        last: Failed | None = None
        self.world.sync()
        clearance = self.clearance(need)
        for pose in CARRY if self.held is not None else (TUCK,):
            for lift in (float(self.motion.target[LIFT]), *_TUCK_LIFTS):
                goal = self.motion.target.copy()
                goal[LIFT], goal[ARM] = lift, pose
                met = self.paths.obstacle(goal, clearance)
                if met is not None:
                    message = f"no room to fold: {met.part} would hit {met.other}"
                    last = last or Failed(Reason.BLOCKED, owner(met.other), message)
                    continue
                try:
                    way = self.way_of_arm(self.motion.target, goal)
                except Failed as failed:
                    last = failed
                    continue
                self.travel(way)
                return None
        assert last is not None
        return last

    def _back_off(self, distance: float) -> bool:
        """Drive a little with the arm as it is, best backwards."""
        self.world.sync()
        turns = np.linspace(0, 2 * math.pi, _DIRECTIONS, endpoint=False)
        for turn in sorted(turns, key=lambda turn: abs(turn - math.pi)):
            angle = float(self.motion.target[2] + turn)
            goal = self.motion.target.copy()
            goal[:2] += distance * np.array([math.cos(angle), math.sin(angle)])
            if self.paths.free(goal, self.clearance(_ARRIVAL)) and self.paths.edge_free(
                self.motion.target, goal, self.clearance(NEAR)
            ):
                self.motion.follow([goal], CAREFUL)
                return True
        return False
