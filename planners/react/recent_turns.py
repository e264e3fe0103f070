"""Conversations of `react` that begin anew as they go: the task, the last put-down, a walk.

A model that says in each thought what it needs to know can read on from any walk, whose observation
tells where it is and what is there. What it reads is then no longer than it was trained on, however
long the episode. The last turn in which something was put down stays: in a dialect that keeps the
books its observation tells all that was put where so far, by which a thought can be mended.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...models.contract import Message

_WALK = re.compile(r'"action": "go to ')
_PUTTING = re.compile(r'"action": "put down ')
#: The system prompt, and the task with the first observation on the lines below it.
_BEFORE_TURNS = 2


def with_recent_turns(messages: Sequence[Message], turns: int) -> list[Message]:
    """The messages of a conversation that begins anew at the first walk after so many turns.

    Before that walk come the task and, if something was put down before, the last such turn.

    messages: a system prompt, the task, then replies and observations by turns. Messages that begin
    anew already come back as they are. turns: at least 1; counted from the last such walk.
    """
    system, first = messages[:_BEFORE_TURNS]
    task, _, seen = str(first["content"]).partition("\n")
    if not seen:
        return list(messages)
    rest = messages[_BEFORE_TURNS:]
    start, put = 0, None
    latest = None
    for turn, reply in enumerate(rest[::2]):
        said = str(reply["content"])
        if turn - start >= turns and _WALK.search(said):
            start, put = turn, latest
        if _PUTTING.search(said):
            latest = turn
    if not start:
        return list(messages)
    kept = [] if put is None else rest[2 * put : 2 * put + 2]
    return [system, {**first, "content": task}, *kept, *rest[2 * start :]]
