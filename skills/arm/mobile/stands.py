"""Where the robot may stand to reach something: starts for the inverse kinematics."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ..rotation import Array
from .body import ARM_HEIGHT, CARRY, HIGH, LIFT_DRIVING, LIFT_HIGH, LOW, TUCK
from .paths import TRANSIT, Clearance, Paths
from .world import ARM, LIFT, RoomWorld

#: The distance of the base from all that stands low, in m, and how often a place is drawn again.
BASE_NEED = 0.012
_REDRAWS = 20
_SHOULDER = 0.333  # m over the arm's base
_SPREAD = 0.4  # rad about the poses of a list
_TURN = 0.6  # rad about facing the goal
_WRIST = 2.6  # rad, of the last joint


def sample(
    world: RoomWorld,
    generator: Generator,
    goals: Array,
    outward: Array,
    poses: Array,
    *,
    near: tuple[float, float] = (0.45, 1.0),
    side: float = 0.6,
) -> Array:
    """Whole-body positions, shape (n, 11), whose base is free and whose arm reaches forward.

    goals: what to reach, shape (n, 3), in m. outward: from where, a vector whose z does not count.
    poses: lists of arm poses, as in `body`. near, side: the distances of the base from its goal
    along `outward` and across, in m.
    """
    count = len(goals)
    away = np.array([outward[0], outward[1]]) / np.hypot(outward[0], outward[1])
    across = np.array([-away[1], away[0]])
    joints = np.zeros((count, len(LOW)))
    left = np.arange(count)
    for _ in range(_REDRAWS):
        k = len(left)
        place = goals[left, :2] + away * generator.uniform(*near, (k, 1))
        place += across * generator.uniform(-side, side, (k, 1))
        facing = goals[left, :2] - place
        joints[left, :2] = place
        joints[left, 2] = np.arctan2(facing[:, 1], facing[:, 0])
        joints[left, 2] += generator.uniform(-_TURN, _TURN, k)
        left = left[~world.base_free(place, BASE_NEED)]
        if not len(left):
            break
    height = goals[:, 2] - ARM_HEIGHT - _SHOULDER + generator.uniform(-0.25, 0.45, count)
    joints[:, LIFT] = np.clip(height, 0.02, LIFT_HIGH - 0.02)
    arm = poses[generator.integers(len(poses), size=count)]
    arm = arm + generator.uniform(-_SPREAD, _SPREAD, arm.shape)
    arm[:, -1] = generator.uniform(-_WRIST, _WRIST, count)
    joints[:, ARM] = np.clip(arm, LOW[ARM] + 0.02, HIGH[ARM] - 0.02)
    return joints


def can_tuck(paths: Paths, joints: Array, clearance: Clearance) -> bool:
    """Whether the robot can stand at the base of these joints with its arm tucked, and drive off.

    clearance: what counts, whatever distance it needs.
    """
    tucked, clearance = joints.copy(), clearance.at(TRANSIT)
    poses = CARRY if clearance.held is not None else (TUCK,)
    for pose in poses:
        tucked[ARM] = pose
        for lift in (LIFT_DRIVING, joints[LIFT]):
            tucked[LIFT] = lift
            if paths.free(tucked, clearance):
                return True
    return False
