"""The recorded events of language models: one class for each kind.

The recording sets `step` and `t` (seconds) when it writes an event.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .usage import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMessages:
    """The messages of a question without the first `shared` ones, which are those of call `base`.

    So a growing conversation is stored once.
    """

    base: int
    shared: int
    messages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfRole:
    role: str
    """The model's role in the run."""
    call: int
    """The number of the question to this role in the episode, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToQuestion(_OfRole):
    attempt: int
    """The number of the reply to this question, from 1."""
    digest: str
    """A hash of the question: messages, schema, sampling and sample number.

    "" where a branch of an episode takes the reply for any question of this number.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReplied(_ToQuestion):
    """A reply of a model, usable or not."""

    reply: str
    """The text of the reply."""
    usage: Usage
    """The tokens of the reply."""
    latency_s: float
    """Duration of the HTTP request, in seconds."""
    problem: str | None = None
    """Why the reply is unusable, in the words sent to the model; None for an answer."""
    request: RecordedMessages | None = None
    """The messages, with the first reply to a question only."""
    schema: dict[str, Any] | None = None
    """The JSON schema, with the first reply to a question only."""
    purpose: str = ""
    """The purpose of the question, see `contract.Sampling`."""
    cut: bool = False
    """Whether the reply ended at max_tokens."""
    withheld: bool = False
    """Whether a content filter of the endpoint withheld the reply or refused the question."""
    temperature: float = 0.0
    """The temperature of the request."""
    adapted: tuple[str, ...] = ()
    """The changes to the request that the endpoint required."""
    served_model: str = ""
    """The name of the model in the reply."""
    fingerprint: str = ""
    """The server's fingerprint in the reply."""
    from_cache: bool = False
    """Whether the reply is from the reply cache.

    Usage and latency are the original ones; it costs nothing now.
    """
    step: int = 0
    """The number of actions before this event."""
    t: float = 0.0
    """Seconds since the episode began."""
    event: Literal["model_replied"] = field(default="model_replied", repr=False)
    """The kind of event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHttpError(_ToQuestion):
    """An HTTP reply without an answer."""

    status: int
    """The HTTP status."""
    reply: str
    """The body of the reply."""
    step: int = 0
    """The number of actions before this event."""
    t: float = 0.0
    """Seconds since the episode began."""
    event: Literal["model_http_error"] = field(default="model_http_error", repr=False)
    """The kind of event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContextFull(_ToQuestion):
    """A question longer than the context of the model."""

    problem: str
    """The endpoint's error message."""
    request: RecordedMessages | None = None
    """As in `ModelReplied`."""
    schema: dict[str, Any] | None = None
    """As in `ModelReplied`."""
    step: int = 0
    """The number of actions before this event."""
    t: float = 0.0
    """Seconds since the episode began."""
    event: Literal["model_context_full"] = field(default="model_context_full", repr=False)
    """The kind of event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEmbedded(_OfRole):
    """Embeddings of texts."""

    digest: str
    """A hash of the question: messages, schema, sampling and sample number."""
    texts: int
    """The number of texts."""
    vectors: tuple[str, ...]
    """One vector a text: base64 of float32, little-endian."""
    usage: Usage
    """As in `ModelReplied`."""
    latency_s: float
    """As in `ModelReplied`."""
    served_model: str = ""
    """As in `ModelReplied`."""
    from_cache: bool = False
    """As in `ModelReplied`."""
    step: int = 0
    """The number of actions before this event."""
    t: float = 0.0
    """Seconds since the episode began."""
    event: Literal["model_embedded"] = field(default="model_embedded", repr=False)
    """The kind of event."""


ModelEvent = ModelReplied | ModelHttpError | ModelContextFull | ModelEmbedded


def vectors_to_data(vectors: NDArray[np.float32]) -> tuple[str, ...]:
    """Vectors, shape (texts, dimensions), in the form of `ModelEmbedded.vectors`."""
    return tuple(base64.b64encode(row.astype("<f4").tobytes()).decode() for row in vectors)


def vectors_from_data(data: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of `vectors_to_data`."""
    import numpy as np

    rows = [np.frombuffer(base64.b64decode(text), dtype="<f4") for text in data]
    return np.array(rows, dtype=np.float32)
