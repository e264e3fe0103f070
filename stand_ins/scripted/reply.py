"""The reply to a request: what is chosen, in the format of its planner, perhaps spoilt."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from ..chat_completions import ChatReply, ChatRequest, ErrorResponse
from .competence import MISTAKES, mistaken
from .faults import NO_FAULT, DrawnFault, ReplyFaults
from .formats import format_of
from .guesses import NO_GUESSES, Guessed, Guesses
from .household.policy import in_original_wording, next_action
from .household.requirements import Table
from .transcript import Choice, Sampled, Transcript

#: Signs that replies are read by, and what stands for them in one that cannot be read.
_UNREADABLE = str.maketrans({":": ";", "(": "[", ")": "]", "\n": " "})


@dataclass(frozen=True)
class ScriptedModel:
    """The stand-in as it answers requests.

    slow_s: how long a slow reply takes. retry_after_s: what a reply of status 429 asks for.
    """

    table: Table
    faults: ReplyFaults
    guesses: Guesses = NO_GUESSES
    slow_s: float = 2.0
    retry_after_s: float = 1.0

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
        return answer(request, self.table, drawn, self.guesses)


def answer(
    request: ChatRequest,
    table: Table,
    drawn: DrawnFault = NO_FAULT,
    guesses: Guesses = NO_GUESSES,
) -> ChatReply:
    """The reply to a request, spoilt by a fault if one was drawn. Raises ErrorResponse."""
    planner_format = format_of(request.messages, request.schema)
    if planner_format is None:
        raise ErrorResponse(
            400, "The stand-in 'scripted' does not know the planner that wrote these messages."
        )
    asked = planner_format.read(request.messages, request.schema)
    if isinstance(asked, Sampled):
        choice = asked.choose(table, request.seed)
    elif isinstance(asked, Guessed):
        choice = asked.choose(table, guesses)
    elif callable(asked):
        choice = asked(table)
    else:
        choice = asked if isinstance(asked, Choice) else next_action(asked, table)
    if drawn.reply == "empty":
        return ChatReply("")
    if drawn.reply in MISTAKES:
        options = _options_of(asked) if isinstance(asked, Transcript) else None
        choice = mistaken(choice, drawn.reply, options, table, random.Random(drawn.seed))
    text = planner_format.write(choice)
    match drawn.reply:
        case "malformed":
            text = _malformed(text)
        case "truncated":
            return ChatReply(text[: len(text) // 2], cut=True)
    return ChatReply(text)


def _options_of(transcript: Transcript) -> list[str] | None:
    """The actions on offer as the planner words them; None where nothing says so."""
    if transcript.options is None:
        return None
    return [in_original_wording(option, transcript) for option in transcript.options]


def _malformed(text: str) -> str:
    """A text that its planner cannot read: JSON without its quotes, calls without brackets."""
    return text.replace('"', "'", 3) if '"' in text else text.translate(_UNREADABLE)
