"""Where to stand to see and reach a thing, and how to face it.

Points are {"x", "y", "z"} in m and angles in degrees, as the simulator has them: yaw from z towards
x, horizon downwards. The rules are those of the environments that ALFRED's planners were measured
in: the nearest reachable points first, turned to the thing, and to a fridge or a microwave from its
front where that is possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Point = Mapping[str, float]

#: How far one looks up and down.
HORIZON_MIN, HORIZON_MAX = -30.0, 60.0
#: Points are asked about, or stood at, by the dozen: a large counter is seen from some of them.
NEAREST = 24
#: The camera over the agent's position, where the simulator does not tell.
CAMERA_M = 0.675

#: How the yaw of whoever stands before it differs from its own, up to half a turn.
_FRONTS = {"Fridge": 90.0, "Microwave": 0.0}
_FRONT_WITHIN = 20.0
#: Nearer than that one stands in the way of a door that opens.
_ROOM_FOR_DOOR = 0.6


@dataclass(frozen=True)
class Stand:
    """Where the agent stands and looks to."""

    x: float
    y: float
    z: float
    rotation: float
    horizon: float


def nearest(thing: Mapping[str, Any], points: Iterable[Point]) -> list[Point]:
    """The reachable points nearest to a thing."""
    return sorted(points, key=lambda p: (_apart(thing, p["x"], p["z"]), p["x"], p["z"]))[:NEAREST]


def turned_to(thing: Mapping[str, Any], points: Iterable[Point], camera: float) -> list[Stand]:
    """Poses at some points, turned to a thing. camera: its height in m, as positions have it."""
    return [_facing(thing, point, camera) for point in points]


def read_poses(told: Iterable[Mapping[str, Any]]) -> list[Stand]:
    """The standing poses of those that GetInteractablePoses gives."""
    keys = ("x", "y", "z", "rotation", "horizon")
    return [
        Stand(*(float(pose[key]) for key in keys)) for pose in told if pose.get("standing", True)
    ]


def ordered(thing: Mapping[str, Any], found: Iterable[Stand], camera: float) -> list[Stand]:
    """Those before its front first, then by nearness; every point once before any twice."""

    def rank(stand: Stand) -> tuple[object, ...]:
        best = _facing(thing, {"x": stand.x, "y": stand.y, "z": stand.z}, camera)
        apart = _apart(thing, stand.x, stand.z)
        cramped = bool(thing.get("openable")) and apart < _ROOM_FOR_DOOR
        turned = abs(_turn(stand.rotation - best.rotation))
        nodding = abs(stand.horizon - best.horizon)
        where = (round(apart, 3), stand.x, stand.z)
        return not _is_front(thing, best.rotation), cramped, where, turned + nodding, stand.horizon

    rounds: dict[tuple[float, float], int] = {}
    listed = []
    for stand in sorted(found, key=rank):
        at = stand.x, stand.z
        rounds[at] = rounds.get(at, 0) + 1
        listed.append((rounds[at], stand))
    return [stand for _, stand in sorted(listed, key=lambda pair: pair[0])]


def _facing(thing: Mapping[str, Any], point: Point, camera: float) -> Stand:
    at = thing["position"]
    away_x, away_z = at["x"] - point["x"], at["z"] - point["z"]
    yaw = math.degrees(math.atan2(away_x, away_z)) % 360
    down = math.degrees(math.atan2(camera - at["y"], math.hypot(away_x, away_z)))
    horizon = min(max(down, HORIZON_MIN), HORIZON_MAX)
    return Stand(
        float(point["x"]), float(point["y"]), float(point["z"]), round(yaw, 1), round(horizon, 1)
    )


def _is_front(thing: Mapping[str, Any], yaw: float) -> bool:
    """Whether who looks at a thing that way stands before its door, or behind it."""
    front = _FRONTS.get(thing["objectType"])
    if front is None:
        return True
    turned = (yaw - thing["rotation"]["y"] - front) % 180
    return bool(min(turned, 180 - turned) <= _FRONT_WITHIN)


def _apart(thing: Mapping[str, Any], x: float, z: float) -> float:
    at = thing["position"]
    return math.hypot(at["x"] - x, at["z"] - z)


def _turn(degrees: float) -> float:
    """An angle as the shorter way round, from -180 on."""
    return (degrees + 180) % 360 - 180
