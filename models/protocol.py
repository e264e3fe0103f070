"""The OpenAI-compatible protocol: bodies of requests, and the changes that endpoints need.

See https://platform.openai.com/docs/api-reference (chat completions, embeddings). An endpoint
refuses a field of a request by status 400. The request is then changed once for each such reason,
see `ADAPTATIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .answers import Schema, described, split_reasoning
from .contract import Message
from .tools import TOOLS
from .usage import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA_IN_PROMPT = "schema in the prompt"
#: The change to a request where the endpoint has no chat completions (404), see `responses`.
RESPONSES_API = "asked over the Responses API"
#: The change to a request for a model whose chat template has no system role, see
#: `without_system_role`.
NO_SYSTEM_ROLE = "system text in the user's message"
#: Words of the refusal: Gemma over llama.cpp, vLLM and Google; Mistral's first templates, which
#: count the roles; and servers that name the roles they have.
_NO_SYSTEM_ROLE = (
    "system role",
    "system message",
    "developer instruction",
    "system instruction",
    "roles must alternate",
    "only user and assistant roles",
)
#: The fields that hold a request's schema, of chat completions and of the Responses API.
_SCHEMA_FIELDS = ("response_format", "text")
#: Changes to a request: the fields concerned, and the words in a status 400 that ask for the
#: change, the most specific change first.
ADAPTATIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    NO_SYSTEM_ROLE: (("messages", "input"), _NO_SYSTEM_ROLE),
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


#: Characters of a reply that are read at least, and for each token that was asked for.
_CHARACTERS, _CHARACTERS_A_TOKEN = 200_000, 16


def most_characters(tokens: int) -> int:
    """The most characters of a reply that are read and recorded. tokens: its limit."""
    return max(_CHARACTERS, _CHARACTERS_A_TOKEN * tokens)


@dataclass(frozen=True)
class ModelReply:
    """A reply of the model."""

    text: str
    """The text without the thoughts that the endpoint separates."""
    usage: Usage
    """The tokens of the reply."""
    cut: bool
    """Whether the reply ended at max_tokens, or was cut off here, see `most_characters`."""
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
    if NO_SYSTEM_ROLE in adapted:
        messages = without_system_role(messages)
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
    if schema is not None and TOOLS in schema:
        body[TOOLS] = schema[TOOLS]
        body["messages"] = [_with_calls(message) for message in messages]
    elif schema is not None and SCHEMA_IN_PROMPT in adapted:
        body["messages"] = with_text(messages, described(schema))
    elif schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    return body


def _with_calls(message: Message) -> Message:
    """A message as endpoints want it: without an empty text beside calls."""
    silent = "tool_calls" in message and not message["content"]
    return {**message, "content": None} if silent else message


def embedding_body(model: str, texts: Sequence[str]) -> dict[str, Any]:
    """The fields of an embedding request."""
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def adaptation(message: str, body: Mapping[str, Any], adapted: tuple[str, ...]) -> str | None:
    """The change to a request that its refusal asks for; None when there is none left."""
    words = message.lower()
    for change, (fields, hints) in ADAPTATIONS.items():
        sent = any(field in body for field in fields)
        if change == NO_SYSTEM_ROLE:
            sent = any(_is_system(each) for field in fields for each in body.get(field, ()))
        if change not in adapted and sent and any(word in words for word in hints):
            return change
    return None


def wants_no_system_role(words: str) -> bool:
    """Whether an error, in small letters, is the refusal of the system role."""
    return any(hint in words for hint in _NO_SYSTEM_ROLE)


def with_text(messages: Sequence[Message], text: str) -> list[Message]:
    """The messages with a paragraph added to the last one."""
    *before, last = messages
    return [*before, {**last, "content": _joined(last["content"], text)}]


def without_system_role(messages: Sequence[Message]) -> list[Message]:
    """The messages with each system text at the beginning of the user's message behind it."""
    changed: list[Message] = []
    system: Any = None
    for message in messages:
        if _is_system(message):
            system = message["content"] if system is None else _joined(system, message["content"])
            continue
        if system is not None and message["role"] == "user":
            message = {**message, "content": _joined(system, message["content"])}
            system = None
        changed.append(message)
    return changed if system is None else [*changed, {"role": "user", "content": system}]


def _is_system(message: Message) -> bool:
    return bool(message["role"] == "system")


def _joined(one: Any, other: Any) -> Any:
    """Two contents of messages as one: with an empty line between texts."""
    if isinstance(one, str) and isinstance(other, str):
        return f"{one}\n\n{other}"
    parts = ([{"type": "text", "text": c}] if isinstance(c, str) else c for c in (one, other))
    return [part for content in parts for part in content]


def until(text: str, stop: Sequence[str]) -> str:
    """The text before the first of the stop texts, which servers may ignore silently.

    Thoughts before the answer do not count.
    """
    aloud, answer = split_reasoning(text)
    end = min((at for end in stop if (at := answer.find(end)) >= 0), default=len(answer))
    return aloud + answer[:end]


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
