"""The skills of an arm: pick, place, reach, reset, wait. One try each, with typed failures.

What can be known before moving is refused before moving: poses that are none, out of bounds or
out of reach, and ways on which the arm would hit itself, the table or a block. A skill succeeds
when its postcondition holds afterwards: the block is in the gripper after the lift, or lies still
where it was to be put.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ...scene_graph.graph import SceneGraph
from ..actions import OF_ARMS, Action, Verb
from ..outcomes import Failure, RawResult, Reason
from . import clearance, kinematics, panda, rotation
from . import grasp_planning as ways
from .block_graph import block_graph
from .grasp_planning import Grasp
from .kinematics import TcpPose
from .motion import FAST, PUSHED, SLOW, Collision, Motion
from .poses import MotionRefused, pose_from_numbers, numbers_of_pose
from .reading import ArmReading
from .rotation import Array
from .workspace import BLOCK, SIMULATED, Workspace
from .world import ArmState, ArmWorld, BlockPose

#: A block is lifted that rose by so much, in m.
RISEN = 0.09
#: How fast a block is lifted, in rad/s: slowly, since what it takes to speed it up counts as well.
LIFTING = 0.4
#: A gripped block is first tugged at: the hand rises by `ways.TUG`, with TUG_FORCE, in N, at most.
#: The block gave way if it rose by GAVE_WAY, in m, as seen in the mean of several looks. One that
#: did not is immovable if the hand, then at rest, still pulls upwards with PULL, in N; with less,
#: the fingers have slipped. Forces alone do not tell a welded block (the fingers slip along it and
#: go on pulling with 15 to 38 N) from a free one of 2 kg that was grasped a little askew (24 N).
TUG_FORCE, GAVE_WAY, PULL = 80.0, 0.006, 10.0
#: How far from where the gripper let go a block may come to rest (x y), in m.
PLACED = 0.02
#: A block that is lowered has landed when the hand is pushed so hard, in N, so near the pose, in m.
LANDED, LANDED_M = 20.0, 0.007
#: Seconds: to open or close, to come to rest after a motion, to come to rest and then look and
#: feel for 0.4 s, to look whether something lies still.
_GRIP_S, _SETTLE_S, _LOOK_S, _STILL_S = 0.8, 0.24, 0.8, 0.4
_WAIT_S, _LONGEST_WAIT_S = 1.0, 60.0
_OPEN, _CLOSED = panda.FINGER_OPEN, 0.0
_STILL_M = 0.008  # and no less, since poses are noisy


def held_block(state: ArmState, blocks: Mapping[int, BlockPose]) -> int | None:
    """The block between the fingers: its middle is near the tcp and they are as wide as it is."""
    # Both are generous: poses are noisy, and a block may hang beside its middle.
    gap = float(state.fingers.sum())
    if not 0.8 * BLOCK < gap < 1.2 * BLOCK:
        return None
    tcp = kinematics.forward(state.joints).position
    near = [(float(np.linalg.norm(b.position - tcp)), i) for i, b in blocks.items()]
    distance, block = min(near, default=(math.inf, -1))
    return block if distance < 0.6 * BLOCK else None


class ArmSnapshot(NamedTuple):
    """What an arm keeps from action to action."""

    target: Array
    opening: float
    peak: Array
    force: Array
    stopped: str | None


class Arm:
    """One arm in one world. `attempt` is one try of an action."""

    def __init__(self, world: ArmWorld, setting: Workspace = SIMULATED) -> None:
        """Takes the force of now as that of an empty hand."""
        self.world = world
        self.setting = setting
        self.stopped: str | None = None  # why a real arm's protective stop was tripped
        self._motion = Motion(world, _OPEN, np.zeros(3))
        self._motion.base = self._motion.hold(_LOOK_S)
        self._motion.peak = np.zeros(3)
        self._force: Array = np.zeros(3)

    def attempt(self, action: Action, variation: int = 0) -> RawResult:
        """One try. variation: from 1 on, another grasp and other starts for the search of ways."""
        began = self.world.state().time_s
        failure, message = None, ""
        try:
            if self.stopped is not None:
                raise MotionRefused(Reason.STOPPED, f"The arm is stopped: {self.stopped}")
            self._do(action, variation)
        except MotionRefused as refused:
            failure, message = refused.failure, str(refused)
            breached = failure.reason is Reason.OUT_OF_BOUNDS
            if self.setting.stops and (breached or refused.collided):
                self.stopped = message
                if refused.collided:  # not BLOCKED, which would be tried again
                    failure = Failure(Reason.STOPPED, failure.thing)
        return RawResult(failure, message, self.world.state().time_s - began)

    def reading(self) -> ArmReading:
        """What the sensors say now."""
        state = self.world.state()
        left, right = (float(finger) for finger in state.fingers)
        return ArmReading(
            numbers_of_pose(kinematics.forward(state.joints), self.setting),
            (left, right),
            _triple(self._force),
            _triple(self._motion.peak),
        )

    def graph(self, state: ArmState, blocks: Mapping[int, BlockPose]) -> SceneGraph:
        """The scene graph of readings and poses, be they perceived or true."""
        return block_graph(
            blocks,
            held_block(state, blocks),
            kinematics.forward(state.joints),
            self.setting,
            stopped=self.stopped is not None,
        )

    def memory(self) -> ArmSnapshot:
        """What the arm itself keeps from action to action."""
        motion = self._motion
        return ArmSnapshot(motion.target, motion.opening, motion.peak, self._force, self.stopped)

    def remember(self, memory: ArmSnapshot) -> None:
        """Go back to what `memory` gave."""
        motion = self._motion
        motion.target, motion.opening, motion.peak, self._force, self.stopped = memory

    # --- the skills ------------------------------------------------------------------------

    def _do(self, action: Action, variation: int) -> None:
        if action.verb not in OF_ARMS:
            raise MotionRefused(
                Reason.NOT_SUPPORTED, f"An arm cannot {action.verb}.", action.target
            )
        if action.verb is Verb.WAIT:
            self._wait(_WAIT_S if action.seconds is None else action.seconds)
            return
        blocks = self.world.blocks()
        held = held_block(self.world.state(), blocks)
        if action.verb is Verb.PICK_UP:
            self._pick(action.target, blocks, held, variation)
        elif action.verb is Verb.PLACE:
            self._place(pose_from_numbers(action.pose or (), self.setting), blocks, held, variation)
        elif action.verb is Verb.REACH:
            target = pose_from_numbers(action.pose or (), self.setting)
            self._carry(ways.joints_for_pose(target, self._motion.target, variation), blocks, held)
        else:
            self._reset(blocks, held)

    def _wait(self, seconds: float) -> None:
        if not 0 <= seconds <= _LONGEST_WAIT_S:
            raise MotionRefused(
                Reason.UNSUITABLE,
                f"One can wait from 0 to {_LONGEST_WAIT_S:g} seconds at a time, not {seconds:g}.",
            )
        self._begin()
        self._rest(seconds)

    def _reset(self, blocks: Mapping[int, BlockPose], held: int | None) -> None:
        """Back to the home pose; the gripper opens unless it holds a block."""
        self._carry(kinematics.HOME, blocks, held)
        if held is None:
            self._grip(_OPEN)
            self._rest(_SETTLE_S)

    def _pick(
        self,
        block: int | None,
        blocks: Mapping[int, BlockPose],
        held: int | None,
        variation: int,
    ) -> None:
        if block is None or block not in blocks:
            known = ", ".join(map(str, sorted(blocks)))
            raise MotionRefused(
                Reason.UNKNOWN, f"There is no block {block}; there are {known}.", block
            )
        if held is not None:
            reason = Reason.HELD if held == block else Reason.HANDS_FULL
            raise MotionRefused(reason, f"The gripper holds block {held}; place it first.", held)
        grasp = self._grasp(block, blocks, variation)
        self._begin()
        self._grip(_OPEN)
        self._travel(grasp.way, FAST)
        # One look is noisy: from above it looks for a while, and corrects its aim.
        _, blocks = self._look(_LOOK_S)
        grasp = self._grasp(block, blocks, variation)
        self._travel([*grasp.way, grasp.at], SLOW)
        self._motion.hold(_SETTLE_S)
        self._grip(_CLOSED)
        before = float(blocks[block].position[2])
        self._tug(block, before, grasp)
        try:
            self._motion.to(grasp.lifted, LIFTING)
        except Collision as hit:
            self._motion.back(hit.path)
            self._let_go(grasp)
            raise ways.blocked(None, block) from None
        self._force, after = self._look(_LOOK_S)
        risen = after[block].position[2] - before
        if held_block(self.world.state(), after) != block or risen < RISEN:
            self._grip(_OPEN)
            self._rest(_SETTLE_S)
            raise MotionRefused(
                Reason.SLIPPED, f"The block {block} slipped out of the gripper.", block
            )

    def _grasp(self, block: int, blocks: Mapping[int, BlockPose], variation: int) -> Grasp:
        return ways.plan_grasp(block, blocks, self._motion.target, self.setting.grasp_offset, variation)

    def _tug(self, block: int, before: float, grasp: Grasp) -> None:
        """Lift a gripped block a little, and see and feel what comes of it.

        before: the height of its middle on the table, in m. Raises Refused with IMMOVABLE.
        """
        with suppress(Collision):  # then it pulls as hard as it may, and stays there
            self._motion.to(grasp.tugged, LIFTING, limit=TUG_FORCE)
        force, blocks = self._look(_LOOK_S)
        pull = -float(force[2])
        if blocks[block].position[2] - before < GAVE_WAY and pull > PULL:
            self._let_go(grasp)
            raise MotionRefused(
                Reason.IMMOVABLE, f"The block {block} does not give way to {pull:.0f} N.", block
            )

    def _place(
        self,
        target: TcpPose,
        blocks: Mapping[int, BlockPose],
        held: int | None,
        variation: int,
    ) -> None:
        if held is None:
            raise MotionRefused(
                Reason.EMPTY_HANDED, "The gripper holds nothing; pick a block first."
            )
        others = {i: pose for i, pose in blocks.items() if i != held}
        in_hand = self._in_hand(blocks[held])
        down = ways.joints_for_pose(target, self._motion.target, variation)
        above = ways.joints_above(target, down)
        hit = clearance.first_collision(above, down, BLOCK / 2, others, in_hand, ends_only=True)
        if hit is not None:
            raise ways.blocked(hit)
        self._carry(above, blocks, held)
        self._lower(down, target)
        self._motion.hold(_SETTLE_S)
        self._grip(_OPEN)
        self._go(above, SLOW)
        self._force, seen = self._look(_LOOK_S)
        before = seen[held].position
        after = self._look(_STILL_S)[1][held].position
        if after[2] < 0:
            raise MotionRefused(Reason.MISPLACED, f"The block {held} fell off the table.", held)
        beside = float(np.linalg.norm((after - target.position)[:2]))
        if beside > PLACED or after[2] > target.position[2] + BLOCK / 2:
            raise MotionRefused(
                Reason.MISPLACED,
                f"The block {held} came to rest {1000 * beside:.0f} mm beside the pose.",
                held,
            )
        if float(np.linalg.norm(after - before)) > _STILL_M:
            raise MotionRefused(Reason.MISPLACED, f"The block {held} does not lie still.", held)

    def _in_hand(self, block: BlockPose) -> BlockPose:
        """A held block in the frame of the tcp."""
        tcp = kinematics.forward(self.world.state().joints)
        back = tcp.rotation.T
        return BlockPose(back @ (block.position - tcp.position), back @ block.rotation)

    # --- moving ----------------------------------------------------------------------------

    def _begin(self) -> None:
        self._motion.peak = np.zeros(3)

    def _carry(self, to: Array, blocks: Mapping[int, BlockPose], held: int | None) -> None:
        """Go to joint positions by a free way, with what is held. Raises Refused."""
        if held is None:
            way = ways.plan_path(self._motion.target, to, self._motion.opening, blocks)
        else:
            others = {i: pose for i, pose in blocks.items() if i != held}
            in_hand = self._in_hand(blocks[held])
            way = ways.plan_path(self._motion.target, to, BLOCK / 2, others, in_hand)
        self._begin()
        self._travel(way, FAST if held is None else SLOW)
        self._rest(_LOOK_S)
        if held is not None and held_block(self.world.state(), self.world.blocks()) != held:
            # Not SLIPPED, which is tried again: another try would begin with empty hands.
            raise MotionRefused(Reason.MISPLACED, f"The block {held} was lost on the way.", held)

    def _travel(self, way: list[Array], speed: float) -> None:
        for joints in way:
            self._go(joints, speed)

    def _go(self, joints: Array, speed: float) -> None:
        try:
            self._motion.to(joints, speed, limit=PUSHED)
        except Collision as hit:
            self._motion.back(hit.path)
            self._rest(_SETTLE_S)
            raise ways.blocked(None) from None

    def _lower(self, down: Array, target: TcpPose) -> None:
        """Go down with a block until it lands, which may be a little above the pose."""
        try:
            self._motion.to(down, SLOW, limit=LANDED)
        except Collision as hit:
            here = kinematics.forward(self.world.state().joints).position
            if float(np.linalg.norm(here - target.position)) > LANDED_M:
                self._motion.back(hit.path)
                self._rest(_SETTLE_S)
                raise ways.blocked(None) from None

    def _grip(self, opening: float) -> None:
        self._motion.opening = opening
        self._motion.hold(_GRIP_S)

    def _let_go(self, grasp: Grasp) -> None:
        """Open, and leave upwards."""
        self._grip(_OPEN)
        try:
            self._motion.to(grasp.way[-1], SLOW)
        except Collision as hit:
            self._motion.back(hit.path)
        self._rest(_SETTLE_S)

    def _rest(self, seconds: float) -> None:
        self._force = self._motion.hold(seconds)

    def _look(self, seconds: float) -> tuple[Array, dict[int, BlockPose]]:
        """Stay where it is: the mean force (N, in the base), and the mean pose of every block.

        Means are of the moments that `Motion.hold` counts, so that noise mostly goes.
        """
        seen: list[Mapping[int, BlockPose]] = []
        force = self._motion.hold(seconds, lambda: seen.append(self.world.blocks()))
        blocks = {
            block: BlockPose(
                np.mean([each[block].position for each in seen], axis=0),
                rotation.mean([each[block].rotation for each in seen]),
            )
            for block in seen[0]
        }
        return force, blocks


def _triple(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(part) for part in vector)
    return x, y, z
