"""Motions of an arm: how fast they are, where they end, and what is measured while it rests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peephole.skills.arm.blocks.motion import FAST, MAX_ACCELERATION, SLOW, TICK, Motion
from peephole.skills.arm.blocks.world import ArmState
from peephole.skills.arm.rotation import Array


class PerfectArm:
    """An arm that is at once where it is told to be.

    commands: positions in the order in which they were given. force: at each moment, in N.
    """

    def __init__(self) -> None:
        self.commands: list[Array] = [np.zeros(7)]
        self.seconds = 0.0

    def state(self) -> ArmState:
        push = np.array([0.0, 0.0, -self.seconds])
        return ArmState(self.seconds, self.commands[-1], np.full(2, 0.04), push)

    def blocks(self) -> dict[int, object]:
        return {}

    def command(self, joints: Array, speeds: Array, opening: float) -> None:
        self.commands.append(joints)

    def step(self, seconds: float) -> None:
        self.seconds += seconds


@given(st.lists(st.floats(-1.5, 1.5), min_size=7, max_size=7), st.sampled_from([FAST, SLOW]))
def test_no_joint_is_hurried(target: list[float], speed: float) -> None:
    arm = PerfectArm()
    Motion(arm, 0.04, np.zeros(3)).move_to(np.array(target), speed)
    path = np.array(arm.commands)
    assert path[-1] == pytest.approx(np.array(target))
    longest = np.abs(target).max()
    accelerations = np.diff(path, n=2, axis=0) / TICK**2
    assert np.abs(accelerations).max() <= MAX_ACCELERATION * speed * 1.01
    assert longest / speed <= arm.seconds + 1e-9
    # Nor is any of them kept waiting.
    assert arm.seconds <= max(0.3, longest / speed, np.sqrt(longest / speed)) + TICK


@pytest.mark.parametrize(("seconds", "counted"), [(0.1, 3), (0.4, 10), (2.0, 20), (0.001, 1)])
def test_the_last_moments_of_a_rest_are_measured(seconds: float, counted: int) -> None:
    """Of this arm the force grows with time, so that the mean tells which moments counted."""
    arm = PerfectArm()
    looks: list[float] = []
    force = Motion(arm, 0.04, np.zeros(3)).hold(seconds, lambda: looks.append(arm.seconds))
    assert len(looks) == counted
    assert looks[-1] == pytest.approx(max(seconds, TICK))
    assert force == pytest.approx(np.array([0, 0, -np.mean(looks)]))
