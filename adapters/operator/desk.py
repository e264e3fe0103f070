"""The desk: how a person is asked. A terminal and a page are desks."""

from __future__ import annotations

from typing import Protocol

from .questions import Answer, Question


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
