"""Which model a run asks, and how."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import BadInput
from .contract import SHORT_ANSWER
from .failures import NoEndpoint
from .served_model import ModelEndpoint

DEFAULT_URL = "https://api.openai.com/v1"
#: What no name of a host is.
_NO_HOST = re.compile(r"^$|\s")


@dataclass(frozen=True)
class ModelConfig:
    """Which model a run asks, and how. Stored in run.json, so it holds no key."""

    name: str
    """The name given by --model."""
    host: str = ""
    """The endpoint's host and port, empty for a model that the run serves."""
    stand_in: bool = False
    """Whether it is no language model; its results are a mechanism check."""
    granted: tuple[str, ...] = ()
    """What it has besides the messages, see `ServedModel.granted`."""
    lengths: bool = False
    """Whether its server enforces limits on lengths and values; JSON schemas include them then."""
    temperature: float = 0.0
    """The default temperature of sampling."""
    max_tokens: int | None = None
    """The most tokens of one reply; None for what each question says that its answer can need."""
    reasoning_effort: str = ""
    """As `effort` of `protocol.Reasoning`."""
    reasoning_tokens: int = 0
    """As `tokens` of `protocol.Reasoning`."""
    price_in: float = 0.0
    """US dollars per million input tokens."""
    price_out: float = 0.0
    """US dollars per million output tokens."""
    price_cached: float | None = None
    """US dollars per million cached input tokens, None for price_in."""
    budget_tokens: int | None = None
    """The most tokens of the whole run, None for no limit."""
    budget_usd: float | None = None
    """The most US dollars of the whole run, None for no limit."""
    timeout_s: float | None = None
    """Timeout of one HTTP request with its whole reply, in seconds; None for the endpoint's
    default.
    """
    patience_s: float = 300.0
    """For how many seconds a question is repeated after 408, 409, 429, 5xx and lost connections,
    pauses included.
    """
    attempts: int = 5
    """The most replies to one question, when they are unusable."""
    reply_cache: str = ""
    """The folder of a reply cache shared between runs, empty for none."""
    threads: int | None = None
    """As in `served_model.ServeOptions`."""
    context: int | None = None
    """As in `served_model.ServeOptions`."""

    def reply_tokens(self, needs: int) -> int:
        """The most tokens of a reply. needs: what its answer can need."""
        return max(SHORT_ANSWER, needs) if self.max_tokens is None else self.max_tokens

    @property
    def reads_schemas(self) -> bool:
        """Whether the endpoint reads a schema before the messages, as part of its prompt cache.

        A schema that changes then invalidates the cache of all messages. See OpenAI's documentation
        of prompt caching; Azure serves the same models.
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
    if url and not _is_address(url):
        shown = re.sub(r"//[^/@]*@", "//", url)  # without a password
        raise BadInput(f"OPENAI_BASE_URL is '{shown}'; expected http://HOST/v1 or https://HOST/v1.")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise BadInput(
            "OPENAI_API_KEY has a character that no HTTP header may have, such as a space or a "
            "letter that is not ASCII; copy the key again."
        )
    return ModelEndpoint(url or DEFAULT_URL, model, key)


def _is_address(url: str) -> bool:
    """Whether a URL names a host that HTTP can reach."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        return parts.scheme in ("http", "https") and parts.port != 0 and not _NO_HOST.search(host)
    except ValueError:
        return False
