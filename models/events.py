"""What is recorded of the language models of an episode: one class an event kind.

`step` and `t` are set by whoever writes the events, see `episodes.recording`.
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
    """The messages of a question, without the `shared` ones at their head that call `base` has.

    So a growing conversation is stored once.
    """

    base: int
    shared: int
    messages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReplied:
    """A reply of a model, whether it was an answer or not.

    role: of the model in the run. call: number of the question to this role in the episode, given
    when it is asked, from 1. attempt: number of the reply to it, from 1. digest: of the question
    (messages, schema, sampling, sample number). request, schema: with the first reply to a
    question only. purpose: see `model.Sampling`. problem: why the reply is no answer, as the model
    was told; None for an answer. cut: it ended at max_tokens. withheld: by a content filter of the
    endpoint, which may have refused the question already. temperature: that was asked for. adapted:
    how the endpoint made us change the request. served_model, fingerprint: what the server says it
    is. from_cache: another run's reply out of the reply cache, with the usage and latency of then,
    for which nothing was paid.
    """

    role: str
    call: int
    attempt: int
    digest: str
    reply: str
    usage: Usage
    latency_s: float
    problem: str | None = None
    request: RecordedMessages | None = None
    schema: dict[str, Any] | None = None
    purpose: str = ""
    cut: bool = False
    withheld: bool = False
    temperature: float = 0.0
    adapted: tuple[str, ...] = ()
    served_model: str = ""
    fingerprint: str = ""
    from_cache: bool = False
    step: int = 0
    t: float = 0.0
    event: Literal["model_replied"] = field(default="model_replied", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHttpError:
    """An HTTP reply that brought no answer."""

    role: str
    call: int
    attempt: int
    digest: str
    status: int
    reply: str
    step: int = 0
    t: float = 0.0
    event: Literal["model_http_error"] = field(default="model_http_error", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContextFull:
    """A question that was longer than the model can read. problem: in the endpoint's words."""

    role: str
    call: int
    attempt: int
    digest: str
    problem: str
    request: RecordedMessages | None = None
    schema: dict[str, Any] | None = None
    step: int = 0
    t: float = 0.0
    event: Literal["model_context_full"] = field(default="model_context_full", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEmbedded:
    """Embeddings of texts. vectors: one a text, base64 of float32, little-endian.

    The other fields are as in `ModelReplied`.
    """

    role: str
    call: int
    digest: str
    texts: int
    vectors: tuple[str, ...]
    usage: Usage
    latency_s: float
    served_model: str = ""
    from_cache: bool = False
    step: int = 0
    t: float = 0.0
    event: Literal["model_embedded"] = field(default="model_embedded", repr=False)


ModelEvent = ModelReplied | ModelHttpError | ModelContextFull | ModelEmbedded


def vectors_to_data(vectors: NDArray[np.float32]) -> tuple[str, ...]:
    """Vectors, shape (texts, dimensions), as `ModelEmbedded` has them."""
    return tuple(base64.b64encode(row.astype("<f4").tobytes()).decode() for row in vectors)


def vectors_from_data(data: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of `vectors_to_data`."""
    import numpy as np

    rows = [np.frombuffer(base64.b64decode(text), dtype="<f4") for text in data]
    return np.array(rows, dtype=np.float32)
