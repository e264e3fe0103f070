"""What is in the hand: its pose there, and the signals that it slips or is gone."""

from __future__ import annotations

import numpy as np

from ...outcomes import Reason
from ..rotation import Array
from . import inverse
from .driving import Mover
from .failures import Failed
from .motion import SLIPPED_GAP
from .world import Held, Pose, RoomWorld

#: A thing that moves so far in the hand, in m, slips.
SLIP = 0.03
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
    up: Array = pose.rotation[2].copy()
    axis = int(np.argmax(np.abs(up)))
    if abs(up[axis]) > _NEARLY:
        up = np.eye(3)[axis] * float(np.sign(up[axis]))
    return up


def taken(world: RoomWorld, thing: str, stood: Pose) -> Held:
    """What the hand holds after its fingers have closed on a thing, which stood as given."""
    return Held(thing, in_hand(world, thing), upright(stood), gap(world))


def carry(mover: Mover, held: Held, resting: bool = False) -> None:
    """Believe that a thing is in the hand. resting: it also stands on something."""
    mover.held = mover.motion.carried = held
    mover.motion.resting = resting


def drop(mover: Mover) -> None:
    """Believe that nothing is in the hand, and open it."""
    mover.held = None
    mover.motion.drop()
    mover.motion.release()


def look_again(mover: Mover) -> Held:
    """The thing as it is in the hand now. Raises Failed (SLIPPED) if it is there no more: then the
    hand is opened.
    """
    held = mover.held
    assert held is not None
    now = in_hand(mover.world, held.thing)
    moved = float(np.linalg.norm(now.position - held.pose.position))
    if moved > SLIP or gap(mover.world) < SLIPPED_GAP * held.width:
        drop(mover)
        raise Failed(Reason.SLIPPED, held.thing, f"it moved {moved * 1000:.0f} mm in the hand")
    carry(mover, held._replace(pose=now), mover.motion.resting)
    return mover.held or held
