"""Nothing hidden passes through the Gymnasium door: neither as text, nor in `info` or rewards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from peephole.adapters.contract import Adapter
from peephole.interfaces.gymnasium import TextEnv
from peephole.scene_graph.rules import Budgets, Ends, Rewards, Rules
from peephole.scene_graph.task import Task
from peephole.suites.contract import Suite

from ..door_pairs import Sent, differences

#: Rewards of the actions alone. Those of the goal tell of the true state, as they must.
RULES = Rules(Ends.PLANNER_DONE, rewards=Rewards(goal=0.0, step=-1.0, failed=-2.0))

#: Pairs of the slow test, by adapter.
PAIRS = {
    "symbolic": 45,
    "kitchen": 20,
    "ambiguous": 20,
    "omnigibson": 45,
    "virtualhome": 20,
    "symbolic_gripper": 20,
    "mujoco": 4,
    "ai2thor": 10,
}


class Opened:
    def __init__(self, env: TextEnv) -> None:
        self._env = env

    def begin(self) -> Sent:
        text, info = self._env.reset(seed=0)
        return self._sent(text, info)

    def say(self, text: str) -> Sent:
        text, reward, terminated, truncated, info = self._env.step(text)
        return self._sent(text, info, reward, terminated, truncated)

    def _sent(self, text: str, info: dict[str, Any], *more: object) -> Sent:
        everything = repr((text, list(info.items()), self._env.render(), *more))
        return Sent(everything, info["menu"][:-1], info["ended"] is not None)


@contextmanager
def gymnasium_door(adapter: Adapter, task: Task, dialect: str, steps: int) -> Iterator[Opened]:
    budgets = Budgets(steps=steps)
    task = replace(task, rules=None)  # some confirm what lies right, by their paper's rule
    suite = Suite("pairs", "", [task], adapter.spec.name, rules=RULES, budgets=budgets)
    yield Opened(
        TextEnv(suite, adapter=adapter, dialect=dialect, reward="suite", render_mode="ansi")
    )


@pytest.mark.parametrize(("adapter", "pairs"), [("symbolic", 4), ("kitchen", 2)])
def test_nothing_hidden_tells_two_worlds_apart(adapter: str, pairs: int, tmp_path: Path) -> None:
    assert differences(gymnasium_door, adapter, pairs, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("adapter", PAIRS)
def test_nothing_hidden_tells_worlds_of_any_adapter_apart(adapter: str, tmp_path: Path) -> None:
    assert differences(gymnasium_door, adapter, PAIRS[adapter], tmp_path) == []


def test_the_check_finds_what_tells_of_hidden_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def telling(env: TextEnv, *more: Any) -> dict[str, Any]:
        truth = env._adapter.graph()
        return {**info_of(env, *more), "things": sorted(map(str, truth.edges()))}

    info_of = TextEnv._info
    monkeypatch.setattr(TextEnv, "_info", telling)
    assert differences(gymnasium_door, "symbolic", 2, tmp_path)
