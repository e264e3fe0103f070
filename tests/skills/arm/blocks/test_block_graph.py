"""What stands on what, told from where blocks are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from peephole.scene_graph.node import Relation
from peephole.skills.arm import kinematics
from peephole.skills.arm.blocks.block_graph import TABLE, block_graph
from peephole.skills.arm.blocks.world import BLOCK, SIMULATED, BlockPose

A, B, C = 4, 5, 6
LOW = BLOCK / 2


def below(poses: dict[int, tuple[float, float, float]]) -> dict[int, list[int]]:
    """What each block is on."""
    blocks = {block: BlockPose(np.array(at), np.eye(3)) for block, at in poses.items()}
    graph = block_graph(blocks, None, kinematics.forward(kinematics.HOME), SIMULATED)
    return {block: graph.targets(block, Relation.ON) for block in poses}


@given(st.floats(BLOCK, 0.06), st.floats(0.0, 0.06), st.floats(-0.03, 0.03))
def test_a_block_stands_on_one_thing_at_most(apart: float, x: float, y: float) -> None:
    at = {A: (0.45, 0.0, LOW), B: (0.45 + apart, 0.0, LOW), C: (0.45 + x, y, LOW + BLOCK)}
    found = below(at)
    assert (found[A], found[B]) == ([TABLE], [TABLE])
    assert len(found[C]) <= 1
    if abs(x) < LOW and abs(y) < LOW:
        assert found[C] == [A]


def test_across_two_blocks_it_stands_on_the_nearer() -> None:
    across = {A: (0.45, 0.0, LOW), B: (0.504, 0.0, LOW)}
    assert below({**across, C: (0.476, 0.0, LOW + BLOCK)})[C] == [A]
    assert below({**across, C: (0.478, 0.0, LOW + BLOCK)})[C] == [B]
