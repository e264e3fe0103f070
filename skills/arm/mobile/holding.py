"""What is in the hand: its pose there, and the signals that it slips or is gone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from . import inverse
from .failures import Failed
from .world import Held, Pose, RoomWorld

#: A thing that moves so far in the hand, in m, slips.
SLIP = 0.03
#: Fingers that are closer together than this part of the width of what they hold have lost it.
_PART = 0.5
#: An axis of a thing that is upright within this cosine counts as the one that is up.
_NEARLY = 0.9


def gap(world: RoomWorld) -> float:
    """The gap between the fingers, in m."""
    return float(world.reading().fingers.sum())


def in_hand(world: RoomWorld, thing: str) -> Pose:
    """The present pose of a thing in the frame of the tcp."""
    position, rotation = inverse.tcp(world.reading().joints)
    return relative(Pose(position, rotation), world.thing(thing))


def relative(frame: Pose, pose: Pose) -> Pose:
    """A pose, in the frame of another."""
    turned = frame.rotation.T
    return Pose(turned @ (pose.position - frame.position), turned @ pose.rotation)


def upright(pose: Pose) -> Array:
    """What is up in the frame of a thing at rest, shape (3,): one of its axes if it nearly is."""
    up = pose.rotation[2].copy()
    axis = int(np.argmax(np.abs(up)))
    if abs(up[axis]) > _NEARLY:
        up = np.sign(up[axis]) * np.eye(3)[axis]
    return up


def taken(world: RoomWorld, thing: str, stood: Pose) -> Held:
    """What the hand holds after its fingers have closed on a thing, which stood as given."""
    return Held(thing, in_hand(world, thing), upright(stood))


def looked_again(world: RoomWorld, held: Held) -> Held:
    """The thing as it is in the hand now. Raises Failed (SLIPPED) if it is there no more."""
    now = in_hand(world, held.thing)
    moved = float(np.linalg.norm(now.position - held.pose.position))
    if moved > SLIP or fingers_met(world):
        raise Failed(Reason.SLIPPED, held.thing, f"it moved {moved * 1000:.0f} mm in the hand")
    return Held(held.thing, now, held.up)


def fingers_met(world: RoomWorld, width: float = 0.008) -> bool:
    """Whether the fingers are so close together that nothing of this width, in m, is between."""
    return gap(world) < _PART * width


def watch(world: RoomWorld, thing: str, width: float) -> Callable[[float], None]:
    """A watch for `Motion.follow` that stops it when the fingers meet."""

    def look(part: float) -> None:
        if fingers_met(world, width):
            raise Failed(Reason.SLIPPED, thing, "the fingers met")

    return look
