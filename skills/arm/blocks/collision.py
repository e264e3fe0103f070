"""Collision checks: what an arm would hit on a path, found before it moves.

The arm is covered with spheres, blocks are exact boxes, and the table is the plane z = 0. A small
overlap is allowed so that mere contact is not refused; the motion itself stops at real obstacles.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from .. import panda
from ..kinematics import frames
from ..rotation import Array
from .world import BLOCK, BlockPose

#: The overlap of spheres allowed with a block, the table and another link, in m.
_INTO_BLOCK = 0.004
_INTO_TABLE = 0.004
_INTO_LINK = 0.01
#: Two links at least this far apart in the chain are checked against each other.
_MIN_LINKS_APART = 3
_SAMPLES = 10

TABLE = "table"
ITSELF = "itself"
#: The obstacle: a block's id, the table, or the arm itself.
Obstacle = int | str


def _along(rod: panda.Rod) -> list[tuple[Array, float]]:
    start, end = np.array(rod.start), np.array(rod.end)
    count = max(2, int(np.ceil(np.linalg.norm(end - start) / (rod.radius * 0.8))) + 1)
    return [(start + t * (end - start), rod.radius) for t in np.linspace(0, 1, count)]


def _arm_spheres() -> tuple[Array, Array, Array]:
    """Frame (0 to 6: link 1 to 7; 7: hand), centre and radius of all spheres but the fingers'."""
    spheres = [
        (link - 1, centre, radius)
        for link, shapes in enumerate(panda.SHAPES)
        for shape in shapes
        if isinstance(shape, panda.Rod)
        for centre, radius in _along(shape)
    ]
    spheres += [
        (7, np.array([0.0, y, z]), 0.031)
        for y in np.linspace(-0.069, 0.069, 5)
        for z in (0.017, 0.035)
    ]
    of, centres, radii = zip(*spheres, strict=True)
    return np.array(of), np.array(centres), np.array(radii)


_OF, _CENTRES, _RADII = _arm_spheres()
_FIRST, _SECOND = np.nonzero(np.subtract.outer(_OF, _OF) >= _MIN_LINKS_APART)
#: Along one finger at opening 0: y and z in the hand's frame.
_FINGER = [(0.0145, 0.0704, 0.011), (0.0145, 0.0864, 0.011)] + [
    (0.0065, z, 0.006) for z in (0.0984, 0.1034, 0.1064)
]
#: Spheres of the base, in its own frame; no link may enter them.
_BASE = np.array([[-0.1, 0.0, 0.06], [-0.02, 0.0, 0.06]])
_BASE_RADIUS = 0.09
_BLOCK_RADIUS = 0.008
_BLOCK_CENTRES = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=3)))
_BLOCK_CENTRES *= BLOCK / 2 - _BLOCK_RADIUS


def first_collision(
    start: Array,
    end: Array,
    opening: float,
    blocks: Mapping[int, BlockPose],
    held: BlockPose | None = None,
    *,
    ends_only: bool = False,
) -> Obstacle | None:
    """Find the obstacle on the straight line between two joint positions, the start left out.

    opening: of each finger, in m. blocks: the possible obstacles. held: a block in the gripper, in
    the frame of the tcp. ends_only: check only the end.
    """
    share = np.ones(1) if ends_only else np.arange(1, _SAMPLES + 1) / _SAMPLES
    at = frames(start + share[:, None] * (end - start))
    links = at[:, _OF]
    centres = links[..., :3, 3] + np.einsum("nsij,sj->nsi", links[..., :3, :3], _CENTRES)
    apart = np.linalg.norm(centres[:, _FIRST] - centres[:, _SECOND], axis=-1)
    if (apart < _RADII[_FIRST] + _RADII[_SECOND] - _INTO_LINK).any():
        return ITSELF
    distal = _OF >= 3
    to_base = np.linalg.norm(centres[:, distal, None] - _BASE, axis=-1)
    if (to_base < _RADII[distal, None] + _BASE_RADIUS - _INTO_LINK).any():
        return ITSELF
    hand = at[:, 7]
    tools = [(np.array([0, side * (y + opening), z]), r) for side in (1, -1) for y, z, r in _FINGER]
    radii = np.concatenate([_RADII, [r for _, r in tools]])
    slack = np.full(len(radii), _INTO_BLOCK)
    points = [centres, _transformed(hand, np.array([centre for centre, _ in tools]))]
    if held is not None:
        tcp = hand.copy()
        tcp[:, :3, 3] += hand[:, :3, 2] * panda.TCP_OFFSET[2]
        points.append(_transformed(tcp, held.position + _BLOCK_CENTRES @ held.rotation.T))
        radii = np.concatenate([radii, np.full(len(_BLOCK_CENTRES), _BLOCK_RADIUS)])
        slack = np.concatenate([slack, np.full(len(_BLOCK_CENTRES), 2 * _INTO_BLOCK)])
    spheres = np.concatenate(points, axis=1)
    if (spheres[:, :, 2] - radii + slack * (_INTO_TABLE / _INTO_BLOCK) < 0).any():
        return TABLE
    for block, pose in blocks.items():
        inside = (spheres - pose.position) @ pose.rotation
        beyond = np.abs(inside) - BLOCK / 2
        distance = np.linalg.norm(np.maximum(beyond, 0), axis=-1)
        distance += np.minimum(beyond.max(axis=-1), 0)  # negative within the block
        if (distance < radii - slack).any():
            return block
    return None


def path_collision(
    path: Sequence[Array],
    opening: float,
    blocks: Mapping[int, BlockPose],
    held: BlockPose | None = None,
) -> Obstacle | None:
    """Find the first obstacle along successive joint positions."""
    lines = itertools.pairwise(path)
    hits = (first_collision(start, end, opening, blocks, held) for start, end in lines)
    return next((hit for hit in hits if hit is not None), None)


def _transformed(at: Array, points: Array) -> Array:
    """Transform points of a frame, shape (s, 3), by frames (n, 4, 4) into the base: (n, s, 3)."""
    placed: Array = np.einsum("nij,sj->nsi", at[:, :3, :3], points) + at[:, None, :3, 3]
    return placed
