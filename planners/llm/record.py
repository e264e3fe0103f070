"""What an episode's recording has of one role of its models, and what is added to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from ..model import ContextFull
from .events import ModelContextFull, ModelEmbedded, ModelEvent, ModelHttpError, ModelReplied
from .questions import EmbeddingQuestion, Question


class RecordDiffers(Exception):
    """A continued episode asks another question than its recording has."""


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
        self.role = role
        self._model = model
        self._write = write
        self._recorded: dict[tuple[int, int], ModelReplied | ModelEmbedded | ModelContextFull] = {
            (event.call, 1 if isinstance(event, ModelEmbedded) else event.attempt): event
            for event in recorded
            if event.role == role and not isinstance(event, ModelHttpError)
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
        if isinstance(event, ModelEmbedded):
            raise _differs(question)
        return event

    def embedded(self, question: EmbeddingQuestion) -> ModelEmbedded | None:
        """The recorded embeddings; see `replied`."""
        event = self._next(question, 1)
        if isinstance(event, ModelReplied):
            raise _differs(question)
        return event

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
            raise _differs(question)
        if isinstance(event, ModelContextFull):
            raise self._too_long(event.problem)
        return event

    def _too_long(self, told: str) -> ContextFull:
        return ContextFull(
            f"The conversation is longer than {self._model} can read ({told}); "
            f"choose a model with a larger context window."
        )


def _differs(question: Question | EmbeddingQuestion) -> RecordDiffers:
    return RecordDiffers(f"Question {question.call} to the model differs from the record.")
