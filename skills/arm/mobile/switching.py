"""Pressing a button or knob with the tips of closed fingers."""

from __future__ import annotations

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from . import body, inverse, stands
from .driving import Mover
from .failures import Failed
from .fronts import Reached, reach
from .paths import NEAR
from .reaching import Blame, first_obstacle
from .world import ARM, BASE, Button, about

_STARTS, _TRIES, _APPROACHES = 160, 3, 3
#: How far the fingertips reach beyond the tcp, and how far from the face the hand is first, in m.
_TIP, _BEFORE = 0.009, 0.08
#: The hand may be tilted against the face about upright and level axes, in rad.
_TILT = 0.4
#: How much of the travel is pressed.
_DEEP = 0.95
#: The largest change of a joint while it is pressed, in rad.
_LEAP = 0.4
_UP = np.array([0.0, 0.0, 1.0])


def press(mover: Mover, button: Button) -> None:
    """Press a button once and fold the arm. Raises Failed."""
    motion = mover.motion
    motion.opening = body.CLOSED
    pressed = 0.0

    def feel(_: float = 0.0) -> None:
        nonlocal pressed
        pressed = max(pressed, mover.world.button_value(button.name))

    failure: Failed | None = None
    try:
        at, deep = _approach(mover, button)
        motion.allowed = {button.name}
        before = motion.target
        motion.follow([at, deep], body.CAREFUL, watch=feel)
        motion.hold(0.2, feel)
        motion.follow([at, before], body.CAREFUL)
    except Failed as failed:
        failure = failed
        mover.leave_hand(motion.allowed)
    motion.allowed = frozenset()
    mover.settle()
    if failure is None and pressed < button.pressed_at:
        failure = Failed(Reason.NOT_CONFIRMED, button.name, f"pressed by {pressed * 1000:.1f} mm")
    if failure is not None:
        raise failure


def _approach(mover: Mover, button: Button) -> tuple[Array, Array]:
    """Unfold the arm before the face; joints at the face and with it pressed. Raises Failed."""
    last: Failed | None = None
    blame = Blame()
    for _ in range(_TRIES):
        mover.world.sync()
        reached, deep = _candidates(mover, button, blame)
        for index in _by_cost(mover, reached)[:_APPROACHES]:
            before = reached.before[index]
            try:
                there = mover.approach(before)
            except Failed as failed:
                last = failed
                continue
            turn = np.zeros_like(there)
            turn[2] = there[2] - before[2]
            return reached.at[index] + turn, deep[index] + turn
    raise last or blame.failure(mover.world, button.name)


def _candidates(mover: Mover, button: Button, blame: Blame) -> tuple[Reached, Array]:
    """Joints before the face and at it, and with the button pressed, shape (n, 11)."""
    draw, outward = mover.generator, button.outward
    face = button.face + outward * _TIP
    if abs(outward[2]) > 0.7:  # pressed from above: who stands there comes from anywhere
        away, level = mover.motion.target[:3] - button.face, np.array([1.0, 0.0, 0.0])
        poses = body.DOWN
    else:
        away, level = outward, np.cross(_UP, outward)
        poses = body.level_at(float(face[2]))
    goals = np.repeat(face[None], _STARTS, axis=0)
    starts = stands.sample(mover.world, draw, goals, away, poses, side=0.4)
    axis = np.cross(outward, level)
    tilts = draw.uniform(-_TILT, _TILT, (_STARTS, 2))
    z = np.array([about(axis, a) @ about(level, b) @ -outward for a, b in tilts])
    x = draw.choice([-1.0, 1.0], _STARTS)[:, None] * np.where(
        (draw.random(_STARTS) < 0.5)[:, None], axis, level
    )
    x = x - z * (x * z).sum(axis=1, keepdims=True)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    rotation = np.stack([x, np.cross(z, x), z], axis=2)
    reached = reach(starts, goals - z * _BEFORE, goals, rotation, 0.8)
    pushed = inverse.solve(
        reached.at,
        goals[reached.hands] - outward * (_DEEP * button.travel),
        rotation[reached.hands],
        40,
    )
    near = mover.clearance(NEAR, fingers=body.CLOSED, ignore={button.name})
    blame.tried, blame.solved = blame.tried + _STARTS, blame.solved + len(reached.hands)
    kept = []
    for index in np.flatnonzero(pushed.reached):
        before, at, deep = reached.before[index], reached.at[index], pushed.joints[index]
        if float(np.abs(deep - at)[ARM].max()) > _LEAP:
            continue
        met = first_obstacle(mover, [before, at], near, between=3)
        met = met or mover.paths.obstacle(deep, near)
        if met is None and not stands.can_tuck(mover.paths, before, near):
            met = mover.paths.met
        blame.count(met)
        if met is None:
            kept.append(int(index))
    return reached.only(kept), pushed.joints[np.array(kept, int)]


def _by_cost(mover: Mover, reached: Reached) -> list[int]:
    motion = np.abs(reached.at - reached.before).max(axis=1, initial=0.0)
    driving = np.abs(reached.before[:, BASE] - mover.motion.target[BASE])[:, :2].sum(axis=1)
    return [int(index) for index in np.argsort(motion + 0.3 * driving, kind="stable")]
