"""What is checked of an adapter, and in which scene."""

from __future__ import annotations

from pathlib import Path

from .. import plugins
from ..adapters.registry import adapter_specs
from ..adapters.scenes import split_scene
from ..errors import BadInput, Missing, PeepholeError
from ..scene_graph.task import Task
from ..suites.registry import load_suite
from .any_adapter import ASSUMPTIONS as OF_ANY_ADAPTER
from .assumption import Checks, task_in
from .study import checks_of


def checks_for(adapter: str) -> Checks:
    """What every adapter must do, then what is assumed of this one's engine.

    Raises BadInput for an unknown adapter, and Missing for a broken plugin.
    """
    if adapter not in plugins.names("adapter"):
        raise plugins.unknown("adapter", adapter)
    own = checks_of(adapter) or Checks(adapter)
    both = {each.name for each in OF_ANY_ADAPTER} & {each.name for each in own.assumptions}
    if both:
        raise Missing(
            f"A check of {adapter} is called {min(both)}, as one of every adapter is; rename it in "
            f"its package."
        )
    return Checks(adapter, own.scene, [*OF_ANY_ADAPTER, *own.assumptions])


def task_for(checks: Checks, suite: str = "", data: Path | None = None) -> Task:
    """The task in whose scene checks begin: the first of a suite, or in the checks' own scene.

    By default of the first suite that is played in the adapter, or could be. Raises BadInput where
    there is none.
    """
    if suite:
        with plugins.guarded("suite", suite):
            return load_suite(suite, data).tasks[0]
    if checks.scene:
        return task_in(checks.scene)
    spec = adapter_specs().get(checks.adapter)
    loaders = () if spec is None else spec.loaders
    possible = None
    for name in plugins.names("suite"):
        try:
            with plugins.guarded("suite", name):
                found = load_suite(name)
                task = found.tasks[0]
        except (PeepholeError, IndexError):
            continue
        if found.adapter == checks.adapter:
            return task
        if possible is None and split_scene(task.scene)[0] in loaders:
            possible = task
    if possible is None:
        raise BadInput(
            f"No suite has a task for the adapter {checks.adapter}; name one that it can load with "
            f"--suite."
        )
    return possible
