"""What options on a model come to: the configuration of each model that a command asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from .options import ModelOptions

if TYPE_CHECKING:
    from ..models.config import ModelConfig

#: Of the options on a model: the field of `ModelConfig` that each sets.
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
            raise BadInput(f"{next(iter(asked))} needs --model.")
        return {}
    from ..models.config import ModelConfig

    fields = config_fields(asked)
    return {role: ModelConfig(name=name, **fields) for role, name in asks.by_role().items()}


def writing_model(asks: ModelOptions, doing: str) -> ModelConfig:
    """The model that is to write tasks or pairs, at a temperature of 1 where none is given.

    doing: what it is needed for, in words. Raises BadInput.
    """
    config = model_configs(asks).get("planner")
    if config is None:
        raise BadInput(f"{doing} needs --model; see `peephole models`.")
    return config if asks.temperature is not None else replace(config, temperature=1.0)


def config_fields(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `ModelConfig` that options on a model set."""
    return {MODEL_FIELDS[option]: value for option, value in asked.items()}
