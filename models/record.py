"""The recorded questions and replies of one model role in an episode."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from .answers import Schema
from .contract import ContextFull, Message
from .events import (
    ModelContextFull,
    ModelEmbedded,
    ModelEvent,
    ModelHttpError,
    ModelReplied,
    RecordedMessages,
)
from .images import with_files
from .questions import EmbeddingQuestion, Question
from .tools import TOOLS

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
        """The messages of a question; empty where it is not recorded."""
        request = self._requests.get(call)
        if request is None:
            return []
        shared = self.messages(request.base)[: request.shared] if request.shared else []
        return shared + request.messages

    def tools(self, call: int) -> list[dict[str, Any]]:
        """The tools of a question; empty where it has none."""
        declared: list[dict[str, Any]] = (self._schemas.get(call) or {}).get(TOOLS, [])
        return declared

    def difference(self, call: int, messages: Sequence[Message], schema: Schema | None) -> str:
        """The first difference between a question and the recorded one, as a clause."""
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
    """The text around the first character in which a message differs from another text."""
    text = _text(message)
    pairs = zip(text, other, strict=False)
    differs = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(text), len(other)))
    start = max(0, differs - _BEFORE)
    shown = " ".join(text[start : start + _QUOTED].split())
    return f"'{'…' * (start > 0)}{shown}{'…' * (start + _QUOTED < len(text))}'"


class RecordDiffers(Exception):
    """A replayed episode asks a question that differs from the recorded one."""


class ModelRecord:
    """Recorded replies by call and attempt, each given once; several threads may write."""

    def __init__(
        self,
        role: str,
        model: str,
        write: Callable[[ModelEvent], None],
        recorded: Iterable[ModelEvent] = (),
    ) -> None:
        """role: its events are taken. model: its name, for errors. write: writes one event."""
        recorded = [event for event in recorded if event.role == role]
        self.role = role
        self._model = model
        self._write = write
        self._asked = AskedBefore(recorded)
        self._recorded: dict[tuple[int, int], ModelReplied | ModelEmbedded | ModelContextFull] = {
            (event.call, 1 if isinstance(event, ModelEmbedded) else event.attempt): event
            for event in recorded
            if not isinstance(event, ModelHttpError)
        }
        self._lock = threading.Lock()

    def write(self, event: ModelEvent) -> None:
        with self._lock:
            self._write(event)

    def replied(self, question: Question, attempt: int) -> ModelReplied | None:
        """The recorded reply, None if there is none.

        Raises RecordDiffers, and ContextFull where the question was too long then.
        """
        event = self._next(question, attempt)
        assert not isinstance(event, ModelEmbedded)
        return event

    def embedded(self, question: EmbeddingQuestion) -> ModelEmbedded | None:
        """The recorded embeddings; see `replied`."""
        event = self._next(question, 1)
        assert not isinstance(event, ModelReplied)
        return event

    def missing(self, question: Question | EmbeddingQuestion, attempt: int) -> RecordDiffers:
        """The error for a reply that is not recorded, where no model may be asked."""
        further = "further " if attempt > 1 else ""
        return self._differs(question, f"the recording has no {further}reply to it")

    def judged(self, question: Question, problem: str, replied: ModelReplied) -> RecordDiffers:
        """The error for a recorded reply that is now judged differently."""
        then = f"'{replied.problem}'" if replied.problem else "nothing"
        return self._differs(
            question,
            f"what is wrong with reply {replied.attempt} is '{problem}', where it was {then}"
            if problem
            else f"reply {replied.attempt} is an answer, where {then} was wrong with it",
        )

    def left(self) -> str:
        """A sentence on a recorded reply that was not used; empty where all were."""
        call = min((call for call, _ in self._recorded), default=None)
        return "" if call is None else f"Call {call} of the role {self.role} is no longer made."

    def refusals(
        self, question: Question | EmbeddingQuestion, attempt: int
    ) -> Callable[[int, str], None]:
        """A function that records an HTTP reply without an answer: status and text."""

        def record(status: int, text: str) -> None:
            self.write(
                ModelHttpError(
                    role=self.role,
                    call=question.call,
                    attempt=attempt,
                    digest=question.digest,
                    status=status,
                    reply=text,
                )
            )

        return record

    def full(self, question: Question | EmbeddingQuestion, attempt: int, why: str) -> ContextFull:
        """Record that a question is too long; the error to raise.

        why: the endpoint's message.
        """
        chat = question if isinstance(question, Question) and attempt == 1 else None
        self.write(
            ModelContextFull(
                role=self.role,
                call=question.call,
                attempt=attempt,
                digest=question.digest,
                problem=why,
                request=chat.recorded() if chat else None,
                schema=chat.schema if chat else None,
            )
        )
        return self._too_long(why)

    def _next(
        self, question: Question | EmbeddingQuestion, attempt: int
    ) -> ModelReplied | ModelEmbedded | None:
        event = self._recorded.pop((question.call, attempt), None)
        if event is not None and event.digest not in ("", question.digest):
            if isinstance(question, Question) == isinstance(event, ModelEmbedded):
                why = f"the recording has '{event.event}'"
            elif isinstance(question, Question):
                why = self._asked.difference(
                    question.call, question.request.messages, question.schema
                )
            else:
                why = "it asks for embeddings of other texts"
            raise self._differs(question, why)
        if isinstance(event, ModelContextFull):
            raise self._too_long(event.problem)
        return event

    def _too_long(self, why: str) -> ContextFull:
        return ContextFull(
            f"The conversation is longer than {self._model} can read ({why}); choose a model with "
            f"a larger context window, or give a local one more with --model-context."
        )

    def _differs(self, question: Question | EmbeddingQuestion, why: str) -> RecordDiffers:
        return RecordDiffers(
            f"Call {question.call} of the role {self.role} differs from the recording: {why}."
        )
