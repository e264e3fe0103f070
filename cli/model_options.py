"""The configuration of each model, made of a command's options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from .options import ModelOptions

if TYPE_CHECKING:
    from ..models.config import ModelConfig
    from ..models.connection import ModelConnection
    from ..models.contract import Model

#: The field of `ModelConfig` that each option of a model sets.
MODEL_FIELDS = {
    "--temperature": "temperature",
    "--reply-tokens": "max_tokens",
    "--reasoning-effort": "reasoning_effort",
    "--reasoning-tokens": "reasoning_tokens",
    "--price-in": "price_in",
    "--price-out": "price_out",
    "--price-cached": "price_cached",
    "--model-threads": "threads",
    "--model-context": "context",
    "--reply-cache": "reply_cache",
    "--model-tokens": "budget_tokens",
    "--model-money": "budget_usd",
    "--model-timeout": "timeout_s",
    "--model-patience": "patience_s",
}


def model_configs(asks: ModelOptions) -> dict[str, ModelConfig]:
    """The models that a command names, by role. Raises BadInput for options without a model."""
    asked = asks.asked()
    if not asks.model:
        if asked:
            raise BadInput(f"{next(iter(asked))} needs a model; add --model.")
        return {}
    from ..models.config import ModelConfig

    fields = config_fields(asked)
    return {role: ModelConfig(name=name, **fields) for role, name in asks.by_role().items()}


def writing_model(asks: ModelOptions, doing: str) -> ModelConfig:
    """The model that writes tasks or pairs, by default with temperature 1.

    doing: what the model is for, as the error says it. Raises BadInput without --model.
    """
    config = model_configs(asks).get("planner")
    if config is None:
        raise BadInput(f"{doing} needs a model; add --model (see `peephole models`).")
    return config if asks.temperature is not None else replace(config, temperature=1.0)


def config_fields(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `ModelConfig` that options of a model set."""
    return {MODEL_FIELDS[option]: value for option, value in asked.items()}


@contextmanager
def opened(config: ModelConfig, seed: int) -> Iterator[ModelConnection]:
    """A connection to the model of a command."""
    from ..models.connection import ModelConnection
    from ..models.serving import open_endpoint

    with open_endpoint(config, seed) as endpoint, ModelConnection(config, endpoint) as connection:
        yield connection


@contextmanager
def recorded(connection: ModelConnection, answers: Path, seed: int) -> Iterator[Model]:
    """The model, whose replies are recorded; questions of the record get its replies."""
    from ..episodes.recording import EpisodeLog

    with EpisodeLog(answers) as log:
        yield connection.for_episode(
            "planner", lambda event: log.write_model_event(event, 0), tuple(log.models), seed=seed
        )
