"""Conversations as tokens, made by the server that will serve the model.

llama.cpp serves the base for this. So training and use have the same chat template and the same
tokens.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from ..models.served_model import ModelEndpoint
from .chat_data import ChatExample, Message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARK = "peephole"
#: A reply's kind is its beginning, from its action where it has one: '"action": "open '.
_KIND = 16
_ACTION = '"action": '


@dataclass(frozen=True)
class TokenSequence:
    """The tokens of a conversation."""

    tokens: NDArray[np.int32]
    reply: NDArray[np.int32]
    """For each token the number of its learnt reply, from 0, with the reply's end; else -1."""
    kinds: tuple[str, ...]
    """The kind of each learnt reply."""
    source: str
    """As of `ChatExample`."""


class Tokenizer:
    """A tokenizer of conversations, by the paths /apply-template and /tokenize of llama.cpp."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        """endpoint: of the served base."""
        self._root = endpoint.base_url.removesuffix("/").removesuffix("/v1")
        self._headers = endpoint.headers
        self._opening: str | None = None

    def sequence(self, example: ChatExample) -> TokenSequence:
        """The tokens of a conversation. Raises BadInput where the template changes messages."""
        import numpy as np

        text, spans = self._rendered(example)
        answer = self._post(
            "tokenize", {"content": text, "parse_special": True, "with_pieces": True}
        )
        ends = np.cumsum([_length(token["piece"]) for token in answer["tokens"]])
        tokens = np.array([token["id"] for token in answer["tokens"]], dtype=np.int32)
        offsets = _byte_offsets(text)
        reply = np.full(len(tokens), -1, dtype=np.int32)
        for number, (start, end) in enumerate(spans):
            first = int(np.searchsorted(ends, offsets(start), side="right"))
            last = int(np.searchsorted(ends, offsets(end), side="left"))
            reply[first : last + 2] = number  # with the token that ends the reply
        kinds = [kind_of(text[start:end]) for start, end in spans]
        return TokenSequence(tokens, reply, tuple(kinds), example.source)

    def _rendered(self, example: ChatExample) -> tuple[str, list[tuple[int, int]]]:
        """The text of a conversation, and start and end of each learnt reply in it."""
        messages = example.messages
        last = max(example.learnt)
        text = self._template([*messages[: last + 1], ("user", _MARK)])
        spans, at = [], 0
        for number, (role, content) in enumerate(messages[: last + 1]):
            if role == "assistant":
                opening = self._begins(messages[:number])
                at = text.find(opening, at)
                at = -1 if at < 0 else at + len(opening)
            found = text.find(content, max(at, 0))
            if at < 0 or found < 0 or (role == "assistant" and found != at):
                raise BadInput(
                    "The chat template of --base changes the messages of the data; choose a "
                    "--base with another template."
                )
            at = found + len(content)
            if number in example.learnt:
                spans.append((found, at))
        end = text.rfind(_MARK)
        return text[:end], spans

    def _begins(self, before: Sequence[Message]) -> str:
        """The template's text between a message and the reply to it, always the same.

        before: the messages before a reply.
        """
        if self._opening is None:
            self._opening = self._template(before).rpartition(before[-1][1])[2]
        return self._opening

    def _template(self, messages: Sequence[Message]) -> str:
        body = {"messages": [{"role": role, "content": content} for role, content in messages]}
        return str(self._post("apply-template", body)["prompt"])

    def _post(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            f"{self._root}/{path}", json.dumps(body).encode(), self._headers
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)


def kind_of(reply: str) -> str:
    """The kind of a reply, from its action on where a thought comes first."""
    return reply[max(0, reply.rfind(_ACTION)) :][:_KIND]


def changes_thought(example: ChatExample) -> bool:
    """Whether a learnt reply has another text before its action than the reply before."""
    thoughts = {
        number: content[: max(0, content.rfind(_ACTION))]
        for number, (role, content) in enumerate(example.messages)
        if role == "assistant"
    }
    return any(
        number in example.learnt and thoughts[number] != thoughts[before]
        for before, number in pairwise(thoughts)
    )


def _length(piece: str | list[int]) -> int:
    """The number of bytes of a token. A token with half a character comes as a list of bytes."""
    return len(piece) if isinstance(piece, list) else len(piece.encode())


def _byte_offsets(text: str) -> Callable[[int], int]:
    """A function from a character's place to its place in bytes."""
    if text.isascii():
        return lambda place: place
    return lambda place: len(text[:place].encode())


def sequences(tokenizer: Tokenizer, examples: Sequence[ChatExample]) -> Iterator[TokenSequence]:
    """The tokens of some conversations, without those that teach nothing."""
    for example in examples:
        if example.learnt:
            yield tokenizer.sequence(example)
