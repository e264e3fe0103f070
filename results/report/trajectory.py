"""A recorded episode for a reader: step by step, with what led to each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from ...episodes.events import (
    Decided,
    GoalChecked,
    Perceived,
    PlannerFailed,
    RecordedEvent,
    Started,
    Stepped,
    TextRefused,
    TrialStarted,
)
from ...models.events import ModelContextFull, ModelEvent, ModelHttpError, ModelReplied
from ...planners.contract import Act, Done, GiveUp, Internal, NewTrial, Note, Think
from ...skills.outcomes import Attempt
from ..notes import GrownLine, SearchNote, belief_of, grown_lines, search_of
from ..pictures import PicturesReader, picture_name
from ..wording import failure_text, rewarded
from .belief import AreasReader, BeliefPicture, belief_picture

#: Most places of a note's belief.
_PLACES = 5
#: Most characters of a message; the recording has all of them.
_SHOWN = 800


@dataclass
class ModelCall:
    """One reply of a model. attempt: from 1. problem: why it could not be used, "" if it could.

    asked: the messages: all of the first question, later the newest one, shortened.
    """

    number: int
    """Its number in the episode."""
    attempt: int
    """Its attempt, from 1."""
    reply: str
    """The reply."""
    asked: list[tuple[str, str]]
    """The messages: all of the first question, later the newest one, shortened."""
    tokens_in: int
    """Tokens read."""
    tokens_out: int
    """Tokens written."""
    seconds: float
    """Time of the reply."""
    problem: str
    """Why it could not be used, "" if it could."""


@dataclass
class Item:
    """Something between two actions."""

    kind: str
    """thought, refused (a text that is no action), note, traceback, call, or picture."""
    text: str = ""
    """Its text; for a picture, the name of the file."""
    label: str = ""
    """Name of a note, or the line of an error."""
    bars: list[tuple[str, float]] = field(default_factory=list)
    """First places of a note, with their probabilities."""
    call: ModelCall | None = None
    """A reply of a model."""
    belief: BeliefPicture | None = None
    """The picture of a note's belief."""
    search: SearchNote | None = None
    """The search of a note."""


@dataclass
class Step:
    """One action, with what came before it.

    action: in the dialect. failure: why it failed, or "". attempts: each in words. image: the file
    after it, or "". reward: of this step. t: seconds since the episode began.
    """

    number: int
    """From 1."""
    action: str
    """In the dialect."""
    failure: str
    """Why it failed, "" where it did not."""
    observation: str
    """After it."""
    progress: float | None
    """After it; None where nobody can tell."""
    attempts: list[str]
    """Each attempt in words."""
    image: str = ""
    """File of the camera image after it, "" without one."""
    reward: float = 0.0
    """Of this step."""
    t: float = 0.0
    """Seconds since the episode began."""
    injected: bool = False
    """Whether its failure was injected."""
    before: list[Item] = field(default_factory=list)
    """Items before it."""

    @property
    def tokens(self) -> int:
        """Tokens of the model's replies before it."""
        calls = [item.call for item in self.before if item.call is not None]
        return sum(call.tokens_in + call.tokens_out for call in calls)


@dataclass
class Trajectory:
    """One start of an episode: its steps, what came after the last one, and the tree of agents."""

    instruction: str = ""
    """The instruction."""
    observation: str = ""
    """At the start."""
    image: str = ""
    """File of the camera image at the start."""
    steps: list[Step] = field(default_factory=list)
    """Its actions."""
    after: list[Item] = field(default_factory=list)
    """Items after the last step."""
    tree: list[GrownLine] = field(default_factory=list)
    """Tree of agents, if any."""

    @property
    def items(self) -> list[Item]:
        """All items between the actions."""
        return [item for step in self.steps for item in step.before] + self.after

    @property
    def pictures(self) -> list[str]:
        """The files of all pictures that were looked at or recorded."""
        looked_at = [item.text for item in self.items if item.kind == "picture"]
        seen = [self.image, *(step.image for step in self.steps)]
        return list(dict.fromkeys(name for name in (*looked_at, *seen) if name))

    @property
    def rewards(self) -> RewardChart | None:
        """The chart of rewards, where steps are rewarded."""
        return reward_chart([step.reward for step in self.steps])


def trajectory(events: Sequence[RecordedEvent]) -> Trajectory:
    """The trajectory of an episode's events, from its newest start on."""
    found = Trajectory(tree=grown_lines(events))
    waiting: list[Item] = []
    areas, pictures = AreasReader(), PicturesReader()
    for event in events:
        if isinstance(event, Perceived):
            areas.after(event)
        names = pictures.new_in(event)
        # The camera image after a step is shown with the step.
        looked_at = [] if isinstance(event, Stepped) else [Item("picture", name) for name in names]
        match event:
            case Started():
                found.instruction, found.observation = event.instruction, event.observation
                found.image = picture_name(event.image)
            case TrialStarted():
                waiting.append(Item("note", event.observation, f"trial {event.trial}"))
            case Decided():
                waiting += _of_decision(event, areas)
            case TextRefused():
                waiting.append(Item("refused", event.said))
            case GoalChecked():
                waiting.append(Item("note", event.feedback, "goal check"))
            case Stepped():
                found.steps.append(_step(event, waiting))
                waiting = []
            case PlannerFailed():
                waiting.append(Item("traceback", event.traceback, event.error))
            case ModelReplied() | ModelHttpError() | ModelContextFull():
                waiting.append(_call(event))
        waiting += looked_at
    found.after = waiting
    return found


def _of_decision(event: Decided, areas: AreasReader) -> list[Item]:
    match event.decision:
        case Think(text) | Done(text) | GiveUp(text) | Act(_, text) if text:
            return [Item("thought", text)]
        case Note(name, text, data) as note:
            belief = belief_of(note)
            drawn = None if belief is None else belief_picture(belief, areas.places())
            return [Item("note", text, name, _bars(data), belief=drawn, search=search_of(note))]
        case Internal(name, text):
            return [Item("note", text, name)]
        case NewTrial(reason):
            return [Item("note", reason, "new trial")]
    return []


def _bars(data: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The first places of a note in its order, each with its largest probability."""
    found = []
    for place in data.get("places", []):
        if isinstance(place, dict) and place.get("probabilities"):
            found.append((str(place.get("name", "")), float(max(place["probabilities"]))))
    return found[:_PLACES]


def _call(event: ModelEvent) -> Item:
    if isinstance(event, ModelHttpError):
        return Item("note", f"HTTP {event.status}: {event.reply}", "endpoint")
    if not isinstance(event, ModelReplied):
        return Item("note", getattr(event, "problem", ""), "endpoint")
    messages = [] if event.request is None else event.request.messages
    first = event.call == 1
    call = ModelCall(
        number=event.call,
        attempt=event.attempt,
        reply=event.reply,
        asked=[
            (message["role"], text if first else _beginning(text))
            for message in (messages if first else messages[-1:])
            for text in [_text(message["content"])]
        ],
        tokens_in=event.usage.tokens_in,
        tokens_out=event.usage.tokens_out,
        seconds=event.latency_s,
        problem=event.problem or "",
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


def _step(event: Stepped, before: list[Item]) -> Step:
    return Step(
        number=event.step,
        action=event.wording,
        failure=failure_text(event.outcome),
        observation=event.observation,
        progress=event.progress,
        attempts=[_attempt(attempt) for attempt in event.outcome.attempts],
        image=picture_name(event.image),
        reward=event.reward,
        t=event.t,
        injected=event.outcome.injected is not None,
        before=before,
    )


def _attempt(attempt: Attempt) -> str:
    text = "done" if attempt.failure is None else attempt.failure.reason.replace("_", " ")
    if attempt.message:
        text += f" ({attempt.message})"
    if attempt.restored:
        text += "; the simulator was restarted"
    return text


#: Size of the chart and its margins, in its own units.
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 320, 96, 44, 16, 16
#: A last reward so many times larger than those before is drawn as an arrow.
_JUMP = 4.0


@dataclass(frozen=True)
class RewardChart:
    """A line through the cumulative rewards: x, y and text of each point, from the start on.

    jump: the last reward, where it is drawn as an arrow; else None.
    """

    width: int
    """Width of the chart."""
    height: int
    """Height of the chart."""
    left: int
    """Left end of the axis."""
    bottom: int
    """Lower end of the axis."""
    top: int
    """Upper end of the axis."""
    points: tuple[tuple[float, float, str], ...]
    """x, y and text of each point, from the start on."""
    zero: float
    """Position of 0."""
    low: float
    """Value at the lower end."""
    high: float
    """Value at the upper end."""
    total: float
    """Sum of all rewards."""
    jump: float | None
    """The last reward, where it is drawn as an arrow; else None."""


def reward_chart(rewards: Sequence[float]) -> RewardChart | None:
    """The chart of an episode's rewards; None where they say no more than success."""
    if not rewarded(rewards):
        return None
    jump = _jump(rewards)
    drawn = rewards if jump is None else rewards[:-1]
    sums = list(accumulate(drawn, initial=0.0))
    low, high = min(sums), max(sums)
    bottom = _HEIGHT - _BOTTOM
    per_step = (_WIDTH - _LEFT - 8) / len(rewards)
    per_unit = (bottom - _TOP) / ((high - low) or 1.0)
    labels = ["0 at the start", *(f"{s:,.0f} after step {n}" for n, s in enumerate(sums) if n)]
    points = [
        (_LEFT + per_step * step, bottom - per_unit * (each - low), labels[step])
        for step, each in enumerate(sums)
    ]
    return RewardChart(
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        bottom=bottom,
        top=_TOP,
        points=tuple(points),
        zero=bottom + per_unit * low,
        low=low,
        high=high,
        total=sum(rewards),
        jump=jump,
    )


def _jump(rewards: Sequence[float]) -> float | None:
    """The last reward, where it is much larger than all before together."""
    *before, last = rewards
    spread = sum(map(abs, before))
    return last if before and spread and last > _JUMP * spread else None
