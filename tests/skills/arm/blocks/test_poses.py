"""Poses as they are told: read back as they were told, and refused in one sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.skills.arm import rotation
from peephole.skills.arm.blocks.poses import SkillFailed, numbers_of_pose, pose_from_numbers
from peephole.skills.arm.blocks.world import REAL, SIMULATED
from peephole.skills.arm.kinematics import TcpPose
from peephole.skills.outcomes import Reason

poses = st.builds(
    lambda x, y, z, roll, pitch, yaw: TcpPose(
        np.array([x, y, z]), rotation.from_euler(roll, pitch, yaw)
    ),
    st.floats(0.3, 0.6),
    st.floats(-0.3, 0.3),
    st.floats(0.05, 0.5),
    *[st.floats(-3, 3)] * 3,
)


@given(poses, st.sampled_from([SIMULATED, REAL]))
def test_what_is_written_is_read_back(pose, setting):
    again = pose_from_numbers(numbers_of_pose(pose, setting), setting)
    assert np.allclose(again.position, pose.position)
    assert np.allclose(again.rotation, pose.rotation, atol=1e-6)


def test_fingers_down_is_reported_as_in_the_paper():
    told = numbers_of_pose(TcpPose(np.array([0.5, 0, 0.3]), rotation.DOWN), SIMULATED)
    assert told == pytest.approx((0.5, 0, 0.3, 1, 0, 0, 0))


def test_a_real_gripper_has_a_frame_of_its_own():
    told = numbers_of_pose(TcpPose(np.array([0.5, 0, 0.3]), rotation.DOWN), REAL)
    assert told == pytest.approx((0.5, 0, 0.3, math.pi, 0, -math.pi / 4), abs=1e-9)


@given(*[st.floats(-0.5, 0.5)] * 3, st.sampled_from([SIMULATED, REAL]))
def test_no_tilt_changes_how_fingers_down_are_reported_by_leaps(roll, pitch, yaw, setting):
    turned = rotation.from_euler(roll, pitch, yaw) @ rotation.DOWN
    told = numbers_of_pose(TcpPose(np.array([0.5, 0, 0.3]), turned), setting)
    down = numbers_of_pose(TcpPose(np.array([0.5, 0, 0.3]), rotation.DOWN), setting)
    assert told == pytest.approx(down, abs=1.6)


@pytest.mark.parametrize(
    ("numbers", "setting", "reason"),
    [
        ((0.5, 0, 0.3, 0, 0, 0), SIMULATED, Reason.BAD_POSE),
        ((0.5, 0, 0.3, 1, 0, 0, 0), REAL, Reason.BAD_POSE),
        ((), SIMULATED, Reason.BAD_POSE),
        ((0.5, math.nan, 0.3, 1, 0, 0, 0), SIMULATED, Reason.BAD_POSE),
        ((0.5, 0, 0.3, math.inf, 0, 0, 0), SIMULATED, Reason.BAD_POSE),
        ((0.5, 0, 0.3, 0, 0, 0, 0), SIMULATED, Reason.BAD_POSE),
        ((0.5, 0, 0.3, 2, 0, 0, 0), SIMULATED, Reason.BAD_POSE),
        ((1.5, 0, 0.3, 1, 0, 0, 0), SIMULATED, Reason.OUT_OF_BOUNDS),
        ((0.5, 0, -0.1, 1, 0, 0, 0), SIMULATED, Reason.OUT_OF_BOUNDS),
        ((0.5, 0, 0.6, 3.14, 0, 0), REAL, Reason.OUT_OF_BOUNDS),
    ],
)
def test_what_is_no_pose_is_refused_in_one_sentence(numbers, setting, reason):
    with pytest.raises(SkillFailed) as refused:
        pose_from_numbers(numbers, setting)
    assert refused.value.failure.reason is reason
    text = str(refused.value)
    assert text.endswith(".")
    assert "\n" not in text
    assert ". " not in text
