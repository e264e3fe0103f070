"""The way to a run's model: one that the run serves by itself, or one of the user's endpoint.

A served model is a plugin of the group `peephole.models`, see `served_model`. It is served once for
the whole run, and asked over HTTP like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from ... import plugins
from ...errors import Missing
from ...served_model import ModelEndpoint, ServeOptions
from .config import ModelConfig, endpoint_from_environment
from .registry import load_model


def split(name: str) -> tuple[str, str] | None:
    """Plugin and argument of a served model; None for a model of the user's endpoint."""
    plugin, _, argument = name.partition(":")
    if plugin in plugins.names("model"):
        return plugin, argument
    return ("local", name) if name.endswith(".gguf") else None


def checked(config: ModelConfig) -> ModelConfig:
    """The config with its host, and whether the model is a stand-in, once it can be asked at all.

    Raises NoEndpoint, BadInput or Missing, each saying what to do.
    """
    served = split(config.name)
    config = replace(config, stand_in=False, granted=())
    if served is None:
        return replace(config, host=endpoint_from_environment(config.name).host)
    plugin, argument = served
    model = load_model(plugin)
    with plugins.guarded("model", plugin):
        model.check(argument)
    return replace(config, stand_in=model.stand_in, granted=model.granted)


def note(config: ModelConfig) -> str:
    """A sentence on what the user has to know of a run's model; empty for nothing."""
    if config.stand_in:
        told = f"--model {config.name} is a stand-in, not a language model: a mechanism check."
        granted = "; ".join(config.granted)
        return f"{told} Besides the messages it is granted: {granted}." if granted else told
    served = split(config.name)
    if served is None:
        return ""
    plugin, argument = served
    model = load_model(plugin)
    with plugins.guarded("model", plugin):
        return model.note(argument)


def label(config: ModelConfig) -> str:
    """A model's name as results show it: one that is no language model says so.

    The file of a served model stands there without its folder.
    """
    name = config.name if config.host else re.sub(r"[^:]*/", "", config.name)
    return f"{name} (mechanism check)" if config.stand_in else name


@contextmanager
def open_endpoint(
    config: ModelConfig,
    seed: int = 0,
    instruction_table: Callable[[], Mapping[str, Any]] = dict,
) -> Iterator[ModelEndpoint]:
    """The endpoint of a run's model, which is served for as long as the context lasts.

    instruction_table: makes what a model is given that wants it.
    """
    served = split(config.name)
    if served is None:
        yield endpoint_from_environment(config.name)
        return
    plugin, argument = served
    model = load_model(plugin)
    options = ServeOptions(
        argument,
        seed,
        max(ServeOptions.start_timeout_s, config.timeout_s or 0.0),
        instruction_table() if model.wants_instruction_table else {},
    )
    with ExitStack() as stack:
        with plugins.guarded("model", plugin):
            endpoint = stack.enter_context(model.serve(options))
        if not isinstance(endpoint, ModelEndpoint):
            raise Missing(
                f"The model '{plugin}' is broken (it gives {endpoint!r}, expected a "
                f"peephole.served_model.ModelEndpoint); correct or remove its package."
            )
        yield endpoint
