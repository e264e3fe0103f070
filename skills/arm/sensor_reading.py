"""Sensor readings of an arm, as plain numbers for dialects and planners."""

from __future__ import annotations

from typing import NamedTuple

from ...scene_graph.node import Vector


class ArmReading(NamedTuple):
    """Readings of an arm at rest, after an action.

    pose: of the end effector (between the fingertips) in the frame of the scene, in the form of the
    arm's actions. That is x y z in m, then a quaternion (x, y, z, w) or Euler angles in rad.
    fingers: opening of the left and the right finger, in m: 0.04 is fully open, 0 closed, 0.025 on
    a block of 5 cm. force: external force on the hand, in N, along the axes of the SCENE, mean of
    0.4 s at rest. It is zero for an empty hand and (0, 0, -9.81 m) for a mass m. peak_force: the
    largest such force since the last action began, also during motions.
    """

    pose: tuple[float, ...]
    fingers: tuple[float, float]
    force: Vector
    peak_force: Vector
