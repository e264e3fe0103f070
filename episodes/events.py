"""The schema of recordings: one class for each kind of event.

Every event has its name `event`, the `step` it belongs to (0: before the first action) and `t`,
seconds since the episode began. The classes are plain data classes, which pydantic writes and
checks; `json_schema` gives them as JSON schema. Events of language models stand in `models.events`.

Node ids are those of the simulator: in the world, the views, and the actions and outcomes of
`Stepped`. Only `Decided` has the ids that the planner knows (`planner_ids`), since decisions are
sent back unchanged when an episode is continued or replayed. An id that a planner made up stands in
`Stepped` as an id below all ids of simulators.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from ..errors import BadInput
from ..models.answers import well_formed_data
from ..models.events import ModelContextFull, ModelEmbedded, ModelHttpError, ModelReplied
from ..observation_text.view_change import ViewChange
from ..planners.contract import Act, Done, GiveUp, Internal, NewTrial, Note, Think
from ..scene_graph.changes import GraphChange
from ..skills.actions import Action
from ..skills.arm.blocks.world import ArmReading
from ..skills.outcomes import Outcome
from .augmentation import AugmentationScore
from .result import EpisodeResult

#: The version of recordings that this peephole writes and reads.
SCHEMA_VERSION = 2

Recorded = Annotated[
    Act | Think | Internal | Note | Done | GiveUp | NewTrial, Field(discriminator="kind")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed:
    """An event. step: the actions so far. t: seconds since the episode began."""

    event: str
    step: int
    t: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceived(_Timed):
    """The world of an episode at one moment; a part of several events."""

    observation: str
    """The text that the agent gets."""
    progress: float | None
    """Share of the goal's literals that hold, in [0, 1]; None where nobody can tell."""
    world: GraphChange | None = None
    """Change of the true graph since the event before (at the start, from an empty one). None
    without a true state, or where nothing changed.
    """
    view: ViewChange | None = None
    """Change of the view."""
    sensors: ArmReading | None = None
    """Readings of an arm."""
    image: str = ""
    """File in `images/` of the run with the camera's image, "" where none was recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started(Perceived):
    """An episode began, or began again after it was voided."""

    event: Literal["started"] = field(default="started", repr=False)
    step: int = 0
    task: str
    """Id of the task."""
    instruction: str
    """As the agent gets it."""
    scene: str
    """Name of the scene."""
    state: str | None
    """Digest of the true state; None without one."""
    goal: Mapping[str, Any] | None = None
    """The task's goal as `goal_to_data` gives it; None in old recordings."""
    evidence: Mapping[str, Any] | None = None
    """The task's `required_evidence`, likewise."""
    base_scene: str = ""
    """See `Task.base_scene`; "" in old recordings."""
    asked: str = ""
    """See `Task.asked`; "" in old recordings."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the task; empty in old recordings."""
    schema_version: int = SCHEMA_VERSION
    """Version of the recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted(Perceived):
    """The planner began the task again with what it had learnt. trial: from 2."""

    event: Literal["trial_started"] = field(default="trial_started", repr=False)
    trial: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided(_Timed):
    """The planner decided something."""

    event: Literal["decided"] = field(default="decided", repr=False)
    decision: Recorded
    """With the planner's own ids."""
    planning_s: float
    """See `EpisodeResult`."""
    model_s: float = 0.0
    """See `EpisodeResult`."""
    augmentation: AugmentationScore | None = None
    """Score of a note on what was found at a place, by the view of that moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageTaken(_Timed):
    """The planner looked at the camera's image of the present moment.

    image: the file in `images/` of the run, "" where the camera gave none. A continued or replayed
    episode gives the planner this image again, whatever the camera shows then.
    """

    event: Literal["image_taken"] = field(default="image_taken", repr=False)
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalGiven(_Timed):
    """A person allowed or denied the next action; a continued episode does not ask again.

    A denied action is tried by nobody: its failure has the reason "denied" and no attempt.
    """

    event: Literal["approval_given"] = field(default="approval_given", repr=False)
    allowed: bool
    """Whether the action may be done."""
    reason: str
    """Why it may not, in the person's words; may be empty."""
    answer_s: float
    """Seconds that the person took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped(Perceived):
    """An action was tried."""

    event: Literal["stepped"] = field(default="stepped", repr=False)
    action: Action | None
    """None for a text that is no action, where the rules count it as a try."""
    said: str | None
    """The planner's text, where it gave a text."""
    wording: str
    """The action in the dialect."""
    outcome: Outcome
    """With every attempt, and the simulator's own messages."""
    reward: float = 0.0
    """Of this step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRefused(_Timed):
    """A text that is no action of the dialect; the world did not change."""

    event: Literal["text_refused"] = field(default="text_refused", repr=False)
    said: str
    """The planner's text."""
    reason: str
    """As the agent gets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalChecked(_Timed):
    """The planner said that it was done, and the answer whether the goal holds."""

    event: Literal["goal_checked"] = field(default="goal_checked", repr=False)
    reached: bool
    """Whether the goal holds."""
    feedback: str
    """The answer to the planner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerFailed(_Timed):
    """The planner's own code raised an error, in an episode or in its `prepare`."""

    event: Literal["planner_failed"] = field(default="planner_failed", repr=False)
    error: str
    """In one line, with file and line number."""
    traceback: str
    """As Python words it, or its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voided(_Timed):
    """The simulator was lost for good; the episode begins again."""

    event: Literal["voided"] = field(default="voided", repr=False)
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(_Timed):
    """The episode is over."""

    event: Literal["ended"] = field(default="ended", repr=False)
    result: EpisodeResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared(_Timed):
    """The result of the planner's `prepare`, once for the run."""

    event: Literal["prepared"] = field(default="prepared", repr=False)
    step: int = 0
    data: Mapping[str, Any]


WorldEvent = (
    Started
    | TrialStarted
    | Decided
    | ImageTaken
    | ApprovalGiven
    | Stepped
    | TextRefused
    | GoalChecked
    | PlannerFailed
    | Voided
    | Ended
)
#: The fields in which an event has to be equal to the recorded one.
_COMPARED: dict[type[WorldEvent], tuple[str, ...]] = {
    Started: ("task", "instruction", "scene", "state", "observation", "progress"),
    TrialStarted: ("trial", "observation", "progress"),
    Decided: ("decision",),
    ImageTaken: (),
    ApprovalGiven: (),
    Stepped: ("action", "said", "observation", "progress"),
    TextRefused: ("said", "reason"),
    GoalChecked: ("reached", "feedback"),
    PlannerFailed: ("error",),
    Voided: ("reason",),
    Ended: ("result",),
}
RecordedEvent = (
    WorldEvent | Prepared | ModelReplied | ModelHttpError | ModelContextFull | ModelEmbedded
)
#: The names of all events.
KINDS = frozenset(kind.__dataclass_fields__["event"].default for kind in get_args(RecordedEvent))


def to_line(event: RecordedEvent) -> bytes:
    """An event as one line of JSON with its newline; its texts are made `well_formed`."""
    writer = _writer(event.event)
    try:
        return writer.dump_json(event) + b"\n"
    except PydanticSerializationError:
        data = writer.dump_python(event, mode="json")  # raises again where it is no JSON data
        return json.dumps(well_formed_data(data), ensure_ascii=False).encode() + b"\n"


def from_line(line: bytes) -> RecordedEvent:
    """The event of a line. Raises BadInput with what is wrong, as a part of a sentence."""
    try:
        event: RecordedEvent = _reader().validate_json(line, strict=True)
    except ValidationError as error:
        raise BadInput(_what_is_wrong(error)) from None
    return event


def beginning_of(events: Sequence[RecordedEvent]) -> Started:
    """The start among an episode's events. Raises BadInput where there is none."""
    for event in events:
        if isinstance(event, Started):
            return event
    raise BadInput("The recording of the episode lacks its beginning; restore its file.")


def result_among(events: Sequence[RecordedEvent]) -> EpisodeResult | None:
    """The result of an episode's events, or None where it has not ended."""
    return events[-1].result if events and isinstance(events[-1], Ended) else None


def same(one: WorldEvent, other: WorldEvent) -> str | None:
    """The first field that has to be equal and is not; None where all are."""
    if type(one) is not type(other):
        return "event"
    for name in _COMPARED[type(one)]:
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
    """The writer of one kind of event, which is faster than that of the union."""
    kinds = {kind.__dataclass_fields__["event"].default: kind for kind in get_args(RecordedEvent)}
    return TypeAdapter(kinds[event])


@cache
def _reader() -> TypeAdapter[Any]:
    """The reader of any event. Unknown fields and numbers that are not finite are errors."""
    event: Any = Annotated[RecordedEvent, Field(discriminator="event")]
    return TypeAdapter(event, config=ConfigDict(extra="forbid", allow_inf_nan=False))


def _plain(event: WorldEvent) -> Mapping[str, Any]:
    data: dict[str, Any] = json.loads(to_line(event))
    return data


def _what_is_wrong(error: ValidationError) -> str:
    """The first error in a line, with its place."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return "is not JSON"
    kinds = {"union_tag_invalid": "is no event", "union_tag_not_found": "has no 'event'"}
    if not first["loc"]:
        return kinds.get(first["type"], "is no event")
    named, *place = (str(part) for part in first["loc"])
    problem = first["msg"][:1].lower() + first["msg"][1:]
    problem = {"unexpected_keyword_argument": "unknown field"}.get(first["type"], problem)
    return f"is a damaged '{named}': {'.'.join(place) or named}: {problem}"
