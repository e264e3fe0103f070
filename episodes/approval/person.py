"""Approval by a person in the terminal."""

from __future__ import annotations

import sys
from typing import ClassVar

from ...errors import PeepholeError
from ...terminal import answer_to
from .approver import Answer, Proposal

_QUESTION = "Allow it? Type y, or n and the reason: "
_AGAIN = "Please type y to allow it, or n and the reason, such as: n the pan is hot"


class Unanswered(PeepholeError):
    """Nobody answers; the episode can be continued later."""


class PersonApprover:
    """Asks a person in the terminal, one line for each question and each answer."""

    repeatable: ClassVar[bool] = False

    def answer(self, proposal: Proposal) -> Answer:
        """Ask until there is an answer. Raises Unanswered where standard input has ended."""
        question = f"Step {proposal.step}: {proposal.wording}\n{_QUESTION}"
        while (line := answer_to(question)) is not None:
            answer = _answer(line)
            if answer is not None:
                return answer
            question = f"{_AGAIN}\n{_QUESTION}"
        print(file=sys.stderr)
        raise Unanswered(
            "Nobody approves actions, because standard input has ended; continue the run with "
            "--resume in a terminal."
        )


def _answer(line: str) -> Answer | None:
    """The answer of a line; None for a line that is none."""
    word, _, reason = line.partition(" ")
    match word.rstrip(",:;.").lower():
        case "y" | "yes" if not reason:
            return Answer(True)
        case "n" | "no":
            return Answer(False, " ".join(reason.split()))
    return None
