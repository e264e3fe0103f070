"""Whether a front can be opened at all: a way is found from where the robot stands, without moving.

Ways that were found in other kitchens are tried first, where a front is alike; each is checked here
as every plan is. `benchmarks/kitchen_physics/certify.py --learn` wrote `known_ways.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..rotation import Array
from . import inverse
from .driving import Mover
from .failures import NoWay
from .motion import Motion
from .opening import Hands, plans
from .reaching import Blame
from .stands import BASE_NEED
from .world import Front, RoomWorld

PATH = Path(__file__).with_name("known_ways.json")
#: Known ways are tried so many at a time, up to so many for a front; and only those of fronts that
#: differ by so much at most, in m.
_TOGETHER, _MOST, _ALIKE = 2, 8, 0.25
#: Starts of one search where no known way works, and searches.
_STARTS, _SEARCHES = 50, 10


class Known(NamedTuple):
    """A way that was found, seen from its front: out of the front, to its left and up."""

    kind: str
    shape: Array
    """What makes fronts alike, shape (5,), in m: see `_shape`."""
    joints: Array
    """At the handle, shape (11,); the base's x and y from the handle, its yaw from outward."""


@cache
def known_ways() -> Sequence[Known]:
    """The ways that come with the package."""
    rows = json.loads(PATH.read_text()) if PATH.exists() else []
    return [Known(kind, np.array(shape), np.array(joints)) for kind, shape, joints in rows]


def uncertified(
    world: RoomWorld, seed: int = 0, known: Sequence[Known] | None = None
) -> tuple[str, ...]:
    """The fronts of an empty room for which no way is found that opens them.

    known: ways to try first; those of the package if None.
    """
    ways = known_ways() if known is None else known
    return tuple(
        name for name, front in world.fronts.items() if opening(world, front, seed, ways) is None
    )


def opening(
    world: RoomWorld,
    front: Front,
    seed: int = 0,
    known: Sequence[Known] = (),
    searches: int = _SEARCHES,
) -> Known | None:
    """A way to open a closed front from where the robot stands; None if none is found.

    known: ways to try first. searches: how often one is searched for then, from new starts.
    """
    mover = Mover(Motion(world), np.random.default_rng(seed))
    world.sync()
    blame = Blame()
    for hands in (*_alike(world, front, known), *[None] * searches):
        for plan in plans(mover, front, blame, _STARTS, hands):
            try:
                mover.ways(plan.before)
            except NoWay:
                continue
            return _seen_from(front, plan.way[0])
    return None


def _alike(world: RoomWorld, front: Front, known: Sequence[Known]) -> Iterator[Hands]:
    """Hands on the handle by known ways of fronts alike, the most alike first."""
    shape = _shape(front)
    away = {
        index: float(np.abs(way.shape - shape).max())
        for index, way in enumerate(known)
        if way.kind == front.kind
    }
    near = sorted((index for index in away if away[index] <= _ALIKE), key=lambda index: away[index])
    joints = np.array([_placed(front, known[index].joints) for index in near[: 4 * _MOST]])
    if not len(joints):
        return
    joints = joints[world.base_free(joints[:, :2], BASE_NEED)][:_MOST]
    for first in range(0, len(joints), _TOGETHER):
        some = joints[first : first + _TOGETHER]
        yield Hands(some, _around(front.bar, inverse.forward(some)[1]))


def _around(bar: Array, rotations: Array) -> Array:
    """The hands turned a little, so that the bar is exactly between their fingers."""
    x = np.sign(rotations[:, :, 0] @ bar)[:, None] * bar
    z = rotations[:, :, 2] - x * (rotations[:, :, 2] * x).sum(axis=1, keepdims=True)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=2)


def _turn(front: Front) -> float:
    """The direction out of a front, in rad."""
    return math.atan2(front.outward[1], front.outward[0])


def _shape(front: Front) -> Array:
    """The handle's height; from the hinge to it, to the left, out and up; how far the bar lies."""
    lever = front.handle - front.anchor if front.turns else np.zeros(3)
    left = np.array([-front.outward[1], front.outward[0], 0.0])
    return np.array(
        [front.handle[2], lever @ left, lever @ front.outward, lever[2], abs(front.bar @ left)]
    )


def _placed(front: Front, joints: Array) -> Array:
    """Joints of a known way at a front."""
    turn, result = _turn(front), joints.copy()
    cosine, sine = math.cos(turn), math.sin(turn)
    out, left = joints[:2]
    result[:2] = front.handle[:2] + np.array(
        [cosine * out - sine * left, sine * out + cosine * left]
    )
    result[2] += turn
    return result


def _seen_from(front: Front, joints: Array) -> Known:
    turn, result = _turn(front), joints.copy()
    cosine, sine = math.cos(turn), math.sin(turn)
    x, y = joints[:2] - front.handle[:2]
    result[:2] = cosine * x + sine * y, -sine * x + cosine * y
    result[2] = math.remainder(joints[2] - turn, math.tau)
    return Known(str(front.kind), _shape(front), result)


def written(ways: Sequence[Known]) -> str:
    """The text of a file of ways: 1 mm and 1 mrad are enough, each is made exact at its front."""
    rows = (
        json.dumps([way.kind, *(np.round(part, 3).tolist() for part in (way.shape, way.joints))])
        for way in ways
    )
    return "[\n" + ",\n".join(rows) + "\n]\n"
