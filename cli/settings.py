"""The settings of `peephole run --config FILE`: the options that the command leaves out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import BadInput, unknown_name
from .options import EngineChoice, ModelOptions, RecordingOptions, TaskOptions

if TYPE_CHECKING:
    from ..episodes.settings import RunSettings

GroupT = TypeVar("GroupT", TaskOptions, ModelOptions, RecordingOptions)


def with_settings(
    what: TaskOptions, asks: ModelOptions, recording: RecordingOptions
) -> tuple[TaskOptions, ModelOptions, RecordingOptions]:
    """The options of a command with those of its file; the command's own come first.

    Raises BadInput where the file is wrong, and with --grid.
    """
    if what.config is None:
        return what, asks, recording
    if what.grid is not None:
        raise BadInput("--config has one run and --grid many; give one of them.")
    from ..episodes.settings import read_settings

    settings = read_settings(what.config)
    own = what.set_options
    merged = {**_options(settings), **own}
    what = dataclasses.replace(what, set_=[f"{key}={value}" for key, value in merged.items()])
    return (
        _filled(what, _of_tasks(settings)),
        _filled(asks, _of_model(settings)),
        _filled(recording, _of_recording(settings)),
    )


def _filled(group: GroupT, given: Mapping[str, Any]) -> GroupT:
    """A group of options in which those that the command leaves out are the file's."""
    usual = {field.name: field.default for field in dataclasses.fields(group)}
    left_out = {name: value for name, value in given.items() if getattr(group, name) == usual[name]}
    return dataclasses.replace(group, **left_out)


def _options(settings: RunSettings) -> dict[str, str]:
    from ..planners.options import written

    return {key: written(value) for key, value in settings.options.items()}


def _of_tasks(settings: RunSettings) -> dict[str, Any]:
    same = ("suite", "planner", "adapter", "dialect", "data", "seed", "repeats", "planning_time")
    return {
        **{name: getattr(settings, name) for name in (*same, "faults", "approve")},
        "tasks": settings.wanted_tasks,
    }


def _of_model(settings: RunSettings) -> dict[str, Any]:
    model, budget = settings.model, settings.budget
    own = model.model_dump(exclude={"model", "roles"}) if model else {}
    names = [f"{role}={name}" for role, name in model.by_role.items()] if model else None
    alike = ("model_threads", "model_context", "model_timeout", "model_patience", "reply_cache")
    return {
        **own,
        **{name: getattr(settings, name) for name in alike},
        "model": names,
        "model_tokens": budget.tokens,
        "model_money": budget.money,
    }


def _of_recording(settings: RunSettings) -> dict[str, Any]:
    same = ("workers", "images", "isolate", "out", "log")
    own = {name: getattr(settings, name) for name in same}
    if settings.engine not in ("", *EngineChoice):
        raise unknown_name("engine", settings.engine, list(EngineChoice))
    return {**own, "engine": EngineChoice(settings.engine) if settings.engine else None}
