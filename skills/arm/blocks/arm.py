"""The skills of an arm: pick, place, reach, reset, wait. One try each, with typed failures.

Before any motion it refuses invalid poses, poses out of bounds or reach, and paths on which the arm
would hit itself, the table or a block. A skill succeeds if its
postcondition holds afterwards: the block is in the gripper after the lift, or lies still at its
place.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ....scene_graph.graph import SceneGraph
from ...actions import ARM_VERBS, Action, Verb
from ...outcomes import Failure, RawResult, Reason
from .. import kinematics
from ..kinematics import TcpPose
from ..rotation import Array
from .block_graph import block_graph
from .collision import first_collision
from .controller import CLOSED, LOOK_S, OPEN, SETTLE_S, ArmController, held_block
from .grasp_planning import Grasp, blocked, joints_above, joints_for_pose, plan_grasp
from .motion import FAST, SLOW, Collision
from .poses import SkillFailed, numbers_of_pose, pose_from_numbers
from .world import BLOCK, SIMULATED, ArmReading, ArmState, ArmWorld, BlockPose, Workspace

#: The rise at which a block counts as lifted, in m.
LIFTED = 0.09
#: The joint speed of lifting, in rad/s; slow, because acceleration adds to the measured force.
LIFT_SPEED = 0.4
#: A gripped block is tugged first: the hand rises by `grasp_planning.TUG_HEIGHT` with at most
#: TUG_FORCE, in N. The block moved if it rose by TUGGED, in m, in the mean of several looks. If it
#: did not, it is immovable if the hand at rest still pulls with PULL, in N; otherwise the fingers
#: slipped. Force alone is not enough: slipping along a welded block gives 15 to 38 N, a free block
#: of 2 kg grasped at an angle 24 N.
TUG_FORCE, TUGGED, PULL = 80.0, 0.006, 10.0
#: How far from the release point a block may come to rest (x y), in m.
PLACE_TOLERANCE = 0.02
#: The apparent motion of a block at rest, in m, because poses are noisy.
_STILL = 0.008
#: Seconds: between two looks at a block at rest; `wait` by default and at most.
_STILL_S, _WAIT_S, _LONGEST_WAIT_S = 0.4, 1.0, 60.0


class ArmSnapshot(NamedTuple):
    """The state of an arm that is kept between actions."""

    target: Array
    """Joint positions last commanded, shape (7,), in rad."""
    opening: float
    """Of each finger, last commanded, in m."""
    peak_force: Array
    """The largest force since the last action began, in N, shape (3,)."""
    force: Array
    """The mean force at the last rest, in N, shape (3,)."""
    stopped: str | None
    """Why the protective stop was tripped, or None."""


class Arm:
    """One arm in one world. `attempt` is one try of an action.

    stopped: why a real arm's protective stop was tripped, or None.
    """

    def __init__(self, world: ArmWorld, workspace: Workspace = SIMULATED) -> None:
        """Take the present force as that of an empty hand."""
        self.world = world
        self.workspace = workspace
        self.stopped: str | None = None
        self._controller = ArmController(world)
        self._motion = self._controller.motion

    def attempt(self, action: Action, variation: int = 0) -> RawResult:
        """Try an action once.

        variation: from 1 on, another grasp and other starts for the inverse kinematics.
        """
        began = self.world.state().time_s
        failure, message = None, ""
        try:
            if self.stopped is not None:
                raise SkillFailed(Reason.STOPPED, f"The arm is stopped: {self.stopped}")
            self._do(action, variation)
        except SkillFailed as refused:
            failure, message = refused.failure, str(refused)
            out_of_bounds = failure.reason is Reason.OUT_OF_BOUNDS
            if self.workspace.protective_stop and (out_of_bounds or refused.collided):
                self.stopped = message
                if refused.collided:  # not BLOCKED, which would be retried
                    failure = Failure(Reason.STOPPED, failure.thing)
        return RawResult(failure, message, self.world.state().time_s - began)

    def reading(self) -> ArmReading:
        """The present sensor readings."""
        state = self.world.state()
        left, right = (float(finger) for finger in state.fingers)
        return ArmReading(
            numbers_of_pose(kinematics.forward(state.joints), self.workspace),
            (left, right),
            _triple(self._controller.force),
            _triple(self._motion.peak_force),
        )

    def graph(self, state: ArmState, blocks: Mapping[int, BlockPose]) -> SceneGraph:
        """The scene graph of a state of the arm and block poses, perceived or true."""
        return block_graph(
            blocks,
            held_block(state, blocks),
            kinematics.forward(state.joints),
            self.workspace,
            stopped=self.stopped is not None,
        )

    def snapshot(self) -> ArmSnapshot:
        """The arm's own state between actions; the world has a separate one."""
        motion, force = self._motion, self._controller.force
        return ArmSnapshot(motion.target, motion.opening, motion.peak_force, force, self.stopped)

    def restore(self, snapshot: ArmSnapshot) -> None:
        """Go back to a snapshot."""
        motion = self._motion
        motion.target, motion.opening, motion.peak_force, force, self.stopped = snapshot
        self._controller.force = force

    # --- the skills ------------------------------------------------------------------------

    def _do(self, action: Action, variation: int) -> None:
        if action.verb not in ARM_VERBS:
            raise SkillFailed(Reason.NOT_SUPPORTED, f"An arm cannot {action.verb}.", action.target)
        if action.verb is Verb.WAIT:
            self._wait(_WAIT_S if action.seconds is None else action.seconds)
            return
        blocks = self.world.blocks()
        held = held_block(self.world.state(), blocks)
        if action.verb is Verb.PICK_UP:
            self._pick(action.target, blocks, held, variation)
        elif action.verb is Verb.PLACE:
            target = pose_from_numbers(action.pose or (), self.workspace)
            self._place(target, blocks, held, variation)
        elif action.verb is Verb.REACH:
            target = pose_from_numbers(action.pose or (), self.workspace)
            joints = joints_for_pose(target, self._motion.target, variation)
            self._controller.carry(joints, blocks, held)
        else:
            self._reset(blocks, held)

    def _wait(self, seconds: float) -> None:
        if not 0 <= seconds <= _LONGEST_WAIT_S:
            raise SkillFailed(
                Reason.UNSUITABLE,
                f"One can wait from 0 to {_LONGEST_WAIT_S:g} seconds at a time, not {seconds:g}.",
            )
        self._controller.begin_action()
        self._controller.rest(seconds)

    def _reset(self, blocks: Mapping[int, BlockPose], held: int | None) -> None:
        """Move to the home pose; the gripper opens unless it holds a block."""
        self._controller.carry(kinematics.HOME, blocks, held)
        if held is None:
            self._controller.grip(OPEN)
            self._controller.rest(SETTLE_S)

    def _pick(
        self, block: int | None, blocks: Mapping[int, BlockPose], held: int | None, variation: int
    ) -> None:
        if block is None or block not in blocks:
            known = ", ".join(map(str, sorted(blocks)))
            raise SkillFailed(
                Reason.UNKNOWN, f"There is no block {block}; there are {known}.", block
            )
        if held is not None:
            reason = Reason.HELD if held == block else Reason.HANDS_FULL
            raise SkillFailed(reason, f"The gripper holds block {held}; place it first.", held)
        controller = self._controller
        grasp = self._plan_grasp(block, blocks, variation)
        controller.begin_action()
        controller.grip(OPEN)
        controller.follow(grasp.path, FAST)
        # One look is noisy: above the block the arm looks longer and corrects its aim.
        _, blocks = controller.look(LOOK_S)
        grasp = self._plan_grasp(block, blocks, variation)
        controller.follow([*grasp.path, grasp.at_block], SLOW)
        self._motion.hold(SETTLE_S)
        controller.grip(CLOSED)
        height = float(blocks[block].position[2])
        self._tug(block, height, grasp)
        try:
            self._motion.move_to(grasp.lifted, LIFT_SPEED)
        except Collision as collision:
            self._motion.retrace(collision.path)
            controller.release(grasp)
            raise blocked(None, block) from None
        controller.force, after = controller.look(LOOK_S)
        risen = after[block].position[2] - height
        if held_block(self.world.state(), after) != block or risen < LIFTED:
            controller.grip(OPEN)
            controller.rest(SETTLE_S)
            raise SkillFailed(
                Reason.SLIPPED, f"The block {block} slipped out of the gripper.", block
            )

    def _plan_grasp(self, block: int, blocks: Mapping[int, BlockPose], variation: int) -> Grasp:
        start, offset = self._motion.target, self.workspace.grasp_offset
        return plan_grasp(block, blocks, start, offset, variation)

    def _tug(self, block: int, height: float, grasp: Grasp) -> None:
        """Lift a gripped block a little, to see and feel whether it moves.

        height: of its centre before, in m. Raises SkillFailed with IMMOVABLE.
        """
        with suppress(Collision):  # then it pulls with the largest force allowed
            self._motion.move_to(grasp.tugged, LIFT_SPEED, limit=TUG_FORCE)
        force, blocks = self._controller.look(LOOK_S)
        pull = -float(force[2])
        if blocks[block].position[2] - height < TUGGED and pull > PULL:
            self._controller.release(grasp)
            raise SkillFailed(
                Reason.IMMOVABLE, f"The block {block} does not give way to {pull:.0f} N.", block
            )

    def _place(
        self, target: TcpPose, blocks: Mapping[int, BlockPose], held: int | None, variation: int
    ) -> None:
        if held is None:
            raise SkillFailed(Reason.EMPTY_HANDED, "The gripper holds nothing; pick a block first.")
        controller = self._controller
        others = {i: pose for i, pose in blocks.items() if i != held}
        in_hand = controller.in_hand(blocks[held])
        down = joints_for_pose(target, self._motion.target, variation)
        above = joints_above(target, down)
        obstacle = first_collision(above, down, BLOCK / 2, others, in_hand, ends_only=True)
        if obstacle is not None:
            raise blocked(obstacle)
        controller.carry(above, blocks, held)
        controller.lower(down, target)
        self._motion.hold(SETTLE_S)
        controller.grip(OPEN)
        controller.move_to(above, SLOW)
        controller.force, seen = controller.look(LOOK_S)
        self._check_placed(held, seen[held].position, target)

    def _check_placed(self, block: int, before: Array, target: TcpPose) -> None:
        """Check that a block lies still where it was released. Raises SkillFailed.

        before: its position at the previous look, in m, shape (3,).
        """
        after = self._controller.look(_STILL_S)[1][block].position
        if after[2] < 0:
            raise SkillFailed(Reason.MISPLACED, f"The block {block} fell off the table.", block)
        beside = float(np.linalg.norm((after - target.position)[:2]))
        if beside > PLACE_TOLERANCE or after[2] > target.position[2] + BLOCK / 2:
            raise SkillFailed(
                Reason.MISPLACED,
                f"The block {block} came to rest {1000 * beside:.0f} mm beside the pose.",
                block,
            )
        if float(np.linalg.norm(after - before)) > _STILL:
            raise SkillFailed(Reason.MISPLACED, f"The block {block} does not lie still.", block)


def _triple(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(part) for part in vector)
    return x, y, z
