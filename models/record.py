"""What an episode's recording has of one role of its models, and what is added to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from .asked_before import AskedBefore
from .contract import ContextFull
from .events import ModelContextFull, ModelEmbedded, ModelEvent, ModelHttpError, ModelReplied
from .questions import EmbeddingQuestion, Question


class RecordDiffers(Exception):
    """An episode asks another question than its recording has."""


class ModelRecord:
    """Recorded replies by call and attempt, each given once; several threads may write."""

    def __init__(
        self,
        role: str,
        model: str,
        write: Callable[[ModelEvent], None],
        recorded: Iterable[ModelEvent] = (),
    ) -> None:
        """role: whose events count. model: its name, for errors. write: writes one event."""
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
        """The recorded reply, None where there is none.

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
        """The error for a reply that is not recorded, where no model may be asked for it."""
        further = "further " if attempt > 1 else ""
        return self._differs(question, f"the recording has no {further}reply to it")

    def judged(self, question: Question, problem: str, replied: ModelReplied) -> RecordDiffers:
        """The error for a recorded reply that is no longer taken as it was then."""
        then = f"'{replied.problem}'" if replied.problem else "nothing"
        return self._differs(
            question,
            f"what is wrong with reply {replied.attempt} is '{problem}', where it was {then}"
            if problem
            else f"reply {replied.attempt} is an answer, where {then} was wrong with it",
        )

    def left(self) -> str:
        """A sentence on a recorded reply that was never asked for; empty where there is none."""
        call = min((call for call, _ in self._recorded), default=None)
        return "" if call is None else f"Call {call} of the role {self.role} is not made any more."

    def refusals(
        self, question: Question | EmbeddingQuestion, attempt: int
    ) -> Callable[[int, str], None]:
        """A function that records an HTTP reply which brought no answer: status and text."""

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

    def full(self, question: Question | EmbeddingQuestion, attempt: int, told: str) -> ContextFull:
        """Record that a question is too long; the error to raise.

        told: in the endpoint's words.
        """
        chat = question if isinstance(question, Question) and attempt == 1 else None
        self.write(
            ModelContextFull(
                role=self.role,
                call=question.call,
                attempt=attempt,
                digest=question.digest,
                problem=told,
                request=chat.recorded() if chat else None,
                schema=chat.schema if chat else None,
            )
        )
        return self._too_long(told)

    def _next(
        self, question: Question | EmbeddingQuestion, attempt: int
    ) -> ModelReplied | ModelEmbedded | None:
        event = self._recorded.pop((question.call, attempt), None)
        if event is not None and event.digest != question.digest:
            if isinstance(question, Question) == isinstance(event, ModelEmbedded):
                told = f"the recording has '{event.event}'"
            elif isinstance(question, Question):
                told = self._asked.difference(
                    question.call, question.request.messages, question.schema
                )
            else:
                told = "it asks for embeddings of other texts"
            raise self._differs(question, told)
        if isinstance(event, ModelContextFull):
            raise self._too_long(event.problem)
        return event

    def _too_long(self, told: str) -> ContextFull:
        return ContextFull(
            f"The conversation is longer than {self._model} can read ({told}); choose a model with "
            f"a larger context window, or give one that runs here more with --model-context."
        )

    def _differs(self, question: Question | EmbeddingQuestion, told: str) -> RecordDiffers:
        return RecordDiffers(
            f"Call {question.call} of the role {self.role} differs from the recording: {told}."
        )
