"""Failures of robots and networks that the stand-in injects, one an order."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ....errors import BadInput, unknown_name


class Fault(StrEnum):
    """What goes wrong with one order."""

    DROP_BEFORE = "drop_before"  # the connection ends, and the robot has not begun
    DROP_DURING = "drop_during"  # the connection ends while the robot acts; it acts on
    DROP_AFTER = "drop_after"  # the robot has done it; the connection ends before the result
    LATE = "late"  # the result comes after the deadline, while the robot is being cancelled
    LONG_LATE = "long_late"  # the result comes when nobody waits for it any more
    DUPLICATE = "duplicate"  # the result comes three times, also later
    GARBLED = "garbled"  # the result is no JSON
    MALFORMED = "malformed"  # the result is JSON without its fields
    FOREIGN = "foreign"  # the results of orders that nobody gave come before it
    LOST = "lost"  # the robot has done it; the result never comes
    NEVER = "never"  # the robot does nothing and does not answer, not even a cancel
    STUCK = "stuck"  # the robot does nothing, but can be cancelled
    SILENT = "silent"  # as stuck, and status, feedback and heartbeat stop
    FAILED = "failed"  # the robot reports a failure
    BLIND = "blind"  # it does it, and the perception topics send nonsense for a while


@dataclass(frozen=True)
class Faults:
    """Which order meets which fault: by a list, or drawn by rates."""

    listed: Mapping[int, Fault] | None = None
    """By the number of the order, from 0."""
    rates: Mapping[Fault, float] | None = None
    """The probability of each."""
    seed: int = 0

    def of(self, number: int) -> Fault | None:
        """The fault of an order, the same for the same seed."""
        if self.listed is not None:
            return self.listed.get(number)
        draw = random.Random(f"{self.seed} {number}").random()
        for fault, rate in (self.rates or {}).items():
            draw -= rate
            if draw < 0:
                return fault
        return None


def parse(text: str) -> dict[Fault, float]:
    """The rates of a text "late=0.1,lost=0.05". Raises BadInput."""
    rates: dict[Fault, float] = {}
    for item in filter(None, text.split(",")):
        name, _, value = item.partition("=")
        if name not in set(Fault):
            raise unknown_name("fault", name, Fault)
        try:
            rate = float(value)
        except ValueError:
            rate = -1.0
        if not 0 <= rate <= 1:
            raise BadInput(f"The rate of {name} is '{value}'; give a number from 0 to 1.")
        rates[Fault(name)] = rate
    if sum(rates.values()) > 1:
        raise BadInput("The rates of the faults sum to more than 1; lower them.")
    return rates
