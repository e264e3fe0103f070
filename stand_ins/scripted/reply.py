"""The reply to a request: what is chosen, in the format of its planner, perhaps spoilt."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from ..chat_completions import BadRequest, ChatReply, ChatRequest
from .faults import ReplyFaults
from .formats import format_of
from .household.policy import next_action
from .household.requirements import Table
from .transcript import Choice

#: An action that no planner offers.
_ILLEGAL = "fly to the moon 1"


@dataclass(frozen=True)
class ScriptedModel:
    """The stand-in as it answers requests.

    slow_s: how long a slow reply takes. retry_after_s: what a reply of status 429 asks for.
    """

    table: Table
    faults: ReplyFaults
    slow_s: float = 2.0
    retry_after_s: float = 1.0

    def reply(self, request: ChatRequest) -> ChatReply:
        """The reply to a request. Raises BadRequest."""
        drawn = self.faults.draw(request.messages)
        if drawn.slow:
            time.sleep(self.slow_s)
        if drawn.status == 429:
            raise BadRequest(
                429,
                "Too many requests (a fault on purpose).",
                "rate_limit_exceeded",
                self.retry_after_s,
            )
        if drawn.status:
            raise BadRequest(drawn.status, "The server failed (a fault on purpose).")
        return answer(request, self.table, drawn.reply)


def answer(request: ChatRequest, table: Table, fault: str = "") -> ChatReply:
    """The reply to a request, spoilt by a fault if one is given. Raises BadRequest."""
    planner_format = format_of(request.messages, request.schema)
    if planner_format is None:
        raise BadRequest(
            400, "The stand-in 'scripted' does not know the planner that wrote these messages."
        )
    asked = planner_format.read(request.messages, request.schema)
    if callable(asked):
        choice = asked(table)
    else:
        choice = asked if isinstance(asked, Choice) else next_action(asked, table)
    match fault:
        case "empty":
            return ChatReply("")
        case "illegal":
            choice = replace(choice, action=_ILLEGAL)
    text = planner_format.write(choice)
    match fault:
        case "malformed":
            text = text.replace('"', "'", 3)
        case "truncated":
            return ChatReply(text[: len(text) // 2], cut=True)
    return ChatReply(text)
