"""Conversations of `react` that begin anew as they go, with the task and the last walk.

A model that says in each thought what it needs to know can read on from any walk, whose observation
tells where it is and what is there. What it reads is then no longer than it was trained on, however
long the episode.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..model import Message

_WALK = re.compile(r'"action": "go to ')
#: The system prompt, and the task with the first observation on the lines below it.
_BEFORE_TURNS = 2


def with_recent_turns(messages: Sequence[Message], turns: int) -> list[Message]:
    """The messages of a conversation that begins anew at the first walk after so many turns.

    messages: a system prompt, the task, then replies and observations by turns. Messages that begin
    anew already come back as they are. turns: at least 1; counted from the last beginning.
    """
    rest = messages[_BEFORE_TURNS:]
    start = 0
    for turn, reply in enumerate(rest[::2]):
        if turn - start >= turns and _WALK.search(str(reply["content"])):
            start = turn
    if not start:
        return list(messages)
    system, first = messages[:_BEFORE_TURNS]
    task = str(first["content"]).partition("\n")[0]
    return [system, {**first, "content": task}, *rest[2 * start :]]
