"""The body of the mobile arm: a Panda on a lift on a base that drives to any side.

Joints are arrays of shape (11,) in m and rad: base x, base y, base yaw, lift, then the arm's seven.
Lists of arm poses are where the search for joint positions starts: a pull towards ONE pose would
find hardly any.
"""

from __future__ import annotations

import math

import numpy as np

from .. import kinematics, panda
from ..rotation import Array
from .world import LIFT

#: The height of the arm's base over the floor with the lift down, and the base's radius, in m.
ARM_HEIGHT = 0.25
BASE_RADIUS = 0.22
#: Everything that stands lower than this is in the way of the base, in m.
BASE_TOP = 0.28
LIFT_HIGH = 0.85

LOW: Array = np.array([-99.0, -99.0, -999.0, 0.0, *kinematics.LOW])
HIGH: Array = np.array([99.0, 99.0, 999.0, LIFT_HIGH, *kinematics.HIGH])
#: The speeds of joints, in m/s and rad/s.
SPEEDS: Array = np.array([0.5, 0.5, 1.0, 0.35, *np.full(7, 1.2)])
#: How far joints move while the hand moves about as far: the measure of distances, in m and rad.
SCALE: Array = np.array([0.5, 0.5, 1.0, 0.5, *np.ones(7)])
#: Fractions of SPEEDS: with an empty hand, along openings, and near things.
FREE, HANDLING, CAREFUL = 0.9, 0.8, 0.6

#: Openings of each finger, in m.
OPEN, CLOSED = panda.FINGER_OPEN, 0.0
#: From the palm to the tcp, in m: what is thicker in front of the tcp would hit the palm.
PALM = 0.0374

#: The arm folded over the base, and other poses that suit with a thing in the hand.
TUCK: Array = np.array([0, -1.35, 0, -2.85, 0, 2.2, 0.785])
CARRY: tuple[Array, ...] = (
    TUCK,
    np.array([0, -1.2, 0, -2.5, 0, 1.3, 0.785]),
    np.array([0, -1.0, 0, -2.7, 0, 2.6, 0.785]),
)
#: The lift while driving, in m.
LIFT_DRIVING = 0.15
#: The head camera, which turns and tilts, on a mast beside the arm that the lift carries: over the
#: arm's base, in m. In front of the mast's foot or behind it the tucked arm is in its way.
HEAD: Array = np.array([0.04, 0.22, 0.65])

#: Fingers down.
DOWN: Array = np.array(
    [
        [0, 0.3, 0, -2.1, 0, 2.5, 0.785],
        [0, -0.3, 0, -2.2, 0, 2, 0.785],
        [0, 0.9, 0, -1.9, 0, 2.85, 0.785],
    ]
)
#: Fingers level, at the height of the shoulder or so.
LEVEL: Array = np.array(
    [
        [0, 0.2, 0, -1.7, 0, 3.4, 0.785],
        [0, -0.3, 0, -2.2, 0, 3.45, 0.785],
        [0, 0.7, 0, -1.4, 0, 3.6, 0.785],
        [0, -0.9, 0, -2.6, 0, 3.2, 0.785],
    ]
)
#: Fingers level near the floor: the forearm on its side.
LOW_LEVEL: Array = np.array(
    [
        [0.6, 1.0, 0.2, -2, -2.1, 2, -0.2],
        [-0.8, 1.4, 0.2, -1.9, 2, 2, 0.8],
        [-0.3, -0.2, 1.5, -1.9, 1.1, 2, -1.5],
        [0.3, -1.5, -2.6, -2, 0.1, 2.1, -0.2],
        [0.3, 0.7, 0.5, -2, -1.8, 2.1, -0.4],
        [-0.8, 1.1, 0.2, -2, 1.9, 2.1, -0.3],
    ]
)


def level_at(height: float) -> Array:
    """Arm poses with level fingers for a hand at a height over the floor in m, shape (n, 7)."""
    if height < 0.4:
        return np.concatenate([LOW_LEVEL, LEVEL[2:3]])
    return np.concatenate([LEVEL, LOW_LEVEL]) if height < 0.7 else LEVEL


def head(joints: Array) -> Array:
    """Where the head camera is, in the frame of the room, shape (3,)."""
    cos, sin = math.cos(joints[2]), math.sin(joints[2])
    x, y, up = HEAD
    return np.array(
        [
            joints[0] + cos * x - sin * y,
            joints[1] + sin * x + cos * y,
            ARM_HEIGHT + joints[LIFT] + up,
        ]
    )


def turned_near(yaw: float, near: float) -> float:
    """The same direction as `yaw`, at most half a turn from `near`, in rad."""
    return near + (yaw - near + math.pi) % (2 * math.pi) - math.pi


def distance(first: Array, second: Array) -> Array:
    """The largest scaled difference of joints, shape (...), of joints (..., 11)."""
    result: Array = np.abs((second - first) / SCALE).max(axis=-1)
    return result
