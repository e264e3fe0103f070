"""The format of the planner `react`: a thought and an action a turn, as JSON.

The system message has the rules of the body: how many things it holds, and what takes a free hand.
The first message of the user is "Task: …" and the first observation on the next line; then replies
and observations take turns. The newest observation is followed by the actions on offer, which the
schema of the reply has as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..dialects import compact, reactree_plain, reactree_thor
from ..transcript import Choice, Transcript, Turn

_TASK = "Task:"
_FIELDS = frozenset({"thought", "action"})
_MENU = "Possible actions: "
#: As the rules word it, and as they do in `compact`.
_ONE_HAND = ("You can hold one thing at a time.", "You hold one thing at most.")
_HAND_TO_OPEN = "Opening takes an empty hand."

_Messages = Sequence[Mapping[str, str]]


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether there is a task, and the schema or the instructions have a thought and an action."""
    if not has_task(messages):
        return False
    if schema:
        return frozenset(schema.get("properties", {})) == _FIELDS
    told = "\n".join(m["content"] for m in messages)
    return all(f'"{name}"' in told for name in _FIELDS)


def read(messages: _Messages, schema: Mapping[str, Any]) -> Transcript:
    """The transcript of the messages."""
    dialogue = [message for message in messages if message["role"] != "system"]
    start = next(i for i, m in enumerate(dialogue) if m["content"].startswith(_TASK))
    lines = dialogue[start]["content"].splitlines()
    first = lines[1] if len(lines) > 1 else ""
    rules = " ".join(message["content"] for message in messages if message["role"] == "system")
    transcript = Transcript(
        instruction=lines[0].removeprefix(_TASK).strip(),
        first=first,
        turns=tuple(_turns(dialogue[start + 1 :])),
        options=_options(schema) or menu_of(dialogue),
        hands=hands_of(rules),
        opening_needs_hand=needs_hand_to_open(rules),
    )
    known = reactree_thor.to_reactree(reactree_plain.to_reactree(transcript))
    return compact.to_reactree(known)


def write(choice: Choice) -> str:
    """The reply's text."""
    return json.dumps({"thought": choice.thought, "action": choice.action}, ensure_ascii=False)


def _turns(dialogue: _Messages) -> Iterator[Turn]:
    """The turns, without replies that could not be read and what was said of them.

    Where several replies stand together, the last of them counts.
    """
    action: str | None = None
    for message in dialogue:
        if message["role"] == "assistant":
            action = _action(message["content"])
        elif action is not None:
            yield Turn(action, message["content"].partition("\n")[0])
            action = None


def _action(reply: str) -> str | None:
    try:
        answer = json.loads(reply)
    except ValueError:
        return None
    action = answer.get("action") if isinstance(answer, dict) else None
    return action if isinstance(action, str) else None


def _options(schema: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The actions that the schema allows."""
    field = schema.get("properties", {}).get("action", {}) if schema else {}
    if isinstance(field.get("enum"), list):
        return tuple(field["enum"])
    return (field["const"],) if isinstance(field.get("const"), str) else None


# --- what prompts of other planners have as well -------------------------------------------------


def has_task(messages: _Messages) -> bool:
    """Whether a message of the user begins with the task."""
    return any(m["role"] == "user" and m["content"].startswith(_TASK) for m in messages)


def hands_of(rules: str) -> int:
    """How many things one can hold by the rules of the body."""
    return 1 if any(rule in rules for rule in _ONE_HAND) else 2


def needs_hand_to_open(rules: str) -> bool:
    """Whether opening takes an empty hand by the rules of the body."""
    return _HAND_TO_OPEN in rules


def menu_of(dialogue: _Messages) -> tuple[str, ...] | None:
    """The actions of the newest menu."""
    for message in reversed(dialogue):
        for line in reversed(message["content"].splitlines()):
            if message["role"] == "user" and line.startswith(_MENU):
                return tuple(line.removeprefix(_MENU).split("; "))
    return None
