"""Basic motions of the skills of an arm: follow a path, lower, grip, look."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...outcomes import Reason
from .. import kinematics, panda, rotation
from ..kinematics import TcpPose
from ..rotation import Array
from .grasp_planning import Grasp, blocked, plan_path
from .motion import FAST, MAX_FORCE, SLOW, Collision, Motion
from .poses import SkillFailed
from .world import BLOCK, ArmState, ArmWorld, BlockPose

#: Openings of each finger, in m.
OPEN, CLOSED = panda.FINGER_OPEN, 0.0
#: Seconds: to come to rest after a motion; to come to rest and then measure for 0.4 s.
SETTLE_S, LOOK_S = 0.24, 0.8
#: Seconds to open or close.
_GRIP_S = 0.8
#: A lowered block has landed at this force on the hand, in N, this near to the pose, in m.
_LANDING_FORCE, _LANDING_DISTANCE = 20.0, 0.007


def held_block(state: ArmState, blocks: Mapping[int, BlockPose]) -> int | None:
    """Find the block between the fingers: near the tcp, and as wide as their opening."""
    # Both tolerances are large: poses are noisy, and a block may hang off-centre.
    opening = float(state.fingers.sum())
    if not 0.8 * BLOCK < opening < 1.2 * BLOCK:
        return None
    tcp = kinematics.forward(state.joints).position
    near = [(float(np.linalg.norm(b.position - tcp)), i) for i, b in blocks.items()]
    distance, block = min(near, default=(math.inf, -1))
    return block if distance < 0.6 * BLOCK else None


class ArmController:
    """Moves one arm, and measures what its skills need.

    motion: the trajectories. force: the mean force at the last rest, less that of an empty hand, in
    N in the frame of the base, shape (3,).
    """

    def __init__(self, world: ArmWorld) -> None:
        """Take the present force as that of an empty hand."""
        self.world = world
        self.motion = Motion(world, OPEN, np.zeros(3))
        self.motion.empty_force = self.motion.hold(LOOK_S)
        self.motion.peak_force = np.zeros(3)
        self.force: Array = np.zeros(3)

    def begin_action(self) -> None:
        """Restart the measurement of the peak force."""
        self.motion.peak_force = np.zeros(3)

    def carry(self, joints: Array, blocks: Mapping[int, BlockPose], held: int | None) -> None:
        """Go to joint positions, shape (7,), on a free path, with the held block if there is one.

        Raises SkillFailed.
        """
        motion = self.motion
        if held is None:
            path = plan_path(motion.target, joints, motion.opening, blocks)
        else:
            others = {i: pose for i, pose in blocks.items() if i != held}
            in_hand = self.in_hand(blocks[held])
            path = plan_path(motion.target, joints, BLOCK / 2, others, in_hand)
        self.begin_action()
        self.follow(path, FAST if held is None else SLOW)
        self.rest(LOOK_S)
        if held is not None and held_block(self.world.state(), self.world.blocks()) != held:
            # Not SLIPPED, which is retried: another try would start with an empty gripper.
            raise SkillFailed(Reason.MISPLACED, f"The block {held} was lost on the way.", held)

    def follow(self, path: list[Array], speed: float) -> None:
        """Visit joint positions one after the other. Raises SkillFailed with BLOCKED."""
        for joints in path:
            self.move_to(joints, speed)

    def move_to(self, joints: Array, speed: float) -> None:
        """Go straight to joint positions. Raises SkillFailed with BLOCKED, after moving back."""
        try:
            self.motion.move_to(joints, speed, limit=MAX_FORCE)
        except Collision as collision:
            self.motion.retrace(collision.path)
            self.rest(SETTLE_S)
            raise blocked(None) from None

    def lower(self, joints: Array, target: TcpPose) -> None:
        """Lower a block until it lands, which may be slightly above the target.

        Raises SkillFailed with BLOCKED.
        """
        try:
            self.motion.move_to(joints, SLOW, limit=_LANDING_FORCE)
        except Collision as collision:
            here = kinematics.forward(self.world.state().joints).position
            if float(np.linalg.norm(here - target.position)) > _LANDING_DISTANCE:
                self.motion.retrace(collision.path)
                self.rest(SETTLE_S)
                raise blocked(None) from None

    def grip(self, opening: float) -> None:
        """Open or close the fingers, to `opening` m each."""
        self.motion.opening = opening
        self.motion.hold(_GRIP_S)

    def release(self, grasp: Grasp) -> None:
        """Open the fingers and move up."""
        self.grip(OPEN)
        try:
            self.motion.move_to(grasp.path[-1], SLOW)
        except Collision as collision:
            self.motion.retrace(collision.path)
        self.rest(SETTLE_S)

    def rest(self, seconds: float) -> None:
        """Stay and measure the force."""
        self.force = self.motion.hold(seconds)

    def look(self, seconds: float) -> tuple[Array, dict[int, BlockPose]]:
        """Stay and measure: the mean force (N, in the base) and the mean pose of every block.

        The means are over the moments that `Motion.hold` counts, which removes most of the noise.
        """
        seen: list[Mapping[int, BlockPose]] = []
        force = self.motion.hold(seconds, lambda: seen.append(self.world.blocks()))
        blocks = {
            block: BlockPose(
                np.mean([each[block].position for each in seen], axis=0),
                rotation.mean([each[block].rotation for each in seen]),
            )
            for block in seen[0]
        }
        return force, blocks

    def in_hand(self, block: BlockPose) -> BlockPose:
        """The pose of a held block in the frame of the tcp."""
        tcp = kinematics.forward(self.world.state().joints)
        inverse = tcp.rotation.T
        return BlockPose(inverse @ (block.position - tcp.position), inverse @ block.rotation)
