"""What came of an action: success, or a typed failure, and the record of every attempt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureClass(StrEnum):
    """Decides what the executor does about a failure."""

    PRECONDITION = "precondition"  # told to the planner at once
    GEOMETRY = "geometry"  # retried with another variation
    TRANSIENT = "transient"  # retried
    INFRASTRUCTURE = "infrastructure"  # simulator restarted and restored, then retried
    DENIED = "denied"  # never retried, told with the person's reason


class Reason(StrEnum):
    """Why an action failed."""

    UNKNOWN = "unknown"  # no such thing, as far as the agent has perceived
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
    STILL_ON = "still_on"  # does not open while it runs
    STILL_OPEN = "still_open"  # does not run while it is open
    NOT_PLUGGABLE = "not_pluggable"
    ALREADY_PLUGGED_IN = "already_plugged_in"
    ALREADY_PLUGGED_OUT = "already_plugged_out"
    UNPLUGGED = "unplugged"
    NOT_A_SURFACE = "not_a_surface"
    NOT_A_CONTAINER = "not_a_container"
    CONTAINER_CLOSED = "container_closed"
    FULL = "full"
    INTO_ITSELF = "into_itself"
    NOT_SLICEABLE = "not_sliceable"
    ALREADY_SLICED = "already_sliced"
    NO_TOOL = "no_tool"
    UNSUITABLE = "unsuitable"  # the thing is not made for what one wants to do with it
    SEATED = "seated"  # sits or lies, and so cannot walk
    NOT_SEATED = "not_seated"  # neither sits nor lies
    ALREADY_SITTING = "already_sitting"
    ALREADY_LYING = "already_lying"
    OCCUPIED = "occupied"  # a seat without room
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
    BAD_POSE = "bad_pose"  # of an arm: too few numbers, or none that a pose can have
    OUT_OF_BOUNDS = "out_of_bounds"  # a pose outside the workspace of an arm
    BLOCKED = "blocked"  # something is in the way of an arm, found before or while it moved
    SLIPPED = "slipped"  # was grasped, but did not stay in the gripper when it was lifted
    IMMOVABLE = "immovable"  # did not give way to the force of an arm, which let go of it
    MISPLACED = "misplaced"  # was let go or lost, and did not come to rest where it was to
    STOPPED = "stopped"  # a real arm's protective stop: nothing moves any more
    REFUSED = "refused"  # the simulator gave no reason
    NOT_CONFIRMED = "not_confirmed"  # reported as done, not so in the fresh state
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

    thing: the node it is about (the closed container, the thing not held). detail: the words of
    the person who denied the action, without a full stop; the planner is told them as they are.
    """

    reason: Reason
    thing: int | None = None
    detail: str = ""

    @property
    def kind(self) -> FailureClass:
        return _CLASSES.get(self.reason, FailureClass.PRECONDITION)


@dataclass(frozen=True, slots=True)
class RawResult:
    """What ONE try through the simulator's API gave.

    message: the simulator's own words, for the record only: they may name hidden things.
    sim_time_s: simulated seconds the try took, where the simulator has a clock.
    """

    failure: Failure | None = None
    message: str = ""
    sim_time_s: float = 0.0

    @property
    def success(self) -> bool:
        return self.failure is None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The record of one try. restored: the simulator was restarted before it."""

    variation: int
    failure: Failure | None
    message: str
    duration_s: float
    restored: bool = False


class Injection(StrEnum):
    """How a failure was put into a simulator on purpose."""

    INSTEAD = "instead"  # nothing reached the simulator
    AFTERWARDS = "afterwards"  # the simulator did the action, and it is reported as failed


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an action, after all attempts.

    Success means that the call returned, the simulator reported success and the action's
    postcondition holds in a freshly read state. A dialect words it for the planner; the messages
    of the attempts are the simulator's own and stay in the record. injected: the failure is none of
    the simulator's, see `episodes.faults`; no planner is told.
    """

    failure: Failure | None
    attempts: tuple[Attempt, ...] = ()
    duration_s: float = 0.0
    sim_time_s: float = 0.0
    injected: Injection | None = None

    @property
    def success(self) -> bool:
        return self.failure is None

    @property
    def retries(self) -> int:
        return max(0, len(self.attempts) - 1)
