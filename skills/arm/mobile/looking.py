"""Looking into furniture: a stand from which the head camera sees what is inside.

What a door or drawer hides does not show from where the robot opened it: of 58 things it saw 29.
From 0.8 m before a cupboard and 0.15 to 0.45 m above its middle it saw 41 of 41, and from above
a drawer, as near as it can stand, most of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from .body import ARM_HEIGHT, CARRY, FREE, HEAD, LIFT_HIGH, TUCK, turned_near
from .driving import Mover
from .failures import Failed
from .paths import TRANSIT
from .stands import BASE_NEED
from .world import ARM, BASE, LIFT, Reach, Space

#: How many stands one look may take, if what it sees is not enough.
STANDS = 3


class _Wish(NamedTuple):
    """Where to look from: distances before the middle of the spaces and beside it, and the height
    of the camera above it, in m; the best first.
    """

    before: tuple[float, ...]
    beside: tuple[float, ...]
    above: tuple[float, ...]


#: Open doors and drop doors are in the way of nearer stands; then the farther ones are free.
_WISHES = {
    Reach.FRONT: _Wish((0.85, 1.0, 0.7, 1.15, 1.35), (0.0, 0.25, -0.25, 0.45), (0.3, 0.15, 0.5)),
    Reach.DRAWER: _Wish((0.55, 0.7, 0.85, 1.0), (0.0, 0.25, -0.25, 0.45, -0.45), (2.0,)),
    Reach.ABOVE: _Wish((0.6, 0.75, 0.9, 1.1), (0.0, 0.3, -0.3), (0.6, 0.8)),
}
#: The base turns away from the middle by so much, in rad, where it cannot face it.
_TURNS = (0.0, 0.6, -0.6, 1.2, -1.2)


def look_into(
    mover: Mover, spaces: Sequence[Space], enough: Callable[[], bool], variation: int = 0
) -> None:
    """Take stands to look into spaces of one area until `enough`, or none is left.

    enough: looks, and says whether that was all. variation: from 1 on, other stands come first.
    Raises Failed (UNREACHABLE, BLOCKED) if no stand can be taken.
    """
    before: list[Array] = []
    failed: Failed | None = None
    for joints in itertools.islice(_rotated(_stands(mover, spaces), variation), 4 * STANDS):
        if len(before) >= STANDS:
            break
        if any(np.abs(joints[:2] - other[:2]).max() < 0.2 for other in before):
            continue
        try:
            _stand_at(mover, joints)
        except Failed as error:
            failed = error
            continue
        before.append(joints)
        if enough():
            return
    if not before:
        raise failed or Failed(
            Reason.UNREACHABLE, spaces[0].area, "nowhere to stand and look into it"
        )


def middle(mover: Mover, spaces: Sequence[Space]) -> Array:
    """The middle of some spaces now, shape (3,)."""
    ends = []
    for space in spaces:
        value = 0.0 if space.front is None else mover.world.front_value(space.front)
        for corner in (space.low, space.high):
            ends.append(space.at(value) + space.rotation @ corner)
    found: Array = (np.min(ends, axis=0) + np.max(ends, axis=0)) / 2
    return found


def _stand_at(mover: Mover, joints: Array) -> None:
    """Tuck, drive, then move the lift."""
    if not mover.tucked:
        mover.tuck()
    mover.drive(joints[BASE])
    joints = joints.copy()
    joints[2] = turned_near(joints[2], mover.motion.target[2])
    joints[:2] = mover.motion.target[:2]
    joints[ARM] = mover.motion.target[ARM]
    if abs(joints[LIFT] - mover.motion.target[LIFT]) > 1e-3:
        mover.motion.follow(mover.way_of_arm(joints), FREE)


def _stands(mover: Mover, spaces: Sequence[Space]) -> Iterator[Array]:
    """Yield joints of shape (11,) where the robot is free and near to what is wished."""
    space = spaces[0]
    wish = _WISHES[space.reach]
    aim = middle(mover, spaces)
    away, along = space.outward[:2], space.rotation[:2, 0] * _handle_side(mover, space)
    mover.world.sync()
    clearance = mover.clearance(TRANSIT)
    arm = mover.motion.target[ARM] if mover.tucked else TUCK if mover.held is None else CARRY[0]
    for above, before, beside in itertools.product(wish.above, wish.before, wish.beside):
        place = aim[:2] + away * before + along * beside
        if not mover.world.base_free(place[None], BASE_NEED)[0]:
            continue
        lift = aim[2] + above - ARM_HEIGHT - HEAD[2]
        facing = math.atan2(*(aim[:2] - place)[::-1])
        for turn in _TURNS:
            joints = np.concatenate(
                [place, [facing + turn, min(max(lift, 0.0), LIFT_HIGH - 0.02)], arm]
            )
            if mover.paths.free(joints, clearance):
                yield joints
                break


def _handle_side(mover: Mover, space: Space) -> float:
    """On which side along x a door leaves the view free: away from its hinge; 1 without one."""
    front = None if space.front is None else mover.world.fronts[space.front]
    if front is None or not front.turns:
        return 1.0
    beside = float((front.face - front.anchor) @ space.rotation[:, 0])
    return 1.0 if beside >= 0 else -1.0


def _rotated(items: Iterator[Array], count: int) -> Iterator[Array]:
    """The items from another on, with the skipped ones at the end."""
    found = list(items)
    start = count * 2 % max(1, len(found))
    return iter(found[start:] + found[:start])
