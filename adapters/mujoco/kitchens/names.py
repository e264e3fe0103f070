"""What the bodies, joints and geoms of a kitchen's model are called, and which are the robot's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....skills.arm.mobile.world import Front, handle_of

#: The joints of the robot, in the order of the skills, and what its bodies and sites are called.
JOINT_NAMES = ("base_x", "base_y", "base_yaw", "lift", *(f"joint{i}" for i in range(1, 8)))
FINGER_NAMES = ("left_finger", "right_finger")
ROBOT, HAND, TCP, FLOOR, WALL = "base", "hand", "tcp", "floor", "wall"
#: Fronts' geoms that are handles are sticky.
_HANDLE_CONDIM = 4


class Parts(NamedTuple):
    """Which geoms are the robot's, shape (geoms,), and the names of their bodies."""

    robot: NDArray[np.bool_]
    finger: NDArray[np.bool_]
    hand: NDArray[np.bool_]
    """With the fingers."""
    names: Sequence[str]
    """Of the robot's geoms; empty for others."""

    @classmethod
    def of(cls, model: Any) -> Parts:
        bodies = model.geom_bodyid
        robot = model.body_rootid[bodies] == model.body_rootid[model.body(ROBOT).id]
        finger = np.isin(bodies, [model.body(name).id for name in FINGER_NAMES])
        names = [
            model.body(bodies[geom]).name if robot[geom] else "" for geom in range(len(bodies))
        ]
        return cls(robot, finger, finger | (bodies == model.body(HAND).id), names)


def geom_names(model: Any, fronts: Mapping[str, Front]) -> list[str]:
    """What planners call each geom: what it belongs to."""
    names = []
    for geom, body in enumerate(model.geom_bodyid):
        own, mark, _ = model.geom(geom).name.partition("#")
        name = own if mark else model.body(body).name
        if name == "world":
            name = FLOOR if own.startswith(FLOOR) else WALL
        elif name in fronts and not mark and model.geom_condim[geom] == _HANDLE_CONDIM:
            name = handle_of(name)
        names.append(name)
    return names
