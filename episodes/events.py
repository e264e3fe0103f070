"""What the recording of an episode consists of: one class an event kind.

Every event has its name `event`, the `step` it belongs to (0: before the first action) and `t`,
seconds since the episode began. They are plain data classes; pydantic writes and checks them, so
this module is the schema of recordings (`json_schema` gives it in that form). What is recorded of
language models stands in `models.events`.

Ids of nodes are those of the simulator: in the world, the views, and the actions and outcomes of
`Stepped`. Only what the planner said, in `Decided`, has the ids under which it knows things, which
count by first sight (`planner_ids`): it is sent back as it is where an episode is continued or
replayed. An id that a planner made up stands in `Stepped` as one below all ids of simulators.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from ..errors import BadInput
from ..models.answers import well_formed_data
from ..models.events import ModelContextFull, ModelEmbedded, ModelHttpError, ModelReplied
from ..observation_text.view_change import ViewChange
from ..planners.contract import Act, Done, GiveUp, Internal, NewTrial, Note, Think
from ..scene_graph.changes import GraphChange
from ..skills.actions import Action
from ..skills.arm.sensor_reading import ArmReading
from ..skills.outcomes import Outcome
from .augmentation import AugmentationScore
from .result import EpisodeResult

#: The version of recordings that this peephole writes and reads.
SCHEMA_VERSION = 2

Recorded = Annotated[
    Act | Think | Internal | Note | Done | GiveUp | NewTrial, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceived:
    """What an episode's world is like at one moment: a part of several events.

    observation: the text that whoever acts is sent. progress: the share of the goal's literals that
    hold, in [0, 1]; None where nobody can tell. world: the change of the true graph since the event
    before (at the start from nothing), None where there is no true state or nothing changed. view:
    the change of the view. sensors: of an arm. image: the file in `images/` of the run that shows
    what the camera saw, "" where none was recorded.
    """

    event: str
    step: int
    t: float = 0.0
    observation: str
    progress: float | None
    world: GraphChange | None = None
    view: ViewChange | None = None
    sensors: ArmReading | None = None
    image: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Perceived):
    """An episode began, or began anew after it was voided.

    instruction: as it was told. labels: of the task; none in recordings of before. base_scene: see
    `Task.base_scene`; "" in recordings of before there was one. state: a digest of the true state,
    None where there is none. goal, evidence: the task's goal and `required_evidence` as
    `goal_to_data` has them; None in recordings of before.
    """

    COMPARED: ClassVar[tuple[str, ...]] = (
        "task",
        "instruction",
        "scene",
        "state",
        "observation",
        "progress",
    )
    event: Literal["started"] = field(default="started", repr=False)
    step: int = 0
    task: str
    instruction: str
    scene: str
    state: str | None
    goal: Mapping[str, Any] | None = None
    evidence: Mapping[str, Any] | None = None
    base_scene: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted(Perceived):
    """The planner began the task anew, with what it had learnt. trial: from 2."""

    COMPARED: ClassVar[tuple[str, ...]] = ("trial", "observation", "progress")
    event: Literal["trial_started"] = field(default="trial_started", repr=False)
    trial: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The planner decided something, in its own ids. planning_s, model_s: see `EpisodeResult`.

    augmentation: of a note on what was found at a place, how right it was by the view of then.
    """

    COMPARED: ClassVar[tuple[str, ...]] = ("decision",)
    event: Literal["decided"] = field(default="decided", repr=False)
    step: int
    t: float = 0.0
    decision: Recorded
    planning_s: float
    model_s: float = 0.0
    augmentation: AugmentationScore | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageTaken:
    """The planner looked at the camera's image of the present moment.

    image: the file in `images/` of the run, "" where the camera gave none. It is what a planner is
    given again where the episode is continued or replayed, whatever the camera shows then.
    """

    COMPARED: ClassVar[tuple[str, ...]] = ()
    event: Literal["image_taken"] = field(default="image_taken", repr=False)
    step: int
    t: float = 0.0
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped(Perceived):
    """An action was tried.

    action: None for words that no action could be made of, where the rules count them as a try.
    said: the planner's words, where it used words. wording: the action in the dialect. outcome:
    with every attempt, in the simulator's own words too. reward: of this step.
    """

    COMPARED: ClassVar[tuple[str, ...]] = ("action", "said", "observation", "progress")
    event: Literal["stepped"] = field(default="stepped", repr=False)
    action: Action | None
    said: str | None
    wording: str
    outcome: Outcome
    reward: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRefused:
    """Words that are no action of the dialect; the world stood still. reason: as it was told."""

    COMPARED: ClassVar[tuple[str, ...]] = ("said", "reason")
    event: Literal["text_refused"] = field(default="text_refused", repr=False)
    step: int
    t: float = 0.0
    said: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalChecked:
    """The planner said that it was done and was told whether the goal holds."""

    COMPARED: ClassVar[tuple[str, ...]] = ("reached", "feedback")
    event: Literal["goal_checked"] = field(default="goal_checked", repr=False)
    step: int
    t: float = 0.0
    reached: bool
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerFailed:
    """The planner's own code broke, in an episode or over its `prepare`.

    error: in one line, with file and line. traceback: as Python words it, or its end.
    """

    COMPARED: ClassVar[tuple[str, ...]] = ("error",)
    event: Literal["planner_failed"] = field(default="planner_failed", repr=False)
    step: int
    t: float = 0.0
    error: str
    traceback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided:
    """The simulator was lost for good; the episode begins anew."""

    COMPARED: ClassVar[tuple[str, ...]] = ("reason",)
    event: Literal["voided"] = field(default="voided", repr=False)
    step: int
    t: float = 0.0
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The episode is over."""

    COMPARED: ClassVar[tuple[str, ...]] = ("result",)
    event: Literal["ended"] = field(default="ended", repr=False)
    step: int
    t: float = 0.0
    result: EpisodeResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What the planner's `prepare` gave, once for the run."""

    event: Literal["prepared"] = field(default="prepared", repr=False)
    step: int = 0
    t: float = 0.0
    data: Mapping[str, Any]


WorldEvent = (
    Started
    | TrialStarted
    | Decided
    | ImageTaken
    | Stepped
    | TextRefused
    | GoalChecked
    | PlannerFailed
    | Voided
    | Ended
)
RecordedEvent = (
    Started
    | TrialStarted
    | Decided
    | ImageTaken
    | Stepped
    | TextRefused
    | GoalChecked
    | PlannerFailed
    | Voided
    | Ended
    | Prepared
    | ModelReplied
    | ModelHttpError
    | ModelContextFull
    | ModelEmbedded
)


def to_line(event: RecordedEvent) -> bytes:
    """An event as a line of JSON, with its end; its texts are made `well_formed`."""
    writer = _writer(event.event)
    try:
        return writer.dump_json(event) + b"\n"
    except PydanticSerializationError:
        data = writer.dump_python(event, mode="json")  # raises again where it is no JSON data
        return json.dumps(well_formed_data(data), ensure_ascii=False).encode() + b"\n"


def from_line(line: bytes) -> RecordedEvent:
    """The event of a line. Raises BadInput with what is wrong with it, as a part of a sentence."""
    try:
        event: RecordedEvent = _reader().validate_json(line, strict=True)
    except ValidationError as error:
        raise BadInput(_what_is_wrong(error)) from None
    return event


def result_among(events: Sequence[RecordedEvent]) -> EpisodeResult | None:
    """The result that the events of an episode end with, or None."""
    return events[-1].result if events and isinstance(events[-1], Ended) else None


def same(one: WorldEvent, other: WorldEvent) -> str | None:
    """The first field that must come out alike and does not; None where all agree."""
    if type(one) is not type(other):
        return "event"
    for name in one.COMPARED:
        if getattr(one, name) != getattr(other, name) and (
            _plain(one)[name] != _plain(other)[name]  # a tuple has become a list
        ):
            return name
    return None


def json_schema() -> dict[str, Any]:
    """The JSON schema of a line."""
    return _reader().json_schema()


@cache
def _writer(event: str) -> TypeAdapter[Any]:
    """The writer of one event kind: faster than finding the kind in the union each time."""
    kinds = {kind.__dataclass_fields__["event"].default: kind for kind in get_args(RecordedEvent)}
    return TypeAdapter(kinds[event])


@cache
def _reader() -> TypeAdapter[Any]:
    """The reader of any event; a field that it does not know is as wrong as one that is missing."""
    event: Any = Annotated[RecordedEvent, Field(discriminator="event")]
    return TypeAdapter(event, config=ConfigDict(extra="forbid"))


def _plain(event: WorldEvent) -> Mapping[str, Any]:
    data: dict[str, Any] = json.loads(to_line(event))
    return data


def _what_is_wrong(error: ValidationError) -> str:
    """The first thing that is wrong with a line, with the place of it."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "is not JSON"
    kinds = {"union_tag_invalid": "is no event", "union_tag_not_found": "has no 'event'"}
    if not first["loc"]:
        return kinds.get(first["type"], "is no event")
    named, *place = (str(part) for part in first["loc"])
    told = first["msg"][:1].lower() + first["msg"][1:]
    told = {"unexpected_keyword_argument": "unknown field"}.get(first["type"], told)
    return f"is a damaged '{named}': {'.'.join(place) or named}: {told}"
