"""The format of the planner `reactree`: one decision a reply, as JSON, in a node of a tree.

The system message has the rules of the body, the kinds of decision and examples. The first message
of the user has the node's goal after "Your task is to:", before it what the task is part of, and on
the next line the present place. Then replies and what came of them take turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..agent_tree.policy import AgentContext, Earlier, Expansion, Recall, Thought, decide
from ..dialects import reactree_plain, reactree_thor
from ..household.requirements import Table
from ..transcript import GIVE_UP, Choice, Transcript, Turn
from .react import hands_of, menu_of, needs_hand_to_open

_TASK, _PART = "Your task is to:", "This task is part of:"
_KINDS = ("think", "act", "recall", "expand")
_FLOWS = ("sequence", "fallback", "parallel")
#: How a node says that it sees no way on.
_FAILURE = "failure"
#: What a choice begins with that is no action.
_THINK, _RECALL, _EXPAND = "Think: ", "Recall: ", "Expand: "

_Messages = Sequence[Mapping[str, str]]


def recognises(messages: _Messages, schema: Mapping[str, Any]) -> bool:
    """Whether the instructions have its kinds of decision, and the user's first message a task."""
    rules = messages[0]["content"]
    told = next((m["content"] for m in messages if m["role"] == "user"), "")
    return '{"decision": {"expand":' in rules and f"\n{_TASK}" in f"\n{told}"


def read(messages: _Messages, schema: Mapping[str, Any]) -> Callable[[Table], Choice]:
    """What decides for the node of these messages."""
    return partial(_choice, _agent(messages, schema))


def write(choice: Choice) -> str:
    """The reply's text."""
    kind, content = "act", choice.action
    for beginning in (_THINK, _RECALL, _EXPAND):
        if content.startswith(beginning):
            kind, content = beginning.rstrip(": ").lower(), content.removeprefix(beginning)
    said = json.loads(content) if kind == "expand" else content
    return json.dumps({"decision": {kind: said}}, ensure_ascii=False)


def _choice(agent: AgentContext, table: Table) -> Choice:
    match decide(agent, table):
        case Thought(text):
            return Choice("", f"{_THINK}{text}")
        case Recall(thing):
            return Choice("", f"{_RECALL}{thing}")
        case Expansion(flow, subgoals):
            content = {"control_flow": flow, "subgoals": list(subgoals)}
            return Choice("", f"{_EXPAND}{json.dumps(content)}")
        case Choice(thought, action):
            return Choice(thought, _FAILURE if action == GIVE_UP else action)


def _agent(messages: _Messages, schema: Mapping[str, Any]) -> AgentContext:
    rules = messages[0]["content"]
    dialogue = [message for message in messages if message["role"] != "system"]
    start = next(i for i, m in enumerate(dialogue) if _TASK in m["content"])
    above, _, below = dialogue[start]["content"].partition(_TASK)
    goal, _, first = below.partition("\n")
    earlier = tuple(_earlier(dialogue[start + 1 :]))
    transcript = Transcript(
        instruction=goal.strip(),
        first=first.partition("\n")[0],
        turns=tuple(Turn(each.content, each.told) for each in earlier if each.kind == "act"),
        options=_options(schema) or menu_of(dialogue),
        hands=hands_of(rules),
        opening_needs_hand=needs_hand_to_open(rules),
    )
    refused = any(each.kind == "expand" for each in earlier)
    return AgentContext(
        reactree_thor.to_reactree(reactree_plain.to_reactree(transcript)),
        earlier,
        is_root=_PART not in above,
        flows=() if refused else tuple(flow for flow in _FLOWS if f'"{flow}" (' in rules),
        recalls='{"decision": {"recall":' in rules,
    )


def _earlier(dialogue: _Messages) -> Iterator[Earlier]:
    """The decisions with what came of them, without replies that could not be read."""
    said: tuple[str, str] | None = None
    for message in dialogue:
        if message["role"] == "assistant":
            said = _decision(message["content"])
        elif said is not None:
            yield Earlier(*said, message["content"].partition("\n")[0])
            said = None


def _decision(reply: str) -> tuple[str, str] | None:
    """The kind and the content of a decision in a reply."""
    try:
        decision = json.loads(reply)["decision"]
        kind = next(kind for kind in _KINDS if kind in decision)
    except (ValueError, KeyError, TypeError, StopIteration):
        return None
    return kind, str(decision[kind])


def _options(schema: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The actions that the schema allows."""
    for part in schema.get("$defs", {}).values():
        action = part.get("properties", {}).get("act", {})
        if isinstance(action.get("enum"), list):
            return tuple(GIVE_UP if text == _FAILURE else text for text in action["enum"])
    return None
