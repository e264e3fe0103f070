"""Sensor readings of an arm, as plain numbers for dialects and planners."""

from __future__ import annotations

from typing import NamedTuple

from ...scene_graph.node import Vector


class ArmReading(NamedTuple):
    """Readings of an arm at rest, after an action.

    pose: of the end effector (the point between the fingertips) in the frame of the scene, as the
    arm takes poses: x y z in m and a quaternion (x, y, z, w), or x y z and Euler angles in rad.
    fingers: how far the left and the right finger are open, in m: 0.04 each is fully open, 0 is
    closed, 0.025 each is on a block of 5 cm.
    force: what the hand is pushed with from outside, in N, along the axes of the SCENE (not of the
    hand), mean of 0.4 s at rest; zero with an empty hand, and (0, 0, -9.81 m) with a mass m in it.
    peak_force: the largest such force since the last action began, during motions too.
    """

    pose: tuple[float, ...]
    fingers: tuple[float, float]
    force: Vector
    peak_force: Vector
