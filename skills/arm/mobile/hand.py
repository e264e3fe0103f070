"""The hand as boxes around its tcp, and whether a thing fits between its fingers.

The frame of the tcp: z out of the hand, fingers opening along y.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import panda
from ..rotation import Array
from .world import Shape, ShapeKind

#: How far each finger opens, in m.
OPEN = panda.FINGER_OPEN
#: How far the palm is behind the tcp, and its half sizes along x and y, in m.
PALM = 0.0374
_PALM_X, _PALM_Y = 0.031, 0.1
#: A finger: half its width along x, its thickness along y, where it ends before and behind the tcp.
_FINGER_X, _FINGER_THICK, _TIP_THICK, FINGERTIP = 0.0105, 0.0263, 0.0155, 0.009
#: Half the size of the pads, along x and z.
PAD = 0.0085
#: What a thing must keep from the palm, and from an open finger, in m.
_PALM_FREE, _FINGER_FREE = 0.004, 0.002
#: Pads that close beside the axis of a round thing, by more than this part of its radius, squeeze
#: it out of the hand: it creeps while it is carried.
_OFF_AXIS = 0.2
#: The largest distance between points of a surface, in m.
_APART = 0.014
#: The radius of a bottle's neck, the wall of a mug, and the radius and half the height of its
#: handle, in m.
NECK, WALL, _HANDLE, _HANDLE_HALF = 0.013, 0.008, 0.006, 0.031


def draw_back(points: Array) -> Array:
    """How far a hand must draw back along its z axis so that its palm clears a thing, in m.

    points: of the thing, in the frame of the tcp, shape (n, m, 3). Returns shape (n,).
    """
    before = (np.abs(points[..., 0]) < _PALM_X + 0.008) & (np.abs(points[..., 1]) < _PALM_Y)
    nearest = np.where(before, points[..., 2], math.inf).min(axis=-1)
    back: Array = np.maximum(0.0, _PALM_FREE - PALM - nearest)
    return back


def fits_between(points: Array, opening: Array) -> NDArray[np.bool_]:
    """Whether a thing keeps clear of the open fingers, shape (n,), of bool.

    points: as in `draw_back`. opening: of each finger, in m, shape (n,).
    """
    x, y, z = np.abs(points[..., 0]), np.abs(points[..., 1]), points[..., 2]
    thick = np.where(z < -FINGERTIP, _FINGER_THICK, _TIP_THICK)
    inner = opening[:, None] - _FINGER_FREE
    inside = (x < _FINGER_X + _FINGER_FREE) & (y > inner) & (y < inner + thick + 0.004)
    met = inside & (z > -PALM - FINGERTIP) & (z < FINGERTIP + 0.001)
    clear: NDArray[np.bool_] = ~np.any(met, axis=-1)
    return clear


def between_pads(points: Array, opening: Array) -> NDArray[np.bool_]:
    """Whether the pads close on a part of a thing, shape (n,), of bool. Arguments as above."""
    x, y, z = np.abs(points[..., 0]), np.abs(points[..., 1]), points[..., 2]
    between = (x < PAD) & (y < opening[:, None]) & (np.abs(z) < PAD)
    close: NDArray[np.bool_] = np.any(between, axis=-1)
    return close


def outline(shape: Shape, points: Array, width: Array) -> NDArray[np.bool_]:
    """Whether a thing is held between pads at points in its frame, shape (n, 3); shape (n,).

    width: the gap of the fingers, in m, shape (n,). A box is held by more than a corner, what is
    round near its axis, a bowl and a mug also by the very rim.
    """
    if shape.kind is ShapeKind.BOWL:
        return np.ones(len(points), bool)
    x, y, z = np.abs(points[:, 0]), np.abs(points[:, 1]), points[:, 2]
    half = shape.height / 2
    if shape.kind is ShapeKind.BOX:
        flat: NDArray[np.bool_] = (x < shape.grip / 2) & (y < shape.depth)
        return flat & (np.abs(z) < half)
    if shape.kind is ShapeKind.BALL:
        near: NDArray[np.bool_] = np.linalg.norm(points, axis=1) < _OFF_AXIS * shape.grip / 2
        return near
    part = np.where(width < shape.grip, 1.0, _OFF_AXIS)
    body = (np.hypot(x, y) < part * shape.grip / 2) & (np.abs(z) < half)
    neck: NDArray[np.bool_] = (np.hypot(x, y) < NECK) & (z >= half) & (z < half + shape.neck)
    return body | neck


@lru_cache(maxsize=256)
def surface(shape: Shape) -> Array:
    """Points on a thing's surface, in its own frame, shape (m, 3), in m.

    They are closer together than a pad is wide, and on every edge.
    """
    half = shape.height / 2
    if shape.kind is ShapeKind.BOX:
        return _box(shape.grip / 2, shape.depth, half)
    if shape.kind is ShapeKind.BALL:
        return _ball(shape.grip / 2)
    if shape.kind is ShapeKind.BOWL:
        inside = _rings(shape.radius - shape.grip, -half + shape.grip, half, ends=())
        return np.concatenate([_rings(shape.radius, -half, half, ends=(-half,)), inside])
    mug = shape.kind is ShapeKind.MUG
    parts = [_rings(shape.grip / 2, -half, half, ends=(-half,) if mug else (-half, half))]
    if shape.kind is ShapeKind.BOTTLE:
        top = half + shape.neck
        parts.append(_rings(NECK, half, top, ends=(top,)))
    if mug:
        parts.append(_handle(shape))
    return np.concatenate(parts)


def _steps(low: float, high: float) -> Array:
    return np.linspace(low, high, max(2, math.ceil((high - low) / _APART) + 1))


def _rings(radius: float, low: float, high: float, ends: tuple[float, ...]) -> Array:
    """Points of an upright cylinder's side, and of its ends at these heights."""
    count = max(12, math.ceil(2 * math.pi * radius / _APART))
    angles = np.linspace(0.0, 2 * math.pi, count, endpoint=False)
    rings = [(radius, z) for z in _steps(low, high)]
    rings += [(r, z) for z in ends for r in (0.0, radius / 3, radius * 2 / 3)]
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    return np.concatenate([circle * r + np.array([0.0, 0.0, z]) for r, z in rings])


def _box(x: float, y: float, z: float) -> Array:
    """Points of a box by its half sizes."""
    halves = (x, y, z)
    faces = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        a, b = np.meshgrid(_steps(-halves[i], halves[i]), _steps(-halves[j], halves[j]))
        for side in (-halves[k], halves[k]):
            face = np.empty((a.size, 3))
            face[:, i], face[:, j], face[:, k] = a.ravel(), b.ravel(), side
            faces.append(face)
    return np.concatenate(faces)


def _ball(radius: float) -> Array:
    """Points of a ball, by Fibonacci's spiral."""
    count = 90
    k = np.arange(count) + 0.5
    z = 1 - 2 * k / count
    angle = k * math.pi * (1 + math.sqrt(5))
    flat = np.sqrt(1 - z * z)
    points: Array = radius * np.stack([flat * np.cos(angle), flat * np.sin(angle), z], axis=1)
    return points


def _handle(shape: Shape) -> Array:
    """Points of a mug's handle, which reaches out to the radius of the mug."""
    inner, outer = shape.grip / 2, shape.radius
    y, z = np.meshgrid((-_HANDLE, _HANDLE), _steps(-_HANDLE_HALF, _HANDLE_HALF))
    x = np.linspace(inner, max(inner, outer), 4)[:, None]
    flat = np.broadcast_to(np.stack([y.ravel(), z.ravel()], axis=1), (4, y.size, 2))
    bars = np.concatenate([np.broadcast_to(x[..., None], (4, y.size, 1)), flat], axis=2)
    return bars.reshape(-1, 3)
