"""The language columns of LeRobot: what holds for a while, and what happens at a frame.

`language_persistent` has rows of the styles subtask (the goal of the agent that acts, where agents
form a tree), plan and memory (the planner's notes), each from a time on; all frames of an episode
repeat them. `language_events` has at each frame the thought, without a style, with the action as a
tool call, and what the planner was told where words of its did nothing, as an interjection.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ...skills.actions import Action
from ..notes.agent_tree import TREE, tree_nodes
from .steps import ExportedStep, Trial

#: Notes that are rows of the same style.
_STYLES = ("plan", "memory")
_RUNNING = "running"
_ARGUMENTS = {
    "target": "integer",
    "relation": "string",
    "place": "integer",
    "pose": "array",
    "seconds": "number",
}

Row = dict[str, Any]


def persistent_rows(trial: Trial) -> list[Row]:
    """What holds from some frame of a trial on, in the order of time; nothing is told twice."""
    rows: list[Row] = []
    current: dict[str, str] = {}
    nodes: dict[int, Mapping[str, Any]] = {}
    for at, step in enumerate(trial.steps):
        told: dict[str, str] = {}
        for note in step.deliberation.notes:
            if note.name in _STYLES:
                told[note.name] = note.text
            if note.name == TREE:
                nodes.update((node["id"], node) for node in tree_nodes(note))
                told["subtask"] = _acting(nodes)
        for style, text in told.items():
            if text and current.get(style) != text:
                current[style] = text
                rows.append(_row(text, style, None) | {"timestamp": float(at)})
    return rows


def _acting(nodes: Mapping[int, Mapping[str, Any]]) -> str:
    """The goal of the youngest agent that runs; "" where none does."""
    running = [number for number, node in nodes.items() if node["state"] == _RUNNING]
    return str(nodes[max(running)]["goal"]) if running else ""


def event_rows(step: ExportedStep) -> tuple[list[Row], str]:
    """What happens at a frame, and the action as JSON text, "" for words that are none."""
    rows = []
    for said, told in step.deliberation.answered:
        rows.append(_row(said, None, None))
        rows.append(_row(told, "interjection", None) | {"role": "user"})
    action = step.event.action
    call = None if action is None else _call(action)
    rows.append(_row(step.deliberation.thought or None, None, None if call is None else [call]))
    return rows, call or ""


def _row(content: str | None, style: str | None, tool_calls: list[str] | None) -> Row:
    return {
        "role": "assistant",
        "content": content,
        "style": style,
        "camera": None,
        "tool_calls": tool_calls,
    }


def _call(action: Action) -> str:
    """An action as the call of a tool that has its verb's name."""
    given = {name: getattr(action, name) for name in _ARGUMENTS}
    arguments = {name: value for name, value in given.items() if value is not None}
    function = {"name": action.verb, "arguments": arguments}
    return json.dumps({"type": "function", "function": function})


def tool_schemas(verbs: Iterable[str]) -> list[dict[str, Any]]:
    """The tools of a dataset: one a verb, with the arguments that actions may have."""
    parameters = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in _ARGUMENTS.items()},
    }
    return [
        {
            "type": "function",
            "function": {
                "name": str(verb),
                "description": f"The primitive action {verb}; things are numbers of nodes.",
                "parameters": parameters,
            },
        }
        for verb in sorted(verbs)
    ]
