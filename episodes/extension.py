"""More tasks for a recorded run: `--resume --tasks N`.

A run only grows. Every episode keeps its number, task and seed, so pairs of runs stay pairs.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import BadInput
from ..scene_graph.task import scene_digest
from ..suites.contract import Suite
from .provenance import tasks_digest
from .recording import run_lock
from .resolve import Run, select_tasks
from .run_file import RunConfig, RunFile, check_repeats, read_run, write_run


def extended_config(folder: Path, suite: Suite, tasks: str) -> RunConfig:
    """The config of a recorded run with more tasks of its suite, after those that it has.

    tasks: as `--tasks` names them; "" for no more. Raises BadInput where they do not begin with
    those that the run has.
    """
    stored = read_run(folder).config
    if not tasks:
        return stored
    if stored.replays:
        raise BadInput(f"{folder} replays replies of another run; leave --tasks out.")
    if stored.branch is not None:
        raise BadInput(f"{folder} is a branch of one episode; leave --tasks out.")
    wanted = select_tasks(suite, tasks)
    there = stored.tasks
    if wanted[: len(there)] != there:
        advice = "let --tasks name these first, in this order"
        if wanted == there[: len(wanted)]:
            advice = f"leave --tasks out, or give {len(there)} or more"
        raise BadInput(
            f"{folder} has {len(there)} tasks, from {there[0]} to {there[-1]}, and a run only "
            f"grows; {advice}."
        )
    if len(wanted) == len(stored.tasks):
        return stored
    check_repeats(stored.repeats, len(wanted))
    return replace(stored, tasks=wanted, extended=(*stored.extended, len(stored.tasks)))


def extend(folder: Path, run: Run) -> None:
    """Let a run go on with the tasks of a config that `extended_config` made.

    Raises BadInput where the tasks of the suite have changed since the run began, where a file of
    the planner's options was compared with the scenes that the run had before, and where another
    process plays the run.
    """
    with run_lock(folder):
        before = read_run(folder)
        if len(before.config.tasks) == len(run.config.tasks):
            return
        check_same_tasks(folder, before, run)
        _check_scenes(folder, before, run)
        tasks = [run.tasks[name] for name in run.config.tasks]
        made = replace(before.provenance, tasks=tasks_digest(run.suite, tasks))
        write_run(folder, replace(before, config=run.config, provenance=made))


def check_same_tasks(folder: Path, begun: RunFile, run: Run) -> None:
    """Raise BadInput where the tasks of a run are no longer those with which it began."""
    now = tasks_digest(run.suite, [run.tasks[name] for name in begun.config.tasks])
    if begun.provenance.tasks not in ("", now):
        raise BadInput(
            f"{folder} was begun with other tasks of {begun.config.suite} under the same ids; use "
            f"the data and the version of Peephole that it began with, or choose another --out."
        )


def _check_scenes(folder: Path, begun: RunFile, run: Run) -> None:
    """Raise BadInput where a memory was not compared with the scenes of new tasks."""
    if run.planner.prepare is None or not begun.files:
        return
    scenes = {name: scene_digest(task.base_scene) for name, task in run.tasks.items()}
    if {scenes[name] for name in begun.config.tasks} != set(scenes.values()):
        raise BadInput(
            f"{folder} was begun with a file of --set {' and '.join(begun.files)}, which was "
            f"compared with the scenes of its own tasks only; start a new run for more."
        )
