"""The desk: how a person is asked. A terminal and a page are desks."""

from __future__ import annotations

from typing import Protocol

from ...errors import BadInput, PeepholeError
from .answers import AnswerLog
from .questions import Answer, Question, check_answer


class Desk(Protocol):
    """Asks a person one question after another."""

    def ask(self, question: Question) -> Answer:
        """Ask and wait for the answer, which passes `check_answer`.

        Raises skills.executor.SimulatorDied if the person leaves; the run can be continued.
        """

    def kept(self, question: Question) -> None:
        """Take notice that the answer to a question is safely kept.

        A desk that tells the person "saved" does so only now: an answer that was not kept is asked
        for again after an interruption.
        """

    def close(self) -> None:
        """Say that nothing more will be asked. May be called more than once."""


def ask_and_keep(desk: Desk, log: AnswerLog, question: Question) -> Answer:
    """Ask a person, and keep the answer before anything else happens.

    Raises PeepholeError for a desk that gives no proper answer.
    """
    asked = question.model_copy(update={"repeated": log.was_asked(question)})
    log.asked(asked)
    answer = desk.ask(asked)
    try:
        check_answer(asked, answer)
    except BadInput as error:
        raise PeepholeError(f"The desk gave an answer that is none: {error}") from None
    log.answered(asked, answer)
    desk.kept(asked)
    return answer
