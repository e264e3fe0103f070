"""A recorded episode as what a reader follows: step by step, with what led to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..recording import EventData

#: Places of a belief that are drawn.
_PLACES = 5
#: Characters of a message that are shown; a run has thousands, and the recording has all of them.
_SHOWN = 800


@dataclass
class ModelCall:
    """One reply of a model.

    asked: of an episode's first question all messages, later the newest one, with its beginning.
    """

    number: int
    attempt: int
    reply: str
    asked: list[tuple[str, str]]
    tokens_in: int
    tokens_out: int
    seconds: float
    problem: str


@dataclass
class Item:
    """Something between two actions.

    kind: 'thought', 'refused' (an action that was not understood), 'note' or 'call'.
    bars: of a note with a belief, its likeliest places with their probabilities.
    """

    kind: str
    text: str = ""
    label: str = ""
    bars: list[tuple[str, float]] = field(default_factory=list)
    call: ModelCall | None = None


@dataclass
class Step:
    """One action with what came before and of it. tokens: of the model's replies before it."""

    number: int
    action: str
    failure: str
    observation: str
    progress: float
    attempts: list[str]
    before: list[Item] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        calls = [item.call for item in self.before if item.call is not None]
        return sum(call.tokens_in + call.tokens_out for call in calls)


@dataclass
class Trajectory:
    """One start of an episode. after: what came after the last step."""

    instruction: str = ""
    observation: str = ""
    steps: list[Step] = field(default_factory=list)
    after: list[Item] = field(default_factory=list)
    ending: str = ""


def trajectory(events: Iterable[EventData]) -> Trajectory:
    """The trajectory of an episode's events, from its newest start on."""
    found = Trajectory()
    waiting: list[Item] = []
    tried: str | None = None  # the text of an action that no step has followed yet
    for event in events:
        if event["event"] == "start":
            found.instruction, found.observation = event["instruction"], event["observation"]
        elif event["event"] == "model":
            item = _call(event)
            waiting += [item] if item is not None else []
        elif event["event"] == "decision":
            if tried is not None:
                waiting.append(Item("refused", tried))
            tried = None
            waiting += _of_decision(event)
            if event["kind"] == "act":
                tried = event.get("text", "")
        elif event["event"] == "step":
            found.steps.append(_step(event, waiting))
            waiting, tried = [], None
        elif event["event"] == "end":
            found.ending = event["ended"]
    if tried:
        waiting.append(Item("refused", tried))
    found.after = waiting
    return found


def _of_decision(event: EventData) -> list[Item]:
    match event["kind"]:
        case "think" | "done" | "give_up" if event["text"]:
            return [Item("thought", event["text"])]
        case "note":
            return [Item("note", event["text"], event["note"], _bars(event["data"]))]
    return []


def _bars(data: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The likeliest places of a note that has some, each with its greatest probability."""
    found = []
    for place in data.get("places", []):
        if isinstance(place, dict) and place.get("probabilities"):
            found.append((str(place.get("name", "")), float(max(place["probabilities"]))))
    return sorted(found, key=lambda bar: -bar[1])[:_PLACES]


def _call(event: EventData) -> Item | None:
    if "status" in event:
        text = f"HTTP {event['status']}: {event['reply']}"
        return Item("note", text, "endpoint")
    usage = event.get("usage") or {}
    messages = (event.get("request") or {}).get("messages", [])
    first = event["call"] == 1
    call = ModelCall(
        number=event["call"],
        attempt=event["attempt"],
        reply=event["reply"],
        asked=[
            (message["role"], text if first else _beginning(text))
            for message in (messages if first else messages[-1:])
            for text in [_text(message["content"])]
        ],
        tokens_in=usage.get("in", 0),
        tokens_out=usage.get("out", 0),
        seconds=event.get("latency_s", 0.0),
        problem=event.get("problem") or "",
    )
    return Item("call", call=call)


def _beginning(text: str) -> str:
    left = len(text) - _SHOWN
    return text if left <= 0 else f"{text[:_SHOWN]}… ({left} more characters in the recording)"


def _text(content: Any) -> str:
    """A message's content; pictures are only named."""
    if isinstance(content, str):
        return content
    parts = [part.get("text", "[picture]") for part in content if isinstance(part, dict)]
    return "\n".join(parts)


def _step(event: EventData, before: list[Item]) -> Step:
    outcome = event["outcome"]
    failure = outcome["failure"]
    return Step(
        number=event["step"],
        action=event["action"],
        failure="" if failure is None else failure["reason"].replace("_", " "),
        observation=event["observation"],
        progress=event["progress"],
        attempts=[_attempt(attempt) for attempt in outcome["attempts"]],
        before=before,
    )


def _attempt(attempt: Mapping[str, Any]) -> str:
    failure = attempt["failure"]
    text = "done" if failure is None else failure["reason"].replace("_", " ")
    if attempt["message"]:
        text += f" ({attempt['message']})"
    if attempt["restored"]:
        text += "; the simulator was restarted"
    return text
