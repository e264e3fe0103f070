"""What an arm would hit: found to the millimetre where its fingers go, and of the arm itself."""

from __future__ import annotations

import numpy as np
import pytest

from peephole.skills.arm import kinematics, rotation
from peephole.skills.arm.blocks.collision import ITSELF, TABLE, Obstacle, first_collision
from peephole.skills.arm.blocks.world import BLOCK, BlockPose
from peephole.skills.arm.kinematics import HOME, TcpPose

UPRIGHT = np.eye(3)


def at(x: float, y: float, z: float) -> np.ndarray:
    """Joint positions with the fingers down, open along y, and the tcp at a point."""
    found = kinematics.inverse(TcpPose(np.array([x, y, z]), rotation.DOWN), HOME)
    assert found is not None
    return found


def hit_by_block(dx: float, dy: float, dz: float, opening: float = 0.02) -> Obstacle | None:
    """What is hit with a block's centre so far from the tcp, in m."""
    block = BlockPose(np.array([0.5 + dx, dy, 0.2 + dz]), UPRIGHT)
    joints = at(0.5, 0.0, 0.2)
    return first_collision(joints, joints, opening, {7: block})


def test_at_home_nothing_is_hit() -> None:
    assert first_collision(HOME, HOME, 0.04, {}) is None


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("opening", [0.0, 0.02, 0.04])
@pytest.mark.parametrize(
    ("dz", "reach"),
    [
        (-0.010, 0.0212),  # the top of the block is just below the widest part of the fingers
        (-0.024, 0.0085),  # and here beside the tips alone
    ],
)
def test_a_block_beside_a_finger_is_hit_where_the_finger_is(
    side: int, opening: float, dz: float, reach: float
) -> None:
    face = BLOCK / 2 + opening + reach
    assert hit_by_block(0, side * (face - 0.0015), dz, opening) == 7
    assert hit_by_block(0, side * (face + 0.0015), dz, opening) is None


def test_a_block_between_open_fingers_is_not_hit() -> None:
    assert hit_by_block(0, 0, 0, opening=0.04) is None
    assert hit_by_block(0, 0, 0, opening=0.02) == 7
    assert hit_by_block(0, 0, 0.06, opening=0.04) == 7  # it is in the hand's way


@pytest.mark.parametrize(
    ("height", "held", "hit"),
    [
        (0.004, None, TABLE),
        (0.006, None, None),
        (0.016, BlockPose(np.zeros(3), UPRIGHT), TABLE),
        (0.018, BlockPose(np.zeros(3), UPRIGHT), None),
    ],
)
def test_the_table_is_hit_by_the_fingertips_or_what_they_hold(
    height: float, held: BlockPose | None, hit: Obstacle | None
) -> None:
    joints = at(0.5, 0.0, height)
    assert first_collision(joints, joints, 0.025, {}, held) == hit


@pytest.mark.parametrize(
    "joints",
    [
        (0.23, -0.2, 2.5, -2.95, 1.34, 2.3, -2.73),  # the hand in the back of the base
        (0.9, -0.68, 2.88, -2.74, 0.37, 0.67, -1.19),
        (-1.77, 1.68, 0.44, -2.68, -2.87, 1.52, -0.38),  # and in its front
        (-0.57, 1.39, 0.29, -2.8, 2.17, 1.16, -1.9),
        (-0.29, 1.04, -1.56, -2.92, -0.55, 0.73, -2.37),  # in the upper arm
        (1.87, -0.3, 1.91, -3.04, -0.78, 0.28, 0.88),
    ],
)
def test_an_arm_that_is_folded_too_far_hits_itself(joints: tuple[float, ...]) -> None:
    folded = np.array(joints)
    assert first_collision(HOME, folded, 0.04, {}, ends_only=True) == ITSELF
    assert first_collision(HOME, folded, 0.04, {}) is not None  # nor is there a way to it


def test_what_is_close_to_the_base_and_the_upper_arm_hits_neither() -> None:
    for joints in (
        (-1.23, 1.36, -1.0, -2.71, -0.31, 0.63, -1.21),
        (-2.66, -0.3, 2.8, -2.96, 0.54, 1.4, 1.97),
    ):
        assert first_collision(HOME, np.array(joints), 0.04, {}, ends_only=True) is not ITSELF
