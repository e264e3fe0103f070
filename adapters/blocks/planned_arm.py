"""An arm that plans grasps and paths and follows them exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...skills.actions import ARM_VERBS, Action, Verb
from ...skills.arm import kinematics, rotation
from ...skills.arm.blocks.arm import TUG_FORCE
from ...skills.arm.blocks.collision import first_collision
from ...skills.arm.blocks.grasp_planning import (
    blocked,
    joints_above,
    joints_for_pose,
    plan_grasp,
    plan_path,
)
from ...skills.arm.blocks.poses import SkillFailed, numbers_of_pose, pose_from_numbers
from ...skills.arm.blocks.world import BLOCK, ArmReading, BlockPose
from ...skills.arm.kinematics import TcpPose
from ...skills.arm.panda import FINGER_OPEN
from ...skills.arm.rotation import Array
from ...skills.outcomes import RawResult, Reason
from .scenes import BlockScene, start_poses
from .sensors import rounded_reading

_GRAVITY = 9.81
#: Seconds of `wait` by default, and at most.
_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0


@dataclass
class PlannedArm:
    """The state of the arm and the blocks."""

    scene: BlockScene
    """The scene at the start."""
    blocks: dict[int, BlockPose]
    """The present poses, by id."""
    joints: Array
    """In rad, shape (7,)."""
    held: int | None = None
    """The block in the gripper."""
    weight: float = 0.0
    """The downward force on the hand at rest, in N."""
    pull: float = 0.0
    """The largest downward force during the last action, in N."""
    stopped: str | None = None
    """Why the protective stop was tripped, or None."""

    @classmethod
    def in_scene(cls, scene: BlockScene) -> PlannedArm:
        return cls(scene, dict(start_poses(scene)), kinematics.HOME.copy())

    def attempt(self, action: Action, variation: int) -> RawResult:
        """Try an action once; the refusals are those of `skills.arm.blocks.arm`."""
        seconds = 0.0
        try:
            if self.stopped is not None:
                raise SkillFailed(Reason.STOPPED, f"The arm is stopped: {self.stopped}")
            if action.verb is Verb.WAIT:
                seconds = _waited(action)
            else:
                self._do(action, variation)
        except SkillFailed as refused:
            failure = refused.failure
            if self.scene.setting.protective_stop and failure.reason is Reason.OUT_OF_BOUNDS:
                self.stopped = str(refused)
            return RawResult(failure, str(refused))
        return RawResult(sim_time_s=seconds)

    def reading(self) -> ArmReading:
        pose = numbers_of_pose(kinematics.forward(self.joints), self.scene.setting)
        finger = FINGER_OPEN if self.held is None else BLOCK / 2
        pushed = (0.0, 0.0, -self.weight), (0.0, 0.0, -self.pull)
        return rounded_reading(ArmReading(pose, (finger, finger), *pushed))

    # --- the skills ------------------------------------------------------------------------

    def _do(self, action: Action, variation: int) -> None:
        if action.verb not in ARM_VERBS:
            raise SkillFailed(Reason.NOT_SUPPORTED, f"An arm cannot {action.verb}.", action.target)
        if action.verb is Verb.PICK_UP:
            self._pick(action.target, variation)
        elif action.verb is Verb.RESET:
            self._carry(kinematics.HOME)
        else:
            target = pose_from_numbers(action.pose or (), self.scene.setting)
            if action.verb is Verb.PLACE:
                self._place(target, variation)
            else:
                self._carry(joints_for_pose(target, self.joints, variation))

    def _pick(self, block: int | None, variation: int) -> None:
        if block is None or block not in self.blocks:
            known = ", ".join(map(str, sorted(self.blocks)))
            raise SkillFailed(
                Reason.UNKNOWN, f"There is no block {block}; there are {known}.", block
            )
        if self.held is not None:
            reason = Reason.HELD if self.held == block else Reason.HANDS_FULL
            raise SkillFailed(
                reason, f"The gripper holds block {self.held}; place it first.", self.held
            )
        offset = self.scene.setting.grasp_offset
        grasp = plan_grasp(block, self.blocks, self.joints, offset, variation)
        number = self.scene.ids.index(block)
        if number in self.scene.welded:
            self.joints, self.pull = grasp.path[-1], TUG_FORCE
            raise SkillFailed(Reason.IMMOVABLE, f"The block {block} does not give way.", block)
        in_hand = _relative(self.blocks[block], grasp.at_block)
        self.held = block
        self.weight = self.pull = _GRAVITY * self.scene.masses[number]
        self._move(grasp.lifted, in_hand)

    def _place(self, target: TcpPose, variation: int) -> None:
        if self.held is None:
            raise SkillFailed(Reason.EMPTY_HANDED, "The gripper holds nothing; pick a block first.")
        block, in_hand = self.held, _relative(self.blocks[self.held], self.joints)
        others = {i: pose for i, pose in self.blocks.items() if i != block}
        down = joints_for_pose(target, self.joints, variation)
        above = joints_above(target, down)
        obstacle = first_collision(above, down, BLOCK / 2, others, in_hand, ends_only=True)
        if obstacle is not None:
            raise blocked(obstacle)
        self._carry(above)
        self._move(down, in_hand)
        self.held, self.weight = None, 0.0
        self.joints = above
        self._let_go(block)

    def _carry(self, joints: Array) -> None:
        """Move on a free path, with the held block. Raises SkillFailed."""
        others = {i: pose for i, pose in self.blocks.items() if i != self.held}
        in_hand = None if self.held is None else _relative(self.blocks[self.held], self.joints)
        opening = FINGER_OPEN if in_hand is None else BLOCK / 2
        plan_path(self.joints, joints, opening, others, in_hand)
        self._move(joints, in_hand)
        self.pull = self.weight

    def _move(self, joints: Array, in_hand: BlockPose | None) -> None:
        """Set the joints and move the held block. in_hand: its pose in the frame of the tcp."""
        self.joints = joints
        if in_hand is not None:
            assert self.held is not None
            tcp = kinematics.forward(joints)
            self.blocks[self.held] = BlockPose(
                tcp.position + tcp.rotation @ in_hand.position, tcp.rotation @ in_hand.rotation
            )

    def _let_go(self, block: int) -> None:
        """Lower a block onto the highest block below its centre, or onto the table.

        Raises SkillFailed with MISPLACED if there is no table.
        """
        position, turned = self.blocks[block]
        x, y, z = (float(part) for part in position)
        below = [
            float(pose.position[2])
            for other, pose in self.blocks.items()
            if other != block
            and np.abs(pose.position[:2] - position[:2]).max() < BLOCK / 2
            and pose.position[2] < z
        ]
        (x0, y0), (x1, y1) = self.scene.setting.table_low, self.scene.setting.table_high
        falls = not below and not (x0 <= x <= x1 and y0 <= y <= y1)
        rest = -BLOCK if falls else max(below, default=-BLOCK / 2) + BLOCK
        yaw = float(np.arctan2(turned[1, 0], turned[0, 0]))
        self.blocks[block] = BlockPose(np.array([x, y, rest]), rotation.about_z(yaw))
        if falls:
            raise SkillFailed(Reason.MISPLACED, f"The block {block} fell off the table.", block)


def _relative(block: BlockPose, joints: Array) -> BlockPose:
    """A block's pose in the frame of the tcp at joint positions."""
    tcp = kinematics.forward(joints)
    inverse = tcp.rotation.T
    return BlockPose(inverse @ (block.position - tcp.position), inverse @ block.rotation)


def _waited(action: Action) -> float:
    """The seconds of a wait. Raises SkillFailed."""
    seconds = _WAIT_S if action.seconds is None else action.seconds
    if not 0 <= seconds <= _LONGEST_WAIT_S:
        raise SkillFailed(
            Reason.UNSUITABLE,
            f"One can wait from 0 to {_LONGEST_WAIT_S:g} seconds at a time, not {seconds:g}.",
        )
    return seconds
