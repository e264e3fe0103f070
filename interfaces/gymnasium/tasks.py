"""The tasks that episodes are drawn from, and the rewards of their steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from ...episodes.environment import Standing
from ...episodes.resolve import select_tasks, tasks_of
from ...errors import BadInput, each_name, unknown_name
from ...scene_graph.task import Task
from ...suites.contract import Suite
from ...suites.registry import load_suite

#: What a step is rewarded with.
Reward = Literal["progress", "success", "suite"]


@cache
def shared_suite(name: str, data: str) -> Suite:
    """A suite, shared by the environments of this process; it may take long to make its tasks."""
    return load_suite(name, Path(data) if data else None)


def chosen_tasks(
    suite: Suite, task: str | Task | None, tasks: str | int | Sequence[str]
) -> Sequence[Task]:
    """The tasks that episodes are drawn from. Raises BadInput."""
    if task is not None:
        if tasks != "":
            raise BadInput("Name a task or tasks, not both.")
        return [task if isinstance(task, Task) else task_called(suite, task)]
    if tasks == "":
        return suite.tasks
    wanted = str(tasks) if isinstance(tasks, str | int) else ",".join(each_name(tasks))
    return list(tasks_of(suite, select_tasks(suite, wanted)).values())


def task_called(suite: Suite, name: Any) -> Task:
    """A task by its id. Raises BadInput."""
    return next(iter(tasks_of(suite, [str(name)]).values()))


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
