"""Decisions and outcomes as the JSON data of a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..errors import BadInput
from ..planners.contract import Act, Decision, Done, GiveUp, Internal, NewTrial, Note, Think
from ..planners.llm.events import (
    ModelContextFull,
    ModelEmbedded,
    ModelEvent,
    ModelHttpError,
    ModelReplied,
)
from ..planners.llm.usage import usage_from_data, usage_to_data
from ..skills import actions
from ..skills.outcomes import Attempt, Failure, Outcome, Reason


def of_decision(decision: Decision) -> dict[str, Any]:
    """A decision as data; `kind` tells which."""
    match decision:
        case Act():
            if isinstance(decision.action, str):
                return {"kind": "act", "text": decision.action}
            return {"kind": "act", "action": actions.to_data(decision.action)}
        case Think(text):
            return {"kind": "think", "text": text}
        case Note(kind, text, data):
            return {"kind": "note", "note": kind, "text": text, "data": dict(data)}
        case Internal(name, text, data):
            return {"kind": "internal", "name": name, "text": text, "data": dict(data)}
        case NewTrial(reason):
            return {"kind": "new_trial", "text": reason}
        case Done(reason):
            return {"kind": "done", "text": reason}
        case GiveUp(reason):
            return {"kind": "give_up", "text": reason}


def to_decision(data: Mapping[str, Any]) -> Decision:
    """The decision of `of_decision`. Raises BadInput for an unknown kind."""
    match data["kind"]:
        case "act" if "text" in data:
            return Act(data["text"])
        case "act":
            return Act(actions.from_data(data["action"]))
        case "think":
            return Think(data["text"])
        case "note":
            return Note(data["note"], data["text"], data["data"])
        case "done":
            return Done(data["text"])
        case "give_up":
            return GiveUp(data["text"])
        case kind:
            raise BadInput(f"A recorded decision is of the kind {kind!r}, which there is not.")


def of_failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    detail = {"detail": failure.detail} if failure.detail else {}
    return {"reason": str(failure.reason), "thing": failure.thing, **detail}


def to_failure(data: Mapping[str, Any] | None) -> Failure | None:
    if data is None:
        return None
    return Failure(Reason(data["reason"]), data["thing"], data.get("detail", ""))


def of_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "failure": of_failure(outcome.failure),
        "attempts": [
            {
                "variation": attempt.variation,
                "failure": of_failure(attempt.failure),
                "message": attempt.message,
                "duration_s": round(attempt.duration_s, 6),
                "restored": attempt.restored,
            }
            for attempt in outcome.attempts
        ],
        "duration_s": round(outcome.duration_s, 6),
        "sim_time_s": outcome.sim_time_s,
    }


def to_outcome(data: Mapping[str, Any]) -> Outcome:
    return Outcome(
        to_failure(data["failure"]),
        tuple(
            Attempt(
                attempt["variation"],
                to_failure(attempt["failure"]),
                attempt["message"],
                attempt["duration_s"],
                attempt["restored"],
            )
            for attempt in data["attempts"]
        ),
        data["duration_s"],
        data["sim_time_s"],
    )


def of_model_event(event: ModelEvent) -> dict[str, Any]:
    """A model's event as data."""
    assert not isinstance(event, ModelEmbedded)
    data: dict[str, Any] = {"call": event.call, "attempt": event.attempt, "digest": event.digest}
    if isinstance(event, ModelHttpError):
        return {**data, "status": event.status, "reply": event.reply}
    if event.request is not None:
        data |= {"request": asdict(event.request), "schema": event.schema}
    if isinstance(event, ModelContextFull):
        return {**data, "reply": "", "full": True, "problem": event.problem}
    data |= {"reply": event.reply, "usage": usage_to_data(event.usage)}
    if event.cut:
        data["cut"] = True
    if event.adapted:
        data["adapted"] = list(event.adapted)
    return {**data, "problem": event.problem, "latency_s": event.latency_s}


def to_model_event(data: Mapping[str, Any]) -> ModelEvent:
    """The event of `of_model_event`, without its messages."""
    place: dict[str, Any] = {"role": "planner", "call": data["call"]}
    place |= {"attempt": data["attempt"], "digest": data["digest"]}
    if "status" in data:
        return ModelHttpError(**place, status=data["status"], reply=data["reply"])
    if data.get("full"):
        return ModelContextFull(**place, problem=data["problem"])
    return ModelReplied(
        **place,
        reply=data["reply"],
        usage=usage_from_data(data["usage"]),
        latency_s=data["latency_s"],
        problem=data["problem"],
        cut=data.get("cut", False),
    )
