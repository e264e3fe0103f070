"""The tasks that episodes are drawn from, and the rewards of their steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from ...episodes.environment import Standing
from ...episodes.resolve import WantedTasks, chosen_tasks, task_called
from ...errors import BadInput, unknown_name
from ...scene_graph.task import Task
from ...suites.contract import Suite
from ...suites.registry import load_suite

#: What a step is rewarded with.
Reward = Literal["progress", "success", "suite"]


def suite_of(suite: str | Suite, data: str | Path | None) -> Suite:
    """A suite by its name, shared by the environments of this process. Raises BadInput."""
    return suite if isinstance(suite, Suite) else _shared_suite(suite, str(data or ""))


@cache  # it may take long to make its tasks
def _shared_suite(name: str, data: str) -> Suite:
    return load_suite(name, Path(data) if data else None)


def tasks_to_draw(suite: Suite, task: str | Task | None, tasks: WantedTasks) -> Sequence[Task]:
    """The tasks that episodes are drawn from. Raises BadInput."""
    if task is None:
        return chosen_tasks(suite, tasks)
    if tasks != "":
        raise BadInput("Name a task or tasks, not both.")
    return [task if isinstance(task, Task) else task_called(suite, task)]


def check_options(options: Mapping[str, Any] | None, known: Sequence[str]) -> Mapping[str, Any]:
    """The options of `reset`. Raises BadInput for any other than the known ones."""
    options = {} if options is None else options
    takes = " and ".join(known) or "none"
    if not isinstance(options, Mapping):
        raise BadInput(f"The options of reset are a dictionary with {takes}, not {options!r}.")
    for name in options:
        if name not in known:
            raise BadInput(f"There is no option of reset {name!r} here; it takes {takes}.")
    return options


def check_reward(reward: str) -> str:
    """The name of a reward. Raises BadInput for an unknown one."""
    if reward not in get_args(Reward):
        raise unknown_name("reward", str(reward), get_args(Reward))
    return reward


def gained(reward: str, before: Standing, now: Standing, *, over: bool) -> float:
    """The reward of a step. over: whether the episode is."""
    if reward == "progress":
        return (now.progress or 0.0) - (before.progress or 0.0)
    if reward == "success":
        return float(over and bool(now.success))
    return now.reward - before.reward
