"""The reply to a request: what is chosen, in the form of its planner, perhaps spoilt."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from ..chat_completions import ChatReply, ChatRequest, ErrorResponse
from .answers import ANSWERS
from .asked import Asked
from .competence import MISTAKES, mistaken
from .faults import DrawnFault, ReplyFaults
from .guesses import NO_GUESSES, Guesses
from .table import Table

#: Signs that replies are read by, and what stands for them in one that cannot be read.
_UNREADABLE = str.maketrans({":": ";", "(": "[", ")": "]", "\n": " "})


@dataclass(frozen=True)
class ScriptedModel:
    """The stand-in as it answers requests."""

    table: Table
    faults: ReplyFaults
    guesses: Guesses = NO_GUESSES
    slow_s: float = 2.0
    """How long a slow reply takes."""
    retry_after_s: float = 1.0
    """What a reply of status 429 asks for."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request. Raises ErrorResponse."""
        drawn = self.faults.draw(request.messages)
        if drawn.slow:
            time.sleep(self.slow_s)
        if drawn.status == 429:
            raise ErrorResponse(
                429,
                "Too many requests (a fault on purpose).",
                "rate_limit_exceeded",
                self.retry_after_s,
            )
        if drawn.status:
            raise ErrorResponse(drawn.status, "The server failed (a fault on purpose).")
        return self._answer(request, drawn)

    def _answer(self, request: ChatRequest, drawn: DrawnFault) -> ChatReply:
        """The answer, spoilt by a fault if one was drawn. Raises ErrorResponse."""
        asked = self._asked(request)
        if asked.kind not in ANSWERS:
            raise ErrorResponse(
                400,
                "The stand-in 'scripted' answers only questions that a run here tells it as data; "
                "name it with --model scripted, and choose a planner that it knows.",
            )
        answer = ANSWERS[asked.kind](asked)
        choice = answer.choice
        if drawn.reply == "empty":
            return ChatReply("")
        if drawn.reply in MISTAKES:
            chance = random.Random(drawn.seed)
            choice = mistaken(choice, drawn.reply, answer.options, self.table, chance)
        text = answer.write(choice)
        match drawn.reply:
            case "malformed":
                text = _malformed(text)
            case "truncated":
                return ChatReply(text[: len(text) // 2], cut=True)
        return ChatReply(text)

    def _asked(self, request: ChatRequest) -> Asked:
        about = request.aside.get("about", {})
        return Asked(
            about.get("kind", ""),
            about,
            request.aside.get("choices", {}),
            request.aside.get("episode", {}),
            request.schema,
            self.table,
            self.guesses,
            request.seed,
        )


def _malformed(text: str) -> str:
    """A text that its planner cannot read: JSON without its quotes, calls without brackets."""
    return text.replace('"', "'", 3) if '"' in text else text.translate(_UNREADABLE)
