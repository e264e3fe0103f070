"""The arm's kinematics: where the gripper is, and how it gets to a pose."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.skills.arm import kinematics, rotation
from peephole.skills.arm.kinematics import HIGH, HOME, LOW, NEAR_M, NEAR_RAD, TcpPose

joints = st.lists(st.floats(0, 1), min_size=7, max_size=7).map(
    lambda shares: LOW + np.array(shares) * (HIGH - LOW)
)
angles = st.floats(-math.pi, math.pi)


@pytest.mark.parametrize(
    ("at", "tcp"),
    [  # published check values of the arm
        ((0, 0, 0, 0, 0, 0, 0), (0.0880, 0, 0.8226)),
        ((0, -0.785398, 0, -2.356194, 0, 1.570796, 0.785398), (0.30689, 0, 0.48688)),
        ((0, 0, 0, -math.pi / 2, 0, math.pi / 2, -math.pi / 4), (0.5545, 0, 0.5211)),
        (tuple(HOME), (0.48405, 0, 0.41263)),
    ],
)
def test_the_gripper_is_where_the_maker_says(at, tcp):
    assert kinematics.forward(np.array(at)).position == pytest.approx(tcp, abs=1e-4)


@pytest.mark.slow
@given(joints)
def test_a_pose_the_arm_was_in_is_reached_again(at):
    target = kinematics.forward(at)
    found = kinematics.inverse(target, np.clip(at + 0.05, LOW, HIGH))
    if found is None:  # near a limit or a singular pose the search may fail, but never lies
        return
    there = kinematics.forward(found)
    assert np.linalg.norm(there.position - target.position) < NEAR_M
    assert np.linalg.norm(rotation.vector(target.rotation @ there.rotation.T)) < NEAR_RAD
    assert (found >= LOW).all()
    assert (found <= HIGH).all()


@given(st.floats(0.3, 0.62), st.floats(-0.32, 0.32), st.floats(0.02, 0.25), st.floats(-0.8, 0.8))
def test_every_pose_above_the_table_is_reached_with_the_fingers_down(x, y, z, yaw):
    target = TcpPose(np.array([x, y, z]), rotation.about_z(yaw) @ rotation.DOWN)
    found = kinematics.inverse(target, HOME)
    assert found is not None
    assert np.linalg.norm(kinematics.forward(found).position - target.position) < NEAR_M


def test_a_pose_too_far_away_is_not_reached():
    assert kinematics.inverse(TcpPose(np.array([1.2, 0, 0.3]), rotation.DOWN), HOME) is None


@given(joints)
def test_the_frames_end_in_the_hand(at):
    hand = kinematics.frames(at)[7]
    tcp = kinematics.forward(at)
    assert np.allclose(hand[:3, :3] @ hand[:3, :3].T, np.eye(3))
    assert np.allclose(hand[:3, :3], tcp.rotation)
    assert np.allclose(np.linalg.norm(tcp.position - hand[:3, 3]), 0.1034)


@given(angles, angles, angles)
def test_orientations_survive_every_form(roll, pitch, yaw):
    turned = rotation.from_euler(roll, pitch, yaw)
    assert np.allclose(rotation.matrix(rotation.quaternion(turned)), turned, atol=1e-9)
    assert rotation.quaternion(turned)[3] >= 0
    assert np.allclose(rotation.from_euler(*rotation.to_euler(turned)), turned, atol=1e-6)
