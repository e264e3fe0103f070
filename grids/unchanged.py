"""Whether a run that a grid continues is still the one that the grid wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..episodes.resolve import select_tasks
from ..episodes.run_file import RunConfig, read_run
from ..errors import BadInput
from ..models.config import ModelConfig
from ..planners.options import changed_options, parse_options
from ..planners.registry import absolute_reference, load_planner
from ..results.experiments import changed_world
from ..suites.contract import Suite

#: Fields of a model that may change when a run is continued.
MAY_CHANGE = ("budget_tokens", "budget_usd", "timeout_s", "patience_s", "threads", "reply_cache")
#: Fields of a model that are found out at the start.
_FOUND = ("host", "stand_in", "granted", "lengths")


def check_unchanged(folder: Path, wanted: RunConfig, suite: Suite, tasks: str) -> RunConfig:
    """The config that a run continues with. Raises BadInput where the grid wants another run.

    tasks: as the grid or the command names them.
    """
    stored = read_run(folder).config
    planner = load_planner(wanted.planner)
    options = changed_options(planner, parse_options(planner, wanted.options))
    for what, then, now in (
        ("suite", stored.suite, wanted.suite),
        ("planner", stored.planner, absolute_reference(wanted.planner)),
        ("options", dict(stored.options), dict(options)),
        ("seed", stored.seed, wanted.seed),
        ("repeats", stored.repeats, wanted.repeats),
        ("dialect", stored.dialect, wanted.dialect or stored.dialect),
        ("images", stored.images, wanted.images),
        ("simulator in its own process", stored.isolate, wanted.isolate),
        *changed_world(stored, replace(wanted, adapter=wanted.adapter or suite.adapter)),
        ("models", *(_compared(config.models, stored.models) for config in (stored, wanted))),
    ):
        if then != now:
            raise BadInput(
                f"{folder} was run with the {what} {then}, and the grid wants {now}; choose "
                f"another --out."
            )
    chosen = select_tasks(suite, tasks)
    if stored.tasks != chosen:
        raise BadInput(
            f"{folder} was run with {_counted(stored.tasks)}, and the grid wants "
            f"{_counted(chosen)}; give the same --tasks again, or choose another --out."
        )
    models = {
        role: replace(model, **{name: getattr(wanted.models[role], name) for name in MAY_CHANGE})
        if role in wanted.models
        else model
        for role, model in stored.models.items()
    }
    return replace(stored, models=models)


def _compared(
    models: Mapping[str, ModelConfig], stored: Mapping[str, ModelConfig]
) -> dict[str, Any]:
    """The models by role, each with its settings that differ from the defaults.

    A role without a model has that of the planner.
    """
    if not models:
        return {}
    usual = ModelConfig("")
    found = {}
    for role in stored or models:
        model = models.get(role) or models.get("planner")
        if model is None:
            continue
        settings = {
            name: value
            for name, value in vars(model).items()
            if name not in (*MAY_CHANGE, *_FOUND, "name") and value != getattr(usual, name)
        }
        found[role] = (model.name, settings) if settings else model.name
    return found


def _counted(tasks: tuple[str, ...]) -> str:
    """Tasks as part of a sentence."""
    if len(tasks) == 1:
        return f"the task {tasks[0]}"
    return f"{len(tasks)} tasks from {tasks[0]} to {tasks[-1]}"
