"""What events of a recording have to hold, for whoever reads them; a damaged one is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import BadInput

#: What a value has to be: one of some types (None for null), an object with fields that have to be
#: there, or a list of one kind of item.
Expected = tuple[type | None, ...] | Mapping[str, Any] | list[Any]

_TEXT: Expected = (str,)
_NUMBER: Expected = (int, float)
_FAILURE = {"reason": _TEXT}
_ATTEMPT = {"variation": _NUMBER, "message": _TEXT, "duration_s": _NUMBER, "restored": (bool,)}
_STEP = {
    "action": _TEXT,
    "observation": _TEXT,
    "progress": _NUMBER,
    "outcome": {"attempts": [_ATTEMPT], "duration_s": _NUMBER, "failure": (dict, None)},
}
_END = {
    **dict.fromkeys(("task", "ended", "detail"), _TEXT),
    **dict.fromkeys(("progress", "steps", "decisions", "retries", "voided"), _NUMBER),
    **dict.fromkeys(("planning_s", "duration_s"), _NUMBER),
    "success": (bool,),
    "failures": (dict,),
    "subgoals": [(list,)],
    "informed": (bool, None),
}
_EVENTS: dict[str, Mapping[str, Any]] = {
    "start": {"instruction": _TEXT, "observation": _TEXT},
    "step": _STEP,
    "void": {"reason": _TEXT},
    "end": _END,
}
_DECISIONS: dict[str, Mapping[str, Any]] = {
    "act": {},
    "think": {"text": _TEXT},
    "note": {"note": _TEXT, "text": _TEXT, "data": (dict,)},
    "done": {"text": _TEXT},
    "give_up": {"text": _TEXT},
}
_REPLY = {
    "call": _NUMBER,
    "attempt": _NUMBER,
    "reply": _TEXT,
    "latency_s": _NUMBER,
    "problem": (str, None),
    "usage": {"in": _NUMBER, "out": _NUMBER, "cached": _NUMBER},
}
_WORDS: dict[Any, str] = {
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    None: "null",
}


def check_fields(events: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Raises BadInput, naming the file, the event and the field, where something is not there."""
    for event in events:
        problem = _wrong(event, _expected(event), "")
        for failure in _failures(event) if not problem else ():
            problem = problem or _wrong(failure, _FAILURE, "outcome.failure.")
        if problem:
            raise BadInput(
                f"{path}: at step {event['step']} the event '{event['event']}' is damaged: "
                f"{problem}; restore the file, or move it away and play the episode anew with "
                f"--resume."
            )


def _expected(event: Mapping[str, Any]) -> Mapping[str, Any]:
    match event["event"]:
        case "decision" if event.get("kind") not in tuple(_DECISIONS):
            return {"kind": tuple(_DECISIONS)}
        case "decision" if event["kind"] == "act" and "text" not in event:
            return {"action": (dict,)}
        case "decision":
            return _DECISIONS[event["kind"]]
        case "model" if "status" in event:
            return {"reply": _TEXT}
        case "model" if event.get("full"):
            return {"problem": _TEXT}
        case "model":
            return _REPLY
        case name:
            return _EVENTS.get(name, {})


def _failures(event: Mapping[str, Any]) -> Iterable[Any]:
    """The failures of a step's outcome and of its attempts."""
    if event["event"] != "step":
        return
    outcome = event["outcome"]
    for part in (outcome, *outcome["attempts"]):
        if part.get("failure") is not None:
            yield part["failure"]


def _wrong(value: Any, expected: Any, name: str) -> str:
    """What is wrong with a value, as a part of a sentence; "" for nothing."""
    if isinstance(expected, Mapping):
        if not isinstance(value, dict):
            return f"'{name.rstrip('.')}' is {value!r}, expected an object"
        for field, part in expected.items():
            if field not in value and None not in part:
                return f"'{name}{field}' is missing"
            problem = _wrong(value.get(field), part, f"{name}{field}.")
            if problem:
                return problem
        return ""
    if isinstance(expected, list):
        if not isinstance(value, list):
            return f"'{name.rstrip('.')}' is {value!r}, expected a list"
        return next((p for item in value if (p := _wrong(item, expected[0], name))), "")
    if any(_is(value, kind) for kind in expected):
        return ""
    words = " or ".join(dict.fromkeys(_WORDS.get(kind, f"'{kind}'") for kind in expected))
    return f"'{name.rstrip('.')}' is {value!r}, expected {words}"


def _is(value: Any, kind: Any) -> bool:
    if kind is None or isinstance(kind, str):
        return bool(value == kind)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
