"""OmniGibson's symbolic action primitives, and the interface of the backends that run them.

Names are those of `SymbolicSemanticActionPrimitiveSet` and `ActionPrimitiveError.Reason` in
omnigibson 1.1.1; the current version has the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from ...observation_text.view import View
from ...scene_graph.graph import SceneGraph
from ...scene_graph.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


class Backend(Protocol):
    """A scene with a robot that runs primitives. Things are named by the ids of its graph."""

    def reset(self, task: Task, seed: int) -> None:
        """Load the task's scene. Raises BadInput, Missing and SimulatorDied."""

    def apply(self, primitive: Primitive, thing: int | None) -> Result:
        """Run a primitive once, without retries."""

    def graph(self) -> SceneGraph:
        """The true state; not to be modified."""

    def view(self) -> View:
        """The robot's perception now."""

    def image(self) -> NDArray[np.uint8] | None:
        """The robot's camera as RGB, shape (height, width, 3), or None."""

    def close(self) -> None:
        """Release the scene."""

    def facts(self) -> dict[str, Any]:
        """Versions and settings."""
