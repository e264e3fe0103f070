"""The suite `blocks_real`: the tasks of `blocks` with an arm as in LLM-POP's hardware experiments.

After section 5.3: poses of the gripper have Euler angles, in another frame than those of the
blocks, and an episode fails when a pose leaves the safety box or the arm runs into something.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...errors import BadInput
from ...scene_graph.task import Task
from ..contract import LazyTasks, Suite
from . import tasks as blocks


def load(data: Path | None = None) -> Suite:
    """The suite `blocks_real`. Raises BadInput where `data` is given."""
    if data is not None:
        raise BadInput("The suite blocks_real takes no --data: its scenes are generated.")
    suite = blocks.load()
    return replace(
        suite,
        name="blocks_real",
        summary="the tasks of blocks with Euler angles, a safety box and a protective stop",
        tasks=LazyTasks(len(suite.tasks), (_with_real_arm(task) for task in suite.tasks)),
    )


def _with_real_arm(task: Task) -> Task:
    return replace(task, scene=f"{task.scene};arm=real")
