"""The mobile arm: one entry a skill, each ONE try that succeeds or fails for a typed reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ...outcomes import Failure, RawResult, Reason
from ..rotation import Array
from . import holding
from .closing import close_front
from .driving import Mover
from .failures import Failed
from .going import go_to
from .looking import look_into, raise_head
from .motion import Motion
from .opening import open_front
from .picking import feasible, pick
from .placing import put
from .switching import press
from .world import Front, Held, Reach, RoomWorld, Touch


class Attempted(NamedTuple):
    """The outcome of one try.

    failed: None after a success. time_s: simulated seconds. checks: of positions, while planning.
    push: the strongest sum of forces in a tick that were not allowed, in N, and the strongest
    touch in it.
    """

    failed: Failed | None
    time_s: float
    checks: int
    push: tuple[float, Touch | None]

    def raw(self, node_of: Callable[[str], int | None]) -> RawResult:
        """The result for the executor. node_of: the node of a name, None if it has none."""
        if self.failed is None:
            return RawResult(None, "", self.time_s)
        other = self.failed.other
        node = None if other is None else node_of(other)
        return RawResult(Failure(self.failed.reason, node), self.failed.message, self.time_s)


class MobileArmSnapshot(NamedTuple):
    """What the robot itself keeps from one action to the next."""

    target: Array
    opening: float
    fingers: float
    held: Held | None
    attempts: int


class MobileArm:
    """The robot of one world. Names are those of the world: of areas, fronts, buttons, things.

    All chance of a try comes from the seed, the number of the try, and its variation. held: what
    is in the hand.
    """

    def __init__(self, world: RoomWorld, seed: int = 0) -> None:
        self.world = world
        self.held: Held | None = None
        self._seed = seed
        self._attempts = 0
        self._motion = Motion(world)

    def go_to(self, name: str, variation: int = 0) -> Attempted:
        """Go and stand before an area, front, button or thing."""
        return self._attempt(lambda mover: go_to(mover, name), variation)

    def open(self, front: str, variation: int = 0) -> Attempted:
        """Open a front by its handle."""
        return self._attempt(lambda mover: _open(mover, front, variation), variation)

    def close(self, front: str, variation: int = 0) -> Attempted:
        """Push a front closed."""
        return self._attempt(lambda mover: _close(mover, front, variation), variation)

    def pick(self, thing: str, variation: int = 0, goal: str | None = None) -> Attempted:
        """Pick a thing up. goal: the area where it goes, if known: it is grasped for that."""
        return self._attempt(lambda mover: _pick(mover, thing, goal), variation)

    def feasible(self, thing: str, goal: str | None = None) -> Failed | None:
        """Why a thing cannot be picked from where it lies now, as far as plans tell; nothing moves.

        goal: as in `pick`. The number of tries does not count it.
        """
        generator = np.random.default_rng([self._seed, self._attempts, 0])
        mover = Mover(self._motion, generator, self.held)
        return feasible(mover, thing, _reach_of(mover, goal))

    def put(self, area: str, variation: int = 0) -> Attempted:
        """Put what is in the hand down in or on an area."""
        return self._attempt(lambda mover: put(mover, area), variation)

    def press(self, button: str, variation: int = 0) -> Attempted:
        """Press a button once; each press switches its area on or off."""
        return self._attempt(lambda mover: _press(mover, button), variation)

    def look(
        self, area: str, look: Callable[[], Mapping[str, Array]], variation: int = 0
    ) -> Attempted:
        """Take stands from which the head camera sees into an area; look: as in `look_into`."""
        spaces = [space for space in self.world.spaces.values() if space.area == area]
        return self._attempt(lambda mover: look_into(mover, spaces, look, variation), variation)

    def look_around(self) -> Attempted:
        """Raise the head, where the robot is."""
        return self._attempt(raise_head, 0)

    def wait(self, seconds: float) -> Attempted:
        """Stay as it is."""
        return self._attempt(lambda mover: mover.motion.hold(seconds), 0)

    def snapshot(self) -> MobileArmSnapshot:
        motion = self._motion
        return MobileArmSnapshot(
            motion.target.copy(), motion.opening, motion.fingers, self.held, self._attempts
        )

    def restore(self, snapshot: MobileArmSnapshot) -> None:
        """Restore a snapshot, after that of the world."""
        self._motion = Motion(self.world)
        self._motion.target = snapshot.target.copy()
        self._motion.opening, self._motion.fingers = snapshot.opening, snapshot.fingers
        self.held = snapshot.held
        self._motion.carried = snapshot.held
        self._attempts = snapshot.attempts

    def _attempt(self, skill: Callable[[Mover], None], variation: int) -> Attempted:
        generator = np.random.default_rng([self._seed, self._attempts, variation])
        self._attempts += 1
        motion = self._motion
        mover = Mover(motion, generator, self.held)
        began = motion.time_s
        motion.worst = (0.0, None)
        failed: Failed | None = None
        try:
            skill(mover)
        except Failed as failure:
            failed = failure
        lost = _believe(mover)
        if failed is not None:
            failed = lost or failed
            _recover(mover)
        self.held = mover.held
        return Attempted(failed, motion.time_s - began, mover.paths.checks, motion.worst)


def _open(mover: Mover, name: str, variation: int) -> None:
    front = _front(mover, name)
    if mover.world.front_value(name) < front.opened_at:
        open_front(mover, front)
    elif not variation:  # else an earlier try of the same action opened it
        raise Failed(Reason.ALREADY_OPEN, name)


def _close(mover: Mover, name: str, variation: int) -> None:
    front = _front(mover, name)
    if mover.world.front_value(name) > front.closed_at:
        close_front(mover, front)
    elif not variation:
        raise Failed(Reason.ALREADY_CLOSED, name)


def _pick(mover: Mover, thing: str, goal: str | None) -> None:
    _need_free_hand(mover)
    if thing not in mover.world.shapes:
        raise Failed(Reason.NOT_GRASPABLE, thing)
    pick(mover, thing, _reach_of(mover, goal))


def _reach_of(mover: Mover, area: str | None) -> Reach | None:
    """How an area is reached, if it is known and has a place for things."""
    spaces = (space for space in mover.world.spaces.values() if space.area == area)
    return next((space.reach for space in spaces), None)


def _press(mover: Mover, name: str) -> None:
    button = mover.world.buttons.get(name)
    if button is None:
        raise Failed(Reason.NOT_SWITCHABLE, name)
    _need_free_hand(mover)
    press(mover, button)


def _front(mover: Mover, name: str) -> Front:
    front = mover.world.fronts.get(name)
    if front is None:
        raise Failed(Reason.NOT_OPENABLE, name)
    _need_free_hand(mover)
    return front


def _need_free_hand(mover: Mover) -> None:
    if mover.held is not None:
        raise Failed(Reason.HANDS_FULL, mover.held.thing)


def _believe(mover: Mover) -> Failed | None:
    """Look whether what should be in the hand is there; the failure if it is not."""
    if mover.held is None:
        return None
    try:
        holding.look_again(mover)
    except Failed as failed:
        return Failed(Reason.MISPLACED, failed.other, f"lost: {failed.message}")
    return None


def _recover(mover: Mover) -> None:
    """Leave the robot free and tucked after a failure, if it can be."""
    motion = mover.motion
    motion.allowed = frozenset()
    try:
        if mover.held is None:
            motion.release()
        if not mover.tucked:
            mover.leave_hand(frozenset())
            mover.tuck()
    except Failed:
        return  # the next action tries again
