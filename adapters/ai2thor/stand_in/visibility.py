"""Visibility by points of an object's box that are near, in the frame and not enclosed.

The points are the centre of the box, those of its faces, points near its corners, and points
nearest to the line of sight. An object is visible if one is in the frame and within
visibilityDistance of the agent's vertical axis, unless a closed receptacle is around it. Obstacles
are ignored: the data have no walls or inner shapes, and boxes alone would hide things on shelves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .world import AgentState, Array, Boxes, Settings, ThorScene

# Points of a box as fractions of its half size, from its centre. They lie inside the edges, like
# AI2-THOR's own points.
_POINTS = 0.8 * np.array(
    [[0, 0, 0]]
    + [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    + [[s * (i == 0), s * (i == 1), s * (i == 2)] for i in range(3) for s in (-1, 1)]
)
#: The distances ahead of the agent whose nearest points on large things are checked, in m.
_AHEAD = np.array([0.3, 0.6, 0.9, 1.2, 1.45])
Booleans = npt.NDArray[np.bool_]


def seen_from(world: ThorScene, agent: AgentState, aspect: float = 1.0) -> Booleans:
    """For each object of `world.boxes()`, whether an agent there sees it."""
    boxes = world.boxes()
    return _in_sight(world.settings, boxes.low, boxes.high, _cameras([agent]), aspect)


def agents_seeing(world: ThorScene, object_id: str, agents: list[AgentState]) -> Booleans:
    """For each agent, whether it sees the object, in a square frame."""
    low, high = world.low(object_id), world.high(object_id)
    return _in_sight(world.settings, low[None], high[None], _cameras(agents), 1.0)


def in_frame(world: ThorScene, point: Array, agent: AgentState) -> bool:
    """Whether a point is in the square frame and within visibilityDistance."""
    cameras = _cameras([agent])
    return bool(_point_in_sight(world.settings, point[None, None], cameras, 1.0)[0, 0])


def visible(world: ThorScene, aspect: float = 1.0) -> set[str]:
    """The ids of the objects that the agent sees now."""
    boxes = world.boxes()
    seen = {boxes.ids[row] for row in np.flatnonzero(seen_from(world, world.agent, aspect))}
    carried = {world.held, *world.contents(world.held)} if world.held is not None else set()
    return {i for i in seen if i in carried or world.closed_around(i) is None}


def at_screen(world: ThorScene, x: float, y: float, flag: str) -> str | None:
    """The nearest visible object with a flag whose box covers x, y in [0, 1] from top left."""
    agent = world.agent
    yaw, pitch = math.radians(agent.yaw), math.radians(agent.horizon)
    reach = math.tan(math.radians(world.settings.fov) / 2)
    right, up = (2 * x - 1) * reach, (1 - 2 * y) * reach
    level, rise = math.cos(pitch) + up * math.sin(pitch), up * math.cos(pitch) - math.sin(pitch)
    ray = np.array(
        [
            right * math.cos(yaw) + level * math.sin(yaw),
            rise,
            level * math.cos(yaw) - right * math.sin(yaw),
        ]
    )
    boxes = world.boxes()
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low = (boxes.low - agent.camera()) / ray
        to_high = (boxes.high - agent.camera()) / ray
    enters = np.minimum(to_low, to_high).max(axis=1)
    leaves = np.maximum(to_low, to_high).min(axis=1)
    seen = visible(world)
    hits = [
        (float(enters[row]), name)
        for row, name in enumerate(boxes.ids)
        if enters[row] <= leaves[row] and leaves[row] > 0
        if name in seen and world.things[name][flag] and name != world.held
    ]
    return min(hits)[1] if hits else None


def distances(world: ThorScene) -> list[float]:
    """The distance from the agent to each object, in the order of the objects."""
    positions = np.array(
        [
            [t["position"]["x"], t["position"]["y"], t["position"]["z"]]
            for t in world.things.values()
        ]
    )
    agent = world.agent
    away = positions - np.array([agent.x, agent.y, agent.z])
    return [float(d) for d in np.sqrt((away**2).sum(axis=1))]


def horizontal_distance(world: ThorScene, object_id: str, x: float, z: float) -> float:
    """The horizontal distance from a point to an object's box; 0 within it."""
    boxes: Boxes = world.boxes()
    row = boxes.row[object_id]
    dx = max(boxes.low[row][0] - x, 0.0, x - boxes.high[row][0])
    dz = max(boxes.low[row][2] - z, 0.0, z - boxes.high[row][2])
    return math.hypot(dx, dz)


@dataclass
class _Cameras:
    """Cameras, row by row: position (n, 3), yaw and pitch in radians (n, 1)."""

    camera: Array
    yaw: Array
    pitch: Array


def _cameras(agents: list[AgentState]) -> _Cameras:
    return _Cameras(
        np.array([agent.camera() for agent in agents]),
        np.radians([[agent.yaw] for agent in agents]),
        np.radians([[agent.horizon] for agent in agents]),
    )


def _in_sight(
    settings: Settings, low: Array, high: Array, cameras: _Cameras, aspect: float
) -> Booleans:
    """Whether any point of a box is in sight, row by row; a single row is repeated."""
    center, half = (low + high) / 2, (high - low) / 2
    within = center[:, None, :] + half[:, None, :] * _POINTS
    ahead_x = cameras.camera[:, None, 0] + _AHEAD * np.sin(cameras.yaw)
    ahead_z = cameras.camera[:, None, 2] + _AHEAD * np.cos(cameras.yaw)
    nearest_x = np.clip(ahead_x, low[:, None, 0], high[:, None, 0])
    nearest_z = np.clip(ahead_z, low[:, None, 2], high[:, None, 2])
    top = np.broadcast_to(high[:, None, 1], nearest_x.shape)
    nearest = np.stack([nearest_x, top, nearest_z], axis=-1)
    return np.asarray(
        _point_in_sight(settings, within, cameras, aspect).any(axis=1)
        | _point_in_sight(settings, nearest, cameras, aspect).any(axis=1)
    )


def _point_in_sight(
    settings: Settings, points: Array, cameras: _Cameras, aspect: float
) -> Booleans:
    """Whether each point (n, m, 3) is near and in the frame: (n, m)."""
    away = points - cameras.camera[:, None, :]
    x, y, z = away[..., 0], away[..., 1], away[..., 2]
    right = x * np.cos(cameras.yaw) - z * np.sin(cameras.yaw)
    level = x * np.sin(cameras.yaw) + z * np.cos(cameras.yaw)
    ahead = level * np.cos(cameras.pitch) - y * np.sin(cameras.pitch)
    up = level * np.sin(cameras.pitch) + y * np.cos(cameras.pitch)
    reach = ahead * math.tan(math.radians(settings.fov) / 2)
    seen: Booleans = (
        (ahead > 0.05)
        & (np.abs(up) <= reach)
        & (np.abs(right) <= reach * aspect)
        & (x * x + z * z <= settings.visibility_distance**2)
    )
    return seen
