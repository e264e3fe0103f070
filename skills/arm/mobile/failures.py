"""Failures of skills: why, and what is in the way."""

from __future__ import annotations

from ...outcomes import Reason


class Failed(Exception):
    """A skill has failed, and the robot is at rest.

    reason: typed. other: the thing, front or area that it is about, if any; "floor", "wall" or
    "itself" where the robot cannot pass. message: for the record.
    """

    def __init__(self, reason: Reason, other: str | None = None, message: str = "") -> None:
        super().__init__(f"{reason}: {message or other}")
        self.reason = reason
        self.other = other
        self.message = message


class NoWay(Failed):
    """No way to do it was found, and the robot has not moved for it."""
