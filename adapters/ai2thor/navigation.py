"""Poses from which the agent sees and reaches a thing.

Points are {"x", "y", "z"} in m and angles in degrees, as in the simulator: yaw from z towards x,
horizon downwards. The rules are those of the environments of ALFRED's planners. The nearest
reachable points come first, turned to the thing; a fridge or microwave is approached from its front
if possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Point = Mapping[str, float]

#: The camera angles of the agent, in degrees.
HORIZON_MIN, HORIZON_MAX = -30.0, 60.0
#: The number of points tried for a thing; large counters are visible from some of them only.
NEAREST = 24
#: The height of the camera above the agent's position, unless the simulator gives it.
CAMERA_M = 0.675

#: By type: the yaw of an agent facing its door less its own yaw, in degrees, modulo 180.
_FRONTS = {"Fridge": 90.0, "Microwave": 0.0}
_FRONT_TOLERANCE = 20.0
#: The distance within which an agent blocks an opening door, in m.
_DOOR_M = 0.6


@dataclass(frozen=True)
class AgentPose:
    """A pose of the agent, in the simulator's frame."""

    x: float
    """In m."""
    y: float
    """In m, upwards."""
    z: float
    """In m."""
    rotation: float
    """Yaw, in degrees."""
    horizon: float
    """Of the camera, in degrees downwards."""


def nearest_points(thing: Mapping[str, Any], points: Iterable[Point]) -> list[Point]:
    """The NEAREST reachable points to a thing."""
    return sorted(points, key=lambda p: (_apart(thing, p["x"], p["z"]), p["x"], p["z"]))[:NEAREST]


def standing_poses(poses: Iterable[Mapping[str, Any]]) -> list[AgentPose]:
    """The standing poses among the results of GetInteractablePoses."""
    keys = ("x", "y", "z", "rotation", "horizon")
    return [
        AgentPose(*(float(pose[key]) for key in keys))
        for pose in poses
        if pose.get("standing", True)
    ]


def ranked(thing: Mapping[str, Any], poses: Iterable[AgentPose], camera: float) -> list[AgentPose]:
    """Poses before a thing's front first, then by distance; every point once before any twice."""

    def rank(pose: AgentPose) -> tuple[object, ...]:
        best = pose_facing(thing, {"x": pose.x, "y": pose.y, "z": pose.z}, camera)
        apart = _apart(thing, pose.x, pose.z)
        cramped = bool(thing.get("openable")) and apart < _DOOR_M
        turned = abs(_turn(pose.rotation - best.rotation))
        nodding = abs(pose.horizon - best.horizon)
        where = (round(apart, 3), pose.x, pose.z)
        return not _is_front(thing, best.rotation), cramped, where, turned + nodding, pose.horizon

    rounds: dict[tuple[float, float], int] = {}
    listed = []
    for pose in sorted(poses, key=rank):
        at = pose.x, pose.z
        rounds[at] = rounds.get(at, 0) + 1
        listed.append((rounds[at], pose))
    return [pose for _, pose in sorted(listed, key=lambda pair: pair[0])]


def pose_facing(thing: Mapping[str, Any], point: Point, camera: float) -> AgentPose:
    """The pose at a point, turned to a thing. camera: its height in m."""
    at = thing["position"]
    away_x, away_z = at["x"] - point["x"], at["z"] - point["z"]
    yaw = math.degrees(math.atan2(away_x, away_z)) % 360
    down = math.degrees(math.atan2(camera - at["y"], math.hypot(away_x, away_z)))
    horizon = min(max(down, HORIZON_MIN), HORIZON_MAX)
    return AgentPose(
        float(point["x"]), float(point["y"]), float(point["z"]), round(yaw, 1), round(horizon, 1)
    )


def _is_front(thing: Mapping[str, Any], yaw: float) -> bool:
    """Whether an agent of that yaw faces a thing's door, or its back."""
    front = _FRONTS.get(thing["objectType"])
    if front is None:
        return True
    turned = (yaw - thing["rotation"]["y"] - front) % 180
    return bool(min(turned, 180 - turned) <= _FRONT_TOLERANCE)


def _apart(thing: Mapping[str, Any], x: float, z: float) -> float:
    at = thing["position"]
    return math.hypot(at["x"] - x, at["z"] - z)


def _turn(degrees: float) -> float:
    """An angle in [-180, 180)."""
    return (degrees + 180) % 360 - 180
