"""What a recording says that models were asked, and where another question differs from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from .answers import Schema
from .contract import Message
from .events import ModelContextFull, ModelEvent, ModelReplied, RecordedMessages
from .images import with_files

#: Characters quoted before the first difference of two texts, and in all.
_BEFORE, _QUOTED = 24, 72


class AskedBefore:
    """The questions of one role in an episode, by call."""

    def __init__(self, recorded: Iterable[ModelEvent]) -> None:
        self._requests: dict[int, RecordedMessages] = {}
        self._schemas: dict[int, Schema | None] = {}
        for event in recorded:
            if isinstance(event, ModelReplied | ModelContextFull) and event.request is not None:
                self._requests[event.call] = event.request
                self._schemas[event.call] = event.schema

    def messages(self, call: int) -> list[dict[str, Any]]:
        """The messages of a question; empty where the recording has it not."""
        request = self._requests.get(call)
        if request is None:
            return []
        shared = self.messages(request.base)[: request.shared] if request.shared else []
        return shared + request.messages

    def difference(self, call: int, messages: Sequence[Message], schema: Schema | None) -> str:
        """The first thing in which a question differs from the recorded one, as a clause."""
        messages, _ = with_files(messages)  # as recordings have them
        for number, (now, then) in enumerate(zip_longest(messages, self.messages(call)), start=1):
            if now is None:
                return f"message {number} of {then['role']} was sent then and is not now"
            if then is None:
                return f"message {number} of {now['role']} was not sent then: {_quoted(now, '')}"
            if _plain(now) != _plain(then):
                return (
                    f"message {number} of {now['role']} says {_quoted(now, _text(then))} where it "
                    f"said {_quoted(then, _text(now))}"
                )
        if schema != self._schemas.get(call):
            return "its JSON schema is another one"
        return "its sampling is another one (temperature, tokens, stop texts, seed or sample)"


def _plain(message: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(message))  # a tuple has become a list


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _quoted(message: Mapping[str, Any], other: str) -> str:
    """What stands around the first character in which a message differs from another text."""
    text = _text(message)
    pairs = zip(text, other, strict=False)
    differs = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(text), len(other)))
    start = max(0, differs - _BEFORE)
    shown = " ".join(text[start : start + _QUOTED].split())
    return f"'{'…' * (start > 0)}{shown}{'…' * (start + _QUOTED < len(text))}'"
