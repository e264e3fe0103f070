"""Kinematics of the whole body, for many joint positions at once.

The inverse is damped least squares over the 11 joints in numpy. Each start is its own home pose in
the null space. n is the number of joint positions; poses are of the tcp, in the frame of the room.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kinematics, panda
from ..rotation import Array
from .body import ARM_HEIGHT, HIGH, LOW
from .world import ARM, JOINTS, LIFT

#: How much the joints move: the base hardly, so that it stays where it was found to be free; or
#: with the hand, along an arc.
STANDING: Array = np.array([0.03, 0.03, 0.05, 0.3, *np.ones(7)])
FOLLOWING: Array = np.array([0.15, 0.15, 0.15, 0.15, *np.ones(7)])

_DAMPING, _LEAST_DAMPING, _FADE = 1e-3, 1e-5, 1e-3
_HOMEWARD = 0.03
_LONGEST_STEP = 0.25  # of any joint, in rad or m
_MARGIN = 0.012  # to the limits, in rad or m


class Tolerance(NamedTuple):
    """How close to a pose is close enough."""

    position: float = 0.001  # m
    rotation: float = 0.01  # rad


EXACT = Tolerance()


class Solutions(NamedTuple):
    """Joint positions, shape (n, 11), and which of them reach their pose, shape (n,)."""

    joints: Array
    reached: NDArray[np.bool_]


def forward(joints: Array) -> tuple[Array, Array]:
    """The positions, shape (n, 3), and rotations, shape (n, 3, 3), of the tcp."""
    position, rotation, _, _ = _hands(joints)
    return position, rotation


def tcp(joints: Array) -> tuple[Array, Array]:
    """The position, shape (3,), and rotation, shape (3, 3), of the tcp at joints of shape (11,)."""
    position, rotation = forward(joints[None])
    return position[0], rotation[0]


def solve(
    starts: Array,
    position: Array,
    rotation: Array,
    steps: int = 80,
    *,
    loose: Array | None = None,
    loose_weight: float = 0.1,
    tolerance: Tolerance = EXACT,
    weights: Array = STANDING,
) -> Solutions:
    """Joint positions for poses of the tcp, from starts of shape (n, 11).

    position, rotation: shape (n, 3) and (n, 3, 3). loose: a unit axis, shape (3,), about which the
    hand may turn freely; errors about it weigh loose_weight. weights: of the joints.
    """
    joints, home = starts.copy(), starts[:, ARM].copy()
    reached = np.zeros(len(starts), bool)
    active = np.arange(len(starts))
    spin = np.eye(3)
    if loose is not None:
        spin -= (1 - loose_weight) * np.outer(loose, loose)
    for _ in range(steps):
        at, turned, jacobian = _with_jacobian(joints[active])
        error = np.empty((len(active), 6))
        error[:, :3] = position[active] - at
        turn = logarithms(rotation[active] @ turned.transpose(0, 2, 1))
        counted = turn
        if loose is not None:
            counted = turn - np.outer(turn @ loose, loose)
            turn = turn @ spin
            jacobian[:, 3:] = spin @ jacobian[:, 3:]
        error[:, 3:] = turn
        good = np.linalg.norm(error[:, :3], axis=1) < tolerance.position
        good &= np.linalg.norm(counted, axis=1) < tolerance.rotation
        if good.any():
            reached[active[good]] = True
            active, jacobian, error = active[~good], jacobian[~good], error[~good]
            if not len(active):
                break
        away = home[active] - joints[active, ARM]
        step = _steps(jacobian, error, away, weights)
        joints[active] = np.clip(joints[active] + step, LOW + _MARGIN, HIGH - _MARGIN)
    return Solutions(joints, reached)


def _steps(jacobian: Array, error: Array, homeward: Array, weights: Array) -> Array:
    """One step of damped least squares each, shape (n, 11), pulled home in the null space."""
    weighted = jacobian * weights
    far = np.minimum(1.0, (error * error).sum(axis=1) / _FADE)
    damping = np.maximum(_DAMPING * far, _LEAST_DAMPING)[:, None, None] * np.eye(6)
    pull = np.zeros((len(error), JOINTS))
    pull[:, ARM] = _HOMEWARD * far[:, None] * homeward
    rest = error[..., None] - jacobian @ pull[..., None]
    solved = np.linalg.solve(weighted @ jacobian.transpose(0, 2, 1) + damping, rest)
    step: Array = (weighted.transpose(0, 2, 1) @ solved)[..., 0] + pull
    longest = np.abs(step).max(axis=1)
    step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-9))[:, None]
    return step


def _hands(joints: Array) -> tuple[Array, Array, Array, Array]:
    """The tcp's positions and rotations, and the links' frames: origins (n, 8, 3) and rotations."""
    cosine, sine = np.cos(joints[:, 2]), np.sin(joints[:, 2])
    base = np.zeros((len(joints), 4, 4))
    base[:, 0, 0], base[:, 0, 1], base[:, 1, 0], base[:, 1, 1] = cosine, -sine, sine, cosine
    base[:, 2, 2] = base[:, 3, 3] = 1
    base[:, :2, 3] = joints[:, :2]
    base[:, 2, 3] = ARM_HEIGHT + joints[:, LIFT]
    frames = kinematics.frames(joints[:, ARM], base)
    origins, rotations = frames[..., :3, 3], frames[..., :3, :3]
    hand = rotations[:, 7]
    return origins[:, 7] + hand[:, :, 2] * panda.TCP_OFFSET[2], hand, origins, rotations


def _with_jacobian(joints: Array) -> tuple[Array, Array, Array]:
    """The tcp's positions, rotations and Jacobians, shape (n, 6, 11): linear, then angular."""
    at, turned, origins, rotations = _hands(joints)
    jacobian = np.zeros((len(joints), 6, JOINTS))
    jacobian[:, 0, 0] = jacobian[:, 1, 1] = jacobian[:, 2, LIFT] = jacobian[:, 5, 2] = 1
    jacobian[:, 0, 2] = -(at[:, 1] - joints[:, 1])
    jacobian[:, 1, 2] = at[:, 0] - joints[:, 0]
    x, y, z = (rotations[:, :7, row, 2] for row in range(3))
    dx, dy, dz = (at[:, None, row] - origins[:, :7, row] for row in range(3))
    jacobian[:, 0, ARM] = y * dz - z * dy
    jacobian[:, 1, ARM] = z * dx - x * dz
    jacobian[:, 2, ARM] = x * dy - y * dx
    jacobian[:, 3, ARM], jacobian[:, 4, ARM], jacobian[:, 5, ARM] = x, y, z
    return at, turned, jacobian


def logarithms(rotations: Array) -> Array:
    """The rotation vectors, shape (n, 3), of matrices (n, 3, 3); about half a turn, any axis."""
    vectors = 0.5 * np.stack(
        [
            rotations[:, 2, 1] - rotations[:, 1, 2],
            rotations[:, 0, 2] - rotations[:, 2, 0],
            rotations[:, 1, 0] - rotations[:, 0, 1],
        ],
        axis=1,
    )
    sine = np.linalg.norm(vectors, axis=1)
    cosine = (rotations[:, 0, 0] + rotations[:, 1, 1] + rotations[:, 2, 2] - 1) / 2
    angle = np.arctan2(sine, cosine)
    scale = np.where(sine > 1e-6, angle / np.maximum(sine, 1e-9), 1.0)
    result: Array = vectors * scale[:, None]
    result[(sine < 1e-3) & (cosine < 0)] = (3.0, 0.0, 0.0)
    return result
