"""Camera frames of the objects' boxes: one colour a type, the far ones drawn first."""

from __future__ import annotations

import math
import zlib

import numpy as np
import numpy.typing as npt

from .world import ThorScene

_BACKGROUND = (206, 204, 198)


def render(world: ThorScene, visible: set[str], size: tuple[int, int]) -> bytes:
    """RGB bytes of a frame (width, height), the bottom row first, as the Controller expects it.

    Boxes before the camera are drawn as the rectangles around their corners on the frame, what
    is hidden in a closed receptacle left out.
    """
    width, height = size
    frame = np.empty((height, width, 3), dtype=np.uint8)
    frame[:] = _BACKGROUND
    agent = world.agent
    yaw, pitch = math.radians(agent.yaw), math.radians(agent.horizon)
    ids = [i for i in world.things if i in visible or world.closed_around(i) is None]
    away = np.stack([world.corners[i] for i in ids]) - agent.camera()
    right = away[..., 0] * math.cos(yaw) - away[..., 2] * math.sin(yaw)
    level = away[..., 0] * math.sin(yaw) + away[..., 2] * math.cos(yaw)
    ahead = level * math.cos(pitch) - away[..., 1] * math.sin(pitch)
    up = level * math.sin(pitch) + away[..., 1] * math.cos(pitch)
    scale = height / 2 / math.tan(math.radians(world.settings.fov) / 2)
    depth = np.maximum(ahead, 0.05)
    columns = width / 2 + scale * right / depth
    rows = height / 2 + scale * up / depth  # upwards, since the bottom row comes first
    for index in np.argsort(-ahead.mean(axis=1)):
        if ahead[index].max() > 0.05:
            kind = world.things[ids[index]]["objectType"]
            x0, x1 = _span(columns[index], width)
            y0, y1 = _span(rows[index], height)
            frame[y0:y1, x0:x1] = _colour(kind)
    return frame.tobytes()


def _span(values: npt.NDArray[np.float64], size: int) -> tuple[int, int]:
    low, high = np.clip([math.floor(values.min()), math.ceil(values.max())], 0, size)
    return int(low), int(high)


def _colour(kind: str) -> tuple[int, int, int]:
    code = zlib.crc32(kind.encode())
    return (64 + (code & 127), 64 + (code >> 8 & 127), 64 + (code >> 16 & 127))
