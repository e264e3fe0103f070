"""Kinematics of the Panda: the pose of its tcp, and joint positions for a pose.

The tcp is the point between the fingertips. Its frame is that of the hand: z out of the hand,
fingers opening along y. All poses are in the frame of the arm's base.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from . import panda, rotation
from .rotation import Array

LOW: Array = np.array([joint.low for joint in panda.JOINTS])
HIGH: Array = np.array([joint.high for joint in panda.JOINTS])
HOME: Array = np.array(panda.HOME)

#: The accuracy of inverse kinematics, in m and rad.
NEAR_M = 0.0001
NEAR_RAD = 0.001
_STEPS = 100
#: Damping of the least squares far from the pose and at it; the squared error (m², rad²) between.
_DAMPING, _LEAST_DAMPING, _FADE = 1e-3, 1e-6, 1e-3
_HOMEWARD = 0.05  # gain of the pull towards the home pose in the null space
_LONGEST_STEP = 0.3  # rad
_MARGIN = 0.01  # rad to the limits
#: The number of random starts, and their largest distance from the home pose per joint, in rad.
_STARTS, _SPREAD = 12, 0.9


class TcpPose(NamedTuple):
    """A pose of the tcp: position in m, shape (3,), and rotation matrix, shape (3, 3)."""

    position: Array
    rotation: Array


def _transform(offset: panda.Triple, turn: tuple[float, float, float, float]) -> Array:
    result = np.eye(4)
    w, x, y, z = turn
    result[:3, :3] = rotation.matrix((x, y, z, w))
    result[:3, 3] = offset
    return result


_FIXED = [_transform(joint.offset, joint.turn) for joint in panda.JOINTS]
_HAND = _transform(panda.HAND_OFFSET, panda.HAND_TURN)
_TCP = _HAND @ _transform(panda.TCP_OFFSET, (1.0, 0.0, 0.0, 0.0))


def frames(joints: Array, base: Array | None = None) -> Array:
    """The frames of link 1 to 7 and the hand, shape (..., 8, 4, 4), of joints (..., 7) in rad.

    base: the frames of the arm's base, shape (..., 4, 4); by default the frame of the base itself.
    """
    joints = np.asarray(joints, dtype=float)
    cosine, sine = np.cos(joints), np.sin(joints)
    shape = (*joints.shape[:-1], 4, 4)
    stacked = np.empty((*joints.shape[:-1], 8, 4, 4))
    current: Array = np.broadcast_to(np.eye(4) if base is None else base, shape)
    for i, fixed in enumerate(_FIXED):
        # One product of two plain matrices, which is much faster than many of small ones.
        current = (current.reshape(-1, 4) @ fixed).reshape(shape)
        c, s = cosine[..., i, None], sine[..., i, None]
        x, y = current[..., :3, 0].copy(), current[..., :3, 1].copy()
        current[..., :3, 0] = c * x + s * y
        current[..., :3, 1] = c * y - s * x
        stacked[..., i, :, :] = current
    stacked[..., 7, :, :] = (current.reshape(-1, 4) @ _HAND).reshape(shape)
    return stacked


def forward(joints: Array) -> TcpPose:
    """The pose of the tcp at joint positions, shape (7,), in rad."""
    hand = frames(joints)[7]
    return TcpPose(hand[:3, 3] + hand[:3, 2] * panda.TCP_OFFSET[2], hand[:3, :3])


def _tcp_and_jacobian(joints: Array) -> tuple[Array, Array]:
    """The frame of the tcp, shape (4, 4), and its Jacobian, shape (6, 7): linear, then angular."""
    at = frames(joints)
    axes, origins = at[:7, :3, 2], at[:7, :3, 3]
    tcp = at[6] @ _TCP
    arms = tcp[:3, 3] - origins
    jacobian = np.empty((6, 7))
    jacobian[0] = axes[:, 1] * arms[:, 2] - axes[:, 2] * arms[:, 1]
    jacobian[1] = axes[:, 2] * arms[:, 0] - axes[:, 0] * arms[:, 2]
    jacobian[2] = axes[:, 0] * arms[:, 1] - axes[:, 1] * arms[:, 0]
    jacobian[3:] = axes.T
    return tcp, jacobian


def inverse(target: TcpPose, near: Array, seed: int = 0) -> Array | None:
    """Joint positions, shape (7,), that bring the tcp to a pose; None if none were found.

    Damped least squares, with a pull towards the home pose in the null space, within joint limits,
    to NEAR_M and NEAR_RAD. The search starts at `near`, shape (7,), then at the home pose, then at
    random from `seed`. Equal arguments give equal results.
    """
    turned = HOME.copy()
    turned[0] = np.clip(np.arctan2(target.position[1], target.position[0]), LOW[0], HIGH[0])
    random = np.random.default_rng(seed)
    others = (turned + random.uniform(-_SPREAD, _SPREAD, 7) for _ in range(_STARTS))
    results = (_descend(target, start) for start in chain((near, HOME, turned), others))
    return next((joints for joints in results if joints is not None), None)


def _descend(target: TcpPose, start: Array) -> Array | None:
    joints = np.clip(start, LOW + _MARGIN, HIGH - _MARGIN)
    eye6, eye7 = np.eye(6), np.eye(7)
    error = np.empty(6)
    for _ in range(_STEPS):
        tcp, jacobian = _tcp_and_jacobian(joints)
        error[:3] = target.position - tcp[:3, 3]
        error[3:] = rotation.vector(target.rotation @ tcp[:3, :3].T)
        if error[:3] @ error[:3] < NEAR_M**2 and error[3:] @ error[3:] < NEAR_RAD**2:
            return joints
        # Damping and the pull home fade out near the pose; otherwise it would never be reached.
        far = min(1.0, float(error @ error) / _FADE)
        inverse = jacobian.T @ np.linalg.inv(
            jacobian @ jacobian.T + max(_DAMPING * far, _LEAST_DAMPING) * eye6
        )
        step = inverse @ error + (eye7 - inverse @ jacobian) @ (_HOMEWARD * far * (HOME - joints))
        longest = np.abs(step).max()
        if longest > _LONGEST_STEP:
            step *= _LONGEST_STEP / longest
        joints = np.clip(joints + step, LOW + _MARGIN, HIGH - _MARGIN)
    return None
