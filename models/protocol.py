"""The OpenAI-compatible protocol: bodies of requests and replies.

See https://platform.openai.com/docs/api-reference (chat completions, embeddings). An endpoint
refuses a field of a request by status 400. The request is then changed once for each such reason,
see `ADAPTATIONS`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..data_files import json_data
from .answers import Schema, described, split_reasoning, well_formed
from .contract import Message
from .usage import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA_IN_PROMPT = "schema in the prompt"
#: The change to a request where the endpoint has no chat completions (404), see `responses`.
RESPONSES_API = "asked over the Responses API"
#: The fields that hold a request's schema, of chat completions and of the Responses API.
_SCHEMA_FIELDS = ("response_format", "text")
#: Changes to a request: the fields concerned, and the words in a status 400 that ask for the
#: change, the most specific change first.
ADAPTATIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "max_completion_tokens": (("max_tokens",), ("max_completion_tokens", "max_tokens")),
    "no top_p": (("top_p",), ("top_p",)),
    "no temperature": (("temperature",), ("temperature",)),
    "no stop": (("stop",), ("stop",)),
    "no seed": (("seed",), ("seed",)),
    "no reasoning_effort": (
        ("reasoning_effort", "reasoning"),
        ("reasoning_effort", "reasoning effort", "reasoning.effort"),
    ),
    SCHEMA_IN_PROMPT: (_SCHEMA_FIELDS, ("",)),  # any refusal of a request with a schema
}


@dataclass(frozen=True)
class Decoding:
    """The sampling of a reply."""

    temperature: float
    """The sampling temperature."""
    max_tokens: int
    """The most tokens of the reply."""
    top_p: float | None = None
    """The nucleus; None for the endpoint's default."""
    stop: tuple[str, ...] = ()
    """Texts that end the reply."""
    seed: int = 0
    """The seed; sent only where sampling is random."""

    def values(self) -> tuple[float | tuple[str, ...] | None, ...]:
        """The values of the fields in their order; `astuple` copies deeply and takes longer."""
        return self.temperature, self.max_tokens, self.top_p, self.stop, self.seed


@dataclass(frozen=True)
class Reasoning:
    """The thinking of a model before it answers.

    effort: the endpoint's word ("low", "high"), empty for its default. tokens: the most tokens of
    thoughts, added to those of the answer because endpoints count both together.
    """

    effort: str = ""
    tokens: int = 0


@dataclass(frozen=True)
class ModelReply:
    """A reply of the model."""

    text: str
    """The text without the thoughts that the endpoint separates."""
    usage: Usage
    """The tokens of the reply."""
    cut: bool
    """Whether the reply ended at max_tokens."""
    withheld: bool = False
    """Whether a content filter withheld the reply or refused the question."""
    latency_s: float = 0.0
    """Duration of the HTTP request, in seconds."""
    adapted: tuple[str, ...] = ()
    """The changes to the request, see `ADAPTATIONS`."""
    served_model: str = ""
    """The name of the model in the reply."""
    fingerprint: str = ""
    """The server's fingerprint in the reply."""
    from_cache: bool = False
    """Whether the reply is from the reply cache and costs nothing now."""


@dataclass(frozen=True)
class EmbeddingReply:
    """Embeddings of texts."""

    vectors: NDArray[np.float32]
    """Vectors, shape (texts, dimensions), as the model gives them."""
    usage: Usage
    """As in `ModelReply`."""
    latency_s: float = 0.0
    """As in `ModelReply`."""
    served_model: str = ""
    """As in `ModelReply`."""
    from_cache: bool = False
    """As in `ModelReply`."""


def completion_body(
    model: str,
    messages: Sequence[Message],
    schema: Schema | None,
    decoding: Decoding,
    adapted: tuple[str, ...] = (),
    reasoning: Reasoning = Reasoning(),
) -> dict[str, Any]:
    """The fields of a chat completion request."""
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    if "no temperature" not in adapted:
        body["temperature"] = decoding.temperature
    if (decoding.temperature or "no temperature" in adapted) and "no seed" not in adapted:
        body["seed"] = decoding.seed
    if decoding.top_p is not None and "no top_p" not in adapted:
        body["top_p"] = decoding.top_p
    if decoding.stop and "no stop" not in adapted:
        body["stop"] = list(decoding.stop)
    swapped = "max_completion_tokens" in adapted
    body["max_completion_tokens" if swapped else "max_tokens"] = (
        decoding.max_tokens + reasoning.tokens
    )
    if reasoning.effort and "no reasoning_effort" not in adapted:
        body["reasoning_effort"] = reasoning.effort
    if schema is not None and SCHEMA_IN_PROMPT in adapted:
        body["messages"] = with_text(messages, described(schema))
    elif schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    return body


def embedding_body(model: str, texts: Sequence[str]) -> dict[str, Any]:
    """The fields of an embedding request."""
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def adaptation(message: str, body: Mapping[str, Any], adapted: tuple[str, ...]) -> str | None:
    """The change to a request that its refusal asks for; None when there is none left."""
    words = message.lower()
    for change, (fields, hints) in ADAPTATIONS.items():
        sent = any(field in body for field in fields)
        if change not in adapted and sent and any(word in words for word in hints):
            return change
    return None


def with_text(messages: Sequence[Message], text: str) -> list[Message]:
    """The messages with a paragraph added to the last one."""
    *before, last = messages
    content = last["content"]
    if isinstance(content, str):
        content = f"{content}\n\n{text}"
    else:
        content = [*content, {"type": "text", "text": text}]
    return [*before, {**last, "content": content}]


def until(text: str, stop: Sequence[str]) -> str:
    """The text before the first of the stop texts, which servers may ignore silently.

    Thoughts before the answer do not count.
    """
    aloud, answer = split_reasoning(text)
    end = min((at for end in stop if (at := answer.find(end)) >= 0), default=len(answer))
    return aloud + answer[:end]


def read_completion(text: str) -> ModelReply | None:
    """The reply in a body; None where the body is no chat completion."""
    try:
        data = json_data(text, finite=False)
        choice = data["choices"][0]
        message = choice["message"]
        said = _text(message.get("content")) or message.get("refusal") or ""
        usage = _usage(data)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError):
        return None
    if not isinstance(said, str):
        return None
    return ModelReply(
        well_formed(said),
        usage,
        cut=choice.get("finish_reason") == "length",
        withheld=not said and choice.get("finish_reason") == "content_filter",
        served_model=well_formed(str(data.get("model") or "")),
        fingerprint=well_formed(str(data.get("system_fingerprint") or "")),
    )


def _text(content: Any) -> Any:
    """The text of a message, which some endpoints split into parts; without thoughts."""
    if not isinstance(content, list):
        return content
    return "".join(part["text"] for part in content if part.get("type") in ("text", "output_text"))


def read_embeddings(text: str, count: int) -> EmbeddingReply | None:
    """The vectors in a body; None unless they are a usable vector for each of `count` texts."""
    import numpy as np

    try:
        data = json_data(text, finite=False)
        listed = sorted(data["data"], key=lambda entry: int(entry["index"]))
        vectors = np.array([entry["embedding"] for entry in listed], dtype=np.float32)
        usage = _usage(data)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        return None
    return EmbeddingReply(vectors, usage, served_model=well_formed(str(data.get("model") or "")))


def error_message(text: str) -> str | None:
    """The error message in a body with status 200; None if there is none."""
    try:
        data = json_data(text, finite=False)
        error = data.get("error") or data["choices"][0]["error"]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError):
        return None
    said = error.get("message") if isinstance(error, dict) else error
    return " ".join(well_formed(said if isinstance(said, str) else json.dumps(error)).split())


def _usage(data: Mapping[str, Any]) -> Usage:
    counted = data.get("usage") or {}
    details = counted.get("prompt_tokens_details") or {}
    timings = data.get("timings") or {}  # of llama.cpp
    cached = (
        details.get("cached_tokens")
        or counted.get("prompt_cache_hit_tokens")  # DeepSeek's word for it
        or timings.get("cache_n")
        or 0
    )
    return Usage(
        int(counted.get("prompt_tokens") or 0),
        int(counted.get("completion_tokens") or 0),
        int(cached),
    )


# --- the changes to requests that an endpoint needs ----------------------------------------------


#: Errors 500 after which a question is asked without its schema, if no schema ever worked.
_TRIES_OF_A_SCHEMA = 3


class Adaptations:
    """The changes for one endpoint. kept: those that the next request begins with."""

    def __init__(self) -> None:
        self.kept: tuple[str, ...] = ()
        self._takes_schema = False  # a schema has worked
        self._failed_schemas = 0  # questions that only worked without one

    def tries_of(self, body: Mapping[str, Any]) -> int | None:
        """After how many server errors the schema of a request is dropped; None for never."""
        if body.keys().isdisjoint(_SCHEMA_FIELDS) or self._takes_schema:
            return None
        return 1 if self._failed_schemas else _TRIES_OF_A_SCHEMA

    def remember(
        self, adapted: tuple[str, ...], with_schema: bool, failed_with_schema: bool
    ) -> None:
        """Keep changes that worked; one refused schema does not drop all later ones.

        failed_with_schema: the server had errors until the schema was dropped. The first time may
        be chance; the second counts as a refusal.
        """
        if with_schema and SCHEMA_IN_PROMPT not in adapted:
            self._takes_schema = True
        self._failed_schemas += failed_with_schema
        if self._takes_schema or (failed_with_schema and self._failed_schemas == 1):
            adapted = tuple(change for change in adapted if change != SCHEMA_IN_PROMPT)
        self.kept = adapted
