"""The OpenAI-compatible protocol: bodies of requests, and what replies hold.

See https://platform.openai.com/docs/api-reference (chat completions, embeddings). What endpoints
refuse of a request they tell by status 400; a request is then changed once for each such reason,
see `ADAPTATIONS`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .answers import Schema, described, split_reasoning, well_formed
from .contract import Message
from .usage import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCHEMA_IN_PROMPT = "schema in the prompt"
#: The change to a request of chat completions that are not there (404), see `responses`.
RESPONSES_API = "asked over the Responses API"
#: The fields that hold a request's schema, of chat completions and of the Responses API.
_SCHEMA_FIELDS = ("response_format", "text")
#: What a request is changed to: the fields that are meant, and the words in a status 400 that ask
#: for the change, most telling first.
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
_CONTEXT_FULL = (
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",
    "context window",
    "context size",
    "context length",
)
#: Words by which endpoints say that a content filter refused a question: OpenAI's and Azure's
#: codes and sentences, OpenRouter's, DashScope's.
_FILTERED = (
    "content_filter",
    "content_policy_violation",
    "content management policy",
    "responsibleaipolicyviolation",
    "violating our usage policy",
    "violates our usage policies",
    "rejected as a result of our safety system",
    "your input was flagged",
    "data_inspection_failed",
)
#: Codes and words by which they say that there is nothing left to pay with (OpenAI, DeepSeek,
#: OpenRouter). "Exceeded your quota" is none of them: with some it is a limit a minute.
_OUT_OF_CREDIT = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "insufficient balance",
    "insufficient credits",
)


@dataclass(frozen=True)
class Decoding:
    """How a reply is sampled. top_p: None for the endpoint's own. stop: texts that end it.

    seed: is sent where chance has a part in it.
    """

    temperature: float
    max_tokens: int
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int = 0

    def values(self) -> tuple[float | tuple[str, ...] | None, ...]:
        """The values of the fields in their order; `astuple` copies deeply and takes longer."""
        return self.temperature, self.max_tokens, self.top_p, self.stop, self.seed


@dataclass(frozen=True)
class Reasoning:
    """How a model may think before it answers.

    effort: in the endpoint's words ("low", "high"), empty to leave it to the endpoint. tokens:
    allowed in addition to those of the answer, for endpoints count both together.
    """

    effort: str = ""
    tokens: int = 0


@dataclass(frozen=True)
class ModelReply:
    """A reply of the model.

    cut: it ended because max_tokens was reached. withheld: a content filter of the endpoint kept
    it back, or refused the question. served_model, fingerprint: what the server says
    it is. latency_s: of the HTTP request that brought it. adapted: how the request was changed.
    from_cache: it is another run's, and cost nothing now.
    """

    text: str
    usage: Usage
    cut: bool
    withheld: bool = False
    latency_s: float = 0.0
    adapted: tuple[str, ...] = ()
    served_model: str = ""
    fingerprint: str = ""
    from_cache: bool = False


@dataclass(frozen=True)
class EmbeddingReply:
    """Vectors of texts, shape (texts, dimensions), as the model gives them.

    The other fields are as in `ModelReply`.
    """

    vectors: NDArray[np.float32]
    usage: Usage
    latency_s: float = 0.0
    served_model: str = ""
    from_cache: bool = False


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


def adaptation(told: str, body: Mapping[str, Any], adapted: tuple[str, ...]) -> str | None:
    """The change to a request that its refusal asks for; None when there is none left."""
    words = told.lower()
    for change, (fields, telling) in ADAPTATIONS.items():
        sent = any(field in body for field in fields)
        if change not in adapted and sent and any(word in words for word in telling):
            return change
    return None


def has_schema(body: Mapping[str, Any]) -> bool:
    """Whether a request asks the server to hold the reply to a schema."""
    return any(field in body for field in _SCHEMA_FIELDS)


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

    What a model thinks aloud before its answer is not looked at.
    """
    aloud, answer = split_reasoning(text)
    end = min((at for end in stop if (at := answer.find(end)) >= 0), default=len(answer))
    return aloud + answer[:end]


def read_completion(text: str) -> ModelReply | None:
    """What a reply's body holds; None where it is no chat completion."""
    try:
        data = json.loads(text)
        choice = data["choices"][0]
        message = choice["message"]
        said = _text(message.get("content")) or message.get("refusal") or ""
        usage = _usage(data)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
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
    """A message's text, which some endpoints give as a list of parts; thoughts are left out."""
    if not isinstance(content, list):
        return content
    return "".join(part["text"] for part in content if part.get("type") in ("text", "output_text"))


def read_embeddings(text: str, count: int) -> EmbeddingReply | None:
    """What a reply's body holds; None where it is not a usable vector for each of `count` texts."""
    import numpy as np

    try:
        data = json.loads(text)
        listed = sorted(data["data"], key=lambda entry: int(entry["index"]))
        vectors = np.array([entry["embedding"] for entry in listed], dtype=np.float32)
        usage = _usage(data)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        return None
    return EmbeddingReply(vectors, usage, served_model=well_formed(str(data.get("model") or "")))


def overflows(told: str) -> bool:
    """Whether an endpoint's words about an error say that the messages are too long."""
    return any(words in told.lower() for words in _CONTEXT_FULL)


def filtered(told: str) -> bool:
    """Whether an endpoint's words about an error say that its content filter refused a question."""
    return any(words in told.lower() for words in _FILTERED)


def out_of_credit(told: str) -> bool:
    """Whether an endpoint's words about an error say that the account is used up."""
    return any(words in told.lower() for words in _OUT_OF_CREDIT)


def error_told(text: str) -> str | None:
    """What an error in a body with status 200 says; None where the body holds no error."""
    try:
        data = json.loads(text)
        error = data.get("error") or data["choices"][0]["error"]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None
    told = error.get("message") if isinstance(error, dict) else error
    return " ".join(well_formed(told if isinstance(told, str) else json.dumps(error)).split())


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


# --- the changes to requests that an endpoint has asked for, as far as they stay ------------------


#: Errors 500 to a schema after which it is asked without, where none was ever taken.
_TRIES_OF_A_SCHEMA = 3


class Adaptations:
    """Those of one endpoint. kept: changes that the next request begins with."""

    def __init__(self) -> None:
        self.kept: tuple[str, ...] = ()
        self._takes_schema = False  # it has taken one already
        self._failed_schemas = 0  # questions that only came through without one

    def tries_of(self, body: Mapping[str, Any]) -> int | None:
        """After how many errors of the server its schema is suspected; None for never."""
        if not has_schema(body) or self._takes_schema:
            return None
        return 1 if self._failed_schemas else _TRIES_OF_A_SCHEMA

    def remember(
        self, adapted: tuple[str, ...], with_schema: bool, failed_with_schema: bool
    ) -> None:
        """Keep changes that worked; one schema too many is no reason to send none again.

        failed_with_schema: the server had errors until it was asked without. That may be chance
        once, and counts as a refusal when it comes again.
        """
        if with_schema and SCHEMA_IN_PROMPT not in adapted:
            self._takes_schema = True
        self._failed_schemas += failed_with_schema
        if self._takes_schema or (failed_with_schema and self._failed_schemas == 1):
            adapted = tuple(change for change in adapted if change != SCHEMA_IN_PROMPT)
        self.kept = adapted
