"""The format of the planner `react` without thoughts (Act): an action a turn, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..transcript import Choice, Transcript
from . import react

_Messages = Sequence[Mapping[str, str]]
_ACTION_ALONE = 'Answer with one action: {"action"'


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether there is a task, and the schema or the instructions have an action alone."""
    if not react.has_task(messages):
        return False
    if schema:
        return list(schema.get("properties", {})) == ["action"]
    return any(_ACTION_ALONE in message["content"] for message in messages)


def read(messages: _Messages, schema: Mapping[str, Any]) -> Transcript:
    """The transcript of the messages."""
    return react.read(messages, schema)


def write(choice: Choice) -> str:
    """The reply's text."""
    return json.dumps({"action": choice.action}, ensure_ascii=False)
