"""Grasps and paths of an arm: from which side, and from how far above."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peephole.skills.arm import kinematics, rotation
from peephole.skills.arm.blocks.grasp_planning import joints_above, plan_grasp
from peephole.skills.arm.blocks.world import BlockPose
from peephole.skills.arm.kinematics import HOME, TcpPose


@pytest.mark.parametrize(("z", "rise"), [(0.3, 0.12), (0.6, 0.06), (0.63, 0.03), (0.66, 0.0)])
def test_the_hand_comes_in_from_as_high_as_the_arm_reaches(z: float, rise: float) -> None:
    target = TcpPose(np.array([0.55, 0.0, z]), rotation.DOWN)
    there = kinematics.inverse(target, HOME)
    assert there is not None
    above = kinematics.forward(joints_above(target, there))
    assert above.position == pytest.approx(np.array([0.55, 0.0, z + rise]), abs=2e-4)


@given(st.floats(-math.pi, math.pi), st.integers(0, 3))
@settings(max_examples=20)
def test_a_block_is_grasped_along_its_sides_the_other_way_on_another_try(
    yaw: float, variation: int
) -> None:
    block = BlockPose(np.array([0.5, 0.1, 0.025]), rotation.about_z(yaw))
    grasp = plan_grasp(4, {4: block}, HOME, 0.0, variation)
    hand = kinematics.forward(grasp.at_block)
    assert hand.position == pytest.approx(block.position, abs=2e-4)
    along = hand.rotation[:, 0] @ block.rotation[:, :2]  # of the block's two level axes
    assert np.abs(along).max() == pytest.approx(1.0, abs=1e-3)
    turn = math.remainder(math.atan2(hand.rotation[1, 0], hand.rotation[0, 0]), math.pi)
    assert (abs(turn) <= math.pi / 4 + 1e-3) == (variation % 2 == 0)
    heights = [kinematics.forward(at).position[2] for at in (grasp.tugged, grasp.lifted)]
    assert heights == pytest.approx([0.04, 0.175], abs=2e-4)
    assert kinematics.forward(grasp.path[-1]).position[2] == pytest.approx(0.145, abs=2e-4)
