"""Questions to a model: numbered, each with a digest and with what it shares with earlier ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, cast

from .answers import Schema, schema_of, well_formed, well_formed_data
from .config import ModelConfig
from .contract import Message, Request
from .events import RecordedMessages
from .protocol import Decoding

#: Samples of one question that have seeds of their own in each episode.
_SAMPLES = 1000
#: The temperature step after an unusable reply that repeats itself, and the highest temperature.
WARMER, WARMEST = 0.5, 1.0


@dataclass(frozen=True)
class Question:
    """A request with its place in the episode."""

    call: int
    """The number of the question, from 1."""
    digest: str
    """A hash of messages, schema, sampling and sample number; role and purpose do not count."""
    request: Request
    """The request with messages in valid UTF-8."""
    schema: Schema | None
    """The JSON schema of the answer, None for free text."""
    decoding: Decoding
    """How the reply is sampled."""
    base: int
    """An earlier call with the same first messages."""
    shared: int
    """How many first messages are those of call `base`."""

    def recorded(self) -> RecordedMessages:
        """The messages as they are recorded."""
        rest = [dict(message) for message in self.request.messages[self.shared :]]
        return RecordedMessages(base=self.base, shared=self.shared, messages=rest)

    def asked(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Everything but the model on which a reply to these messages depends."""
        return {
            "messages": list(messages),
            "schema": self.schema,
            "decoding": asdict(self.decoding),
            "sample": self.request.sample,
        }

    def warmer(self) -> Question:
        """The same question at a higher temperature, for a reply that repeats itself.

        The digest stays, since the temperature follows from the replies so far.
        """
        now = self.decoding.temperature
        raised = max(now, min(now + WARMER, WARMEST))
        return replace(self, decoding=replace(self.decoding, temperature=raised))

    def unlimited(self, max_tokens: int) -> Question:
        """The same question without stop texts, and with at least `max_tokens`.

        A model that thinks aloud or begins with a code fence reaches its answer after such limits.
        """
        tokens = max(max_tokens, self.decoding.max_tokens)
        return replace(self, decoding=replace(self.decoding, stop=(), max_tokens=tokens))


@dataclass(frozen=True)
class EmbeddingQuestion:
    """Texts to embed, with their place in the episode."""

    call: int
    digest: str
    texts: tuple[str, ...]


class _Sent(NamedTuple):
    """A message: as the planner gave it, as it is sent, and the digest up to it."""

    role: object
    content: object
    message: Message
    head: str


class Questions:
    """Numbers the questions of an episode in the order in which they are asked."""

    def __init__(self, config: ModelConfig, seed: int) -> None:
        """seed: of the episode."""
        self.count = 0
        self._config = config
        self._seed = seed
        self._heads: dict[str, tuple[int, int]] = {}  # by digest of first messages: call and count
        # Every question repeats the conversation, so earlier messages and digests are kept.
        self._messages: dict[tuple[str, str], Message] = {}
        self._digests: dict[tuple[str, int], str] = {}
        self._last: list[_Sent] = []  # the messages of the question before

    def of(self, request: Request) -> Question:
        """Number a request as the next question. Raises ValueError where it has no message."""
        if not request.messages:
            raise ValueError("a question to a model needs a message")
        self.count += 1
        sent = self._last[: _in_common(request.messages, self._last)]
        base, shared = self._heads[sent[-1].head] if sent else (0, 0)
        head = sent[-1].head if sent else ""
        for length, given in enumerate(request.messages[len(sent) :], start=len(sent) + 1):
            message = self._well_formed(given)
            head = self._with(head, message)
            sent.append(_Sent(given.get("role"), given.get("content"), message, head))
            known = self._heads.setdefault(head, (self.count, length))
            if known[0] != self.count:
                base, shared = known
        self._last = sent
        request = replace(request, messages=[each.message for each in sent])
        schema = schema_of(request, self._config.lengths, steady=self._config.reads_schemas)
        decoding = self._decoding(request)
        digest = _digest(head, [schema, *decoding.values(), request.sample])
        return Question(self.count, digest, request, schema, decoding, base, shared)

    def forget(self) -> None:
        """Record the next question in whole: what is recorded of earlier ones is not theirs."""
        self._heads.clear()
        self._last = []

    def of_texts(self, texts: Sequence[str]) -> EmbeddingQuestion:
        """Number texts to embed as the next question. Raises ValueError where there is no text."""
        if not texts:
            raise ValueError("there is nothing to embed")
        self.count += 1
        sent = [well_formed(text) for text in texts]
        return EmbeddingQuestion(self.count, _digest("embed", sent), tuple(sent))

    def _well_formed(self, message: Message) -> Message:
        """The message in valid UTF-8; the same object for a text that was sent before."""
        if not _is_plain(message):
            return cast(Message, well_formed_data(message))
        key = (message["role"], message["content"])
        if key not in self._messages:
            self._messages[key] = well_formed_data(message)
        return self._messages[key]

    def _with(self, head: str, message: Message) -> str:
        """The digest of the first messages with one more."""
        if not _is_plain(message):
            return _digest(head, message)
        key = (head, id(message))  # of one that `_messages` keeps
        if key not in self._digests:
            self._digests[key] = _digest(head, message)
        return self._digests[key]

    def _decoding(self, request: Request) -> Decoding:
        config = self._config
        allowed = config.reply_tokens(request.needs)
        return Decoding(
            config.temperature if request.temperature is None else request.temperature,
            allowed if request.max_tokens is None else request.max_tokens,
            request.top_p,
            tuple(request.stop),
            (_SAMPLES * self._seed + request.sample) % 2**31,
        )


def _in_common(messages: Sequence[Message], before: Sequence[_Sent]) -> int:
    """The number of first messages that are plain and the same as in the question before."""
    count = 0
    for message, sent in zip(messages, before, strict=False):
        if not _is_plain(message):
            break
        if message["content"] != sent.content or message["role"] != sent.role:
            break
        count += 1
    return count


_PLAIN = frozenset({"role", "content"})


def _is_plain(message: Message) -> bool:
    """Whether a message is only a role and a text."""
    return message.keys() == _PLAIN and isinstance(message["content"], str)


def _digest(before: str, data: Any) -> str:
    text = before + json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
