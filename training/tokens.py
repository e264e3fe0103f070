"""Conversations as tokens, as the server that will ask the model makes them.

The base is served by llama.cpp for this: its chat template and its tokenizer are those of the
questions that the model is asked later, to the token.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from .chat_data import ChatExample, Message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARK = "peephole"
#: A reply's kind is how it begins, from its action where it has one: '"action": "open '.
_KIND = 16
_ACTION = '"action": '


@dataclass(frozen=True)
class TokenSequence:
    """A conversation's tokens. reply: for each token the number of the learnt reply that it belongs
    to, from 0, its end with it; -1 for all others. kinds: of the replies.
    """

    tokens: NDArray[np.int32]
    reply: NDArray[np.int32]
    kinds: tuple[str, ...]
    source: str


class Tokenizer:
    """Makes tokens of conversations by the paths /apply-template and /tokenize of llama.cpp."""

    def __init__(self, base_url: str) -> None:
        """base_url: of the served base's OpenAI API."""
        self._root = base_url.removesuffix("/").removesuffix("/v1")
        self._opening: str | None = None

    def sequence(self, example: ChatExample) -> TokenSequence:
        """A conversation's tokens. Raises BadInput where the template changes what was said."""
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
            reply[first : last + 2] = number  # and the token that ends it
        kinds = [kind_of(text[start:end]) for start, end in spans]
        return TokenSequence(tokens, reply, tuple(kinds), example.source)

    def _rendered(self, example: ChatExample) -> tuple[str, list[tuple[int, int]]]:
        """A conversation's text, and from where to where the learnt replies are."""
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
                    "The base's chat template changes the messages of the data; a model with "
                    "another template can be trained on them."
                )
            at = found + len(content)
            if number in example.learnt:
                spans.append((found, at))
        end = text.rfind(_MARK)
        return text[:end], spans

    def _begins(self, before: Sequence[Message]) -> str:
        """What the template has between the message before a reply, and the reply; always the same.

        before: the messages before a reply.
        """
        if self._opening is None:
            self._opening = self._template(before).rpartition(before[-1][1])[2]
        return self._opening

    def _template(self, messages: Sequence[Message]) -> str:
        told = [{"role": role, "content": content} for role, content in messages]
        return str(self._post("apply-template", {"messages": told})["prompt"])

    def _post(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            f"{self._root}/{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)


def kind_of(reply: str) -> str:
    """The kind of a reply; that of its action, where a thought comes before it."""
    return reply[max(0, reply.rfind(_ACTION)) :][:_KIND]


def changes_thought(example: ChatExample) -> bool:
    """Whether a learnt reply says something else before its action than the reply before it."""
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
    """How many bytes a token stands for; one with half a character is a list of them."""
    return len(piece) if isinstance(piece, list) else len(piece.encode())


def _byte_offsets(text: str) -> Callable[[int], int]:
    """How many bytes there are before a character."""
    if text.isascii():
        return lambda place: place
    return lambda place: len(text[:place].encode())


def sequences(tokenizer: Tokenizer, examples: Sequence[ChatExample]) -> Iterator[TokenSequence]:
    """The tokens of some conversations, those left out that teach nothing."""
    for example in examples:
        if example.learnt:
            yield tokenizer.sequence(example)
