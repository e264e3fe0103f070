"""Orientations: quaternions (x, y, z, w), matrices, and Euler angles (roll, pitch, yaw).

Euler angles are in rad, about the fixed axes x, then y, then z: R = Rz(yaw) Ry(pitch) Rx(roll).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def matrix(quaternion: Sequence[float] | Array) -> Array:
    """The rotation matrix, shape (3, 3), of a quaternion that need not be normalised."""
    x, y, z, w = (float(part) for part in quaternion)
    size = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / size, y / size, z / size, w / size
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion(rotation: Array) -> Array:
    """The unit quaternion of a rotation matrix, with w >= 0."""
    r = rotation
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    if trace > 0:
        s = 2 * math.sqrt(trace + 1)
        q = [(r[2, 1] - r[1, 2]) / s, (r[0, 2] - r[2, 0]) / s, (r[1, 0] - r[0, 1]) / s, s / 4]
    else:
        i = int(np.argmax(np.diag(r)))
        j, k = (i + 1) % 3, (i + 2) % 3
        s = 2 * math.sqrt(1 + r[i, i] - r[j, j] - r[k, k])  # at least 1
        q = [0.0, 0.0, 0.0, (r[k, j] - r[j, k]) / s]
        q[i] = s / 4
        q[j] = (r[j, i] + r[i, j]) / s
        q[k] = (r[k, i] + r[i, k]) / s
    values = np.array(q)
    if values[3] < 0:
        values = -values
    unit: Array = values / np.linalg.norm(values)
    return unit


def from_euler(roll: float, pitch: float, yaw: float) -> Array:
    """The matrix of Euler angles."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def to_euler(rotation: Array) -> tuple[float, float, float]:
    """(roll, pitch, yaw) of a matrix; at a pitch of 90 degrees, roll is 0."""
    pitch = math.asin(max(-1.0, min(1.0, -float(rotation[2, 0]))))
    if abs(rotation[2, 0]) > 1 - 1e-9:
        return 0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0])


def vector(rotation: Array) -> Array:
    """The rotation vector (axis times angle, rad), shape (3,), of a matrix."""
    x, y, z, w = quaternion(rotation)
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-12:
        return np.zeros(3)
    angle = 2 * math.atan2(sine, w)
    return np.array([x, y, z]) * (angle / sine)


def mean(rotations: Sequence[Array]) -> Array:
    """The chordal mean of rotation matrices, by SVD."""
    u, _, v = np.linalg.svd(np.sum(rotations, axis=0))
    u[:, 2] *= np.linalg.det(u @ v)
    nearest: Array = u @ v
    return nearest


def about_z(angle: float) -> Array:
    """The matrix of a rotation about the z axis, in rad."""
    return from_euler(0.0, 0.0, angle)


#: The hand with its fingers down, its x axis along the base's x axis.
DOWN: Array = np.diag([1.0, -1.0, -1.0])
