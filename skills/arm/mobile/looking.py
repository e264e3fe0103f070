"""Looking into furniture: stands from which the head camera sees what is inside.

What a door or drawer hides does not show from where the robot opened it: of 58 things it saw 29.
So it takes the stand that shows most of the furniture's spots (`sightlines`), and where that is not
enough, the one that shows most of the rest. Cupboards are seen best from 0.8 m before them and a
little above their middle, drawers from above, as near as the robot can stand.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from .body import ARM_HEIGHT, CARRY, HEAD, LIFT_HIGH, TUCK, turned_near
from .driving import Mover
from .failures import Failed
from .paths import TRANSIT
from .sightlines import seen_from, spots
from .stands import BASE_NEED
from .world import ARM, BASE, JOINTS, LIFT, Reach, Space

#: How many stands one look may take, if what it sees is not enough, and how many it may try.
STANDS, TRIES = 3, 8
#: Distances of the base before the middle of the spaces and beside it, and heights of the camera
#: above it, in m. Where open doors are in the way, the farther ones are free.
_BEFORE = (0.55, 0.7, 0.85, 1.0, 1.15, 1.35)
_BESIDE = (0.0, 0.25, -0.25, 0.45, -0.45)
#: Beside a drawer that is out, where its high panel hides nothing: the same two numbers.
_ALONGSIDE = tuple(itertools.product((0.05, 0.2, 0.35), (0.65, -0.65, 0.8, -0.8)))
_ABOVE = {
    Reach.FRONT: (0.3, 0.1, 0.55, -0.1),
    Reach.DRAWER: (2.0, 0.7),
    Reach.ABOVE: (0.6, 0.8),
}
#: The lift while looking around, in m: the head is then at 1.4 m.
LIFT_LOOKING = 0.5
#: How far the base turns away from the middle, in rad: of each group the first that is free. With
#: its left side to a drawer or basin the head is nearer.
_FACING = (0.0, 0.6, -0.6, 1.2, -1.2)
_TURNS: dict[Reach, tuple[tuple[float, ...], ...]] = {
    Reach.FRONT: (_FACING,),
    Reach.DRAWER: (_FACING, (-1.5,)),
    Reach.ABOVE: (_FACING,),
}
#: A farther stand must show so much more, as a share per m.
_WAY = 0.03
#: A further stand must show at least such a share more.
_MORE = 0.03


def look_into(
    mover: Mover,
    spaces: Sequence[Space],
    look: Callable[[], Mapping[str, Array]],
    variation: int = 0,
) -> None:
    """Take stands to look into spaces of one area until all is seen, or no stand shows more.

    look: looks from where the robot is, and returns the spots of each space not seen yet, each of
    shape (n, 3); at least those of `sightlines.spots` at first. variation: so many of the best
    stands are left out. Raises Failed (UNREACHABLE, BLOCKED) if no stand can be taken.
    """
    left = look()
    if not any(map(len, left.values())):
        return
    stands = _stands(mover, spaces)
    failed = Failed(Reason.UNREACHABLE, spaces[0].area, "nowhere to stand and look into it")
    taken = skipped = 0
    later: list[Array] = []  # from here there was no way; perhaps there is from the next stand
    for _ in range(TRIES + variation):
        if taken >= STANDS or not len(stands):
            break
        gains = np.mean(
            np.concatenate(
                [seen_from(mover.world, s, left[s.name], stands) for s in spaces], axis=1
            ),
            axis=1,
        )
        way = np.hypot(*(stands[:, :2] - mover.motion.target[:2]).T)
        best = int(np.argmax(gains - _WAY * way))
        if gains[best] < _MORE:
            break
        stand, stands = stands[best], np.delete(stands, best, axis=0)
        if skipped < variation:
            skipped += 1
            continue
        try:
            _stand_at(mover, stand)
        except Failed as error:
            failed = error
            later.append(stand)
            continue
        taken += 1
        stands, later = np.array([*stands, *later]).reshape(-1, JOINTS), []
        left = look()
        if not any(map(len, left.values())):
            return
    if not taken:
        raise failed


def raise_head(mover: Mover) -> None:
    """Fold the arm and raise the head to look around. Raises Failed."""
    if not mover.tucked:
        mover.tuck()
    joints = mover.motion.target.copy()
    joints[LIFT] = max(float(joints[LIFT]), LIFT_LOOKING)
    mover.travel(mover.way_of_arm(mover.motion.target, joints))


def middle(mover: Mover, spaces: Sequence[Space]) -> Array:
    """The middle of some spaces now, shape (3,)."""
    values = [0.0 if s.front is None else mover.world.front_value(s.front) for s in spaces]
    each = [spots(space, value) for space, value in zip(spaces, values, strict=True)]
    found: Array = np.concatenate(each).mean(axis=0)
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
        mover.travel(mover.way_of_arm(mover.motion.target, joints))


def _stands(mover: Mover, spaces: Sequence[Space]) -> Array:
    """Joints of shape (n, 11) where the robot is free and near to the spaces."""
    space = spaces[0]
    aim = middle(mover, spaces)
    away, along = space.outward[:2], space.rotation[:2, 0]
    mover.world.sync()
    clearance = mover.clearance(TRANSIT)
    arm = mover.motion.target[ARM] if mover.tucked else TUCK if mover.held is None else CARRY[0]
    alongside = _ALONGSIDE if space.reach is Reach.DRAWER else ()
    offsets = np.array([*itertools.product(_BEFORE, _BESIDE), *alongside])
    places = aim[:2] + offsets[:, :1] * away + offsets[:, 1:] * along
    found: list[Array] = []
    for x, y in places[mover.world.base_free(places, BASE_NEED)]:
        facing = math.atan2(aim[1] - y, aim[0] - x)
        for above, turns in itertools.product(_ABOVE[space.reach], _TURNS[space.reach]):
            lift = min(max(aim[2] + above - ARM_HEIGHT - HEAD[2], 0.0), LIFT_HIGH - 0.02)
            for turn in turns:
                joints = np.array([x, y, facing + turn, lift, *arm])
                if any(np.abs(joints - other)[:4].max() < 0.01 for other in found[-4:]):
                    break
                if mover.paths.free(joints, clearance):
                    found.append(joints)
                    break
    return np.array(found).reshape(-1, JOINTS)
