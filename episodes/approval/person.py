"""Approval by a person in the terminal."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import ClassVar, TextIO

from ...errors import PeepholeError
from ...terminal import printable
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
        _forget_typed_ahead(sys.stdin)
        _show(f"Step {proposal.step}: {printable(proposal.wording)}\n{_QUESTION}")
        while line := sys.stdin.readline():
            answer = _answer(line)
            if answer is not None:
                return answer
            _show(f"{_AGAIN}\n{_QUESTION}")
        _show("\n")
        raise Unanswered(
            "Nobody approves actions, because standard input has ended; continue the run with "
            "--resume in a terminal."
        )


def _answer(line: str) -> Answer | None:
    """The answer of a line; None for a line that is none."""
    text = printable(line.encode("utf-8", "replace").decode()).strip()
    word, _, reason = text.partition(" ")
    match word.rstrip(",:;.").lower():
        case "y" | "yes" if not reason:
            return Answer(True)
        case "n" | "no":
            return Answer(False, " ".join(reason.split()))
    return None


def _show(text: str) -> None:
    # On standard error, since standard output may be a JSON document.
    print(text, end="", file=sys.stderr, flush=True)


def _forget_typed_ahead(stream: TextIO) -> None:
    """Drop what was typed before the question was there: it would allow an unseen action."""
    if stream.isatty():
        import termios

        with suppress(termios.error):
            termios.tcflush(stream.fileno(), termios.TCIFLUSH)
