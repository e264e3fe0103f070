"""Endpoints of the models that several runs share, each opened once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from ..adapters.contract import Capability
from ..adapters.scenes import load_scene
from ..models import serving
from ..models.config import ModelConfig
from ..models.served_model import ModelEndpoint
from ..observation_text.dialect import Dialect
from ..scene_graph.graph import SceneGraph
from ..scene_graph.task import Task
from .instruction_table import instruction_table, places_table
from .resolve import Run

_Table = Callable[[Sequence[Task], Callable[[Task], SceneGraph], Dialect], dict[str, Any]]


class Endpoints:
    """Opens the endpoints of runs and closes them all at the end.

    A model is served once for all runs. A stand-in, which reads the tasks, is served once for each
    suite, its tasks and the seed.
    """

    def __init__(
        self, runs: Sequence[Run], workers: int, on_start: serving.OnStart | None = None
    ) -> None:
        """runs: all that will ask for endpoints. workers: number of workers that ask at the same
        time. on_start: called with each model that is being started.
        """
        self._workers = workers
        self._on_start = on_start
        self._roles: Counter[ModelConfig] = Counter()
        for run in runs:
            self._roles |= Counter(map(_unlimited, run.config.models.values()))
        self._open: dict[object, ModelEndpoint] = {}
        self._stack = ExitStack()

    def of(self, run: Run, tasks: Sequence[Task]) -> dict[str, ModelEndpoint | None]:
        """The endpoints of a run by role; None where recorded replies are played again.

        tasks: those to be played.
        """
        models = run.config.models
        if run.config.replays:
            return dict.fromkeys(models)
        return {role: self._endpoint(run, tasks, model) for role, model in models.items()}

    def _endpoint(self, run: Run, tasks: Sequence[Task], model: ModelConfig) -> ModelEndpoint:
        model = _unlimited(model)
        config = run.config
        played = (config.suite, config.data, config.adapter, run.dialect.name)
        of_tasks = (*played, tuple(task.id for task in tasks))
        key = (model, *of_tasks, config.seed) if model.stand_in else (model,)
        if key not in self._open:
            self._open[key] = self._stack.enter_context(
                serving.open_endpoint(
                    model,
                    config.seed,
                    lambda: _from_truth(run, tasks, instruction_table),
                    lambda: _from_truth(run, tasks, places_table),
                    slots=self._workers * self._roles[model],
                    on_start=self._on_start,
                )
            )
        return self._open[key]

    def __enter__(self) -> Endpoints:
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()


def _unlimited(model: ModelConfig) -> ModelConfig:
    """The model as it is served, without its budgets."""
    return replace(model, budget_tokens=None, budget_usd=None)


def _from_truth(run: Run, tasks: Sequence[Task], table: _Table) -> Mapping[str, Any]:
    """A table for a stand-in, made from the states in which tasks begin."""

    def truth_of(task: Task) -> SceneGraph:
        if Capability.GRAPH not in run.adapter.spec.capabilities:
            return load_scene(task.scene)  # of a real room, as it was described
        run.adapter.reset(task, run.config.seed)
        truth = run.adapter.graph()
        assert truth is not None  # by its capability
        return truth

    try:
        return table(tasks, truth_of, run.dialect)
    finally:
        run.adapter.close()
