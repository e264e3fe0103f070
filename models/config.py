"""Which model a run asks, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import BadInput
from .failures import NoEndpoint
from .served_model import ModelEndpoint

DEFAULT_URL = "https://api.openai.com/v1"


@dataclass(frozen=True)
class ModelConfig:
    """What a run asks its model with; stored in run.json, so it holds no key.

    name: as given by --model. host: the endpoint's host and port, empty for a model that the run
    serves. stand_in: it is no language model, and its results are a mechanism check. granted: what
    it has besides the messages, see `ServedModel.granted`. lengths: its server enforces limits on
    lengths and values, so JSON schemas tell them.
    temperature: of sampling. max_tokens: of one reply. reasoning_effort, reasoning_tokens: see
    `protocol.Reasoning`. price_in, price_out: US dollars per
    million tokens; price_cached: of input that the server had read before, None for price_in.
    budget_tokens, budget_usd: of the whole run, None without end.
    timeout_s: of one HTTP request with the whole of its reply, None for what suits the endpoint.
    patience_s: for which a question is asked again after 408, 409, 429, 5xx and lost connections,
    pauses included. attempts: replies taken for one question, when
    they cannot be used. reply_cache: the folder of a cache shared over runs, empty for none.
    threads, context: of a model that the run serves, see `served_model.ServeOptions`.
    """

    name: str
    host: str = ""
    stand_in: bool = False
    granted: tuple[str, ...] = ()
    lengths: bool = False
    temperature: float = 0.0
    max_tokens: int = 1024
    reasoning_effort: str = ""
    reasoning_tokens: int = 0
    price_in: float = 0.0
    price_out: float = 0.0
    price_cached: float | None = None
    budget_tokens: int | None = None
    budget_usd: float | None = None
    timeout_s: float | None = None
    patience_s: float = 300.0
    attempts: int = 5
    reply_cache: str = ""
    threads: int | None = None
    context: int | None = None

    @property
    def reads_schemas(self) -> bool:
        """Whether the endpoint reads a schema before the messages, as a part of what it caches.

        One that changes from question to question costs the cache of all messages there. OpenAI's
        documentation of prompt caching says so of its own endpoints; Azure serves the same models.
        """
        name = self.host.partition(":")[0]
        return name == "api.openai.com" or name.endswith(".openai.azure.com")


def endpoint_from_environment(
    model: str, environment: Mapping[str, str] = os.environ
) -> ModelEndpoint:
    """The endpoint that OPENAI_BASE_URL and OPENAI_API_KEY name. Raises NoEndpoint for neither."""
    url = environment.get("OPENAI_BASE_URL", "").strip()
    key = environment.get("OPENAI_API_KEY", "").strip() or None
    if not url and key is None:
        raise NoEndpoint(
            f"The model {model} needs an endpoint: set OPENAI_API_KEY, or OPENAI_BASE_URL for a "
            f"server of your own; --model local runs a small model here, offline."
        )
    if url and urlsplit(url).scheme not in ("http", "https"):
        raise BadInput(f"OPENAI_BASE_URL is '{url}'; expected http://… or https://….")
    return ModelEndpoint(url or DEFAULT_URL, model, key)
