"""Worlds that differ in one hidden object are the same to the agent.

A few pairs in every adapter and dialect; `benchmarks/world_pairs.py` plays some hundred.
"""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from peephole.observation_text.names import Names
from peephole.planners.contract import Grant
from peephole.scene_graph.node import Node

#: Of LIBERO's own engine, where the user names one.
LIBERO = os.environ.get("PEEPHOLE_LIBERO_PYTHON", "stand_in")
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
#: Pairs of each adapter: with every kind of difference, and every dialect where that is quick.
PAIRS = {
    "symbolic": 12,
    "kitchen": 8,
    "ambiguous": 2,
    "omnigibson": 12,
    "virtualhome": 4,
    "mujoco": 2,
    "symbolic_gripper": 3,
    "mujoco_kitchen": 1,
    "libero": 6,
}
SLOW = {
    "mujoco_kitchen": 15,
    "virtualhome_room": 4,
    "virtualhome_unity": 4,
    "ai2thor": 4,
    "isaacgym": 1,
}


@pytest.fixture(scope="module")
def world_pairs() -> Iterator[ModuleType]:
    """The benchmark as a module; the settings that it makes end with the tests."""
    before = dict(os.environ)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield importlib.import_module("world_pairs")
    os.environ.clear()
    os.environ.update(before)


def differences(world_pairs: Any, name: str, pairs: int, folder: Path) -> list[str]:
    """The first difference of each pair that has one."""
    with ExitStack() as running:
        made = dict(world_pairs.makers(name, folder, running))
        if name not in made:
            pytest.skip(f"{name} is not installed")
        came = list(world_pairs.campaign(made[name], name, pairs, seed=1))
        assert len(came) == pairs
        assert sum(comparison.compared for _, _, comparison in came) >= 2 * pairs
        return [comparison.difference for _, _, comparison in came if comparison.difference]


@pytest.mark.parametrize("name", PAIRS)
def test_nothing_hidden_tells_two_worlds_apart(
    world_pairs: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEPHOLE_LIBERO_PYTHON", "stand_in")
    assert differences(world_pairs, name, PAIRS[name], tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_nothing_hidden_tells_two_worlds_apart_in_a_simulator(
    world_pairs: Any, name: str, tmp_path: Path
) -> None:
    assert differences(world_pairs, name, SLOW[name], tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(LIBERO == "stand_in", reason="PEEPHOLE_LIBERO_PYTHON is not set")
def test_nothing_hidden_tells_two_worlds_apart_in_libero_itself(
    world_pairs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PEEPHOLE_LIBERO_PYTHON", LIBERO)
    assert differences(world_pairs, "libero", 6, tmp_path) == []


def test_the_check_above_finds_a_number_that_tells_of_hidden_things(
    world_pairs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names that are numbered over the whole world, as they once were, are found."""
    append = Names.append

    def all_at_once(names: Names, nodes: Any) -> None:
        append(names, [*truth, *nodes])

    truth: list[Node] = []
    with ExitStack() as running:
        made = dict(world_pairs.makers("symbolic", tmp_path, running))
        maker = made["symbolic"]
        restore = maker.adapter.restore

        def watched(graph: Any) -> None:
            truth[:] = graph.nodes()
            restore(graph)

        monkeypatch.setattr(maker.adapter, "restore", watched)
        monkeypatch.setattr(Names, "append", all_at_once)
        for number in range(12):
            chance = random.Random(number)
            try:
                pair = maker.pair("removed", frozenset(), chance)
                came = world_pairs.compare(maker, pair, "reactree", frozenset[Grant](), chance)
            except world_pairs.Unsuitable:
                continue
            if came.difference:
                return
        pytest.fail("no pair differs")
