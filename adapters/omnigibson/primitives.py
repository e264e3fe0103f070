"""OmniGibson's symbolic action primitives, which the backends run.

Names are those of `SymbolicSemanticActionPrimitiveSet` and `ActionPrimitiveError.Reason` in
omnigibson 1.1.1; the current version has the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Primitive(StrEnum):
    """A symbolic action primitive. All but RELEASE take a target.

    The thing to place, soak or wipe with is the held one.
    """

    GRASP = "GRASP"
    PLACE_ON_TOP = "PLACE_ON_TOP"
    PLACE_INSIDE = "PLACE_INSIDE"
    OPEN = "OPEN"
    CLOSE = "CLOSE"
    TOGGLE_ON = "TOGGLE_ON"
    TOGGLE_OFF = "TOGGLE_OFF"
    SOAK_UNDER = "SOAK_UNDER"
    SOAK_INSIDE = "SOAK_INSIDE"
    WIPE = "WIPE"
    CUT = "CUT"
    PLACE_NEAR_HEATING_ELEMENT = "PLACE_NEAR_HEATING_ELEMENT"
    NAVIGATE_TO = "NAVIGATE_TO"
    RELEASE = "RELEASE"


class Error(StrEnum):
    """Why a primitive failed."""

    PRE_CONDITION = "PRE_CONDITION_ERROR"  # not possible now
    SAMPLING = "SAMPLING_ERROR"  # no pose to stand or to put a thing
    PLANNING = "PLANNING_ERROR"  # no path
    EXECUTION = "EXECUTION_ERROR"  # failed on the way
    POST_CONDITION = "POST_CONDITION_ERROR"  # done, but without effect
    UNSUPPORTED = "UNSUPPORTED"  # ours: the primitive is not implemented (NotImplementedError)
    BROKEN = "BROKEN"  # ours: a bug in the primitive, such as KeyError


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one run of a primitive. message: its own words; sim_time_s: simulated time."""

    error: Error | None = None
    message: str = ""
    sim_time_s: float = 0.0
