"""The arm in physics is the arm of the tables, and the sensors tell what weighs how much."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from peephole.adapters.blocks.scenes import read
from peephole.adapters.mujoco.blocks.mjcf import mjcf
from peephole.skills.actions import pick_up, place, wait
from peephole.skills.arm import kinematics, rotation
from peephole.skills.arm.blocks.collision import first_collision

DOWN = (1.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def arm():
    """MuJoCo's model of the arm with one block far off, at its home pose."""
    model = mujoco.MjModel.from_xml_string(mjcf(read("n=1;at=0.6,0.3,0")))
    data = mujoco.MjData(model)
    data.qpos[:7] = kinematics.HOME
    data.qpos[7:9] = 0.04
    return model, data


def test_our_kinematics_are_those_of_the_engine(arm):
    model, data = arm
    chance = np.random.default_rng(0)
    tcp = model.site("tcp").id
    for _ in range(100):
        joints = chance.uniform(kinematics.LOW, kinematics.HIGH)
        data.qpos[:7] = joints
        mujoco.mj_kinematics(model, data)
        ours = kinematics.forward(joints)
        assert np.allclose(ours.position, data.site_xpos[tcp], atol=1e-9)
        assert np.allclose(ours.rotation.ravel(), data.site_xmat[tcp], atol=1e-9)


def test_nothing_touches_the_arm_at_home(arm):
    model, data = arm
    data.qpos[:7] = kinematics.HOME
    mujoco.mj_forward(model, data)
    names = [{model.geom_bodyid[c.geom1], model.geom_bodyid[c.geom2]} for c in data.contact]
    block, world = model.body("cubeA").id, 0
    assert all(pair == {block, world} for pair in names)  # the block lies on the table


def test_what_the_clearance_passes_does_not_run_deep_into_the_table_or_the_arm(arm):
    model, data = arm
    chance = np.random.default_rng(1)
    passed = 0
    for _ in range(400):
        joints = chance.uniform(kinematics.LOW, kinematics.HIGH)
        if first_collision(joints, joints, 0.04, {}, ends_only=True) is not None:
            continue
        data.qpos[:7] = joints
        mujoco.mj_forward(model, data)
        depth = min((c.dist for c in data.contact if c.geom1 or c.geom2), default=0.0)
        passed += 1
        assert depth > -0.035
    assert passed > 50


@pytest.mark.parametrize("mass", [0.05, 0.1, 0.35, 0.6])
def test_a_lifted_block_is_weighed_at_the_wrist(play, mass):
    world = play(f"n=1;at=0.5,0.1,0.4;masses={mass}")
    assert world.view().arm.force == pytest.approx((0, 0, 0), abs=0.01)
    assert world.attempt(pick_up(4), 0).success
    reading = world.view().arm
    assert reading.force == pytest.approx((0, 0, -9.81 * mass), abs=0.03)
    assert reading.fingers == pytest.approx((0.025, 0.025), abs=0.001)
    assert reading.pose[:3] == pytest.approx((0.5, 0.1, 0.175), abs=0.003)
    assert world.attempt(place((0.45, -0.1, 0.027, *DOWN)), 0).success
    assert world.view().arm.force == pytest.approx((0, 0, 0), abs=0.02)


def test_the_heavier_of_two_is_reported_by_30_g(play):
    world = play("masses=0.30,0.33;at=0.4,0.1,1.0|0.5,-0.1,-0.3")
    forces = []
    for block, y in ((4, 0.25), (5, -0.25)):
        assert world.attempt(pick_up(block), 0).success
        forces.append(-world.view().arm.force[2])
        assert world.attempt(place((0.45, y, 0.027, *DOWN)), 0).success
    assert forces[1] - forces[0] == pytest.approx(9.81 * 0.03, abs=0.05)


def test_a_held_block_stays_held_for_as_long_as_one_waits(play):
    world = play("n=1;at=0.5,0.1,0.4;masses=0.6")
    assert world.attempt(pick_up(4), 0).success
    waited = world.attempt(wait(10.0), 0)
    assert waited.success
    assert waited.sim_time_s == pytest.approx(10.0, abs=0.05)
    assert world.graph().held(2) == [4]
    tcp = kinematics.forward(world.world.true_state().joints)
    block = world.world.true_blocks()[4]
    assert np.linalg.norm(tcp.position - block.position) < 0.004
    assert abs((tcp.rotation.T @ block.rotation)[2, 2]) > np.cos(0.05)
    assert np.allclose(rotation.matrix(rotation.quaternion(block.rotation)), block.rotation)
