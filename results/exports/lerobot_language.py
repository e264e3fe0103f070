"""The language columns of LeRobot: texts that hold for a while, and texts of one frame.

`language_persistent` has rows of the styles subtask, plan and memory, each from a time on; all
frames of an episode repeat them. A subtask is the goal of the acting agent in a tree of agents;
plan and memory are notes of the planner. `language_events` has one frame's texts: the thought,
without a style, with the action as a tool call. Answers to texts without effect are interjections.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ...skills.actions import Action
from ..notes import TREE, tree_nodes
from .steps import ExportedStep, Trial

#: Notes that become rows of the style of their name.
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
    """The rows of a trial in order of time, without repetitions."""
    rows: list[Row] = []
    current: dict[str, str] = {}
    nodes: dict[int, Mapping[str, Any]] = {}
    for at, step in enumerate(trial.steps):
        texts: dict[str, str] = {}
        for note in step.deliberation.notes:
            if note.name in _STYLES:
                texts[note.name] = note.text
            if note.name == TREE:
                nodes.update((node["id"], node) for node in tree_nodes(note))
                texts["subtask"] = _acting(nodes)
        for style, text in texts.items():
            if text and current.get(style) != text:
                current[style] = text
                rows.append(_row(text, style, None) | {"timestamp": float(at)})
    return rows


def _acting(nodes: Mapping[int, Mapping[str, Any]]) -> str:
    """The goal of the youngest running agent; "" where none runs."""
    running = [number for number, node in nodes.items() if node["state"] == _RUNNING]
    return str(nodes[max(running)]["goal"]) if running else ""


def event_rows(step: ExportedStep) -> tuple[list[Row], str]:
    """The rows of a frame, and the action as JSON text, "" for a text that is no action."""
    rows = []
    for said, answer in step.deliberation.answered:
        rows.append(_row(said, None, None))
        rows.append(_row(answer, "interjection", None) | {"role": "user"})
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
    """An action as a tool call with its verb's name."""
    given = {name: getattr(action, name) for name in _ARGUMENTS}
    arguments = {name: value for name, value in given.items() if value is not None}
    function = {"name": action.verb, "arguments": arguments}
    return json.dumps({"type": "function", "function": function})


def tool_schemas(verbs: Iterable[str]) -> list[dict[str, Any]]:
    """The tools of a dataset: one for each verb, with the arguments of actions."""
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
