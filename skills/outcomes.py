"""Outcomes of actions: success or a typed failure, and the record of every attempt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureClass(StrEnum):
    """The class of a failure, which decides the executor's response."""

    PRECONDITION = "precondition"  # reported to the planner at once
    GEOMETRY = "geometry"  # retried with another variation
    TRANSIENT = "transient"  # retried
    INFRASTRUCTURE = "infrastructure"  # simulator restarted and restored, then retried
    DENIED = "denied"  # never retried; reported with the person's reason


class Reason(StrEnum):
    """Why an action failed."""

    UNKNOWN = "unknown"  # never perceived, or does not exist
    NOT_SEEN = "not_seen"  # known from a map or an inventory, but never perceived
    NOT_HERE = "not_here"  # seen before, not perceived now
    ENCLOSED = "enclosed"  # inside a closed container
    NOT_CLOSE = "not_close"
    HANDS_FULL = "hands_full"
    HELD = "held"  # already in a hand
    NOT_HELD = "not_held"
    NOT_GRASPABLE = "not_graspable"
    NOT_OPENABLE = "not_openable"
    ALREADY_OPEN = "already_open"
    ALREADY_CLOSED = "already_closed"
    NOT_SWITCHABLE = "not_switchable"
    ALREADY_ON = "already_on"
    ALREADY_OFF = "already_off"
    STILL_ON = "still_on"  # cannot open while it runs
    STILL_OPEN = "still_open"  # cannot run while it is open
    NOT_PLUGGABLE = "not_pluggable"
    ALREADY_PLUGGED_IN = "already_plugged_in"
    ALREADY_PLUGGED_OUT = "already_plugged_out"
    UNPLUGGED = "unplugged"
    NOT_A_SURFACE = "not_a_surface"
    NOT_A_CONTAINER = "not_a_container"
    CONTAINER_CLOSED = "container_closed"
    FULL = "full"
    DOES_NOT_FIT = "does_not_fit"  # too tall or too wide for the place, even if it were empty
    INTO_ITSELF = "into_itself"
    NOT_SLICEABLE = "not_sliceable"
    ALREADY_SLICED = "already_sliced"
    NO_TOOL = "no_tool"
    UNSUITABLE = "unsuitable"  # the thing does not afford the action
    SEATED = "seated"  # the agent sits or lies and cannot walk
    NOT_SEATED = "not_seated"  # the agent neither sits nor lies
    ALREADY_SITTING = "already_sitting"
    ALREADY_LYING = "already_lying"
    OCCUPIED = "occupied"  # the seat is full
    IN_USE = "in_use"  # the agent sits or lies on it
    ON_BODY = "on_body"  # worn, or a part of somebody
    NOT_WORN = "not_worn"
    EMPTY_HANDED = "empty_handed"
    NOT_A_RECIPIENT = "not_a_recipient"
    NOT_IN_SIGHT = "not_in_sight"
    NOT_FACING = "not_facing"
    NOT_SUPPORTED = "not_supported"  # this simulator has no such action
    NO_FREE_SPOT = "no_free_spot"
    UNREACHABLE = "unreachable"
    BAD_POSE = "bad_pose"  # of an arm: not a valid pose
    OUT_OF_BOUNDS = "out_of_bounds"  # a pose outside the workspace of an arm
    BLOCKED = "blocked"  # an obstacle before the arm, found before or during the motion
    SLIPPED = "slipped"  # slipped out of the gripper during the lift
    IMMOVABLE = "immovable"  # did not move under the arm's force
    MISPLACED = "misplaced"  # released or lost, and did not rest at the intended place
    STOPPED = "stopped"  # a real arm's protective stop
    REFUSED = "refused"  # the simulator gave no reason
    NOT_CONFIRMED = "not_confirmed"  # reported as done, but not so in the fresh state
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    DENIED = "denied"  # a person forbids the action


_CLASSES = {
    Reason.NO_FREE_SPOT: FailureClass.GEOMETRY,
    Reason.UNREACHABLE: FailureClass.GEOMETRY,
    Reason.BLOCKED: FailureClass.GEOMETRY,
    Reason.SLIPPED: FailureClass.GEOMETRY,
    Reason.REFUSED: FailureClass.TRANSIENT,
    Reason.NOT_CONFIRMED: FailureClass.TRANSIENT,
    Reason.TIMEOUT: FailureClass.INFRASTRUCTURE,
    Reason.CRASHED: FailureClass.INFRASTRUCTURE,
    Reason.DENIED: FailureClass.DENIED,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A typed failure.

    thing: the node it is about (the closed container, the thing not held). detail: the unchanged
    words of the person who denied the action, without a full stop.
    """

    reason: Reason
    thing: int | None = None
    detail: str = ""

    @property
    def kind(self) -> FailureClass:
        return _CLASSES.get(self.reason, FailureClass.PRECONDITION)


@dataclass(frozen=True, slots=True)
class RawResult:
    """The result of one try through the simulator's API.

    message: the simulator's own words, for the record only: they may name hidden things.
    sim_time_s: simulated seconds of the try; 0 without a clock.
    """

    failure: Failure | None = None
    message: str = ""
    sim_time_s: float = 0.0

    @property
    def success(self) -> bool:
        return self.failure is None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The record of one try."""

    variation: int
    """Which pose, instance or offset was tried; 0 is the first."""
    failure: Failure | None
    """None if the try succeeded."""
    message: str
    """The simulator's own words."""
    duration_s: float
    """Wall-clock seconds."""
    restored: bool = False
    """Whether the simulator was restarted before it."""


class Injection(StrEnum):
    """How a failure was injected into a simulator."""

    INSTEAD = "instead"  # nothing reached the simulator
    AFTERWARDS = "afterwards"  # the simulator did the action, but it is reported as failed


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an action, after all attempts.

    Success means that the call returned, the simulator reported success, and the action's
    postcondition holds in a freshly read state.
    """

    failure: Failure | None
    """None after a success."""
    attempts: tuple[Attempt, ...] = ()
    """Their messages are the simulator's own and stay in the record."""
    duration_s: float = 0.0
    """Wall-clock seconds of all attempts."""
    sim_time_s: float = 0.0
    """Simulated seconds of all attempts."""
    injected: Injection | None = None
    """How the failure was injected (`episodes.faults`); hidden from planners."""

    @property
    def success(self) -> bool:
        return self.failure is None

    @property
    def retries(self) -> int:
        return max(0, len(self.attempts) - 1)
