"""Closing fronts: closed fingers push the outer face, away from the handle.

By the handle it would fail: the fingers would take a door along when they leave it. Drop doors are
lifted first, with the fingers flat under the free edge. So are doors swung that stand open before a
corner, where no robot fits behind them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from . import blocking, body, stands
from .driving import Mover
from .failures import Failed, NoWay
from .fronts import ALONG, Track, follow, free, reach
from .inverse import Tolerance
from .paths import NEAR, Clearance
from .reaching import Blame
from .world import BASE, Front, FrontKind, about

_STARTS, _TRIES, _APPROACHES = 240, 3, 3
#: So many ways, the best, are tried for room to take the hand away at their end.
_LEAVING = 10
_VALUES = 10
#: The fingertips over the face while they push, in m, and how far before it the hand is first.
_OVER, _OVER_FLAT = 0.006, 0.0075
_START_OVER = 0.004
_BEFORE, _BESIDE = 0.12, 0.03
#: The clearance that positions before the face need, in m.
_AROUND = 0.006
#: A front that is further open than the first is swung with flat fingers to the second, in rad.
_SWING_FROM, _SWING_TO = 0.55, 0.40
#: How far behind the edge flat fingers reach, in m, and how steeply, in rad.
_BEHIND, _STEEP = 0.03, -0.15
#: Pushed so far beyond closed, in rad and m.
_BEYOND_TURN, _BEYOND_SLIDE = -0.01, -0.004
#: How the hand turns with the front, and how far it may be turned at first, in rad.
_TURNING, _TURNING_FLAT, _SPREAD = 0.7, 0.3, 0.9
#: Room beside the handle for the hand, in m, on doors and drawers.
_BESIDE_DOOR, _BESIDE_DRAWER = 0.12, 0.06
#: A front is shut at this value, in rad or m; it does not yield to such a force, in N, for so many
#: ticks.
_SHUT, _HARD, _HARD_TICKS = 0.002, 60.0, 5
_UP = np.array([0.0, 0.0, 1.0])


class _Push(NamedTuple):
    """Where the fingers push. point: of the face, when closed. values: of the front.

    flat: the fingers lie on the face, from its free edge towards the hinge.
    """

    front: Front
    values: Array
    point: Array
    flat: bool

    @property
    def over(self) -> float:
        return _OVER_FLAT if self.flat else _OVER


def close_front(mover: Mover, front: Front) -> None:
    """Close a front and fold the arm. Raises Failed."""
    swings = front.turns and mover.world.front_value(front.name) > _SWING_FROM
    if swings and front.kind is FrontKind.DROP:
        _push(mover, front, flat=True)
        swings = False
    try:
        _push(mover, front, flat=False)
    except NoWay:
        if not swings:
            raise
        _push(mover, front, flat=True)
        _push(mover, front, flat=False)
    value = mover.world.front_value(front.name)
    if value > front.closed_at:
        raise _stays_open(mover, front)


def _stays_open(mover: Mover, front: Front, reason: Reason = Reason.NOT_CONFIRMED) -> Failed:
    """Why a front does not close."""
    thing = blocking.behind(mover.world, front)
    told = f"still open by {mover.world.front_value(front.name):.3f}"
    if thing is not None:
        return Failed(Reason.BLOCKED, thing, f"{told}, {thing} is in the way")
    return Failed(reason, front.name, told)


def _push(mover: Mover, front: Front, *, flat: bool) -> None:
    """Push a front once and fold the arm. Raises Failed."""
    motion = mover.motion
    motion.opening = body.CLOSED
    failure: Failed | None = None
    hard = 0

    def feel(_: float) -> bool:
        """End when it is closed; fail when it does not yield."""
        nonlocal hard
        if mover.world.front_value(front.name) <= _SHUT:
            return True
        force = sum(touch.force for touch in motion.touches if touch.other in motion.allowed)
        hard = hard + 1 if force > _HARD else 0
        if hard >= _HARD_TICKS:
            raise _stays_open(mover, front, Reason.IMMOVABLE)
        return False

    try:
        way, outward = _approach(mover, front, flat)
        motion.allowed = {front.name}
        motion.follow(way[:1], body.CAREFUL)
        motion.follow(way[1:], body.HANDLING, watch=feel)
        motion.hold(0.2)
        mover.leave(outward, motion.allowed)
    except NoWay:
        motion.opening = body.OPEN
        raise
    except Failed as failed:
        failure = failed
        mover.leave_hand({front.name, front.grip})
    motion.allowed = frozenset()
    mover.settle()
    if failure is not None:
        raise failure


def _approach(mover: Mover, front: Front, flat: bool) -> tuple[list[Array], Array]:
    """Unfold the arm before the face; the way from there, and outward at its end.

    Raises Failed, NoWay if nothing has moved.
    """
    last: Failed | None = None
    blame = Blame()
    for _ in range(_TRIES):
        mover.world.sync()
        push = _where(mover, front, flat)
        for before, way in _plans(mover, push, blame):
            try:
                there = mover.approach(before)
            except Failed as failed:
                last = failed
                continue
            shift = np.zeros_like(there)
            shift[2] = there[2] - before[2]
            outward = front.rotation(float(push.values[-1])) @ front.outward
            return [joints + shift for joints in way], outward
    raise last or blame.failure(mover.world, front.name)


def _where(mover: Mover, front: Front, flat: bool) -> _Push:
    """Draw where to push."""
    draw = mover.generator
    value = mover.world.front_value(front.name)
    end = _SWING_TO if flat else _BEYOND_TURN if front.turns else _BEYOND_SLIDE
    side, high = front.half_width, front.half_height
    x = float(draw.uniform(-0.3, 0.3)) * side
    z = high * float(draw.choice([0.0, 0.2, -0.2]))
    if front.kind is FrontKind.DOOR:
        # Towards the free edge, above or below the handle.
        offset = float((front.handle - front.face) @ _UP)
        heights = np.linspace(-0.85, 0.85, 35) * high
        heights = heights[np.abs(heights - offset) > front.bar_half + _BESIDE_DOOR]
        x = side * float(draw.uniform(0.55, 0.9)) if len(heights) else 0.1 * side
        z = float(draw.choice(heights)) if len(heights) else high * float(draw.uniform(-0.6, 0.6))
        x = side - _BEHIND if flat else x
    elif front.kind is FrontKind.DROP:
        z = high - _BEHIND if flat else z
    else:
        least = front.bar_half + _BESIDE_DRAWER
        x = float(draw.uniform(min(least, side * 0.8), side * 0.85) * draw.choice([-1, 1]))
        z = high * float(draw.choice([-0.4, 0.4, 0.0]))
    point = front.face + _across(front) * x + _UP * z
    return _Push(front, np.linspace(value, end, _VALUES), point, flat)


def _across(front: Front) -> Array:
    """The unit vector along the face, on doors towards their free edge."""
    across: Array = np.cross(front.outward, _UP)
    return across * (np.sign((front.face - front.anchor) @ across) or 1.0)


def _plans(mover: Mover, push: _Push, blame: Blame) -> list[tuple[Array, list[Array]]]:
    """Joints before the face and the way from there, the best first; none if none was found."""
    front = push.front
    turned = [front.rotation(float(value)) for value in push.values]
    points = np.array([front.point(push.point, float(value)) for value in push.values])
    normals = np.array([turn @ front.outward for turn in turned])
    starts = stands.sample(
        mover.world,
        mover.generator,
        np.repeat(points[:1], _STARTS, axis=0),
        normals[-1],
        body.level_at(float(points[0, 2])),
    )
    rotation = _hands(mover, push, turned[0])
    at = np.repeat((points[0] + normals[0] * (push.over + _START_OVER))[None], _STARTS, axis=0)
    before = at - rotation[:, :, 2] * _BEFORE + normals[0] * (_BESIDE if push.flat else 0.0)
    reached = reach(starts, before, at, rotation, 0.9)
    blame.tried, blame.solved = blame.tried + _STARTS, blame.solved + len(reached.hands)
    clearance = _clearance(mover, front, _AROUND)
    reached = free(mover, reached, clearance, clearance.at(NEAR), blame)
    if not len(reached.hands):
        return []
    rotations = np.array([_turned(push, value) @ rotation for value in push.values])
    axes = np.repeat(front.axis[None], _VALUES, axis=0) if front.turns else None
    track = Track(
        front.name,
        push.values,
        points + normals * push.over,
        rotations,
        axes,
        0.1,
        Tolerance(0.003, 0.03),
        0.8,
        clearance.at(ALONG),
    )
    followed = follow(mover.paths, reached, track, blame)
    best = followed.best(_VALUES - 1, reached, mover.motion.target[BASE])
    out = replace(clearance, fronts={front.name: max(0.0, float(push.values[-1]))})
    found = []
    for w in best[:_LEAVING]:
        if mover.leaving(followed.joints[-1, w], normals[-1], out) is not None:
            found.append((reached.before[w], list(followed.joints[:, w])))
        if len(found) == _APPROACHES:
            break
    return found


def _turned(push: _Push, value: float) -> Array:
    """How far the hand has turned at a value, shape (3, 3)."""
    if not push.front.turns:
        return np.eye(3)
    part = _TURNING_FLAT if push.flat else _TURNING
    return about(push.front.axis, part * float(value - push.values[0]))


def _hands(mover: Mover, push: _Push, turned: Array) -> Array:
    """Rotations of hands that push, shape (n, 3, 3)."""
    draw, front = mover.generator, push.front
    normal = turned @ front.outward
    sides = draw.choice([-1.0, 1.0], _STARTS)
    if push.flat:
        inward = -_UP if front.kind is FrontKind.DROP else -_across(front)
        z = about(front.axis, _STEEP) @ (turned @ inward)
        x = normal - z * (normal @ z)
        x = sides[:, None] * (x / np.linalg.norm(x))
        z = np.repeat(z[None], _STARTS, axis=0)
    else:
        angles = draw.uniform(-_SPREAD, _SPREAD, _STARTS)
        z = np.array([about(_UP, angle) @ -normal for angle in angles])
        upright = draw.random(_STARTS) < 0.6
        x = sides[:, None] * np.where(upright[:, None], _UP, np.cross(_UP, z))
    return np.stack([x, np.cross(z, x), z], axis=2)


def _clearance(mover: Mover, front: Front, need: float) -> Clearance:
    return mover.clearance(need, fingers=body.CLOSED, ignore={front.name})
