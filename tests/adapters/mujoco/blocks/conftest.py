"""The block world in real physics."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("mujoco")

from peephole.adapters.mujoco.blocks.adapter import BlocksAdapter
from peephole.scene_graph.goals import And
from peephole.scene_graph.task import Task

Play = Callable[..., BlocksAdapter]


@pytest.fixture
def play():
    """The block world at the start of a scene."""
    adapters = []

    def start(reference: str, seed: int = 0) -> BlocksAdapter:
        adapter = BlocksAdapter()
        adapters.append(adapter)
        adapter.reset(Task("any", "Do as you like.", And(()), f"blocks:{reference}"), seed)
        return adapter

    yield start
    for adapter in adapters:
        adapter.close()
