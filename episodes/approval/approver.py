"""What an approver is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from ...skills.actions import Verb


@dataclass(frozen=True)
class Proposal:
    """An action that waits for approval, as far as the agent has perceived its things."""

    step: int
    """Its number in the episode, from 1."""
    wording: str
    """The action in the dialect."""
    verb: Verb
    """What is done."""
    target: str | None
    """Category of the thing that is acted on."""
    places: frozenset[str]
    """Categories of the target, of the destination, and of the furniture and rooms around them;
    around the agent for an action without a target.
    """
    holding: frozenset[str]
    """Categories of the things in the agent's hands."""


@dataclass(frozen=True)
class Answer:
    """The answer of an approver. reason: why an action is denied; may be empty."""

    allowed: bool
    reason: str = ""


class Approver(Protocol):
    """Allows or denies actions before they reach the world."""

    #: Whether equal proposals always get equal answers. Other answers are recorded, so that a
    #: continued episode does not ask again.
    repeatable: ClassVar[bool]

    def answer(self, proposal: Proposal) -> Answer:
        """Allow or deny an action."""


class RecordedAnswers:
    """Gives recorded answers again, in their order; beyond them everything is allowed."""

    repeatable: ClassVar[bool] = True

    def __init__(self, answers: Iterable[Answer]) -> None:
        self._answers = iter(answers)

    def answer(self, proposal: Proposal) -> Answer:
        """The next answer."""
        return next(self._answers, Answer(True))
